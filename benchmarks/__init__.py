"""Measurements with a yardstick: each benchmark reports a ratio to something measured in the same run.

A folder for each family. A benchmark may look inside the parts that it measures, and nothing of ours imports one.
"""
