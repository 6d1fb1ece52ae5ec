"""The demo: a git history as a memory, step by step."""
