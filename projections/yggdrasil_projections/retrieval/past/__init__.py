"""Which moment of a memory a read is of, and what two moments have in common: values, and no stores.

Room for another way of looking at what a memory was.
"""
