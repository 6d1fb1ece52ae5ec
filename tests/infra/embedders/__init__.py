"""Embedders: real models, hosted ones, and what makes a vector of numbers."""
