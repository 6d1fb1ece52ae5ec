"""The worker on Apache Kafka, against a plain loop over the same topic.

Room for whatever needs a broker, which each of them starts itself.
"""
