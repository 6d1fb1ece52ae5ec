"""The graph of record: a pure fold, the laws it applies, and the store that keeps its result with its position."""
