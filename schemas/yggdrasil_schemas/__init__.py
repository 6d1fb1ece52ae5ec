"""The language of the log: what may be said, what is refused, and why.

Envelope, commands, refusals, graph records, policy, positions and their codecs. Everything else speaks this language,
so this package imports nothing of ours and holds no behaviour that depends on a broker, a store or a clock.
"""
