"""What is known: what stands, verdicts, claims and the names of things, by the second half of the page."""
