"""Compare a store, record by record, with the log that it was folded from: name what differs, and who touched it last.

Room for another way to look at a difference. A store may be in use: it is read as it was when it was opened.
"""
