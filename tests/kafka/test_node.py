"""infra/kafka/node: a second node never touches what belongs to one that runs."""

import socket
import subprocess
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from tests.kafka.node import NODE, KafkaNode, free_port


def refused(*arguments: str) -> str:
    """Run a node that is not to start; return the only line that it says."""
    done = subprocess.run([NODE, *arguments], capture_output=True, text=True, check=False, timeout=240)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(("step", "form"), [(0, "run"), (1, "run"), (0, "cluster"), (21, "cluster")])
def test_a_port_that_is_taken_is_named(tmp_path: Path, step: int, form: str) -> None:
    port = free_port(22)
    with socket.create_server(("127.0.0.1", port + step)):
        place = (str(tmp_path / "new"), *(("1", "1") if form == "run" else ()))
        assert refused(form, *place, str(port)).startswith(f"port {port + step} of 127.0.0.1 is taken: ")
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["node.lock"]


def test_the_directory_of_a_node_that_runs_is_left_alone(tmp_path: Path) -> None:
    node = KafkaNode(tmp_path, free_port())
    node.start()
    try:
        settings = wait_for(tmp_path / "data" / ".lock").parent.parent / "server.properties"  # it is Java by now
        before = settings.read_bytes()
        said = refused("run", str(tmp_path), "1", "1", str(free_port()))
        assert "runs in" in said and "make kafka PORT=" in said
        assert settings.read_bytes() == before
    finally:
        node.stop()


def wait_for(path: Path) -> Path:
    until = monotonic() + 240
    while not path.exists():
        assert monotonic() < until
        Event().wait(0.05)
    return path
