import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import Cli
from tests.producers.repositories import Repo
from yggdrasil.engines.embedded import Embedded


def test_git_twice_changes_nothing(cli: Cli, repo: Repo) -> None:
    source = str(repo.folder)
    first = cli.ok("import", "git", source, "--json").json
    assert (first["commits"], first["known"], first["refused"]) == (6, 0, {})
    before = cli.ok("replay", "--json").json
    again = cli.ok("import", "git", source, "--json").json
    assert (again["new"], again["known"]) == (0, first["new"])
    assert "nothing changed" in cli.ok("import", "git", source).out
    after = cli.ok("replay", "--json").json
    assert before["memories"] == after["memories"] and before["same"] and after["same"]


def test_an_empty_source_is_said_to_be_empty(cli: Cli) -> None:
    Path("chat.jsonl").write_text("")
    assert cli.ok("import", "chat", "chat.jsonl").line == "me/agent: 0 turns; nothing to import"


def test_git_brings_only_what_is_new(cli: Cli, repo: Repo) -> None:
    first = cli.ok("import", "git", str(repo.folder), "--json").json
    repo.commit("Another", {"src/other.py": "1"})
    again = cli.ok("import", "git", str(repo.folder), "--json").json
    assert (again["new"], again["known"], again["commits"]) == (1, first["new"], 7)


def test_git_takes_the_newest(cli: Cli, repo: Repo) -> None:
    document = cli.ok("import", "git", str(repo.folder), "--commits-max", "2", "--json").json
    assert document["commits"] == 2
    assert "2 commits" in cli.ok("import", "git", str(repo.folder), "--commits-max", "2").out


def test_an_interrupted_import_goes_on(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cli.ok("import", "git", str(repo.folder), "--dir", "whole", "--json").json["new"]
    submit = Embedded.submit_many

    def interrupted(engine: Embedded, drafts: Any, **options: Any) -> Iterator[Any]:
        for taken, answered in enumerate(submit(engine, (draft for draft in list(drafts)[:3]), **options)):
            yield answered
            if taken == 2:
                raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Embedded, "submit_many", interrupted)
        assert cli("import", "git", str(repo.folder)).code == 130
    again = cli.ok("import", "git", str(repo.folder), "--json").json
    assert (again["known"], again["new"]) == (3, whole - 3)
    digests = [cli.ok("replay", "--dir", place, "--json").json["memories"] for place in ("whole", ".yggdrasil")]
    assert digests[0][0]["same"] and digests[1][0]["same"]


def test_chat(cli: Cli) -> None:
    lines = [{"role": "user", "content": "No deploys on Fridays"}, {"role": "assistant", "content": "Understood"}]
    Path("chat.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert cli.ok("import", "chat", "chat.jsonl", "--json").json["turns"] == 2
    assert "nothing changed: all 2 commands" in cli.ok("import", "chat", "chat.jsonl").out
    found = cli.ok("context", "fridays", "--json").json["found"]
    assert [entry["memory"]["text"] for entry in found] == ["No deploys on Fridays"]


def test_locomo(cli: Cli) -> None:
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a puppy"}]
    conversation = {"session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023"}
    Path("locomo.json").write_text(json.dumps([{"sample_id": "conv-1", "conversation": conversation}]))
    assert cli.ok("import", "locomo", "locomo.json", "--json").json["new"] == 1
    assert "I adopted a puppy" in cli.ok("context", "puppy").out


def test_refusals_are_counted_by_reason(cli: Cli, repo: Repo) -> None:
    cli.ok("import", "git", str(repo.folder), "--dir", "one")
    repo.git("commit", "--amend", "--quiet", "-m", "fix: parse empty files, better")
    document = cli.ok("import", "git", str(repo.folder), "--dir", "one", "--json").json
    assert document["refused"] == {} and document["new"] >= 1


def test_without_a_source_it_helps(cli: Cli) -> None:
    out = cli.ok("import").out
    for source in ("git", "chat", "claims", "locomo"):
        assert source in out


def test_claims(cli: Cli) -> None:
    """Three sources and a line that says nothing; the same again changes nothing."""
    live = {"predicate": "lives_in", "object": "city:oslo"}
    lines: list[Any] = [{"entity": "person:ana", "claim": live, "source": source} for source in ("crm", "hr")]
    lines += ["nothing", {"entity": "person:ana", "claim": "likes hiking", "author": "ben"}]
    Path("claims.jsonl").write_text("\n".join(map(json.dumps, lines)))
    first = cli.ok("import", "claims", "claims.jsonl", "--embedder", "none", "--json")
    assert (first.json["claims"], first.json["new"], first.json["refused"]) == (3, 3, {})
    assert first.json["unread"]["count"] == 1 and list(first.json["unread"]["places"]) == ["line 3"]
    assert "claims.jsonl, line 3: expected" in first.err and "1 line passed over" in first.err
    home, hobby = cli.ok("fact", "show", "person:ana", "--json").json["claims"]
    assert (home["claim"]["sources"], home["trust"], home["status"]) == (2, 1, "active")
    assert hobby["text"] == "ana: likes hiking" and hobby["payload"] == {"author": "ben"}
    before = cli.ok("stats", "--json").json
    assert "nothing changed: all 3 commands" in cli.ok("import", "claims", "claims.jsonl").out
    assert cli.ok("stats", "--json").json == before
    turn = {"role": "user", "content": "I moved to Rome", "facts": [["person:ana", "lives_in", "city:rome"]]}
    Path("chat.jsonl").write_text(json.dumps(turn))
    assert cli.ok("import", "chat", "chat.jsonl", "--json").json["new"] == 2
    assert "nothing changed" in cli.ok("import", "chat", "chat.jsonl").out
    assert "city:rome" in cli.ok("fact", "show", "person:ana", "--status", "contested").out
