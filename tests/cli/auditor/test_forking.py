from collections.abc import Iterable

import pytest

from tests.cli.runs import Cli
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.log import DiskFullError, Receipt


def test_a_memory_is_forked_told_of_and_compared(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday", "--feature", "deploy")
    cli.ok("past", "snapshot", "before")
    assert cli.ok("past", "forks").out.startswith("It has no fork")
    told = cli.ok("past", "fork", "before", "careful").out
    assert told.startswith(
        "me/agent.fork-careful is me/agent as of seq 2, record by record.\n2 records appended; state "
    )
    cli.ok("record", "Waited until Monday", "--feature", "deploy", "--memory", "me/agent.fork-careful")
    found = cli.ok("past", "forks", "--json").json
    (fork,) = found["forks"]
    assert fork == {
        "memory": "me/agent.fork-careful", "of": "me/agent", "seq": 2, "own": 1, "others": 0, "unfinished": None
    }  # fmt: skip
    assert "me/agent.fork-careful" in cli.ok("past", "forks").out
    differs = cli.ok("past", "compare", "me/agent", "me/agent.fork-careful", "--json").json["differs"]
    assert (differs["gone"], differs["new"]) == ({}, {"event": 1})
    assert (
        "The graph, in me/agent and in me/agent.fork-careful"
        in cli.ok("past", "compare", "me/agent", "me/agent.fork-careful").out
    )


def test_an_unfinished_fork_is_told_with_what_to_do(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("record", "One")
    cli.ok("record", "Two")
    cli.ok("record", "Three")
    append = LocalLog.append_dated

    def failing(log: LocalLog, records: Iterable[tuple[bytes, bytes, int]]) -> list[Receipt]:
        append(log, list(records)[:2])
        raise DiskFullError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(LocalLog, "append_dated", failing)
        assert cli("past", "fork", "3", "half").code != 0
    told = cli.ok("past", "forks").out
    assert "2 of 3, unfinished" in told and "goes on when the same fork is asked for again" in told
    assert "1 record appended" in cli.ok("past", "fork", "3", "half").out
    assert "unfinished" not in cli.ok("past", "forks").out


def test_what_cannot_be_forked(cli: Cli) -> None:
    assert cli("past", "fork", "1", "careful").code == 4, "nothing is there"
    cli.ok("record", "One")
    cli.ok("record", "Two")
    cli.ok("past", "fork", "1", "careful")
    for arguments, code, why in (
        (("fork", "2", "a/b"), 2, "a fork's name has letters"),
        (("fork", "9", "late"), 4, "has not happened yet"),
        (("fork", "afterwards", "late"), 4, "it has no snapshot called afterwards"),
        (("compare", "me/agent", "me/other"), 2, "have not gone on from one memory"),
    ):
        run = cli("past", *arguments)
        assert run.code == code and why in run.err, arguments
    run = cli("past", "fork", "2", "careful")
    assert run.code == 0, "what is there is a beginning of it: an attempt that was interrupted looks the same"
