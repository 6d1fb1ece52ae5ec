"""What a request may be: its schema, its size, who may send it, and how many at once."""
