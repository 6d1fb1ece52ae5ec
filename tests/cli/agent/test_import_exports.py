"""What people have elsewhere, on the command line: twice, interrupted, dry, and with what was not understood."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import Cli
from tests.producers.exports.samples import CLAUDE, chatgpt, packed, said, written
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded

NONE = ("--embedder", "none")
MEM0: list[dict[str, Any]] = [
    {"id": "m1", "memory": "Ana is a vegan", "user_id": "ana", "updated_at": "2024-01-01T00:00:00Z"},
    {"id": "m2", "memory": "Ana lives in Oslo", "user_id": "ana", "updated_at": "2024-01-02T00:00:00Z"},
]
GRAPH = [
    {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["likes jazz"]},
    {"type": "relation", "from": "Ana", "to": "Oslo", "relationType": "lives_in"},
]


@pytest.fixture
def exports(cli: Cli) -> dict[str, Path]:
    """A small export of each sort, by its command."""
    notes = cli.place / "notes"
    notes.mkdir()
    (notes / "depot.md").write_text("# Gate\nIt opens at six.\n# Parcels\nThey go by rail. [[Ana]]\n")
    asked = chatgpt(said("user", "How do parcels go?"), said("assistant", "By rail."))
    lines = "\n".join(map(json.dumps, GRAPH)).encode()
    items = [{"namespace": ["ana"], "key": "diet", "value": {"eats": "plants"}, "updated_at": "2024-01-01T00:00:00Z"}]
    return {
        "mem0": written(cli.place, {"results": MEM0}, "mem0.json"),
        "langgraph": written(cli.place, items, "store.json"),
        "mcp-memory": written(cli.place, lines, "memory.jsonl"),
        "claude": packed(cli.place / "notes", {"conversations.json": CLAUDE}),
        "chatgpt": written(cli.place, [asked]),
        "markdown": notes,
    }


def test_each_is_imported_and_again_changes_nothing(cli: Cli, exports: dict[str, Path]) -> None:
    units = {"mem0": ("items", 2), "langgraph": ("items", 1), "mcp-memory": ("parts", 2), "claude": ("messages", 3),
             "chatgpt": ("messages", 2), "markdown": ("sections", 2)}  # fmt: skip
    for name, path in exports.items():
        first = cli.ok("import", name, str(path), *NONE, "--json").json
        unit, count = units[name]
        assert (first[unit], first["known"], first["refused"]) == (count, 0, {}) and first["new"] >= count
        again = cli.ok("import", name, str(path), "--json").json
        assert (again["new"], again["known"]) == (0, first["new"])
    assert cli.ok("replay", "--json").json["same"]
    for question, answer in (("Should we wait until Monday?", "Wait until Monday."), ("plants", "eats: plants")):
        assert answer in cli.ok("context", question, "--no-record").out
    assert "Ana lives_in Oslo" in cli.ok("fact", "show", "Ana").out


def test_a_later_export_takes_the_place_of_an_earlier_one(cli: Cli) -> None:
    later = [MEM0[0] | {"memory": "Ana eats fish", "updated_at": "2025-01-01T00:00:00Z"}, MEM0[1]]
    for data, new in ((MEM0, 2), (later, 1), (later, 0), (MEM0, 1), (later, 1)):
        document = cli.ok("import", "mem0", str(written(cli.place, data, "mem0.json")), *NONE, "--json").json
        assert (document["new"], document["known"]) == (new, 2 - new)
    told = cli.ok("history", "--key", "import:mem0:m1", "--json").json["memories"]
    assert [(each["text"], each["status"]) for each in told] == [
        ("Ana is a vegan", "superseded"),
        ("Ana eats fish", "superseded"),
        ("Ana is a vegan", "superseded"),
        ("Ana eats fish", "active"),
    ]
    assert told[1]["at"] == told[3]["at"] == 1_735_689_600_000


def test_an_interrupted_import_goes_on(cli: Cli, exports: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    source = str(exports["claude"])
    whole = cli.ok("import", "claude", source, "--dir", "whole", *NONE, "--json").json["new"]
    submit = Embedded.submit_many

    def interrupted(engine: Embedded, drafts: Any, **options: Any) -> Iterator[Any]:
        yield from submit(engine, [next(iter(drafts))])
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Embedded, "submit_many", interrupted)
        assert cli("import", "claude", source, *NONE).code == 130
    again = cli.ok("import", "claude", source, "--json").json
    assert (again["known"], again["new"]) == (1, whole - 1)


def test_a_dry_run_shows_what_there_is_and_leaves_no_trace(cli: Cli, exports: dict[str, Path]) -> None:
    document = cli.ok("import", "claude", str(exports["claude"]), "--dry-run", "--json").json
    assert (document["dry_run"], document["messages"], document["commands"]) == (True, 3, {"record_event": 3})
    assert document["first"][0]["text"] == "Should we deploy on a Friday?" and "new" not in document
    assert document["unread"]["reasons"]["a call of a tool"] == 1
    run = cli.ok("import", "mcp-memory", str(exports["mcp-memory"]), "--dry-run")
    assert "would append 3 assert_claim" in run.out and "Ana is a person" in run.out
    assert not (cli.place / ".yggdrasil").exists()


def test_what_was_not_understood_is_told_by_reason_with_the_first_places(cli: Cli) -> None:
    file = written(cli.place, [*MEM0, *[{"id": str(n)} for n in range(300)], 5, "\x1b[31m"], "mem0.json")
    run = cli.ok("import", "mem0", str(file), *NONE, "--json")
    unread = run.json["unread"]
    assert (unread["count"], unread["reasons"]) == (302, {"no memory": 300, "no object": 2})
    assert len(unread["places"]) == 202 and unread["places"]["element 303"] == "expected an object, and got 5"
    assert "element 3: expected a memory with 'memory' or 'text' or 'data', a text" in run.err
    assert "no memory: 300" in run.err and "302 parts passed over, 290 of them not named here" in run.err
    assert "\x1b" not in run.err + run.out


def test_what_cannot_be_read_is_refused_and_leaves_no_trace(cli: Cli, exports: dict[str, Path]) -> None:
    for name, path in exports.items():
        run = cli("import", name, "nowhere.json", "--json")
        assert (run.code, run.json["error"]["code"]) == (2, "cannot_import")
        assert cli("import", name, str(path), "--memory", "no slash").code == 2
        assert cli("import", name, str(path), "--kafka", "127.0.0.1:1", "--dir", "x").code == 2
    bomb = packed(cli.place, {"conversations.json": b"[" + b" " * (3 << 20) + b"]"})
    assert "made to do harm" in cli("import", "chatgpt", str(bomb)).err
    assert not (cli.place / ".yggdrasil").exists()


def test_the_facade_reads_what_was_imported(cli: Cli, exports: dict[str, Path]) -> None:
    for name in ("langgraph", "markdown"):
        cli.ok("import", name, str(exports[name]), *NONE)
    with Memory.open(cli.place / ".yggdrasil", "me/agent", embedder="off") as memory:
        (item,) = memory.history(key="langgraph:ana/diet").memories
        assert item.payload is not None and item.payload["value"] == {"eats": "plants"}
        found = memory.get_context("Which section is called Gate?").found[0].memory
        assert (found.name, found.text) == ("Gate", "It opens at six.")
