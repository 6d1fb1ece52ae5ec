"""The log on Kafka: what is appended, read, sent and followed, and the topic that it is in."""
