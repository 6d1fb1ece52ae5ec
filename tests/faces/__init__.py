"""What is made of a declaration for its faces: ``make faces`` writes it anew, and a test says when it is behind."""
