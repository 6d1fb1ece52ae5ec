"""The laws of places: what is said of both of two things, and what is seen again."""
