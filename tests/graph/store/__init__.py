"""The store below the fold: one write for everything, what damage does to it, and checkpoints."""
