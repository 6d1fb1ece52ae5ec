"""What a process says of itself: logs, metrics, probes."""
