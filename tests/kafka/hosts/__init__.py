"""Workers and query hosts over a topic."""
