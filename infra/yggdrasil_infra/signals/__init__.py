"""What a process shows to those who watch it: metrics, probes, log lines."""
