"""The auditor's replay: any stretch of a log, of all memories or some, partitions beside each other, once interrupted.

It reads a log and folds into directories of its own; it appends nothing and publishes nothing. The command line and
whoever audits from Python call ``together`` with one task for each partition.
"""
