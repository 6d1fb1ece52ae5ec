"""What is made of a session's transcript: claims and lessons, held against the facts that it was written from.

What may come in: the facts, writers, transcripts, how claims are held against facts, and talk of real people.
"""
