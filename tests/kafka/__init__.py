"""Tests on a real Apache Kafka, which they start themselves."""
