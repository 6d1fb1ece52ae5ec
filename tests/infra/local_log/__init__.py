"""The log on one machine: one writer, group commit, and what a crash or damage leaves."""
