"""What is decided outside the fold and takes effect in it: by thinkers, and by operators.

Room for another decision. It may use what experience and learning have, and neither knows it.
"""
