"""What was found, put in order: by strength, by what is new, and what a feature means by who is trusted most.

Room for whatever else orders what one search has found. What searches, and makes an answer, stays with the reads.
"""
