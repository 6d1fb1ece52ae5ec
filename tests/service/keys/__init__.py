"""What a key may do, what a tenant may take, and who is told of it."""
