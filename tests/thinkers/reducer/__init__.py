"""The reducer: what it takes from sentences, what it falls for, and its claims in a real memory."""
