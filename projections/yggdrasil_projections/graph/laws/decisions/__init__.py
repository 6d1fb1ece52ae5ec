"""What is decided outside the fold and takes effect in it: by thinkers, and by operators."""
