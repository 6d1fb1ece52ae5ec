"""What docs/perspectives.md says in Python, and on the command line, is run line by line."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.runs import Cli

PAGE = (Path(__file__).parents[3] / "docs" / "perspectives.md").read_text()


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_page_in_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YGGDRASIL_EMBEDDER", "off")
    exec(compile(block("python"), "perspectives.md", "exec"), {"__name__": "__main__"})
    under, profile, apart = capsys.readouterr().out.splitlines()
    assert under == "('Cost', 'Delivery')"
    assert profile.startswith("[('Cost', ") and 0.0 < float(apart) <= 1.0


def test_the_page_on_the_command_line(cli: Cli) -> None:
    shown = [cli.ok(*shlex.split(line.removeprefix("$ "))[1:]).out for line in block("console").splitlines()]
    assert "two weeks late" in shown[3] and "two weeks late" in shown[4]
    assert "Cost: 0 % of its strength" in shown[5] and "apart" in shown[5]


def test_a_profile_is_proposed_and_one_of_nothing_is_refused(cli: Cli) -> None:
    cli.ok("record", "Part A7 is late", "--feature", "part:a7")
    cli.ok("role", "define", "buyer", "--perspective", "Cost")
    refused = cli("role", "profile", "buyer", "--propose")
    assert refused.code != 0 and "strong in nothing" in refused.err
    assert "no role and no perspective" in cli("role", "profile", "critic").err
