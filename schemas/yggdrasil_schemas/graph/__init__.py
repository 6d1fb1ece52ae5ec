"""The records of a memory graph, and the form in which they are stored."""
