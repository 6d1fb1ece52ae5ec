"""What the shell keeps of an agent's events before Python is started.

Each event is a file, until a process has taken in what it says. Room for whatever else comes before that.
"""
