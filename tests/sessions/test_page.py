"""Every line of docs/sessions.md is run: Python, a shell with curl against a real service, and MCP."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.speaking import talking_to
from tests.harness.children import environment
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

PAGE = (Path(__file__).parents[2] / "docs" / "sessions.md").read_text()
JQ = "import json, sys; print(json.load(sys.stdin)[sys.argv[1].removeprefix('.')])"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The directory in which the example in Python has run; what it printed is looked at."""
    monkeypatch.chdir(tmp_path)
    (story,) = blocks("python")
    assert len(story.splitlines()) <= 16  # an import, and fifteen lines
    exec(compile(story, "sessions.md", "exec"), {"__name__": "__main__"})
    told = capsys.readouterr().out
    assert "Warm the cache before the switch" in told and "Blue-green" in told and "Ship 2.1" in told
    return tmp_path / "team"


def test_the_same_by_curl(team: Path, tmp_path: Path) -> None:
    block = next(each for each in blocks("console") if "curl" in each)
    lines = [line.removeprefix("$ ") for line in block.splitlines()]
    jq = tmp_path / "jq"
    jq.write_text(f'#!/bin/sh\nshift; exec {shlex.quote(sys.executable)} -c {shlex.quote(JQ)} "$1"\n')
    jq.chmod(0o755)  # the one thing of jq that the page uses, for machines without it
    with Embedded(team, sliced=True) as engine, Serving(engine, Service(("127.0.0.1", 0), rate=0)) as serving:
        known = environment(
            M=f"{serving.url}/v1/memories/acme/releases",
            J="Content-Type: application/json",
            PATH=f"{tmp_path}:{os.environ['PATH']}",
        )
        script = "\necho\n".join(line.replace("curl -s", "curl -sS --fail-with-body") for line in lines)
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], env=known, capture_output=True, text=True, check=False
        )
    assert ran.returncode == 0, ran.stderr + ran.stdout
    _, context, pad, desk, end, decisions = [json.loads(each) if each else {} for each in ran.stdout.split("\n")]
    assert any("Warm the cache" in each["text"] for each in context["lessons"])
    assert pad["parts"] == ["note", "note"] and end["parts"][-1] == "outcome"
    assert [each["value"] for each in desk["notes"]] == ["Tell Ana", "built"]
    assert [each["what"] for each in decisions["decisions"]] == ["Blue-green"]


def test_the_same_by_mcp(team: Path) -> None:
    (block,) = blocks("json")
    calls: list[dict[str, Any]] = json.loads(block)
    with Memory.open(team, "acme/releases") as memory, talking_to(memory, "loop") as assistant:
        name, answer = "", dict[str, Any]()
        for call in calls:
            arguments = {key: name if value == "$S" else value for key, value in call["arguments"].items()}
            answer = assistant.call(call["tool"], **arguments)
            name = answer.get("session", name)
        assert [each["part"] for each in answer["kept"]] == ["lesson", "end", "outcome"]
