"""`yggdrasil mcp`, as an editor starts it: a process of its own, over stdin and stdout."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
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
from yggdrasil_infra.http.wire.socket_file import find

__all__ = ["cli"]


def started(*arguments: str, **environment: str) -> Any:
    env = {**os.environ, **environment}
    return StdioServerParameters(command=sys.executable, args=["-m", "yggdrasil", "mcp", *arguments], env=env)


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """A directory whose service, which a server starts in the background, ends with the test."""
    place = tmp_path / "memories"
    yield place
    if (found := find(place)) is not None:
        os.kill(found.pid, signal.SIGTERM)


def test_over_a_directory(directory: Path) -> None:
    """With the handshake of 2025-11-25; the tests below have the protocol of today."""
    options = ("--dir", str(directory), "--memory", "me/editor", "--tools", "all", "--budget", "500")
    with talking(started(*options, "--grant", "query_archive"), "legacy") as assistant:
        assert {"recall", "create_entities", "query_archive"} <= set(assistant.tools)
        ref = assistant.call("remember", text="The linter is strict about line length")["ref"]
        assert "m1" in assistant.call("recall", query="What is the linter strict about?")["refs"]
    with Memory.open(directory, "me/editor") as memory:
        assert memory.describe(ref).memory.text == "The linter is strict about line length"


def test_as_an_agent_with_a_role(directory: Path) -> None:
    with Memory.open(directory, "me/editor") as memory:
        memory.define(role="buyer", perspectives={"Cost": ["price"]})
    with talking(started("--dir", str(directory), "--memory", "me/editor", "--as-agent", "buyer")) as assistant:
        ref = assistant.call("remember", text="The price of the lathe is 900")["ref"]
        answer = assistant.call("recall", query="What is the price of the lathe?")
        assistant.call("report_use", recall_id=answer["recall_id"], used=[ref], result_of_task="success")
    with Memory.open(directory, "me/editor") as memory:
        seen = memory.describe(ref).memory
        assert "buyer" in seen.said_by and list(seen.regards) == ["Cost"]


def test_two_servers_share_a_directory_without_being_told(directory: Path) -> None:
    options = started("--dir", str(directory), "--memory", "me/editor")
    with talking(options) as first:
        ref = first.call("remember", text="The linter is strict about line length")["ref"]
        with talking(options) as second:
            assert ref in second.call("recall", query="What is the linter strict about?")["refs"].values()
            later = second.call("remember", text="The formatter wants two blank lines")["ref"]
        assert later in first.call("recall", query="What does the formatter want?")["refs"].values()


def test_where_no_service_can_be_started_one_server_holds_the_directory(directory: Path) -> None:
    """As where a program may start no other; the path of its Python is what cannot be started here."""
    held = "import sys; sys.executable = '/nowhere'; from yggdrasil.cli.app import main; main()"
    options = ["-c", held, "mcp", "--dir", str(directory), "--memory", "me/editor"]
    with talking(StdioServerParameters(command=sys.executable, args=options, env=dict(os.environ))) as assistant:
        assistant.call("remember", text="The linter is strict")
    assert find(directory) is None
    with Memory.open(directory, "me/editor") as memory:
        assert memory.timeline().memories[0].text == "The linter is strict"


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
