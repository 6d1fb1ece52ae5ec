"""Topics with settings that are not the usual ones: made with them, or altered and waited for.

A broker answers an alteration before it goes by it: first whoever asks is told the new value, then the log has it. So
a test of what the log does makes a topic with the setting.
"""

from kafka.admin import ConfigResource, ConfigResourceType

from tests.harness.waiting import until
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import admin, describe_topic
from yggdrasil_schemas.topics import settings_for


def make(kafka: KafkaSettings, topic: str, partitions: int, settings: dict[str, str]) -> None:
    """Make a topic that differs from what it must be in ``settings``."""
    configs = {**settings_for(topic), **settings}
    with admin(kafka) as client:
        client.create_topics({topic: {"num_partitions": partitions, "replication_factor": 1, "configs": configs}})
        client.wait_for_topics([topic])


def alter(kafka: KafkaSettings, topic: str, settings: dict[str, str]) -> None:
    """Alter a topic, and return once the broker says so."""
    with admin(kafka) as client:
        client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, settings)])
    until(lambda: settings.items() <= describe_topic(kafka, topic).settings.items(), look_s=0.1)
