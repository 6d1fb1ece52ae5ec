"""What happens: events, sessions, what follows on what, and what becomes a concept by itself."""
