"""Tests of the fold: its laws, its arithmetic, its store, and that it is the same everywhere."""
