"""Doors: what other programs already speak, over the facade, so that an agent that exists can remember.

One file or folder for each; an extra of the same name brings the library that it plugs into. A door is thin: it turns
what its framework says into calls of ``Memory``, and the answers into what the framework expects. Nothing else knows
them. Room for the next framework.
"""
