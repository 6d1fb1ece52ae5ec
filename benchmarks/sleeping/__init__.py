"""Sleep after every task: how fast strength fades, what is put away and comes back, and what a usual life keeps."""
