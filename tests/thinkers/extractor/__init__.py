"""The extractor: what it takes from plain sentences, what it falls for, and its claims in a real memory."""
