"""What the doors cost over the facade that they stand on.

``ways`` is the list of doors, which the tests run through as well; ``benchmark`` measures each. Room for a measure.
"""
