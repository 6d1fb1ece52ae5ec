"""What is found, and what is rightly not answered."""
