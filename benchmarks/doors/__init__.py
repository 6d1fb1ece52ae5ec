"""What the doors cost over the facade that they stand on.

Room for another door: two functions, to remember and to ask.
"""
