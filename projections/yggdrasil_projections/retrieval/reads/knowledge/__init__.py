"""What stands and what stood: the history of a slot, and where it is contested.

Room for reads of what is held to be true; none of them ranks anything.
"""
