# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false
# pyright: reportUnknownArgumentType=false
# kafka-python has no types; what it returns is named as soon as it arrives.
"""Create the topics, and verify that a topic can be trusted to be the memory."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType
from kafka.errors import (
    AuthorizationError,
    InvalidReplicationFactorError,
    KafkaError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)

from yggdrasil_schemas.problems import AWAY, ExitCode
from yggdrasil_schemas.topics import DURABILITY, MESSAGE_BYTES_MIN, Profile, is_refused, settings_for

from ..log import LogError
from .reach import reach
from .settings import KafkaSettings

IN_SYNC: Final = "min.insync.replicas"


class TopicError(LogError):
    """A topic is not what a log must be, or may not be looked at; the message says how to mend it."""


class UnfitTopicError(TopicError):
    """A topic has settings or replicas with which it may lose records; it is readable all the same."""


class TopicMissingError(TopicError):
    """There is no topic of that name."""

    kind = replace(AWAY, exit=ExitCode.NOT_FOUND, code="no_topic")


@dataclass(frozen=True, slots=True)
class Topic:
    """What is known of an existing topic. ``replicas`` and ``in_sync`` are the least over its partitions."""

    servers: str
    name: str
    topic_id: str
    partitions: int
    replicas: int
    in_sync: int
    settings: Mapping[str, str]


@contextmanager
def admin(settings: KafkaSettings) -> Generator[Any]:
    """Open an admin client for a while. Raises LogError, with the reason, when no broker answers."""
    reach(settings)
    try:
        client = KafkaAdminClient(**settings.options("yggdrasil-admin"))
    except KafkaError as error:
        raise LogError(f"no Kafka broker answers at {settings.bootstrap_servers}: {error}") from error
    try:
        yield client
    finally:
        client.close()


def create_topic(settings: KafkaSettings, name: str, partitions: int, profile: Profile = "production") -> bool:
    """Create a topic as it must be and return True; return False when there is one, which is left as it is.

    Raises TopicError, with the remedy, when the brokers do not want it, and LogError.
    """
    durability = DURABILITY[profile]
    wanted = {
        "num_partitions": partitions,
        "replication_factor": durability.replicas,
        "configs": {**settings_for(name), IN_SYNC: str(durability.in_sync_min)},
    }
    with admin(settings) as client:
        try:
            (answer,) = client.create_topics({name: wanted}, raise_errors=False)["topics"]
            error = for_code(answer["error_code"])
            if not answer["error_code"]:
                client.wait_for_topics([name])
        except KafkaError as failure:
            raise LogError(f"topic {name} cannot be created: {failure}") from failure
    if issubclass(error, TopicAlreadyExistsError):
        return False
    if answer["error_code"]:
        raise TopicError(
            f"topic {name} cannot be created: {_why_not(error, answer['error_message'], durability.replicas)}"
        )
    return True


def describe_topic(settings: KafkaSettings, name: str) -> Topic:
    """Return what the brokers say of a topic.

    Raises TopicMissingError when there is none, TopicError when we may not look at it, and LogError.
    """
    with admin(settings) as client:
        try:
            (found,) = client.describe_topics([name])
            _check_described(found["error_code"], name, settings)
            configs = client.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)], config_filter="all")
        except KafkaError as error:
            raise LogError(f"topic {name} cannot be described: {error}") from error
    partitions = found["partitions"]
    values = {setting: str(entry["value"]) for setting, entry in configs["topic"][name].items()}
    if not values:  # all that kafka-python says when the brokers refuse
        raise TopicError(_not_allowed(name, "DescribeConfigs"))
    return Topic(
        settings.bootstrap_servers,
        name,
        str(found["topic_id"]),
        len(partitions),
        min(len(partition["replica_nodes"]) for partition in partitions),
        min(len(partition["isr_nodes"]) for partition in partitions),
        values,
    )


def verify_topic(topic: Topic, profile: Profile) -> None:
    """Raise UnfitTopicError, naming every fault and its remedy, unless ``topic`` can be trusted under ``profile``."""
    durability = DURABILITY[profile]
    wrong = {name: wanted for name, wanted in settings_for(topic.name).items() if topic.settings.get(name) != wanted}
    faults = [f"{name} is {topic.settings.get(name) or 'empty'} and must be {wanted}" for name, wanted in wrong.items()]
    for name, least in {IN_SYNC: durability.in_sync_min, "max.message.bytes": MESSAGE_BYTES_MIN}.items():
        if int(topic.settings.get(name, "1")) < least:
            wrong[name] = str(least)
            faults.append(f"{name} is {topic.settings.get(name)} and must be at least {least}")
    remedies: list[str] = []
    if topic.replicas < durability.replicas:
        faults.append(f"a partition has {_replicas(topic.replicas)} and must have {durability.replicas}")
        remedies.append(
            f"Add replicas with kafka-reassign-partitions.sh, which takes {durability.replicas} brokers, or ask for "
            "the development profile (--development) if losing the memory with one broker is acceptable."
        )
        if IN_SYNC in wrong:  # it would stop every append, or with the first broker
            in_sync_min = wrong.pop(IN_SYNC)
            remedies.append(
                f"Set {IN_SYNC}={in_sync_min} only once the replicas are there: before that it stops appending."
            )
    if wrong:
        changes = ",".join(f"{name}={wanted}" for name, wanted in wrong.items())
        remedies.append(
            f"Change the settings with: kafka-configs.sh --bootstrap-server {topic.servers} --alter "
            f"--entity-type topics --entity-name {topic.name} --add-config {changes}"
        )
    if faults:
        purpose = "hold the refusals" if is_refused(topic.name) else "be the log"
        raise UnfitTopicError(f"topic {topic.name} cannot {purpose}: {'; '.join(faults)}. {' '.join(remedies)}")


def _replicas(count: int) -> str:
    return f"{count} replica{'' if count == 1 else 's'}"


def _check_described(code: int, name: str, settings: KafkaSettings) -> None:
    """Raise what the error code of a topic's metadata means, if it is one."""
    if not code:
        return
    error = for_code(code)
    if issubclass(error, UnknownTopicOrPartitionError):
        raise TopicMissingError(
            f"topic {name} does not exist at {settings.bootstrap_servers}; `yggdrasil topics` creates it"
        )
    if issubclass(error, AuthorizationError):
        raise TopicError(_not_allowed(name, "Describe"))
    raise error


def _why_not(error: type[KafkaError], said: str | None, replicas: int) -> str:
    if issubclass(error, InvalidReplicationFactorError):
        return (
            f"it is to have {_replicas(replicas)}, and there are not so many brokers. Add brokers, or ask for the "
            "development profile (--development) if losing the memory with one broker is acceptable"
        )
    if issubclass(error, AuthorizationError):
        return (
            "the brokers do not allow it. Let an administrator run `yggdrasil topics`, or allow Create on the topic "
            "with kafka-acls.sh"
        )
    return said or error.__name__


def _not_allowed(name: str, operation: str) -> str:
    return (
        f"topic {name} cannot be looked at: the brokers do not allow {operation} on it, or it does not exist. An "
        f"administrator allows it with: kafka-acls.sh --bootstrap-server HOST:PORT --add --allow-principal User:NAME "
        f"--operation {operation} --topic {name}"
    )
