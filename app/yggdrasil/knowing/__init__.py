"""The parts of ``Memory`` that say what is so: claims, and corrections of whatever was said.

Room for what is held to be true; what happened is recorded beside it.
"""
