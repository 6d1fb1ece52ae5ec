"""Append what happened, and what came of it, with confluent-kafka."""

import json
import secrets
import time
from uuid import UUID

from confluent_kafka import KafkaError, Message, Producer

MEMORY = "acme/coder"


def uuid7() -> str:
    """Return an id of a command: keep it until the brokers have acknowledged that."""
    bits = time.time_ns() // 1_000_000 << 80 | 7 << 76 | 2 << 62 | secrets.randbits(62)
    return str(UUID(int=bits | secrets.randbits(12) << 64))


def publish(producer: Producer, kind: str, body: dict, text: str) -> str:
    """Send a command, and return its id."""
    envelope = {"version": 1, "id": uuid7(), "type": kind, "memory": MEMORY, "at": time.time_ns() // 1_000_000}
    speaker = {"session": "release-512", "source": "ci", "process": "deploy-job", "origin": "tool"}
    command = envelope | speaker | {"body": body, "content": {"text": text}}
    producer.produce("yggdrasil.commands", json.dumps(command).encode(), MEMORY.encode(), on_delivery=delivered)
    return command["id"]


def delivered(error: KafkaError | None, message: Message) -> None:
    """Stop when a command was not acknowledged: it may be there all the same, so send it again under its id."""
    if error is not None:
        raise SystemExit(f"not acknowledged ({error}): {message.value()!r}")


# librdkafka's own partitioner is another one, and a command in another partition is refused.
settings = {"bootstrap.servers": "127.0.0.1:19092", "partitioner": "murmur2_random", "enable.idempotence": True}
publisher = Producer(settings)
event = publish(publisher, "record_event", {"features": ["deploy", "friday"]}, "Deployed build 512")
outcome = {"event": event, "value": -3, "kind": "outage"}
publish(publisher, "log_outcome", outcome, "The site was down for an hour")
if publisher.flush(30):
    raise SystemExit("no broker has acknowledged it within 30 s")
print(event)
