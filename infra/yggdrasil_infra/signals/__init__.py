"""What a process shows to those who watch it: metrics, probes, log lines.

Room for another signal. A metric's name and help are declared here, and counted where the thing happens.
"""
