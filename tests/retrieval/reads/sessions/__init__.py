"""The reads about the work of agents."""
