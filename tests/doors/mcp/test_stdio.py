"""`yggdrasil mcp`, as an editor starts it: a process of its own, over stdin and stdout."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

from tests.cli.conftest import cli
from tests.cli.runs import Cli
from tests.doors.mcp.conftest import LOOPBACK
from tests.doors.mcp.speaking import talking
from tests.size import only_at_length
from yggdrasil.engines.embedded import Embedded
from yggdrasil.memory import Memory
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key

__all__ = ["cli"]


def started(*arguments: str, **environment: str) -> Any:
    env = {**os.environ, **environment}
    return StdioServerParameters(command=sys.executable, args=["-m", "yggdrasil", "mcp", *arguments], env=env)


def test_over_a_directory(tmp_path: Path) -> None:
    """With the handshake of 2025-11-25; the test below has the protocol of today."""
    options = ("--dir", str(tmp_path / "memories"), "--memory", "me/editor", "--tools", "all", "--budget", "500")
    with talking(started(*options, "--grant", "query_archive"), "legacy") as assistant:
        assert {"recall", "create_entities", "query_archive"} <= set(assistant.tools)
        ref = assistant.call("remember", text="The linter is strict about line length")["ref"]
        assert "m1" in assistant.call("recall", query="What is the linter strict about?")["refs"]
    with Memory.open(tmp_path / "memories", "me/editor") as memory:
        assert memory.describe(ref).memory.text == "The linter is strict about line length"


@only_at_length
def test_over_a_service_with_a_key(tmp_path: Path) -> None:
    """Shorter: test_over_a_directory, and what test_http has of keys."""
    _, key = new_key(tmp_path / "keys.json", "me", ["append", "read"], "editor")
    service = Service(LOOPBACK, Keys(tmp_path / "keys.json"), rate=0)
    with Embedded(tmp_path / "data", sliced=True) as engine, Serving(engine, service) as it:
        options = ("--service", it.url, "--memory", "me/editor")
        with talking(started(*options, YGGDRASIL_KEY=key)) as assistant:
            ref = assistant.call("remember", text="Both editors share this")["ref"]
            with Memory.connect(it.url, memory="me/editor", key=key) as memory:
                assert memory.explain_action(ref).source == "editor"
            with Memory.connect(it.url, memory="other/editor", key=key) as other, pytest.raises(Exception, match="key"):
                other.overview()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--tools", "some"), "loop, graph and all"),
        (("--grant", "everything"), "query_archive is"),
        (("--service", "localhost"), "http://HOST:PORT"),
        (("--service", "http://127.0.0.1:1", "--dir", "x"), "exclude each other"),
        (("--memory", "no-slash"), "TENANT/AGENT"),
    ],
)
def test_what_cannot_be_meant(cli: Cli, arguments: tuple[str, ...], told: str) -> None:
    done = cli("mcp", *arguments)
    assert done.code == 2 and told in done.err and not done.out


def test_without_the_extra_it_says_how_to_get_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mcp", "mcp_types")]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.startswith("yggdrasil.doors.mcp.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = cli("mcp")
    assert done.code == 2
    assert "pip install 'yggdrasil-substrate[mcp]'" in done.err


def test_help_and_serving_import_nothing_of_it() -> None:
    script = (
        "import sys, yggdrasil.cli.app\n"
        "from yggdrasil.cli.operator.hosts.serving_options import doors\n"
        "assert not any('doors' in name for name in sys.modules)\n"
        "doors()\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('mcp', 'mcp_types')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
