"""Tests of what folds a topic: workers and query hosts."""
