"""Texts that come first on a topic: through a host with an embedder, and from whoever appends to the topic itself."""

import json
from pathlib import Path

import pytest

from tests.embedded.directory.test_store import Letters
from tests.harness.waiting import until
from tests.kafka.hosts.test_query_host import Hosts, memory_on
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from tests.service.test_later import Held
from yggdrasil import Memory
from yggdrasil.engines.embedding import Coverage, Embedding, coverage
from yggdrasil.engines.published import Published
from yggdrasil.engines.upkeep.reembedding import Reembedding
from yggdrasil.engines.upkeep.waiting import Waiting
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Drafter

ME = "me/agent"


@pytest.fixture
def hosts(kafka: KafkaSettings, tmp_path: Path) -> Hosts:
    return Hosts(kafka, tmp_path)


def kept(file: Path) -> list[str]:
    found: list[str] = json.loads(file.read_text())["memories"] if file.exists() else []
    return found


def texts(part: str) -> dict[str, object]:
    said = (f"{part} parcel {number}" for number in range(50))
    return {"commands": [{"type": "record_event", "body": {}, "content": {"text": each}} for each in said]}


def test_vectors_follow_on_a_topic_whether_or_not_the_append_is_waited_for(hosts: Hosts, tmp_path: Path) -> None:
    model, file = Held(), tmp_path / "waiting.json"
    with hosts.run("host") as engine:
        later = Reembedding(engine, model, Waiting(file), look_every_s=3_600)
        with (
            Serving(engine, Service(LOOPBACK, rate=0), embedding=Embedding(model), later=later) as it,
            later,
            Client(it.url) as client,
        ):
            for part, wait in (("first", "true"), ("second", "false")):
                sent = client.post(f"/commands/batch?vectors=later&wait={wait}", texts(part))
                assert sent.status in {200, 202}, "the model answers nobody yet, and nothing waits for it"
            assert kept(file) == [ME]
            model.free.set()
            until(lambda: coverage(engine, ME, model) == Coverage(100, 100), lambda: coverage(engine, ME, model))
            until(lambda: kept(file) == [], lambda: kept(file))
            assert sum(model.calls) == 100


def test_what_is_appended_to_the_topic_itself_gets_vectors_too(hosts: Hosts, tmp_path: Path) -> None:
    model, file = Letters(), tmp_path / "waiting.json"
    file.write_text(json.dumps({"memories": [ME]}))
    with hosts.run("host") as engine, Reembedding(engine, model, Waiting(file), look_every_s=0.05):
        published = Published(hosts.kafka, hosts.topic, "development")
        try:
            with Memory(published, Drafter(ME, "agent", "test")) as writer:
                writer.record_many({"text": f"parcel {number}"} for number in range(50))
        finally:
            published.close()
        until(lambda: engine.knows(ME), lambda: "nothing is folded")
        memory_on(engine).get_context("parcel", record=False)
        until(lambda: coverage(engine, ME, model) == Coverage(50, 50), lambda: coverage(engine, ME, model))
        until(lambda: kept(file) == [], lambda: kept(file))
