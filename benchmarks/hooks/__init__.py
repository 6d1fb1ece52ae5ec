"""A coding agent's weeks, out of a repository's history, through the hooks: whether lessons come back when needed.

``history`` reads the commits, ``sessions`` plays each as a session of an agent, ``benchmark`` compares and reports.
"""
