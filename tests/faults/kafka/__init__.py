"""Brokers that are killed under load, records that are altered, and what must hold of the topic then."""
