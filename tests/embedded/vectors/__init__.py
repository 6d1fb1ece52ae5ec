"""Vectors in a directory: when texts get them, and that two models never mix."""
