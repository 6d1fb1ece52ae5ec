"""The demo: a git history as a memory, step by step.

It uses the commands that are there, so that what it shows is what one gets. No other command imports it.
"""
