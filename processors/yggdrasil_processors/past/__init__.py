"""The past of one memory: built again as it stood, compared with another moment, and packed to be taken elsewhere.

It reads a log and builds in directories of its own; it appends nothing. Room for what would have been.
"""
