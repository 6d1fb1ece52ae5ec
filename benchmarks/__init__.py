"""Measurements with a yardstick: each benchmark reports a ratio to something measured in the same run."""
