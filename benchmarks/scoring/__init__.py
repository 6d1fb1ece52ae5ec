"""Learned scorers: made worlds, real recalls with whole sets left out, reporters who lie, and the same on two forms."""
