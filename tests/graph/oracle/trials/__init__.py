"""Random lives that are told to fold and oracle, and where the two part."""
