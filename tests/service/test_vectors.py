"""With an embedder what is said and asked gets vectors; what comes with one keeps it, unless it is no unit vector."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.contract.logs import everything
from tests.embedded.directory.test_store import Letters
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from yggdrasil import Event, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.embedders import Embedder, EmbeddingUnavailableError, minilm
from yggdrasil_schemas.commands.vectors import Piece, Vector

OWN = "01a2027e-a896-7aac-bed7-03de4d7b9078"


class Failing:
    """The model, until it is away."""

    provider = "offline"

    def __init__(self, within: Embedder) -> None:
        self._within = within
        self.model = within.model
        self.dimension = within.dimension
        self.away = False

    def embed_query(self, text: str) -> Vector:
        if self.away:
            raise EmbeddingUnavailableError("away")
        return self._within.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        if self.away:
            raise EmbeddingUnavailableError("away")
        return self._within.embed_documents(texts)

    def close(self) -> None:
        self._within.close()


class Other:
    """Another model, for which all texts are the same."""

    provider = "offline"
    model = "other/1"
    dimension = 16

    def embed_query(self, text: str) -> Vector:
        return Vector.of(self.model, bytes([127, *[0] * 15]))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]

    def close(self) -> None:
        pass


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "data", sliced=True) as it:
        yield it


@pytest.fixture
def model() -> Iterator[Failing]:
    opened = Failing(minilm())
    yield opened
    opened.close()


@pytest.fixture
def client(engine: Embedded, model: Failing) -> Iterator[Client]:
    with Serving(engine, Service(LOOPBACK, rate=0), embedding=Embedding(model)) as it, Client(it.url) as client:
        yield client


def models(engine: Embedded) -> list[str | None]:
    """The model of each command's vector."""
    return [vector.model if vector else None for vector in vectors(engine)]


def vectors(engine: Embedded) -> list[Vector | None]:
    """The vector of each command."""
    contents = [json.loads(record.value or b"{}").get("content") or {} for record in everything(engine.log)]
    return [Vector.model_validate(content["vector"]) if content.get("vector") else None for content in contents]


def test_what_means_the_same_is_found_in_other_words(client: Client, engine: Embedded, model: Failing) -> None:
    event = client.event("The database was restored from last night's backup")
    client.event("We had pizza for lunch")
    client.post("/commands", {"type": "record_event", "body": {"features": ["silent"]}})
    judged = {
        "type": "log_outcome",
        "body": {"event": event["id"], "value": 3},
        "content": {"text": "All data was there"},
    }
    client.post("/commands/batch", {"commands": [judged]})
    assert models(engine) == [model.model, model.model, None, model.model]
    found = client.ask("restoring the database out of its backup", record=False)
    best = found["found"][0]
    assert best["memory"]["ref"] == event["id"]
    assert best["scores"]["vector"] > 0


def test_a_batch_is_embedded_in_one_call_and_each_command_gets_its_own_vector(engine: Embedded) -> None:
    own = Vector.of("mine/1", bytes([127, *[0] * 15]))
    texts = ["abc", None, "  ", "zzz", "cba a"]
    commands: list[dict[str, Any]] = [
        {"type": "record_event", "body": {}} | ({} if text is None else {"content": {"text": text}}) for text in texts
    ]
    commands[3]["content"]["vector"] = own.model_dump()
    commands[4]["id"] = OWN
    commands.append({"type": "log_outcome", "body": {"event": OWN, "value": 3}, "content": {"text": "good"}})
    letters = Letters()
    with Serving(engine, Service(LOOPBACK, rate=0), embedding=Embedding(letters)) as it, Client(it.url) as client:
        answers = client.post("/commands/batch", {"commands": commands}).json["answers"]
        assert [answer["accepted"] for answer in answers] == [True] * 6
        assert letters.calls == [3], "the texts of all that says something and brings no vector"
        again = client.post("/commands/batch", {"commands": commands[4:5]}).json["answers"]
        assert again[0]["seq"] == 5 and letters.calls == [3], "what is known has its vector"
    made = [None if text is None else letters.embed_query(text) for text in ("abc", None, None, None, "cba a")]
    made += [letters.embed_query("outcome: good")]
    made[3] = own
    assert vectors(engine)[:6] == made


def test_many_events_reach_the_service_in_batches_with_a_call_of_the_embedder_for_each(engine: Embedded) -> None:
    letters = Letters()
    with (
        Serving(engine, Service(LOOPBACK, rate=0), embedding=Embedding(letters)) as it,
        Memory.connect(it.url, memory="me/agent") as memory,
    ):
        memory.record_many(Event("ab" * (1 + number % 7)) for number in range(250))
    assert letters.calls == [100, 100, 50]
    assert all(vectors(engine)) and len(vectors(engine)) == 250


def test_what_comes_with_a_vector_keeps_it(client: Client, engine: Embedded) -> None:
    values = bytes([127, *[0] * 15])
    vector = Vector.of("mine/1", values).model_dump()
    said = {"type": "record_event", "body": {}, "content": {"text": "A pebble from the shore", "vector": vector}}
    event = client.post("/commands", said).json
    assert event["accepted"]
    assert models(engine) == ["mine/1"]
    for other in ("We had pizza for lunch", "The train was late", "Deployed on a Friday"):
        client.event(other)
    found = client.ask("Which pebble was it?", vector=vector, record=False)["found"]
    assert found[0]["memory"]["ref"] == event["id"]
    assert found[0]["scores"]["vector"] > 0.9


