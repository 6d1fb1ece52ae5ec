import re
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.producers.repositories import Repo

HEADINGS = (
    "1. Remember the history",
    "2. The files that matter most",
    "3. Files that change together",
    "4. What bad outcomes taught",
    "5. What that foretells",
    "6. Ask it",
    "7. Act on it, and explain the action",
    "8. Let it think",
    "9. Prove it",
)


def test_the_demo_tells_the_whole_story(cli: Cli, repo: Repo) -> None:
    run = cli.ok("demo", "--repo", str(repo.folder))
    places = [run.out.index(heading) for heading in HEADINGS]
    assert places == sorted(places)
    assert "Cache more" in run.out and "reverted by" in run.out
    assert "Equal: this memory is what its log says, and nothing else." in run.out
    digests = re.findall(r"(?:digest|chain) of the (?:memory|replay) +([0-9a-f]{64})$", run.out, re.MULTILINE)
    assert len(digests) == 4 and digests[0] == digests[1] and digests[2] == digests[3]
    assert not (cli.place / ".yggdrasil").exists()


def test_the_demo_for_machines(cli: Cli, repo: Repo) -> None:
    run = cli.ok("demo", "--repo", str(repo.folder), "--json")
    document = run.json
    assert document["import"]["commits"] == 6
    assert document["files"][0]["name"] == "file:src/parse.py"
    pair = document["pairs"][0]
    assert {pair["first"], pair["second"]} == {"file:src/cache.py", "file:src/parse.py"}
    assert document["lessons"][0]["kind"] == "reverted"
    assert {file["name"] for file in document["troubled_files"][:2]} == {"file:src/cache.py", "file:src/parse.py"}
    assert document["troubled_files"][0]["impact"] < 0
    foretold = document["foretelling"]["foretold"]
    assert {"file:src/cache.py", "file:src/parse.py"} <= {one["feature"] for one in foretold}
    assert all(one["valence"] < 0 < one["bad"] and "reverted" in str(one["kinds"]) for one in foretold[:2])
    assert "Cache more" in document["question"] and document["context"]["found"]
    assert document["explanation"]["informed_by"][0]["id"] == document["context"]["recall_id"]
    thinking = document["thinking"]
    assert [one["thinker"] for one in thinking["thinkers"]] == ["chunker", "concepts", "reflector", "sleeper"]
    assert thinking["episodes"] and all(one["why"] and one["memory"]["text"] for one in thinking["episodes"])
    assert not any(one["stopped"] for one in thinking["thinkers"])
    assert document["replay"]["same"] is True
    assert document["replay"]["digest"] == document["replay"]["replayed_digest"]
    assert "1. Remember" in run.err  # the story is for people, beside the document


def test_the_demo_says_when_nothing_bad_is_known(cli: Cli, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "good")
    repo.commit("Begin", {"a.py": "1"})
    repo.git("tag", "v1")
    out = cli.ok("demo", "--repo", str(repo.folder)).out
    assert "1 commit: " in out
    assert "there is nothing bad to learn" in out and "EXAMPLE, made up by the demo" in out
    assert "released in v1" in out
    assert "No two files" in out


def test_the_demo_of_commits_without_files(cli: Cli, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "bare")
    repo.commit("Only words")
    assert "Equal" in cli.ok("demo", "--repo", str(repo.folder)).out


def test_the_demo_says_when_it_truncates(cli: Cli, repo: Repo) -> None:
    out = cli.ok("demo", "--repo", str(repo.folder), "--commits-max", "2").out
    assert "the newest 2 of 6: --commits-max 6 takes all" in out


def test_the_demo_suggests_what_the_shell_finds(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/yggdrasil"])
    assert "\n  yggdrasil record" in cli.ok("demo", "--repo", str(repo.folder)).out
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert "\n  .venv/bin/yggdrasil record" in cli.ok("demo", "--repo", str(repo.folder)).out


def test_the_demo_keeps_its_memory_if_asked(cli: Cli, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(cli.place))
    out = cli.ok("demo", "--repo", str(repo.folder), "--dir", "kept").out
    suggested = [line.strip().split("   #")[0] for line in out.splitlines() if line.startswith("  yggdrasil ")]
    assert len(suggested) == 3
    for command in suggested:
        assert "--dir kept" in command
    assert cli.ok("explain", suggested[1].split()[2], "--dir", "kept").out
    again = cli.ok("demo", "--repo", str(repo.folder), "--dir", "kept")
    assert "nothing changed" in again.out
    document = cli.ok("demo", "--repo", str(repo.folder), "--keep", "--json").json
    assert (Path(document["dir"]) / "log").is_dir()


def test_the_demo_needs_a_history(cli: Cli, tmp_path: Path) -> None:
    run = cli("demo", "--repo", str(tmp_path / "nothing"))
    assert run.code == 2 and len(run.err.splitlines()) == 1
    Repo(tmp_path / "empty")
    run = cli("demo", "--repo", str(tmp_path / "empty"), "--json")
    assert run.code == 2 and "no commits yet" in run.json["error"]["message"]
