"""What an operator runs and looks after: topics, workers, services, keys, versions, checkpoints, rebuilds.

Room for a command that starts a process, or changes what a deployment stands on.
"""
