"""Moments that have names, and memories that went on from one."""
