"""What is searched of a memory, at the position of its graph. It knows texts and the graph, and no ranking."""
