"""Thinkers beside a topic on a real broker, with a real service."""
