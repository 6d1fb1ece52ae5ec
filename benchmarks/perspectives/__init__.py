"""Whether agents of two roles, who share one memory, are each served what they need.

Room for whatever is seen differently by different agents: worlds of tasks, and what is measured in them.
"""
