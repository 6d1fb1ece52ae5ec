"""What folds to the same for ever: a fixed history, and a small log for each type of command."""
