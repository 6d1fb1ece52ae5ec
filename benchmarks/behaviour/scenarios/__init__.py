"""The scenarios, a module each: what is told to a memory, and what it has shown.

Room for another life whose right answer is known beforehand. None knows how it is reported, nor another scenario.
"""
