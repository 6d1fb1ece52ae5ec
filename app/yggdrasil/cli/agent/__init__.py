"""What an agent, or a person in its place, does to one memory: record, import, ask, decide.

Room for a command that does what a method of ``Memory`` does.
"""
