"""The directory as a whole: many memories in it, stores built anew, a write that fails."""
