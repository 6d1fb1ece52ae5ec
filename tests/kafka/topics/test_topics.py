"""A topic is the memory only if nothing can leave it: verified, and refused with the remedy."""

import subprocess
import sys
from dataclasses import replace
from time import monotonic
from uuid import uuid4

import pytest
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource, ConfigResourceType

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import TopicError, TopicMissingError, create_topic, describe_topic, verify_topic
from yggdrasil_infra.log import LogError


@pytest.fixture
def topic(kafka: KafkaSettings) -> str:
    name = f"test-{uuid4().hex}"
    assert create_topic(kafka, name, 3, "development")
    return name


def test_a_created_topic_is_as_it_must_be(kafka: KafkaSettings, topic: str) -> None:
    described = describe_topic(kafka, topic)
    verify_topic(described, "development")
    assert (described.name, described.partitions, described.replicas) == (topic, 3, 1)
    assert described.settings["retention.ms"] == described.settings["retention.bytes"] == "-1"


def test_creating_it_again_leaves_it_as_it_is(kafka: KafkaSettings, topic: str) -> None:
    before = describe_topic(kafka, topic)
    assert not create_topic(kafka, topic, 7, "development")
    assert describe_topic(kafka, topic) == before


def test_one_broker_is_not_enough_unless_it_is_asked_for(kafka: KafkaSettings, topic: str) -> None:
    with pytest.raises(TopicError, match=r"min\.insync\.replicas is 1.*1 replica and must have 3.*development profile"):
        KafkaLog(kafka, topic)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("retention.ms", "1000"),
        ("retention.bytes", "5000"),
        ("cleanup.policy", "compact"),
        ("cleanup.policy", "compact,delete"),
        ("compression.type", "producer"),
        ("max.message.bytes", "500000"),
    ],
)
def test_a_topic_that_forgets_is_refused_with_the_remedy(
    kafka: KafkaSettings, topic: str, setting: str, value: str
) -> None:
    client = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {setting: value})])
    client.close()
    command = (
        rf"kafka-configs.sh --bootstrap-server {kafka.bootstrap_servers} --alter .*{topic} --add-config {setting}="
    )
    deadline = monotonic() + 240.0  # what was altered is not seen at once by whoever asks a busy broker
    with pytest.raises(TopicError, match=rf"{setting} is .* and must be .*{command}"):
        while monotonic() < deadline:
            KafkaLog(kafka, topic, "development").close()


def test_nothing_is_recommended_on_one_broker_that_would_stop_it(kafka: KafkaSettings, topic: str) -> None:
    found = describe_topic(kafka, topic)
    with pytest.raises(TopicError) as refused:
        verify_topic(found, "production")
    said = str(refused.value)
    assert "--add-config" not in said, "all else is as it must be"
    assert "Set min.insync.replicas=2 only once the replicas are there" in said and "takes 3 brokers" in said
    with pytest.raises(TopicError, match=r"--add-config retention\.ms=-1$"):
        verify_topic(replace(found, settings={**found.settings, "retention.ms": "1"}), "production")
    with pytest.raises(TopicError, match=r"--add-config min\.insync\.replicas=2$"):
        verify_topic(replace(found, replicas=3, in_sync=3), "production")


def test_a_topic_that_is_not_there_is_named(kafka: KafkaSettings) -> None:
    with pytest.raises(TopicMissingError, match=r"no-such-topic does not exist .*`yggdrasil topics` creates it"):
        KafkaLog(kafka, "no-such-topic", "development")


def test_a_topic_on_more_brokers_than_there_are_is_not_created(kafka: KafkaSettings) -> None:
    with pytest.raises(TopicError, match=r"cannot be created: it is to have 3 replicas, .*--development"):
        create_topic(kafka, f"test-{uuid4().hex}", 1)
    with pytest.raises(TopicError, match=r"cannot be created: .*[Ii]llegal|invalid"):
        create_topic(kafka, "no/such/name", 1, "development")


def test_a_broker_that_is_not_there_is_named() -> None:
    """In a process of its own: kafka-python leaves its sockets open when nobody answers."""
    code = (
        "from yggdrasil_infra.kafka_log.settings import KafkaSettings\n"
        "from yggdrasil_infra.kafka_log.topics import describe_topic\n"
        "describe_topic(KafkaSettings('127.0.0.1:1'), 'x')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "LogError: no Kafka broker answers at 127.0.0.1:1" in ran.stderr


def test_settings_come_from_the_environment_and_hide_their_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    named = {"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "PLAIN", "SASL_PLAIN_USERNAME": "me"}
    for name, value in {**named, "SASL_PLAIN_PASSWORD": "hush"}.items():
        monkeypatch.setenv(f"YGGDRASIL_KAFKA_{name}", value)
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    with pytest.raises(LogError, match="KAFKA_BOOTSTRAP_SERVERS"):
        KafkaSettings.from_environment()
    settings = KafkaSettings.from_environment("broker:9092")
    assert settings.options("me")["sasl_plain_password"] == "hush"
    assert "hush" not in repr(settings)
    with pytest.raises(LogError, match="unknown Kafka security options"):
        KafkaSettings("broker:9092", {"ssl_check_hostnam": "no"})
