"""The query service: the retrieval view with an HTTP face."""
