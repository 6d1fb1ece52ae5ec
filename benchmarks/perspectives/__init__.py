"""Whether agents of two roles, who share one memory, are each served what they need."""
