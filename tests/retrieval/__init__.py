"""Tests of what is read from a memory."""
