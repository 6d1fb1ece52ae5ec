"""One event of a coding agent: recall, record, answer, within 300 ms and silent whatever happens.

1. The event is read, and a timer is set that ends the process, whatever it does then.
2. What the event is about is asked of the memory, and answered to the agent.
3. What happened is added to what waits, with the state of the session.
4. What waits is sent. What is not sent by the end goes with a later event.
"""

import json
import os
import select
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final

from . import recalling, tools
from .events import HANDLERS, Said, key_of, session_of
from .outbox import Outbox
from .recalling import Recalled
from .service import Away, Deadline, Service, record
from .session import Sessions, State
from .settings import Settings, settings

TOTAL_MS: Final = 300
TOTAL_MS_MAX: Final = 10_000
# Shares of it, from the beginning: for the answer to the agent, until nothing more is sent, and until the process ends
# whatever it does. The rest is for the interpreter's start and end.
RECALL_SHARE: Final = 0.6
SENDING_SHARE: Final = 0.8
LAST_SHARE: Final = 0.9
_INPUT_BYTES_MAX: Final = 4 << 20
_READ_BYTES: Final = 1 << 16
_OUTPUT_CHARS_MAX: Final = 9_500  # Claude Code puts what is longer than 10,000 into a file


def main(arguments: Sequence[str], began: float) -> None:
    """Take one event from standard input; ``began`` is when the process did, by the monotonic clock."""
    signal.signal(signal.SIGALRM, _end)
    os.umask(0o077)  # what hooks keep is for its owner alone
    total_s = total_ms(os.environ.get("YGGDRASIL_HOOKS_MS")) / 1_000
    signal.setitimer(signal.ITIMER_REAL, max(0.001, LAST_SHARE * total_s - (monotonic() - began)))
    try:
        given = _read(began + RECALL_SHARE * total_s)
        found = settings(arguments, os.environ, str(given.get("cwd") or os.getcwd())) if given else None
        if found is not None:
            take(given, found, began + RECALL_SHARE * total_s, began + SENDING_SHARE * total_s, _answer)
    except Exception:
        pass
    os._exit(0)


def _end(*_: object) -> None:
    os._exit(0)


def total_ms(said: str | None) -> int:
    """Return how long a hook may take: 300 ms, unless the environment says otherwise."""
    return min(int(said), TOTAL_MS_MAX) if said and said.isdecimal() and int(said) else TOTAL_MS


def take(
    given: dict[str, Any], found: Settings, recalled_by: float, sent_by: float, answer: Callable[[str, str], None]
) -> None:
    """Take one event; ``answer`` is called with its name and what is remembered. Raises Away when time is used up.

    Until ``recalled_by``, by the monotonic clock, the memory is asked; until ``sent_by`` it is told.
    """
    name = str(given.get("hook_event_name"))
    if name not in HANDLERS and name != "SessionStart":
        return
    outbox = Outbox(found.state, Deadline(sent_by))
    sessions = Sessions(found.state)
    session = session_of(given)
    if name == "SessionStart":
        start_daemon(found, Service(found, Deadline(recalled_by)))
    recalled = _recalled(given, found, sessions.load(session), Deadline(recalled_by))
    if recalled.text:
        answer(name, recalled.text)
    given["committed"] = _committed(given, found, Deadline(sent_by))
    with outbox.locked():
        _kept(given, found, recalled, sessions, outbox)
    outbox.send(Service(found, Deadline(sent_by)))


def _recalled(given: dict[str, Any], found: Settings, state: State, deadline: Deadline) -> Recalled:
    """Return what the memory has to say at this event; nothing, when it does not say it in time."""
    service, session = Service(found, deadline), session_of(given)
    name, tool = given.get("hook_event_name"), given.get("tool_name")
    try:
        if name == "SessionStart":
            return recalling.at_start(service, os.path.basename(found.root), session)
        if name == "UserPromptSubmit":
            return recalling.at_prompt(service, str(given.get("prompt") or ""), session)
        editing = name == "PreToolUse"
        if editing or name == "PostToolUse":
            folder = str(given.get("cwd") or found.root)
            touched = tools.touched if editing else tools.looked_at
            paths = touched(found.root, folder, tool, record(given.get("tool_input")))
            paths = [path for path in paths if path not in state.looked]
            text = recalling.at_files(service, paths, editing=editing) if paths else ""
            given["paths"] = paths if text or editing else []  # where nothing came, what is read may yet be changed
            return Recalled(text)
    except Away:
        pass
    return Recalled()


def _committed(given: dict[str, Any], found: Settings, deadline: Deadline) -> list[str]:
    """Return the files of the commit that was just made, as git has them; none where it was none, or git says nothing.

    What a command changed is among them, and what an earlier session did.
    """
    if given.get("hook_event_name") != "PostToolUse" or given.get("tool_name") not in tools.RUNNING:
        return []
    message = tools.commit_message(tools.command_of(record(given.get("tool_input"))))
    return tools.committed(found.root, message, deadline) if message else []


def _kept(given: dict[str, Any], found: Settings, recalled: Recalled, sessions: Sessions, outbox: Outbox) -> None:
    """Add what the event says to what waits, and keep what later events need. Called with the lock."""
    name, session = str(given["hook_event_name"]), session_of(given)
    state = sessions.load(session)
    if name == "SessionStart":
        sessions.prune()
        state.recalls += [{**each, "by": "start"} for each in recalled.recalls]
        sessions.save(session, state)
        return
    key = key_of(given, state)
    if key in state.seen:
        return  # installed twice, or sent twice
    state.seen.append(key)
    said, commits = Said(found, session, key), sessions.commits()
    before = dict(commits)
    HANDLERS[name](given, state, said, recalled, commits)
    outbox.add(said.commands)
    if commits != before:
        sessions.save_commits(commits)
    if name == "SessionEnd":
        sessions.forget(session)
    else:
        sessions.save(session, state)


def _answer(name: str, text: str) -> None:
    """Say to the agent what is remembered."""
    said = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text[:_OUTPUT_CHARS_MAX]}}
    os.write(sys.stdout.fileno(), json.dumps(said).encode())


def _read(until: float) -> dict[str, Any]:
    """Return the event; empty where it is none, too long, or does not come."""
    taken = bytearray()
    stdin = sys.stdin.fileno()
    while len(taken) <= _INPUT_BYTES_MAX and select.select([stdin], [], [], max(0.0, until - monotonic()))[0]:
        more = os.read(stdin, _READ_BYTES)
        if not more:
            found = json.loads(taken)
            return record(found)
        taken += more
    return {}


def start_daemon(found: Settings, service: Service) -> None:
    """Start the service of the directory in the background, unless it listens or is one at an address."""
    if found.url is not None or service.listens():
        return
    command = [found.program, "serve", "--data", found.data, "--daemon"]
    quiet = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in range(3)]
    with suppress(OSError):  # there is no such program: `yggdrasil hooks show` says so
        os.posix_spawnp(command[0], command, os.environ, file_actions=quiet, setsid=True)
