"""What auditors find out: a store beside its log, record by record.

Room for other ways to look at what stands.
"""
