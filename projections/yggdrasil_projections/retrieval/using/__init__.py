"""What an output used of what was returned: labels that it cites, words that return, and what sentences mean.

All of it is a guess of what was read, beside the fold: the fold is told by a ``report_use`` with its method.
"""
