"""What thinkers are good for: whether what they decide agrees with what is known to be true.

Room for streams of which the truth is known, for what else could decide, and for how the two are compared.
"""
