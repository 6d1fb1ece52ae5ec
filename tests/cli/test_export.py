"""What stores still hold of a lost log, written as commands, and put into another one."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import yggdrasil_infra.embedders
from tests.cli.runs import Cli
from tests.embedded.directory.test_store import Letters
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.commands.decisions import Thinker

ME = "me/agent"
QUESTION = "Which parcel goes by rail?"


def test_a_log_that_is_gone_leaves_what_its_stores_hold(cli: Cli) -> None:
    first = cli.ok("record", "Deployed on a Friday", "--feature", "deploy").line
    recalled = cli.ok("context", "Why not deploy?", "--json").json["recall_id"]
    cli.ok("record", "Waited until Monday", "--feature", "deploy", "--informed-by", recalled, "--caused-by", first)
    cli.ok("outcome", first, "-3", "--kind", "outage", "--text", "The site was down")
    Path("worker").mkdir()
    shutil.move(".yggdrasil/graph", "worker/graph")  # a directory of stores alone, as a worker has
    document = cli.ok("export", "worker", "kept.jsonl", "--json").json
    assert (document["memories"], document["commands"]) == (1, 3)
    assert document["missing"] == {"record_recall": 1} and document["references_left_out"] == 1
    run = cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json
    assert (run["new"], run["known"], run["refused"]) == (3, 0, {})
    assert cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json["known"] == 3
    explained = cli.ok("explain", first, "--dir", "new").out
    assert "The site was down" in explained
    run = cli("export", "worker", "kept.jsonl")
    assert run.code == 2 and "kept.jsonl cannot be written: File exists" in run.err


def test_a_log_that_cannot_be_opened_leaves_what_its_stores_hold(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday", "--feature", "deploy")
    (manifest,) = Path(".yggdrasil/log/records").glob("MANIFEST-*")
    manifest.write_bytes(manifest.read_bytes()[:100])
    run = cli("verify", ".yggdrasil")
    assert run.code == 1 and "`yggdrasil export .yggdrasil FILE`" in run.out + run.err
    run = cli("backup", ".yggdrasil", "backups", "--accept-loss")
    assert run.code == 1 and "`yggdrasil verify` says" in run.err
    assert "Deployed" not in cli("context", "Who deployed?").out
    run = cli.ok("export", ".yggdrasil", "kept.jsonl")
    assert "The log is damaged" in run.out + run.err
    assert cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json["new"] == 1
    assert "Deployed on a Friday" in cli.ok("context", "Who deployed?", "--dir", "new").out


def test_a_line_that_is_no_command_is_named_before_anything_is_appended(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday")
    cli.ok("export", ".yggdrasil", "kept.jsonl")
    with Path("kept.jsonl").open("a") as file:
        file.write('{"role": "user"}\n')
    run = cli("import", "commands", "kept.jsonl", "--dir", "new")
    assert run.code == 2 and "kept.jsonl, line 2: no command (version_missing)" in run.err
    assert not Path("new").exists()


def lines(file: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


def by_letters(monkeypatch: pytest.MonkeyPatch, model: Letters) -> None:
    monkeypatch.setattr(yggdrasil_infra.embedders, "open_embedder", lambda setting, lazily=False: model)


def found(place: str, model: Letters) -> list[tuple[str, float]]:
    with Memory.open(place, ME, embedder=model) as memory:
        answer = memory.get_context(QUESTION, record=False)
        assert answer.found and any(each.scores.vector for each in answer.found)
        return [(each.memory.ref, each.scores.vector) for each in answer.found]


def test_vectors_that_came_after_their_texts_travel_and_nothing_is_embedded_anew(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Letters()
    with Memory.open(".yggdrasil", ME, embedder=first) as memory:
        ids = memory.record_many(({"text": f"parcel {number} by rail"} for number in range(40)), texts_first=True)
        memory.log_outcome(ids[0], -2.0, text="the rail was late")
        memory.assert_claim("carrier", "uses", "feature:rail")
    document = cli.ok("export", ".yggdrasil", "kept.jsonl", "--json").json
    assert document["missing"] == {}, "nothing was asked, so all of it was a command that is kept"
    assert [each["type"] for each in lines("kept.jsonl")].count("attach_vector") == 40
    again = Letters()
    by_letters(monkeypatch, again)
    run = cli.ok("import", "commands", "kept.jsonl", "--embedder", "letters", "--dir", "new", "--json").json
    assert (run["new"], run["refused"], again.calls) == (document["commands"], {}, []), "nothing is embedded anew"
    assert found("new", Letters()) == found(".yggdrasil", Letters())
    other = Letters("letters/2")
    by_letters(monkeypatch, other)
    run = cli.ok("import", "commands", "kept.jsonl", "--embedder", "letters", "--dir", "other", "--json").json
    assert run["refused"] == {} and run["vectors"]["attached"] == sum(other.calls) == 42, "of another model: anew"
    assert [ref for ref, _ in found("other", Letters("letters/2"))] == [ref for ref, _ in found("new", Letters())]


def test_claims_and_relations_come_back_and_what_was_put_out_stays_out(cli: Cli) -> None:
    one = cli.ok("record", "Ana moved to Split", "--feature", "ana").line
    two = cli.ok("record", "Ben stayed in Oslo", "--feature", "ben").line
    with Memory.open(".yggdrasil", ME, embedder="off") as memory:
        claim = memory.assert_claim("ana", "lives_in", "Split", evidence=[one])
        memory.relate(two, one, "contradicts", "they went apart")
        gone = memory.assert_claim("ben", "owes", "everything")
        memory.judge({gone: "reject"}, reason="a rumour")
        asked = memory.get_context("Who moved?")
        memory.assert_claim("ana", "asked_by", "somebody", evidence=[asked.recall_id or ""])
    document = cli.ok("export", ".yggdrasil", "kept.jsonl", "--json").json
    assert document["withheld"] == 1 and document["references_left_out"] == 1
    assert document["missing"] == {"assert_claim": 1, "judge": 1, "record_recall": 1}
    run = cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json
    assert run["refused"] == {} and run["new"] == document["commands"]
    with Memory.open("new", ME, embedder="off") as memory:
        assert memory.describe(claim).memory.status == "active"
    assert cli.ok("stats", "--dir", "new", "--json").json["memories"][0]["edges"]["contradicts"] == 1
    cli.ok("export", "new", "again.jsonl")
    ids = [each["id"] for each in lines("kept.jsonl")]
    assert gone not in ids and [each["id"] for each in lines("again.jsonl")] == ids, "an export of it is the same"


def test_what_a_thinker_decided_is_accepted_where_what_it_counted_is_missing(cli: Cli) -> None:
    with Embedded(Path(".yggdrasil")) as engine:
        drafter = Drafter(ME, "agent", "test")
        thinker = Drafter(ME, "chunker", "test", "thinker")
        for part in range(2):
            events = [drafter.record_event(f"step {part} {number}", session="s") for number in range(3)]
            for each in events:
                engine.submit(each)
            Memory(engine, drafter).get_context("step")  # which is in no store, and counts
            seq = 4 * (part + 1) + part
            cursors = Thinker(name="chunker", version="1", cursor_from=4 if part else 0, cursor_to=seq)
            body = {"events": [each.id for each in events], "thinker": cursors.model_dump()}
            assert engine.submit(thinker.draft("commit_episode", body, None)).refused is None
    document = cli.ok("export", ".yggdrasil", "kept.jsonl", "--json").json
    assert document["missing"] == {"record_recall": 2}
    run = cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json
    assert (run["new"], run["refused"]) == (8, {})
