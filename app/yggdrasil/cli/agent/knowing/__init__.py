"""What a memory knows, on the command line: what is so, what no longer holds, and what things have to do with others.

Room for a command that does what a method of ``KnownThings`` or of ``Corrections`` does.
"""
