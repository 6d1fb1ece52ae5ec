"""Frameworks for agents: each with its own runner and its own scripted models, over real memories and services."""
