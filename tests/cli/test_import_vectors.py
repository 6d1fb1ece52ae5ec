"""An import records its texts first, and then gives them vectors, while others use the directory."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import yggdrasil_infra.embedders
from tests.cli.runs import Cli
from tests.embedded.directory.test_store import Letters
from tests.harness.waiting import until
from tests.service.test_later import Held, kinds, served
from yggdrasil import EmbeddingUnavailableError, Memory, Vector
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.wire.socket_file import find

IMPORT = ("import", "chat", "chat.jsonl", "--embedder", "letters", "--json")
TURNS = 100
WAIT_S = 60.0


class Told(Letters):
    """Tells of each call before it answers, counted from 1."""

    def __init__(self, told: Callable[[int], object] = lambda call: None) -> None:
        super().__init__()
        self.told = told

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        made = super().embed_documents(texts)
        self.told(len(self.calls))
        return made


@pytest.fixture
def chat(cli: Cli) -> None:
    turns = ({"role": "user", "content": f"parcel {number} goes by rail"} for number in range(TURNS))
    Path("chat.jsonl").write_text("\n".join(map(json.dumps, turns)))


@pytest.fixture
def embed_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Letters], None]:
    """Let the setting "letters" mean an embedder."""

    def by(model: Letters) -> None:
        monkeypatch.setattr(yggdrasil_infra.embedders, "open_embedder", lambda setting, lazily=False: model)

    return by


def digest(cli: Cli, place: str = ".yggdrasil") -> str:
    [memory] = cli.ok("replay", "--dir", place, "--json").json["memories"]
    assert memory["same"]
    return str(memory["digest"])


@pytest.mark.usefixtures("chat")
def test_texts_come_first_and_vectors_once(cli: Cli, embed_by: Callable[[Letters], None]) -> None:
    model = Letters()
    embed_by(model)
    first = cli.ok(*IMPORT).json
    assert (first["new"], first["vectors"]["attached"], first["vectors"]["missing"]) == (TURNS, TURNS, 0)
    assert sum(model.calls) == TURNS
    again = cli.ok(*IMPORT).json
    assert (again["new"], again["known"], again["vectors"]["attached"]) == (0, TURNS, 0)
    assert sum(model.calls) == TURNS, "what has a vector is not embedded again"


@pytest.mark.usefixtures("chat")
def test_what_is_interrupted_anywhere_goes_on_to_the_same_memory(cli: Cli, embed_by: Callable[[Letters], None]) -> None:
    embed_by(Letters())
    cli.ok(*IMPORT, "--dir", "whole")

    def interrupt(call: int) -> None:
        if call == 2:
            raise KeyboardInterrupt

    embed_by(Told(interrupt))
    assert cli(*IMPORT).code == 130
    with Memory.open(".yggdrasil", "me/agent", embedder="off") as memory:
        found = memory.get_context("parcel 99", record=False)
        assert found.found[0].memory.text == "parcel 99 goes by rail", "the words of what has no vector yet"
    embed_by(Letters())
    rest = cli.ok(*IMPORT).json
    assert (rest["new"], rest["known"]) == (0, TURNS)
    assert 0 < rest["vectors"]["attached"] < TURNS and rest["vectors"]["missing"] == 0
    assert digest(cli) == digest(cli, "whole")


@pytest.mark.usefixtures("chat")
def test_an_embedder_that_fails_leaves_texts_that_are_found_by_words(
    cli: Cli, embed_by: Callable[[Letters], None]
) -> None:
    def fail(call: int) -> None:
        if call == 2:
            raise EmbeddingUnavailableError("the model is away")

    embed_by(Told(fail))
    run = cli(*IMPORT)
    vectors = run.json["vectors"]
    assert run.code == 1 and run.json["new"] == TURNS
    assert (vectors["error"], vectors["attached"] + vectors["missing"]) == ("the model is away", TURNS)
    assert 0 < vectors["attached"] < TURNS and "the same import" in run.err
    embed_by(Letters())
    assert cli.ok(*IMPORT).json["vectors"]["attached"] == vectors["missing"]


@pytest.mark.usefixtures("chat")
def test_others_read_and_write_while_vectors_are_made(cli: Cli, embed_by: Callable[[Letters], None]) -> None:
    found: list[str | None] = []

    def ask(call: int) -> None:
        if call > 1:
            return
        until = time.monotonic() + WAIT_S
        while find(Path(".yggdrasil")) is None:
            assert time.monotonic() < until, "the directory is closed to others while vectors are made"
            time.sleep(0.02)
        with Memory.open(".yggdrasil", "me/agent", source="other") as memory:
            found.extend(each.text for each in memory.timeline(count=1).memories)
            memory.record_event("told meanwhile", features=["other"])

    embed_by(Told(ask))
    cli.ok(*IMPORT)
    assert found == [f"parcel {TURNS - 1} goes by rail"]
    assert cli.ok("stats", "--json").json["memories"][0]["tick"] == TURNS + 1
    assert find(Path(".yggdrasil")) is None, "and it is let go of at the end"


@pytest.mark.usefixtures("chat")
def test_what_was_recorded_with_vectors_is_known_when_it_is_imported_without(
    cli: Cli, embed_by: Callable[[Letters], None]
) -> None:
    """Earlier releases recorded an import's texts with their vectors, and a vector is part of its command."""
    model = Letters()
    embed_by(model)
    cli.ok("import", "chat", "chat.jsonl", "--embedder", "off", "--dir", "first")
    cli.ok("export", "first", "said.jsonl")
    events = [json.loads(line) for line in Path("said.jsonl").read_text().splitlines()]
    for event in events:
        event["content"]["vector"] = model.embed_query(event["content"]["text"]).as_sent()
    Path("inline.jsonl").write_text("\n".join(map(json.dumps, events)))
    assert cli.ok("import", "commands", "inline.jsonl", "--embedder", "letters", "--json").json["new"] == TURNS
    again = cli.ok(*IMPORT).json
    assert (again["new"], again["known"], again["refused"]) == (0, TURNS, {})
    assert again["vectors"]["attached"] == 0


