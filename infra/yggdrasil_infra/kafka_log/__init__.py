"""The log on Apache Kafka, by kafka-python: the log port, a consumer, and the topics as they must be.

Whatever knows brokers is here, and whatever else needs a log asks the port, ``log``.
"""
