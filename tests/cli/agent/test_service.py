"""The commands of agents, and imports, through a service: who the key is, what it may do, and what is known already."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_schemas.commands import Role

KEYS: dict[str, tuple[list[Role], str]] = {
    "ana": (["append", "read", "operate"], "ana"),
    "reader": (["read"], "*"),
    "writer": (["append"], "*"),
    "porter": (["append", "read"], "*"),
}


@dataclass(frozen=True)
class Served:
    place: Path
    url: str

    def by(self, name: str) -> list[str]:
        """The options that name the service and a key to the tenant ``acme``."""
        return ["--service", self.url, "--key-file", str(self.place / f"{name}.key")]


@contextmanager
def serving(place: Path, *, port: int = 0, keys: bool = True) -> Iterator[str]:
    held = Keys(place / "keys.json") if keys else None
    with Embedded(place / "data") as engine, Serving(engine, Service(("127.0.0.1", port), held, rate=0)) as it:
        yield it.url


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    for name, (roles, agents) in KEYS.items():
        _, key = new_key(tmp_path / "keys.json", "acme", roles, name, agents=agents)
        file = tmp_path / f"{name}.key"
        file.touch(0o600)
        file.write_text(f"{key}\n")
    with serving(tmp_path) as url:
        yield Served(tmp_path, url)


def exported(place: Path, count: int) -> str:
    """A file of what the official memory server keeps, of so many things."""
    lines = [
        json.dumps({"type": "entity", "name": f"part {n}", "entityType": "part", "observations": [f"costs {n} euros"]})
        for n in range(count)
    ]
    (place / "memory.jsonl").write_text("\n".join(lines))
    return str(place / "memory.jsonl")


def test_what_an_agent_does_it_does_through_a_service(cli: Cli, served: Served) -> None:
    at = served.by("ana")  # a key of one memory, which need not be named
    event = cli.ok("record", "Deployed the api on a Friday", "-f", "friday", *at).line
    cli.ok("outcome", event, "-4", "--kind", "outage", *at)
    assert "Deployed the api" in cli.ok("context", "May I deploy the api on a Friday?", *at).out
    cli.ok("fact", "add", "Ana", "lives in", "Oslo", *at)
    assert "Oslo" in cli.ok("fact", "show", "Ana", *at).out
    assert "outage" in cli.ok("explain", event, *at).out
    cli.ok("correct", "withdraw", event, "--reason", "it was a Thursday", *at)
    assert "Deployed" not in cli.ok("context", "May I deploy the api on a Friday?", *at).out
    assert "Oslo" in cli.ok("context", "Oslo", "--memory", "acme/ana", *at).out, "by its whole name as well"


def test_who_may_not_is_told_before_anything_is_sent(cli: Cli, served: Served) -> None:
    reader, writer = served.by("reader"), served.by("writer")
    file = exported(served.place, 3)
    for options, said in (
        (["import", "mcp-memory", file, *reader, "--memory", "ana"], "key new --role append"),
        (["import", "mcp-memory", file, *writer], "--memory acme/AGENT"),
        (["import", "mcp-memory", file, *writer, "--memory", "other/ana"], "opens acme/*, and not other/ana"),
        (["record", "x", *writer, "--memory", "other/ana"], "this key is not for this memory"),
        (["context", "x", *writer, "--memory", "ana"], "read"),
        (["context", "x", "--service", "ftp://x"], "write http://HOST:PORT"),
        (["context", "x", "--service", "http://"], "'--service': 'http://' is no URL of a service"),
        (["mcp", "--service", "http://me:ygg_1@x"], "'--service': a name or a key stands in the service's URL"),
        (["context", "x", "--key-file", file], "it goes with --service"),
        (["context", "x", "--service", served.url, "--dir", "d"], "either in a directory or behind the service"),
        (["context", "x", "--service", served.url, "--key-file", file], "holds no key"),
        (["context", "x", "--service", served.url, "--memory", "acme/ana"], "give it in YGGDRASIL_KEY"),
        (["context", "x", *served.by("ana"), "--memory", "acme/ana"], f"{served.url}/v1/memories lists"),
        (["stats", "--service", served.url], "`yggdrasil read overview --service URL`"),
    ):
        run = cli(*options)
        assert run.code != 0 and said in run.err, (options, run.err)


def test_a_key_that_does_not_open_this_ends_with_a_code_of_its_own(cli: Cli, served: Served) -> None:
    wrong = served.place / "wrong.key"
    wrong.touch(0o600)
    wrong.write_text("ygg_0123456789ab_wrong")
    for options, code in (
        (
            ["context", "x", "--service", served.url, "--key-file", str(wrong), "--memory", "acme/ana"],
            "unauthenticated",
        ),
        (["record", "x", *served.by("reader"), "--memory", "ana"], "forbidden"),
        (["record", "x", *served.by("writer"), "--memory", "other/ana"], "forbidden"),
    ):
        run = cli(*options, "--json")
        assert (run.code, run.json["error"]["code"]) == (7, code), (options, run.out)


def test_an_import_is_known_the_second_time(cli: Cli, served: Served) -> None:
    at = [*served.by("porter"), "--memory", "parts"]
    file = exported(served.place, 150)
    assert cli.ok("import", "mcp-memory", file, *at, "--dry-run", "--json").json["commands"]
    first = cli.ok("import", "mcp-memory", file, *at, "--json").json
    assert (first["memory"], first["known"], first["refused"]) == ("acme/parts", 0, {})
    assert first["new"] >= 150
    exported(served.place, 170)
    again = cli.ok("import", "mcp-memory", file, *at, "--json").json
    assert again["known"] == first["new"] and 0 < again["new"] < first["new"]
    assert "nothing changed" in cli.ok("import", "mcp-memory", file, *at, "--rate", "5000").out
    assert "costs 169 euros" in cli.ok("context", "What does part 169 cost?", *at).out


def test_an_import_goes_on_when_the_service_is_back(cli: Cli, tmp_path: Path) -> None:
    """Without keys, and in a directory afterwards: what was said through the service is known there."""
    file = exported(tmp_path, 400)
    whole = ["import", "mcp-memory", file, "--memory", "acme/parts", "--json"]
    with serving(tmp_path, keys=False) as url:
        first = cli.ok(*whole, "--service", url).json
    away = cli(*whole, "--service", url)
    assert away.code != 0 and url in away.json["error"]["message"]
    with serving(tmp_path, port=int(url.rpartition(":")[2]), keys=False) as back:
        assert cli.ok(*whole, "--service", back).json["known"] == first["new"]
    assert cli.ok(*whole, "--dir", str(tmp_path / "data"), "--embedder", "off").json["known"] == first["new"]


def test_a_key_that_others_can_read_is_told_and_one_that_they_can_write_is_refused(cli: Cli, served: Served) -> None:
    file = served.place / "open.key"
    file.write_text("ygg_0_0")
    ask = ["context", "x", "--service", served.url, "--key-file", str(file)]
    file.chmod(0o604)
    told = cli(*ask)
    assert "can be read by everybody on this machine" in told.err and f"chmod o-r {file}" in told.err
    file.chmod(0o620)
    refused = cli(*ask)
    assert refused.code == 2 and "can be written to by others" in refused.err
    file.chmod(0o640)
    assert "on this machine" not in cli(*ask).err, "a group may be meant"


def test_a_key_as_a_secret_or_an_editor_leaves_it_opens(
    cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = (served.place / "ana.key").read_text().strip()
    ask = ["record", "x", "--service", served.url]
    monkeypatch.setenv("YGGDRASIL_KEY", f" {key}\n")
    cli.ok(*ask)
    monkeypatch.delenv("YGGDRASIL_KEY")
    marked = served.place / "marked.key"
    marked.touch(0o600)
    marked.write_bytes(b"\xef\xbb\xbf" + key.encode() + b"\r\n")
    cli.ok(*ask, "--key-file", str(marked))


@pytest.mark.parametrize("wrong", ["\u201c{}\u201d", "{}\nygg_other", "ygg {}", "\x7f{}"])
def test_what_can_be_no_key_is_told_and_not_shown(
    cli: Cli, served: Served, monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    key = (served.place / "ana.key").read_text().strip()
    monkeypatch.setenv("YGGDRASIL_KEY", wrong.format(key))
    run = cli("record", "x", "--service", served.url)
    assert run.code == 2 and "it is one word without quotes" in run.err
    assert key not in run.err + run.out
    file = served.place / "wrong.key"
    file.touch(0o600)
    file.write_text(wrong.format(key), encoding="utf-8")
    run = cli("record", "x", "--service", served.url, "--key-file", str(file))
    assert run.code == 2 and "holds no key" in run.err and key not in run.err


def test_an_empty_key_of_the_environment_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YGGDRASIL_KEY", "")
    with serving(tmp_path, keys=False) as url, Memory.connect(url, memory="me/agent") as memory:
        memory.record_event("x", features=["x"])
