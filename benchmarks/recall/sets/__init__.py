"""Many shapes of memory, each with questions and their truth: notes, documents, manuals, commits, dialogues, languages.

What may come in: a shape (its memories, questions and answers), and what asks them all in the same way.
"""
