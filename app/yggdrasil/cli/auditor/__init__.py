"""What an auditor asks: is this what the log says, would the answer be the same, what is there.

Room for a command that compares or counts. None of them writes to the log or to the stores that it examines.
"""
