"""HTTP without domain rules: who calls, how much one may ask, how an error looks, how a server starts and ends.

Only the routes that every process has are here (documents, probes, metrics); the others are with what they serve, in
``gateway`` and ``service``.
"""
