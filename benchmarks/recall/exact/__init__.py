"""Questions whose answer is an exact set of notes: what stands now, what is in scope, what is meant, and nothing else.

What may come in: cases, the searches that they are put to, and how alike a set is to the true one.
"""
