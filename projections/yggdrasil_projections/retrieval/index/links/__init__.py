"""What claims join: things with things by a predicate, places with places by paths, and where places are.

Kept beside the documents, and made into adjacency when somebody asks.
"""
