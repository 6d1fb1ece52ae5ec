"""How models cut texts into the pieces that they know: WordPiece, and the unigram model of SentencePiece.

Room for another way. A piece is a number in a model's own vocabulary.
"""
