"""What is deployed, and what is told to whoever runs it, checked by the programs that will read it."""
