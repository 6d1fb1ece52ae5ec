"""The rights that infra/kubernetes/kafka/users.yaml gives are enough and no more, on a broker that gives just those."""

import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ACLResourcePatternType, ResourcePattern, ResourceType

from tests.deployment.validators import INFRA, documents
from tests.kafka.node import KafkaNode, free_port
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.sender import KafkaSender
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import TopicError, admin, create_topic, describe_topic
from yggdrasil_infra.log import LogError
from yggdrasil_processors.query_host import HostSettings, QueryHost
from yggdrasil_schemas.topics import COMMANDS, REFUSED

USERS = {one["metadata"]["name"]: one["spec"] for one in documents(INFRA / "kubernetes" / "kafka" / "users.yaml")}
WORKER, PRODUCER, SERVICE = "yggdrasil-worker", "yggdrasil-producer", "yggdrasil-serve"
THINKER = "yggdrasil-think"
PASSWORD = "only-for-this-test"
DEADLINE_S = 240.0  # a worker starts, folds one record and publishes one refusal


class Broker:
    """A broker that knows the users of the file; ``all_rights`` is for whoever sets it up."""

    def __init__(self, folder: Path) -> None:
        port = free_port(3)
        inside, controller, outside = (f"127.0.0.1:{port + step}" for step in range(3))
        known = " ".join(f'user_{name}="{PASSWORD}"' for name in USERS)
        properties = folder / "access.properties"
        properties.write_text(
            f"listeners=PLAINTEXT://{inside},SASL_PLAINTEXT://{outside},CONTROLLER://{controller}\n"
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT\n"
            "sasl.enabled.mechanisms=PLAIN\n"
            "listener.name.sasl_plaintext.plain.sasl.jaas.config="
            f"org.apache.kafka.common.security.plain.PlainLoginModule required {known};\n"
            "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"
            "super.users=User:ANONYMOUS\n"
        )
        self.node = KafkaNode(folder / "node", port, environment={"EXTRA_PROPERTIES": str(properties)})
        self.all_rights = KafkaSettings(inside)
        self._outside = outside

    def as_user(self, name: str) -> KafkaSettings:
        return KafkaSettings(self._outside, security(name))

    def environment(self, name: str) -> dict[str, str]:
        named = {f"YGGDRASIL_KAFKA_{key.upper()}": value for key, value in security(name).items()}
        return {"KAFKA_BOOTSTRAP_SERVERS": self._outside, **named}

    def give_rights(self) -> None:
        """Give each user what the file says, and nothing else."""
        with admin(self.all_rights) as client:
            created = client.create_acls([acl for name, spec in USERS.items() for acl in acls(name, spec)])
        assert not created["failed"]


def security(name: str) -> dict[str, str]:
    return {
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": name,
        "sasl_plain_password": PASSWORD,
    }


def acls(name: str, spec: Any) -> Iterator[Any]:
    for rule in spec["authorization"]["acls"]:
        resource = rule["resource"]
        kind = {"literal": ACLResourcePatternType.LITERAL, "prefix": ACLResourcePatternType.PREFIXED}
        pattern_type = kind[resource["patternType"]]
        pattern = ResourcePattern(ResourceType[resource["type"].upper()], resource["name"], pattern_type)
        for operation in rule["operations"]:
            spelt = "".join(f"_{letter}" if letter.isupper() else letter for letter in operation).strip("_").upper()
            yield ACL(f"User:{name}", "*", ACLOperation[spelt], ACLPermissionType.ALLOW, pattern)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    found = Broker(tmp_path_factory.mktemp("access"))
    found.node.start()
    try:
        found.node.wait_until_ready()
        for topic in (COMMANDS, REFUSED):
            create_topic(found.all_rights, topic, 2, "development")
        found.give_rights()
        yield found
    finally:
        found.node.stop()


def test_a_producer_may_append_and_a_worker_may_fold_and_publish(broker: Broker, tmp_path: Path) -> None:
    with KafkaLog(broker.as_user(PRODUCER), profile="development") as log:
        log.append(b"me/agent", b"no command")
    said = tmp_path / "worker.log"
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "yggdrasil", "worker", "--development", "--dir", tmp_path / "w", "--http", "off"],
            env={**os.environ, **broker.environment(WORKER)},
            stdout=out,
            stderr=out,
        )
    try:
        with KafkaLog(broker.all_rights, REFUSED, "development") as refused:
            deadline = monotonic() + DEADLINE_S
            while not any(refused.end_offset(partition) for partition in range(refused.partitions)):
                assert process.poll() is None, said.read_text()
                assert monotonic() < deadline, said.read_text()
                Event().wait(0.1)
    finally:
        process.terminate()
        assert process.wait(DEADLINE_S) == 0, said.read_text()
    with admin(broker.all_rights) as client:
        (group,) = client.list_group_offsets(["yggdrasil-graph"]).values()
    assert sum(committed.offset for committed in group.values()) == 1  # so it may commit in the group's name as well


