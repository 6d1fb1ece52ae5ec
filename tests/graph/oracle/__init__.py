"""The oracle: the laws of docs/laws.md once more, written from that page alone, slow and plain.

Every tick multiplies every fading value, numbers have 50 digits, whatever is looked for is found by looking at
everything, and what goes first is found by sorting all. It shares nothing with the fold but the policy's constants and
the names of refusals. ``model.Model`` is the way in.
"""
