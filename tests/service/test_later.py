"""An append that does not wait for vectors: its texts are found by words at once, and are given vectors afterwards."""

import json
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.contract.logs import everything
from tests.embedded.directory.test_store import Letters
from tests.harness.waiting import until
from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from tests.service.processes import serving
from yggdrasil import Event as Happened
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding
from yggdrasil.engines.upkeep import reembedding, waiting
from yggdrasil.engines.upkeep.reembedding import Reembedding
from yggdrasil.engines.upkeep.waiting import FILE, Waiting
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.embedders import EmbeddingUnavailableError
from yggdrasil_infra.http.idle import Activity, ended_when_idle
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.rates import Quota
from yggdrasil_infra.log import Receipt
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.query import At
from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview
from yggdrasil_schemas.commands.vectors import Vector

LATER = "/commands/batch?vectors=later"
OWN = "01a2027e-a896-7aac-bed7-03de4d7b9078"


class Held(Letters):
    """Makes vectors once it is let to, and refuses texts with one word."""

    def __init__(self, *, free: bool = False) -> None:
        super().__init__()
        self.free = Event()
        self.texts: list[str] = []
        if free:
            self.free.set()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        assert self.free.wait(60)
        if any("unspeakable" in text for text in texts):
            raise EmbeddingUnavailableError("this text is not taken")
        self.texts += texts
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        return Letters().embed_query(text)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors begin when texts have come, and not a second later."""
    monkeypatch.setattr(waiting, "_QUIET_S", 0.0)


@contextmanager
def served(place: Path, model: Letters, **service: Any) -> Generator[tuple[Serving, Embedded, Reembedding]]:
    with Embedded(place / "data", partitions=1, sliced=True) as engine:
        engine.model = model.model, model.dimension
        later = Reembedding(engine, model, Waiting(place / "data" / FILE), look_every_s=3_600)
        given = Service(LOOPBACK, rate=0, **service)
        with Serving(engine, given, embedding=Embedding(model), later=later) as it, later:
            yield it, engine, later


def texts(*said: str) -> dict[str, Any]:
    return {"commands": [{"type": "record_event", "body": {}, "content": {"text": each}} for each in said]}


def kinds(engine: Embedded) -> list[tuple[str, bool]]:
    """The type of each command, and whether it has a vector."""
    records = [json.loads(record.value or b"{}") for record in everything(engine.log)]
    return [(each["type"], bool((each.get("content") or {}).get("vector"))) for each in records]


def covered(client: Client) -> tuple[int, int]:
    found = client.get("/stats?vectors=true").json["overview"]["vectors"]
    assert found["model"] == "letters/1"
    return found["covered"], found["texts"]


def kept(place: Path) -> list[str]:
    found: list[str] = json.loads((place / "data" / FILE).read_text())["memories"]
    return found


def test_texts_are_found_by_words_before_their_vectors_are_made(tmp_path: Path) -> None:
    model = Held()
    with served(tmp_path, model) as (it, engine, later), Client(it.url) as client:
        answers = client.post(LATER, texts("a parcel goes by rail", "bees sleep")).json["answers"]
        assert [each["accepted"] for each in answers] == [True, True]
        assert kinds(engine) == [("record_event", False)] * 2, "nothing was waited for"
        found = client.ask("parcel rail", record=False)["found"]
        assert found[0]["memory"]["ref"] == answers[0]["id"]
        assert covered(client) == (0, 2) and kept(tmp_path) == ["me/agent"] and later.working()
        model.free.set()
        until(lambda: covered(client) == (2, 2))
        until(lambda: kept(tmp_path) == [] and not later.working())
        assert kinds(engine)[2:] == [("attach_vector", True)] * 2
        attached = [json.loads(record.value or b"{}") for record in everything(engine.log)][2:]
        assert {(each["origin"], each["source"]) for each in attached} == {("operator", "embedder")}
        single = {"type": "record_event", "body": {}, "content": {"text": "one alone"}}
        assert client.post("/commands?vectors=later", single).json["accepted"]
        until(lambda: covered(client) == (3, 3))
        assert client.post("/commands/batch?vectors=never", texts("x")).status == 422


def test_where_nothing_makes_them_later_they_are_made_before(tmp_path: Path) -> None:
    model = Letters()
    with (
        Embedded(tmp_path, sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, rate=0), embedding=Embedding(model)) as it,
        Client(it.url) as client,
    ):
        client.post(LATER, texts("bees sleep"))
        assert kinds(engine) == [("record_event", True)]


def test_what_is_known_keeps_what_it_was_recorded_with_whichever_way_it_comes_again(tmp_path: Path) -> None:
    with served(tmp_path, Held(free=True)) as (it, engine, later), Client(it.url) as client:
        first = texts("bees sleep")
        first["commands"][0]["id"] = OWN
        client.post("/commands/batch", first)
        assert client.post(LATER, first).json["answers"][0]["known"]
        second = texts("a parcel goes by rail")
        second["commands"][0]["id"] = OWN.replace("9078", "9079")
        client.post(LATER, second)
        until(lambda: covered(client) == (2, 2) and not later.working())
        assert client.post("/commands/batch", second).json["answers"][0]["known"]
        assert kinds(engine) == [
            *[("record_event", True)] * 2, ("record_event", False), ("attach_vector", True), ("record_event", False),
        ], "what is sent again is the same command"  # fmt: skip


def test_beyond_what_a_tenant_may_let_wait_vectors_are_made_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "_TEXTS_OF_TENANT_MAX", 3)
    monkeypatch.setattr(waiting, "_OF_TENANT_MAX", 2)
    monkeypatch.setattr(waiting, "_MEMORIES_MAX", 3)
    model = Held()
    with served(tmp_path, model) as (it, engine, _), Client(it.url) as client:
        client.post(LATER, texts("one", "two", "three"))
        until(lambda: len(kinds(engine)) == 3)
        assert kinds(engine) == [("record_event", False)] * 3
        model.free.set()
        with Client(it.url, memory="me/agent") as more:
            model.free.clear()
            model.free.set()
            more.post(LATER, texts("four", "five", "six", "seven"))
        assert [vector for kind, vector in kinds(engine) if kind == "record_event"][3:] == [True] * 4
    limits = Waiting()
    assert limits.takes("a/1", 3) and not limits.takes("a/1", 4)
    for memory in ("a/1", "a/2"):
        with limits.appending(memory, 1):
            pass
    assert limits.takes("a/2", 1) and not limits.takes("a/3", 1), "a tenant has so many places"
    with limits.appending("b/1", 3):
        pass
    assert not limits.takes("c/1", 1) and not limits.takes("b/1", 1) and limits.takes("a/1", 1)


def test_what_comes_while_a_pass_goes_on_waits_on() -> None:
    it = Waiting()
    with it.appending("me/agent", 1):
        assert it.begun("me/agent") is None, "it may not be folded yet"
    begun = it.begun("me/agent")
    with it.appending("me/agent", 1):
        it.done("me/agent", begun)
    it.done("me/agent", begun)
    it.done("me/agent", None)
    assert it.memories() == ["me/agent"]
    it.done("me/agent", it.begun("me/agent"))
    assert it.memories() == []


def test_a_file_that_cannot_be_read_is_told_and_let_go(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / FILE
    file.write_text('{"memories": [3]}')
    with caplog.at_level(logging.WARNING):
        assert Waiting(file).memories() == []
    assert "once its memory is asked" in caplog.text
    with Waiting(file).appending("me/agent", 1):
        assert json.loads(file.read_text()) == {"memories": ["me/agent"]}, "before anything is appended"
    assert file.stat().st_mode & 0o777 == 0o600
    assert Waiting(file).memories() == ["me/agent"]


def test_tenants_have_their_turns_and_a_text_that_is_not_taken_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "_SLICE_S", 0.0)
    model = Held()
    with served(tmp_path, model) as (it, engine, later):
        with Client(it.url, memory="large/agent") as large:
            for part in range(4):
                large.post(LATER, texts(*(f"large {part} {number}" for number in range(64))))
        with Client(it.url, memory="bad/agent") as bad:
            bad.post(LATER, texts("it is unspeakable"))
        with Client(it.url, memory="small/agent") as small:
            small.post(LATER, texts("small"))
            model.free.set()
            until(lambda: covered(small) == (1, 1))
        with Client(it.url, memory="large/agent") as large:
            until(lambda: covered(large) == (256, 256))
        assert model.texts.index("small") < 3 * 32, "it does not wait for all of the large one"
        until(lambda: not later.working())
        assert kept(tmp_path) == ["bad/agent"], "it is tried again"
        assert {json.loads(record.value or b"{}")["memory"] for record in everything(engine.log)} == {
            "large/agent", "bad/agent", "small/agent",
        }  # fmt: skip


def test_vectors_keep_no_commands_out_of_a_quota(tmp_path: Path) -> None:
    _, key = new_key(tmp_path / "keys.json", "acme", ["append", "read"], "acme")
    model = Held(free=True)
    quota = Quota(total_bytes=30_000)
    given = {"keys": Keys(tmp_path / "keys.json"), "quota": quota, "tally": tmp_path / "tally.json"}
    with served(tmp_path, model, **given) as (it, engine, later), Client(it.url, key, "acme/agent") as client:
        until(lambda: it.ready() is None)
        client.post(LATER, texts(*(f"note {number}" for number in range(20))))
        until(lambda: not later.working())
        assert {kind for kind, _ in kinds(engine)} == {"record_event"} and kept(tmp_path) == ["acme/agent"]
        assert client.post("/commands", texts("one more")["commands"][0]).json["accepted"]


def test_what_is_not_folded_yet_is_not_taken_for_done(tmp_path: Path) -> None:
    with served(tmp_path, Held(free=True)) as (_, engine, later):
        with later.appending("me/agent", 1) as unfolded:
            unfolded(Receipt(0, 0))  # which is acknowledged, and comes to this host after a while
        until(lambda: "me/agent" in later._served)
        assert kept(tmp_path) == ["me/agent"], "it was looked at, and there was nothing"
        engine.submit(Drafter("me/agent", "test", "test").record_event("here it is"))
        with later.appending("me/agent", 0):
            pass
        until(lambda: kept(tmp_path) == [])
        assert kinds(engine) == [("record_event", False), ("attach_vector", True)]


def test_nobody_ends_a_service_for_want_of_requests_while_it_makes_vectors() -> None:
    working, looks, ended = [True], list[bool](), Event()

    def look() -> bool:
        looks.append(working[0])
        return working[0]

    with ended_when_idle(Activity(), 0.01, ended.set, working=look):
        until(lambda: len(looks) >= 5)
        assert not ended.is_set()
        working[0] = False
        until(ended.is_set)


def test_record_many_may_record_texts_first(tmp_path: Path) -> None:
    model = Held()
    with served(tmp_path, model) as (it, engine, _), Memory.connect(it.url, memory="me/agent") as memory:
        ids = memory.record_many((Happened(f"parcel {number}") for number in range(120)), texts_first=True)
        assert len(ids) == 120 and kinds(engine) == [("record_event", False)] * 120
        told = memory.overview(vectors=True).vectors
        assert told is not None and (told.model, told.texts, told.covered) == ("letters/1", 120, 0)
        assert memory.overview().vectors is None, "the index is loaded only for whoever wants that"
        model.free.set()
        until(lambda: (now := memory.overview(vectors=True).vectors) is not None and now.covered == 120)
    here = Letters()
    with Memory.open(tmp_path / "here", "me/agent", embedder=here) as local:
        local.record_many((Happened(f"parcel {number}") for number in range(120)), texts_first=True)
        assert kinds(local.engine) == [("record_event", False)] * 120 + [("attach_vector", True)] * 120
        assert sum(here.calls) == 120
        told = local.overview(vectors=True).vectors
        assert told is not None and (told.texts, told.covered) == (120, 120)
        local.speaking(trust=0).record_event("a stranger's word")
        told = local.engine.ask("me/agent", AskOverview(vectors=True), at=At(trust_min=1)).overview.vectors
        assert told is not None and told.texts == 120, "what a lens hides is not counted"


@pytest.mark.parametrize("ending", ["kill", "terminate"])
def test_a_process_that_is_killed_between_texts_and_vectors_leaves_them_to_the_next(
    tmp_path: Path, ending: str
) -> None:
    data = ("--data", str(tmp_path / "data"), "--embedder", "minilm")

    def seq(client: Client) -> int:
        """How many commands it has; to ask for that loads no index, so that the memory is not asked."""
        found: int = client.get("/stats").json["overview"]["seq"]
        return found

    def ask(process: Any, what: Callable[[Client], Any]) -> Any:
        with Client(process.url) as client:
            return what(client)

    count = 60
    with serving(tmp_path, *data) as process:
        said = texts(*(f"Note {number}: the kitten sleeps" for number in range(count)))
        assert len(ask(process, lambda client: client.post(LATER, said)).json["answers"]) == count
        getattr(process.process, ending)()
        process.ended()
    assert kept(tmp_path) == ["me/agent"]
    with Embedded(tmp_path / "data") as engine:
        before = kinds(engine)
        assert before[:count] == [("record_event", False)] * count and len(before) < 2 * count
    with serving(tmp_path, *data) as process:
        until(lambda: ask(process, seq) == 2 * count)
        until(lambda: kept(tmp_path) == [])
    with Embedded(tmp_path / "data") as engine:
        assert kinds(engine)[count:] == [("attach_vector", True)] * count, "each once"
