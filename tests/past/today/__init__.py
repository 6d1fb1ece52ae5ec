"""The past as it is read today: through the verdicts of today, and beside all that goes on while it is built.

Room for what else the present does to a reader of the past.
"""
