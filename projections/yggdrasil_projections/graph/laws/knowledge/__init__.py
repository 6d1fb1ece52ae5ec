"""What is known: claims with their sources, what they mean, the names of things, and verdicts on all of it.

Room for laws that decide which of what a memory holds still holds; they change a status, and never a salience.
"""
