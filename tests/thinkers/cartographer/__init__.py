"""The cartographer: density alone, and each of the things that it decides in a memory whose fold takes them.

Room for what else a map shows.
"""
