"""The fold as a whole: pure, the same whatever it remembers, under every version of the rules."""
