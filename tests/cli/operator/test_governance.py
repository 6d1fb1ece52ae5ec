"""Every command of docs/governance.md is run, in its order, and what the page says of it holds."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.runs import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "governance.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def run(cli: Cli, line: str, known: dict[str, str]) -> str:
    """Run one line as a shell would; a variable may stand for a word."""
    words = shlex.split(line)
    assert words[0] == "yggdrasil"
    return cli.ok(*[known[word[1:]] if word.startswith("$") else word for word in words[1:]]).out


def test_a_poisoned_week_is_cleaned_as_the_page_says(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    (story,) = blocks("python")
    exec(compile(story, "governance.md", "exec"), {"__name__": "__main__"})
    known = {"LIE": capsys.readouterr().out.strip()}
    shown: list[list[str]] = []
    for block in blocks("console"):
        lines = block.splitlines()
        assert all(line.startswith("$ ") for line in lines)
        shown.append([run(cli, line.removeprefix("$ "), known) for line in lines])
    found, listed, taken, now, returned = shown
    lie, true = "account 2", "account 1"
    assert lie in found[0] and "events that these informed: 1" in found[1] and "-8 fraud" in found[1]
    assert "mails said 4 commands: alias_entity 1, log_outcome 1, record_event 2" in listed[0]
    assert "3 came of that: assert_claim 1, log_outcome 1, record_event 1" in listed[0]
    assert "7 are out of every answer." in taken[0] and "in quarantine: 7 items" in taken[1]
    assert true in now[0] and lie not in now[0]
    assert lie in now[1] and true not in now[1]
    assert "7 are as they were before." in returned[0] and lie in returned[1]
    assert "7 are out of every answer." in returned[2] and "QUARANTINED: and out again" in returned[4]