def test_a_service_may_append_and_fold_and_say_how_far_it_is(broker: Broker, tmp_path: Path) -> None:
    settings = HostSettings(
        broker.as_user(SERVICE), tmp_path / "q", profile="development", group="yggdrasil-query-0", partitions=(0,)
    )
    with QueryHost(settings) as host, KafkaLog(broker.as_user(SERVICE), profile="development") as log:
        end = log.end_offset(0)
        log.append_to(0, b"me/agent", b"no command")

        def committed() -> int | None:
            with admin(broker.all_rights) as client:
                (group,) = client.list_group_offsets(["yggdrasil-query-0"]).values()
            return next((found.offset for place, found in group.items() if place.partition == 0), None)

        deadline = monotonic() + DEADLINE_S
        while committed() != end + 1:
            assert monotonic() < deadline, host.ready()
            Event().wait(0.2)
    with KafkaSender(broker.as_user(SERVICE)) as sender, pytest.raises(LogError, match=r"(?i)authoriz"):
        sender.send(REFUSED, 0, b"0", b"{}").result()


def test_thinkers_may_be_woken_by_the_topic_and_write_nothing(broker: Broker, tmp_path: Path) -> None:
    said, port = tmp_path / "think.log", free_port()
    nowhere = f"http://127.0.0.1:{free_port()}"  # they are ready when they have partitions, whatever the service does
    command = ["think", "--kafka", broker.as_user(THINKER).bootstrap_servers, "--development", "--service", nowhere]
    with said.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "yggdrasil", *command, "--dir", tmp_path / "t", "--http", f"127.0.0.1:{port}"],
            env={**os.environ, **broker.environment(THINKER)},
            stdout=out,
            stderr=out,
        )
    try:
        deadline = monotonic() + DEADLINE_S
        while not _ready(port):
            assert process.poll() is None, said.read_text()
            assert monotonic() < deadline, said.read_text()
            Event().wait(0.2)
    finally:
        process.terminate()
        assert process.wait(DEADLINE_S) == 0, said.read_text()
    assert b"thinkers have partitions [0, 1]" in said.read_bytes()
    with KafkaSender(broker.as_user(THINKER)) as sender, pytest.raises(LogError, match=r"(?i)authoriz"):
        sender.send(COMMANDS, 0, b"me/agent", b"no command").result()


def test_a_worker_may_not_append_commands(broker: Broker) -> None:
    with KafkaSender(broker.as_user(WORKER)) as sender, pytest.raises(LogError, match=r"(?i)authoriz"):
        sender.send(COMMANDS, 0, b"me/agent", b"no command").result()


def test_a_producer_may_not_read_memories_nor_write_refusals(broker: Broker) -> None:
    with KafkaLog(broker.all_rights, profile="development") as log:
        receipt = log.append(b"me/agent", b"no command")
    with (
        KafkaLog(broker.as_user(PRODUCER), profile="development") as log,
        pytest.raises(LogError, match=r"(?i)authoriz"),
    ):
        log.read(receipt.partition, 0, 1)
    with KafkaSender(broker.as_user(PRODUCER)) as sender, pytest.raises(LogError, match=r"(?i)authoriz"):
        sender.send(REFUSED, 0, b"0", b"{}").result()


def test_who_may_not_look_or_create_is_told_what_to_ask_for(broker: Broker) -> None:
    producer = broker.as_user(PRODUCER)
    with pytest.raises(TopicError, match=rf"do not allow Describe on it.*--operation Describe --topic {REFUSED}"):
        describe_topic(producer, REFUSED)
    with pytest.raises(TopicError, match=r"cannot be created: the brokers do not allow it.*`yggdrasil topics`"):
        create_topic(producer, "another", 1, "development")
    create_topic(broker.all_rights, "only-written", 1, "development")
    with admin(broker.all_rights) as client:
        pattern = ResourcePattern(ResourceType.TOPIC, "only-written")
        client.create_acls([ACL(f"User:{PRODUCER}", "*", ACLOperation.WRITE, ACLPermissionType.ALLOW, pattern)])
    with pytest.raises(
        TopicError, match=r"do not allow DescribeConfigs.*--operation DescribeConfigs --topic only-written"
    ):
        describe_topic(producer, "only-written")
    with KafkaSender(producer) as sender:  # which is enough for any other client
        assert sender.send("only-written", 0, b"me/agent", b"{}").result().offset == 0


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
