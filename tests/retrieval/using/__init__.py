"""What an output used of what was returned."""
