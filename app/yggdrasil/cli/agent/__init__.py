"""What an agent, or a person in its place, does to one memory: record, import, ask, decide."""
