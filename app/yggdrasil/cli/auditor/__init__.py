"""What an auditor asks: is this what the log says, would the answer be the same, what is there."""
