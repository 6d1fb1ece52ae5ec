"""What stands: successions in a slot, and verdicts.

Room for laws that decide which of what a memory holds still holds; they change a status, and never a salience.
"""
