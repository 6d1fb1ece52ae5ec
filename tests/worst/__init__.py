"""Text of other people takes time in proportion to its length, whatever it is made of; no read holds up others long.

Room for how patterns and parsers are found, for the worst texts of each, and for the measure.
"""
