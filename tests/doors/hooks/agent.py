"""A coding agent as far as hooks see it: it starts the script anew at each event."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from socket import AF_UNIX, SHUT_WR, SOCK_STREAM, create_connection, socket
from threading import Thread
from typing import Any

from tests.harness.children import environment
from yggdrasil.doors.hooks.installing import SCRIPT

INPUTS = Path(__file__).parent / "inputs"
_uses = count(1)


def recorded(agent: str, project: Path) -> list[dict[str, Any]]:
    """The events of a recorded session, in a project that is here."""
    text = (INPUTS / f"{agent}.json").read_text().replace("<project>", str(project))
    return [each["input"] for each in json.loads(text)]


@dataclass
class Agent:
    """``milliseconds`` is long unless a test is about time: a busy machine is no reason to fail."""

    data: Path
    project: Path
    url: str | None = None
    session: str = "s1"
    milliseconds: int = 10_000
    more: dict[str, str] = field(default_factory=dict[str, str])

    def start(self, given: dict[str, Any], *options: str) -> "subprocess.Popen[str]":
        started = self.begin(subprocess.PIPE, *options)
        assert started.stdin is not None
        started.stdin.write(json.dumps(given))
        started.stdin.close()
        started.stdin = None
        return started

    def begin(self, stdin: int, *options: str) -> "subprocess.Popen[str]":
        """Start the script at an event that comes through ``stdin``."""
        variables = environment(**{"YGGDRASIL_DIR": str(self.data)} | self.more)
        variables["YGGDRASIL_HOOKS_MS"] = str(self.milliseconds)
        if self.url:
            variables["YGGDRASIL_SERVICE"] = self.url
        command = [sys.executable, "-I", "-S", str(SCRIPT), "--program", "no-such-program", *options]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=stdin, stdout=pipe, stderr=pipe, text=True, env=variables)

    def tell(self, given: dict[str, Any], *options: str) -> str:
        """Return the context that the hook adds at an event: empty where it is silent."""
        return context_of(self.start(given, *options), given["hook_event_name"])

    def event(self, name: str, **more: Any) -> str:
        return self.tell({"session_id": self.session, "cwd": str(self.project), "hook_event_name": name, **more})

    def edit(self, path: str, old: str = "a", new: str = "b", name: str = "PostToolUse") -> str:
        sent = {"file_path": str(self.project / path), "old_string": old, "new_string": new}
        return self.event(name, tool_name="Edit", tool_input=sent, tool_use_id=f"toolu_{next(_uses)}")

    def read(self, path: str) -> str:
        sent = {"file_path": str(self.project / path)}
        return self.event("PostToolUse", tool_name="Read", tool_input=sent, tool_use_id=f"toolu_{next(_uses)}")

    def run(self, command: str, output: str = "", failed: str = "") -> str:
        used = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{next(_uses)}"}
        if failed:
            return self.event("PostToolUseFailure", **used, error=failed)
        return self.event("PostToolUse", **used, tool_response={"stdout": output, "stderr": "", "interrupted": False})

    def waiting(self) -> list[dict[str, Any]]:
        found = list(self.data.glob("hooks/*/*/waiting.jsonl"))
        return [json.loads(line) for file in found for line in file.read_text().splitlines()]


def context_of(started: "subprocess.Popen[str]", name: str) -> str:
    out, err = started.communicate(timeout=120)
    assert (started.returncode, err) == (0, "")
    if not out:
        return ""
    said = json.loads(out)["hookSpecificOutput"]
    assert set(said) == {"hookEventName", "additionalContext"}  # Codex takes no field that it does not know
    assert said["hookEventName"] == name
    context: str = said["additionalContext"]
    return context


@contextmanager
def relayed(path: Path, url: str) -> Iterator[None]:
    """A Unix socket at ``path`` that leads to a service over TCP."""
    host, _, port = url.removeprefix("http://").rpartition(":")

    def serve() -> None:
        while True:
            try:
                taken, _ = listening.accept()
            except OSError:
                return
            with taken, create_connection((host, int(port))) as there:
                head = taken.recv(1 << 20)
                there.sendall(head)
                while b"\r\n\r\n" in head and (more := _missing(head)):
                    head += taken.recv(more)
                    there.sendall(head[-more:])
                there.shutdown(SHUT_WR) if not head else None
                while answer := there.recv(1 << 16):
                    taken.sendall(answer)

    with socket(AF_UNIX, SOCK_STREAM) as listening:
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(8)
        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield
        listening.shutdown(2)
    path.unlink()


def _missing(sent: bytes) -> int:
    head, _, body = sent.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2]) - len(body)
    return 0