@pytest.mark.usefixtures("chat")
def test_through_a_service_texts_come_first_too_and_it_makes_the_vectors_afterwards(cli: Cli, tmp_path: Path) -> None:
    model = Held()
    with served(tmp_path, model) as (it, engine, _):
        at = ("import", "chat", "chat.jsonl", "--service", it.url)
        run = cli.ok(*at)
        assert f"{TURNS} texts found by words, until the service has made the vectors" in run.out
        assert kinds(engine) == [("record_event", False)] * TURNS
        again = cli.ok(*at, "--json").json
        assert (again["new"], again["known"], again["vectors"]["missing"]) == (0, TURNS, TURNS)
        model.free.set()
        read = ("read", "overview", "vectors=true", "--service", it.url, "--json")
        until(lambda: cli.ok(*read).json["vectors"] == {"model": "letters/1", "texts": TURNS, "covered": TURNS})
        done = cli.ok(*at, "--json").json
        assert (done["known"], done["vectors"]["missing"]) == (TURNS, 0) and sum(model.calls) == TURNS


@pytest.mark.usefixtures("chat")
def test_a_key_that_may_only_append_imports_and_is_told_of_no_vectors(cli: Cli, tmp_path: Path) -> None:
    _, key = new_key(tmp_path / "keys.json", "me", ["append"], "importer")
    (tmp_path / "key").write_text(key)
    (tmp_path / "key").chmod(0o600)
    with served(tmp_path, Held(free=True), keys=Keys(tmp_path / "keys.json")) as (it, engine, _):
        named = ("--memory", "me/agent", "--key-file", str(tmp_path / "key"))
        run = cli.ok("import", "chat", "chat.jsonl", "--service", it.url, *named, "--json")
        assert run.json["new"] == TURNS and "vectors" not in run.json
        until(lambda: len(kinds(engine)) >= 2 * TURNS)


@pytest.mark.usefixtures("chat")
def test_without_a_terminal_progress_is_a_line_at_times(cli: Cli, embed_by: Callable[[Letters], None]) -> None:
    embed_by(Letters())
    err = replace(cli, told_every_s=0.0).ok(*IMPORT).err
    lines = [line for line in err.splitlines() if line.startswith("yggdrasil: Embedding me/agent: ")]
    assert len(lines) == 3 and lines[0].startswith(f"yggdrasil: Embedding me/agent: 32 of {TURNS}, ")
    assert all(line.endswith(" s left") and "/s, " in line for line in lines)
