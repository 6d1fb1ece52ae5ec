"""What was found, put in order: by strength, by what is new, by what a feature means and how often that was so.

Room for whatever else orders what one search has found. What searches, and makes an answer, stays with the reads.
"""