def test_a_vector_that_would_be_near_to_everything_is_refused(client: Client) -> None:
    loud = Vector.of("mine/1", bytes([127] * 16)).model_dump()
    said = {"type": "record_event", "body": {}, "content": {"text": "Loud", "vector": loud}}
    assert client.post("/commands", said).problem(422, "invalid")["reason"] == "invalid_content"
    event = client.event("Quiet")
    attached = {"type": "attach_vector", "body": {"node": event["id"], "model": "mine/1"}, "content": {"vector": loud}}
    assert client.post("/commands", attached).problem(422, "invalid")["reason"] == "invalid_content"


def test_a_long_text_comes_with_the_vectors_of_its_pieces(client: Client, engine: Embedded) -> None:
    """Each must be a unit vector; those of a question are of the whole alone."""
    whole, near = bytes([127, *[0] * 15]), bytes([0, 127, *[0] * 14])
    text = 9 * "The minutes say nothing of it, and nobody asked. " + "The pebble is grey. " + 9 * "They went on then. "
    at = text.index("The pebble")
    vector = Vector.of("mine/1", whole).model_copy(update={"pieces": [Piece.of(at, at + 19, near)]}).as_sent()
    said = {"type": "record_event", "body": {}, "content": {"text": text, "vector": vector}}
    event = client.post("/commands", said).json
    assert event["accepted"] and vectors(engine)[0] == Vector.model_validate(vector)
    asked = Vector.of("mine/1", near).as_sent()
    found = client.ask("Wie sieht er aus?", vector=asked, record=False)["found"]
    assert [one["memory"]["ref"] for one in found] == [event["id"]] and found[0]["scores"]["vector"] == 1.0
    assert "The pebble is grey." in found[0]["memory"]["text"] and found[0]["excerpt"]["chars"] == len(text)
    whole_one = client.ask("Wie sieht er aus?", vector=asked, full=True, record=False)["found"][0]
    assert whole_one["memory"]["text"] == text and whole_one["excerpt"] is None
    loud = vector | {"pieces": [Piece.of(0, 9, bytes([127] * 16)).model_dump()]}
    refused = client.post("/commands", said | {"content": {"text": text, "vector": loud}}).problem(422, "invalid")
    assert refused["reason"] == "invalid_content"
    problem = client.post("/context", {"query": "grey", "vector": vector}).problem(422, "invalid")
    assert "has no pieces" in problem["detail"]


def test_what_has_no_room_for_pieces_has_the_vector_of_the_whole(engine: Embedded) -> None:
    letters = Letters()
    text = "字a" * 64_500
    with Serving(engine, Service(LOOPBACK, rate=0), embedding=Embedding(letters)) as it, Client(it.url) as client:
        said = {"type": "record_event", "body": {}, "content": {"text": text}}
        assert client.post("/commands", said).json["accepted"]
    vector = vectors(engine)[0]
    assert vector is not None and vector.pieces == []


def test_pieces_beyond_a_text_count_for_nothing(client: Client, engine: Embedded) -> None:
    """Else one short record had many vectors, each a chance to be near."""
    whole, near = bytes([127, *[0] * 15]), bytes([0, 127, *[0] * 14])
    for text, begin in (("Hello", 0), ("Hello", 100_000), (30 * "Nothing of that. ", 1_000)):
        piece = Piece.of(begin, begin + 5, near)
        vector = Vector.of("mine/1", whole).model_copy(update={"pieces": [piece]}).as_sent()
        client.post("/commands", {"type": "record_event", "body": {}, "content": {"text": text, "vector": vector}})
    asked = client.ask("Wie?", vector=Vector.of("mine/1", near).as_sent(), k=5, min_confidence=0.0, record=False)
    assert all(one["scores"]["vector"] == 0.0 for one in asked["found"])


def test_without_the_embedder_words_are_searched_and_what_is_said_again_stays_the_same(
    client: Client, engine: Embedded, model: Failing
) -> None:
    model.away = True
    client.event("Deployed on a Friday")
    assert models(engine) == [None]
    assert client.ask("Friday", record=False)["found"]
    own = {"type": "record_event", "id": OWN, "body": {}, "content": {"text": "Mine"}}
    client.post("/commands", own).problem(503, "not_ready")
    plain = {"type": "record_event", "body": {}, "content": {"text": "Anybody's"}}
    client.post("/commands/batch", {"commands": [plain, own]}).problem(503, "not_ready")
    assert len(models(engine)) == 1
    model.away = False
    for _ in range(2):
        assert client.post("/commands", own).json["accepted"]


@pytest.mark.parametrize("first", ["off", "on"])
def test_what_is_sent_again_is_the_same_command_whatever_makes_vectors_by_then(
    engine: Embedded, model: Failing, first: str
) -> None:
    """It was recorded with a vector or without one; then the service is started with another embedder, or none."""
    own = {"type": "record_event", "id": OWN, "body": {"features": ["deploy"]}, "content": {"text": "Mine"}}
    embeddings = [None if first == "off" else Embedding(model), None, Embedding(model), Embedding(Other())]
    answers: list[object] = []
    known: list[object] = []
    for embedding in embeddings:
        with Serving(engine, Service(LOOPBACK, rate=0), embedding=embedding) as it, Client(it.url) as client:
            answer = client.post("/commands", own).json
            known.append(answer.pop("known"))
            answers.append(answer | {"receipt": None, "as_of": None})
            answers.append(client.post("/commands/batch", {"commands": [own]}).json["answers"][0]["seq"])
            changed = own | {"content": {"text": "Yours"}}
            assert client.post("/commands", changed).json["reason"] == "id_reused"
    assert answers[::2] == [answers[0]] * len(embeddings)
    assert answers[1::2] == [1] * len(embeddings)
    assert known == [False, True, True, True]
