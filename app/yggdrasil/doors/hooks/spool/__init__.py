"""What the shell keeps of an agent's events before Python is started. Room for whatever else comes before that."""
