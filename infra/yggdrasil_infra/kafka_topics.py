# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Create the topics, and verify that a topic can be trusted to be the memory."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import KafkaError, TopicAlreadyExistsError
from yggdrasil_schemas.topics import DURABILITY, Profile, settings_for

from .kafka_settings import KafkaSettings
from .log import LogError

_IN_SYNC: Final = "min.insync.replicas"


class TopicError(LogError):
    """A topic is missing, or it is not what a log must be; the message says how to mend it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What is known of an existing topic. ``replicas`` is the least over its partitions."""

    name: str
    topic_id: str
    partitions: int
    replicas: int
    settings: Mapping[str, str]


@contextmanager
def admin(settings: KafkaSettings) -> Generator[Any]:
    """Open an admin client for a while. Raises LogError when no broker answers."""
    try:
        client = KafkaAdminClient(**settings.options("yggdrasil-admin"))
    except KafkaError as error:
        raise LogError(f"no Kafka broker answers at {settings.bootstrap_servers}: {error}") from error
    try:
        yield client
    finally:
        client.close()


def create_topic(settings: KafkaSettings, name: str, partitions: int, profile: Profile = "production") -> None:
    """Create a topic as it must be; one that exists already is left as it is. Raises LogError."""
    durability = DURABILITY[profile]
    wanted = {
        "num_partitions": partitions,
        "replication_factor": durability.replicas,
        "configs": {**settings_for(name), _IN_SYNC: str(durability.in_sync_min)},
    }
    with admin(settings) as client:
        try:
            client.create_topics({name: wanted}, wait_for_metadata=True)
        except TopicAlreadyExistsError:
            return
        except KafkaError as error:
            raise LogError(f"topic {name} cannot be created: {error}") from error


def describe_topic(settings: KafkaSettings, name: str) -> Topic:
    """Return what the brokers say of a topic. Raises TopicError when there is none."""
    with admin(settings) as client:
        try:
            (found,) = client.describe_topics([name])
            if found["error_code"]:
                raise TopicError(f"topic {name} does not exist at {settings.bootstrap_servers}; create it first")
            configs = client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)], config_filter="all")
        except KafkaError as error:
            raise LogError(f"topic {name} cannot be described: {error}") from error
    partitions = found["partitions"]
    replicas = min(len(partition["replica_nodes"]) for partition in partitions)
    values = {setting: str(entry["value"]) for setting, entry in configs["topic"][name].items()}
    return Topic(name, str(found["topic_id"]), len(partitions), replicas, values)


def verify_topic(topic: Topic, profile: Profile) -> None:
    """Raise TopicError, naming every fault and its remedy, unless ``topic`` can be trusted under ``profile``."""
    faults: list[str] = []
    for name, wanted in settings_for(topic.name).items():
        if topic.settings.get(name) != wanted:
            faults.append(f"{name} is {topic.settings.get(name)} and must be {wanted}")
    durability = DURABILITY[profile]
    if int(topic.settings.get(_IN_SYNC, "1")) < durability.in_sync_min:
        faults.append(f"{_IN_SYNC} is {topic.settings.get(_IN_SYNC)} and must be at least {durability.in_sync_min}")
    if topic.replicas < durability.replicas:
        faults.append(
            f"a partition has {topic.replicas} replicas and must have {durability.replicas} (reassign it, or ask for "
            "the development profile if losing the memory with one broker is acceptable)"
        )
    if faults:
        raise TopicError(
            f"topic {topic.name} cannot be the memory: {'; '.join(faults)}. Change a setting with: kafka-configs.sh "
            f"--alter --entity-type topics --entity-name {topic.name} --add-config NAME=VALUE"
        )
