"""The doors, each with the real library that it plugs into, against a real memory or service."""
