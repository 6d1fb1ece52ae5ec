"""Each exit code, with its line for people and its document for machines."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import SCRIPTS, Cli, Run
from tests.embedded.directory.places import only_read
from tests.harness.children import environment
from tests.harness.waiting import until
from tests.producers.repositories import Repo
from yggdrasil.daemon.commands.streams import Errors
from yggdrasil_infra.http.wire.socket_file import find

UNKNOWN = "01890000-0000-7000-8000-000000000000"

HOLD = """
import sys
from yggdrasil import Memory
with Memory.open(".yggdrasil", "me/agent") as memory:
    memory.record_event("held")
    print("open", flush=True)
    sys.stdin.read()
"""


SHARE = """
import sys
from pathlib import Path
from yggdrasil.cli.completing import Shared
from yggdrasil.engines.embedded import Embedded
with Embedded(Path(".yggdrasil")) as engine, Shared(engine, None):
    sys.stdin.read()
"""


@pytest.fixture
def holder(cli: Cli) -> Iterator[None]:
    """Another process that has the default directory open."""
    command = [sys.executable, "-c", HOLD]
    with subprocess.Popen(command, cwd=cli.place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "open\n"
        yield
        process.communicate("", timeout=240)
    assert process.returncode == 0


def fails(cli: Cli, code: int, name: str, *arguments: str) -> str:
    """Run twice: one line on stderr for people, one document on stdout for machines. Return the message."""
    run = cli(*arguments)
    assert (run.code, run.out) == (code, "")
    (line,) = run.err.splitlines()
    assert line.startswith("yggdrasil: ")
    run = cli(*arguments, "--json")
    assert (run.code, run.err) == (code, "")
    assert run.json["error"]["code"] == name
    message: str = run.json["error"]["message"]
    return message


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("record",),
        ("record", " "),
        ("context", ""),
        ("record", "x", "--nonsense"),
        ("record", "x", "--payload", "{"),
        ("record", "x", "--payload", "[1]"),
        ("record", "x", "--payload", "@missing.json"),
        ("context", "x", "-k", "0"),
        ("cases", " "),
        ("cases", "x", "-k", "26"),
        ("outcome", UNKNOWN, "eleven"),
        ("outcome", UNKNOWN, "-11"),
        ("outcome", UNKNOWN, "-3", "--kindly", "x"),
        ("pin",),
        ("pin", " "),
        ("pin", UNKNOWN, "--permanence", "11"),
        ("sleep", "now"),
        ("retire",),
        ("retire", " "),
        ("replay", "--as-of", "0"),
    ],
)
def test_2_usage(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert re.search(r"[^.][.?] See `yggdrasil.* --help`\.$", fails(cli, 2, "usage", *arguments))
    assert not (cli.place / ".yggdrasil").exists()


@pytest.mark.parametrize(("value", "said"), [("y", "must be a whole number"), ("0", "at least 1")])
def test_2_a_value_is_said_to_be_wrong_in_plain_words(cli: Cli, value: str, said: str) -> None:
    run = cli("context", "x", "-k", value)
    assert run.code == 2 and f"'-k': {said}." in run.err, run.err


def test_2_a_command_that_breaks_the_language(cli: Cli) -> None:
    assert "TENANT/AGENT" in fails(cli, 2, "invalid_envelope", "record", "x", "--memory", "nobody")
    assert not (cli.place / ".yggdrasil").exists()
    cli.ok("record", "x")
    many = [word for number in range(33) for word in ("-f", str(number))]
    for option, name, arguments in (
        ("--feature", "invalid_body", ("record", "x", "-f", "")),
        ("--feature", "invalid_body", ("record", "x", *many)),
        ("--informed-by", "invalid_body", ("record", "x", "--informed-by", "abc")),
        ("--caused-by", "invalid_body", ("record", "x", "--caused-by", "abc")),
        ("--step", "invalid_body", ("outcome", UNKNOWN, "1", "--step", "abc")),
        ("--step", "invalid_body", ("outcome", UNKNOWN, "1", "--step", UNKNOWN, "--step", UNKNOWN)),
        ("feature:NAME", "invalid_body", ("pin", "abc")),
        ("flatten", "too_deep", ("record", "x", "--payload", '{"a":' * 40 + "1" + "}" * 40)),
        ("--session", "invalid_envelope", ("context", "x", "--session", "")),
        ("full id", "invalid_body", ("outcome", "abc", "1")),
        ("--kind", "invalid_body", ("outcome", UNKNOWN, "1", "--kind", "")),
        ("--catastrophic", "invalid_body", ("outcome", UNKNOWN, "1", "--catastrophic")),
    ):
        message = fails(cli, 2, name, *arguments)
        assert option in message and ": ." not in message and "mismatch" not in message


def test_2_a_source_that_cannot_be_read(cli: Cli) -> None:
    fails(cli, 2, "cannot_import", "import", "git", ".")
    Path("bad.jsonl").write_text("not json\n")
    fails(cli, 2, "cannot_import", "import", "chat", "bad.jsonl")
    assert not (cli.place / ".yggdrasil").exists()


def test_3_refused_by_the_memory(cli: Cli) -> None:
    cli.ok("record", "x")
    assert "has no event with the id" in fails(cli, 3, "unknown_event", "outcome", UNKNOWN, "-3")
    fails(cli, 3, "unknown_event", "record", "y", "--caused-by", UNKNOWN)
    fails(cli, 3, "unknown_reference", "pin", UNKNOWN)
    fails(cli, 3, "node_forgotten", "pin", "feature:never")
    assert "no cursor" in fails(cli, 3, "unknown_thinker", "retire", "chunker")


def test_4_not_found(cli: Cli) -> None:
    asked = ("context", "x"), ("cases", "x"), ("explain", UNKNOWN), ("stats",)
    names = *asked, ("outcome", UNKNOWN, "1"), ("pin", UNKNOWN), ("retire", "chunker"), ("sleep",)
    for arguments in (*names, ("replay",)):
        assert ".yggdrasil" in fails(cli, 4, "no_memory_here", *arguments)
    assert not (cli.place / ".yggdrasil").exists()
    cli.ok("record", "x")
    for arguments in names:
        assert "yggdrasil stats" in fails(cli, 4, "unknown_memory", *arguments, "--memory", "you/other")
    fails(cli, 4, "unknown_event", "explain", UNKNOWN)
    fails(cli, 4, "unknown_event", "explain", "not-an-id")


@pytest.mark.usefixtures("holder")
def test_5_in_use(cli: Cli) -> None:
    for arguments in (("record", "x"), ("context", "x"), ("stats",)):
        assert "`yggdrasil replay` can run beside it" in fails(cli, 5, "in_use", *arguments)
    run = cli.ok("replay", "--json")
    assert (run.json["in_use"], run.json["same"], run.json["records"]) == (True, None, 1)
    assert "Another process writes here" in cli.ok("replay").out


def test_1_damaged(cli: Cli) -> None:
    cli.ok("record", "x")
    counter = cli.place / ".yggdrasil" / "log" / "acknowledged"
    counter.write_bytes(b"x" * len(counter.read_bytes()))
    assert "damaged" in fails(cli, 1, "broken", "stats")


def test_2_not_a_directory(cli: Cli, repo: Repo) -> None:
    Path("file").write_text("")
    for arguments in (("record", "x"), ("stats",), ("import", "git", str(repo.folder))):
        assert "file is a file" in fails(cli, 2, "not_a_directory", *arguments, "--dir", "file")
        assert "file is a file" in fails(cli, 2, "not_a_directory", *arguments, "--dir", "file/below")
    cli.ok("record", "x")
    assert "name another directory (--into)" in fails(cli, 2, "not_a_directory", "replay", "--into", "file")


def test_2_a_directory_that_cannot_be_written_to(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("record", "x")
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode, **how: not mode & os.W_OK and access(path, mode, **how))
    assert ".yggdrasil cannot be written to" in fails(cli, 2, "not_writable", "record", "x")
    assert "lacks the right" in fails(cli, 2, "not_writable", "record", "x", "--dir", "new")
    assert not (cli.place / "new").exists()


def test_a_directory_that_is_only_read_is_asked_and_not_written(cli: Cli) -> None:
    event = cli.ok("record", "Deployed on a Friday", "--feature", "deploy").line
    with only_read(cli.place / ".yggdrasil"):
        assert "Deployed on a Friday" in cli.ok("context", "When was it deployed?").out
        assert cli.ok("stats", "--json").json
        assert event in cli.ok("explain", event, "--json").out
        assert cli.ok("replay", "--json").json["same"] is True
        assert "can only be read here" in fails(cli, 2, "read_only", "outcome", event, "-1")
        assert "cannot be written to" in fails(cli, 2, "not_writable", "record", "x")
        assert "cannot be written to" in fails(cli, 2, "not_writable", "think")
    cli.ok("outcome", event, "-1")


def test_4_a_link_to_nothing(cli: Cli) -> None:
    Path("link").symlink_to("gone")
    for path in ("link", "link/below"):
        for arguments in (("record", "x"), ("context", "x"), ("stats",), ("think",)):
            assert "link is a link to gone" in fails(cli, 4, "dangling_link", *arguments, "--dir", path)
        for command, option in (("mcp", "--dir"), ("serve", "--data")):
            run = cli(command, option, path)
            assert run.code == 4 and "link is a link to gone" in run.err


def test_a_path_may_begin_in_the_home_folder(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    home = cli.place.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    cli.ok("record", "x", "--dir=~/m")  # which no shell expands
    monkeypatch.setenv("YGGDRASIL_DIR", "~/m")
    assert cli.ok("context", "x", "--json").json["found"]
    (home / "payload.json").write_text("{}")
    cli.ok("record", "y", "--payload", "@~/payload.json")
    cli.ok("key", "new", "--keys=~/keys.json", "--tenant", "me", "--role", "read")
    cli.ok("backup", "~/m", "~/kept", "--keys=~/keys.json")
    cli.ok("hooks", "install", "--project=~", "--data=~/m")
    assert str(home / "m") in (home / ".claude" / "settings.local.json").read_text()
    (home / "talk.jsonl").write_text('{"role": "user", "content": "The deploy key is in the vault"}\n')
    cli.ok("import", "chat", "~/talk.jsonl", "--memory", "me/agent")
    assert not list(cli.place.iterdir())
    for arguments in (("record", "x"), ("stats",)):
        assert "knows no user nobodysuch" in fails(cli, 2, "no_home", *arguments, "--dir", "~nobodysuch/m")
        assert "an empty text is no path" in fails(cli, 2, "no_path", *arguments, "--dir", "")


def _taking_paths(command: Any, name: str = "") -> list[tuple[str, Any]]:
    found = [(name, each) for each in command.params if "Path" in str(each.type_descriptor.annotation)]
    for below, each in getattr(command, "commands", {}).items():
        found += _taking_paths(each, f"{name} {below}")
    return found


def test_every_option_that_is_a_path_may_begin_in_the_home_folder() -> None:
    from yggdrasil.cli.app import command
    from yggdrasil.cli.commands import _at_home

    options = _taking_paths(command())
    assert len(options) > 40
    for name, each in options:
        assert getattr(each.process_value, "func", None) is _at_home, name


def test_1_a_bug_shows_where_it_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from yggdrasil.memory import Memory

    def broken(*_: object, **__: object) -> str:
        raise RuntimeError("boom")

    monkeypatch.setattr(Memory, "record_event", broken)
    run = cli("record", "x", "--json")
    assert (run.code, run.json["error"]["code"]) == (1, "bug")
    assert "Traceback" in run.err and "boom" in run.err


def test_130_interrupted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from yggdrasil.memory import Memory

    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(Memory, "record_event", interrupted)
    fails(cli, 130, "interrupted", "record", "x")


def test_141_the_reader_has_gone(cli: Cli) -> None:
    for number in range(3):  # more than a pipe's buffer, so that the write itself fails
        cli.ok("record", f"{number} " + "word " * 20_000)
    script = f'"{SCRIPTS}/yggdrasil" context word --json | true; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(
        ["bash", "-c", script], cwd=cli.place, capture_output=True, text=True, check=True, timeout=240
    )
    assert (done.stdout.strip(), done.stderr) == ("141", "")


def test_5_beside_a_command_that_serves_the_directory_meanwhile(cli: Cli) -> None:
    cli.ok("record", "x")
    with subprocess.Popen([sys.executable, "-c", SHARE], cwd=cli.place, stdin=subprocess.PIPE) as process:
        until(lambda: find(cli.place / ".yggdrasil") is not None)
        for arguments in (("embed",), ("export", ".yggdrasil", "out.jsonl"), ("rebuild",)):
            said = fails(cli, 5, "in_use", *arguments)
            assert f"a command of process {process.pid}" in said and "wait until it has ended" in said, said
            assert "kill" not in said
        process.communicate(timeout=240)
    assert process.returncode == 0


def shell(cli: Cli, words: str, unbuffered: str = "") -> Run:
    """Run a line of the shell, in which $Y is the installed script."""
    variables = environment(Y=str(SCRIPTS / "yggdrasil"), PYTHONUNBUFFERED=unbuffered)
    done = subprocess.run(
        ["bash", "-c", words], cwd=cli.place, env=variables, capture_output=True, text=True, check=False, timeout=240
    )
    return Run(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["record x", "record x --json", "context x", "--help", "--version", "replay"])
def test_1_an_answer_that_cannot_be_written_is_told_as_that(cli: Cli, words: str, unbuffered: str) -> None:
    cli.ok("record", "before")
    run = shell(cli, f"$Y {words} > /dev/full", unbuffered)
    (line,) = run.err.splitlines()
    assert (run.code, run.out) == (1, "")
    assert "could not be written to the standard output (No space left on device)" in line
    records = cli.ok("replay", "--json").json["records"]
    assert records == 1 + words.startswith(("record", "context"))  # what it did is done


def test_an_error_that_stdout_does_not_take_is_told_on_stderr(cli: Cli) -> None:
    for words in ('record ""', "record x --payload {", "replay"):
        plain = shell(cli, f"$Y {words}")
        full = shell(cli, f"$Y {words} --json > /dev/full")
        assert full == plain and plain.err, words
        assert shell(cli, f"$Y {words} --json >&-") == Run(plain.code, "", "")
        assert shell(cli, f"$Y {words} 2> /dev/full") == Run(plain.code, "", "")
    wrong = "YGGDRASIL_DAEMON=sometimes $Y record x"
    assert shell(cli, f"{wrong} --json > /dev/full") == shell(cli, wrong)
    assert shell(cli, f"{wrong} --json | true").err == ""


def test_what_is_told_to_nobody_ends_nothing(cli: Cli) -> None:
    assert shell(cli, "$Y record x --json >&-") == Run(0, "", "")
    assert shell(cli, "$Y record y 2> /dev/full").code == 0
    assert cli.ok("replay", "--json").json["records"] == 2


def test_a_log_goes_on_when_stderr_takes_something_again() -> None:
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    with open(reads, "rb", 0) as read, open(writes, "w", 1) as full:
        errors, taken = Errors(full), 0
        with suppress(BlockingIOError):
            while True:
                taken += os.write(writes, b"x" * 4096)
        assert errors.write("while it is full\n")
        while taken > 0:
            taken -= len(read.read(taken))
        errors.write("after\n")
        assert read.read(100).endswith(b"after\n")


def test_an_assistant_that_has_gone_is_no_bug_of_the_server(cli: Cli) -> None:
    cli.ok("record", "x")
    hello = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"},
            },
        }
    )
    Path("hello").write_text(hello + "\n")
    gone = shell(cli, 'exec 3> >(exec true); wait $!; $Y mcp < hello >&3; echo "$?"')
    full = shell(cli, "$Y mcp < hello > /dev/full")
    assert (gone.out, gone.err) == ("141\n", "")
    assert shell(cli, "$Y mcp <&-") == Run(0, "", ""), "nobody asks anything"
    assert full.code == 1 and full.err.startswith("yggdrasil: the answer could not be written"), full.err


def test_the_help_lists_every_code(cli: Cli) -> None:
    from yggdrasil.cli.exits import MEANINGS

    out = cli.ok("--help").out
    for code, meaning in MEANINGS.items():
        assert f"{code.value:>5}  {meaning}" in out


@pytest.mark.parametrize(("command", "own"), [("serve", "8787"), ("worker", "9464"), ("think", "9466")])
@pytest.mark.parametrize("option", ["--port", "--host", "-p"])
def test_what_others_call_an_address_names_the_option_here(cli: Cli, command: str, own: str, option: str) -> None:
    run = cli(command, option, "8080")
    assert run.code == 2 and f"No such option: {option}; " in run.err
    assert f"--http HOST:PORT, such as --http 127.0.0.1:{own}. " in run.err  # two of the examples run beside each other
    assert "--http" not in cli("record", "x", option, "1").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("record", "caf\udce9"),
        ("record", "x", "--feature", "caf\udce9"),
        ("stats", "--dir", "caf\udce9"),
        ("import", "chat", "caf\udce9.jsonl"),
        ("import", "git", "caf\udce9"),
    ],
)
def test_what_was_typed_in_another_encoding_is_told(cli: Cli, arguments: tuple[str, ...]) -> None:
    for ran in (cli(*arguments), cli(*arguments, "--json")):
        assert ran.code in {2, 4} and "Traceback" not in ran.err, ran.err
    assert cli(*arguments, "--json").json["error"]["message"]
    assert not (cli.place / "caf\udce9").exists()


def test_what_was_done_with_a_file_whose_name_is_no_utf8_is_told_as_json(cli: Cli) -> None:
    """A backup was made, and then ended as a bug."""
    cli.ok("record", "x")
    made = cli.ok("backup", ".yggdrasil", "caf\udce9", "--json").json
    assert any("caf\\udce9" in str(value) for value in made.values()), made
