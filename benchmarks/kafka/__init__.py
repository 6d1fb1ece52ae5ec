"""The worker on Apache Kafka, against a plain loop over the same topic."""
