"""What an operator runs and looks after: topics, workers, services, keys, versions, checkpoints, rebuilds."""
