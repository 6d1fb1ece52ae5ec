"""Tests of the past of a memory."""
