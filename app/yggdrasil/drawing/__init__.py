"""Pictures of a memory, each in one file that needs no network: a map of the places that it knows.

Room for other pictures: one module says what is drawn, and one for each format draws it.
"""
