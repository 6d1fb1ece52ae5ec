"""The few lines that docs/doors.md has for each door, pasted.

Blocks in ``python`` are run by ``tests/test_docs.py``, those in ``ts`` by ``make test-clients``, those of Google ADK
and Strands by ``make test-doors``, that of Kafka by ``tests/kafka/test_documents.py``, and all others here.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest
from mcp.client.stdio import StdioServerParameters

from tests.cli.runs import SCRIPTS
from tests.doors.mcp.speaking import talking
from tests.service.processes import serving
from tests.test_docs import ROOT, blocks
from yggdrasil_infra.http.wire.socket_file import find

PAGE: Final = ROOT / "docs" / "doors.md"
SERVED: Final = "http://127.0.0.1:8787"  # the address in the page
ELSEWHERE: Final = ("google_adk", "strands", "127.0.0.1:19092")  # what is in the `py` blocks that others run
SAID: Final = {"m1": ("user", "Where do parcels go?"), "m2": ("assistant", "Parcels go to the office in Oslo")}


def lines_of(door: str) -> list[tuple[str, str]]:
    """The blocks under a door's name, each with its language."""
    text = PAGE.read_text().partition("## A few lines each")[2].partition("\n## ")[0]
    (under,) = [part for part in re.split(r"^(?=\*\*)", text, flags=re.MULTILINE) if part.startswith(f"**{door}**")]
    return re.findall(r"^```(\w+)\n(.*?)^```", under, re.MULTILINE | re.DOTALL)


def typed(block: str) -> list[str]:
    return re.findall(r"^\$ (.*)$", block, re.MULTILINE)


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Run a command or a script as somebody would whose home and folder are empty; return what it printed."""

    def run(*command: str) -> str:
        told = {**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}", "HOME": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


def test_every_door_in_the_table_has_its_lines_and_somebody_runs_them() -> None:
    table = PAGE.read_text().partition("## Which one")[2].partition("\n\nWhere")[0]
    pages = re.findall(r"\[[\w-]+\]\(([\w./-]+)\) \|$", table, re.MULTILINE)
    doors = [
        *("The facade", "The daemon", "The service", "Hooks", "MCP", "LangGraph", "Pydantic AI", "OpenAI Agents SDK"),
        *("Google ADK", "Strands Agents", "Agent Framework", "Claude's memory tool", "TypeScript", "Kafka"),
        *("Importers",),
    ]
    assert len(pages) == len(doors)
    for door in [*doors, "LangChain"]:
        found = lines_of(door)
        assert found, door
        assert all(language in ("python", "py", "ts", "console") for language, _ in found), door
    left = [block for block in blocks(PAGE, "py") if not any(word in block for word in ELSEWHERE)]
    assert left == [block for language, block in lines_of("The service") if language == "py"]


def test_the_service(tmp_path: Path) -> None:
    (_, console), (_, script) = lines_of("The service")
    (command,) = typed(console)
    _, serve, *options = shlex.split(command)
    assert serve == "serve"
    with serving(tmp_path, *options) as process:
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", script.replace(SERVED, process.url)], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            assert "Deployed on a Tuesday" in done.stdout


def test_hooks(run: Any, tmp_path: Path) -> None:
    ((_, console),) = lines_of("Hooks")
    for command in typed(console):
        assert "SessionStart" in run(*shlex.split(command)), command
    assert "SessionStart" in (tmp_path / ".claude" / "settings.local.json").read_text()


def test_mcp(tmp_path: Path) -> None:
    """The program that adds it is not here; what it is given is started as it would start it."""
    ((_, console),) = lines_of("MCP")
    (command,) = typed(console)
    words = shlex.split(command)
    assert words[:4] == ["claude", "mcp", "add", "yggdrasil"] and words[4] == "--"
    started = [word.replace("~", str(tmp_path)) for word in words[5:]]
    env = {**os.environ, "PATH": f"{SCRIPTS}:{os.environ['PATH']}"}
    with talking(StdioServerParameters(command=started[0], args=started[1:], env=env)) as assistant:
        assistant.call("remember", text="The linter is strict about line length")
        assert "strict" in assistant.call("recall", query="What is the linter strict about?")["text"]
    found = find(tmp_path / ".yggdrasil")
    assert found is not None, "its service stays for the next one"
    os.kill(found.pid, signal.SIGTERM)


def test_importers(run: Any, tmp_path: Path) -> None:
    messages = {
        id: {
            "id": id,
            "parent": None if id == "m1" else "m1",
            "children": ["m2"] if id == "m1" else [],
            "message": {
                "id": id,
                "author": {"role": role},
                "create_time": 1_700_000_000,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
        for id, (role, text) in SAID.items()
    }
    talks = [{"id": "c1", "conversation_id": "c1", "title": "Parcels", "mapping": messages, "current_node": "m2"}]
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(talks))
    ((_, console),) = lines_of("Importers")
    looked, imported, asked = (run(*shlex.split(command)) for command in typed(console))
    assert "would append 2" in looked and "2 new commands" in imported and "Oslo" in asked
    assert "nothing changed" in run(*shlex.split(typed(console)[1]))


def test_the_daemon_is_not_left_behind(run: Any, tmp_path: Path) -> None:
    ((_, script),) = lines_of("The daemon")
    try:
        assert "Deployed on a Monday" in run(sys.executable, "-c", script)
        found = find(tmp_path / "shared")
        assert found is not None, "it answers when the script has ended"
    finally:
        if (found := find(tmp_path / "shared")) is not None:
            os.kill(found.pid, 15)
