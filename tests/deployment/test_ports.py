"""The ports of the examples: each process has its own, by the table in docs/operating.md."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from yggdrasil.cli.operator.hosts.serving import serve
from yggdrasil.cli.operator.hosts.thinking import think
from yggdrasil.cli.operator.hosts.working import worker

ROOT: Final = Path(__file__).parent.parent.parent
_ROW: Final = re.compile(r"^\| (?P<process>.+) \| `(?P<option>--\w+)` \| \**(?P<port>\d+)\** \|$", re.MULTILINE)
_STARTED: Final = re.compile(r"\byggdrasil (serve|worker|think)\b[^`\n]*")
_ADDRESS: Final = re.compile(r"(--http|--metrics) [\w.]+:(\d+)")
PAGES: Final = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def table() -> dict[tuple[str, str], set[int]]:
    """The ports by command and option."""
    found: dict[tuple[str, str], set[int]] = {}
    for row in _ROW.finditer((ROOT / "docs" / "operating.md").read_text()):
        command = "worker" if "worker" in row["process"] else row["process"].split("`")[1].split()[1]
        found.setdefault((command, row["option"]), set()).add(int(row["port"]))
    return found


def test_no_two_share_a_port() -> None:
    ports = [port for each in table().values() for port in each]
    assert len(ports) == len(set(ports)) == 5


@pytest.mark.parametrize(("command", "run"), [("serve", serve), ("worker", worker), ("think", think)])
def test_a_default_is_that_of_the_table(command: str, run: Callable[..., Any]) -> None:
    port = int(inspect.signature(run).parameters["http"].default.rpartition(":")[2])
    assert port in table()[command, "--http"]


def test_examples_keep_to_it() -> None:
    ports, seen = table(), 0
    for page in PAGES:
        for started in _STARTED.finditer(page.read_text()):
            for option, port in _ADDRESS.findall(started[0]):
                assert int(port) in ports[started[1], option], f"{page.name}: {started[0]}"
                seen += 1
    assert seen > 5, "there are examples"
