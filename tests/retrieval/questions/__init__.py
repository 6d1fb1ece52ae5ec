"""What is read of a question before it is asked."""
