"""Tests of topics: made, verified, pinned, copied."""
