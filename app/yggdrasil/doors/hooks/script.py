"""One event of a coding agent: recall, record, answer, within 300 ms and silent whatever happens.

1. A timer is set, and the event is read: the shell has kept it before (``spool.kept``).
2. What the event is about is asked of the memory, and answered to the agent.
3. What was left behind by others is taken in, and then what happened is added to what waits, with the state of the
   session. Now the event as the shell has kept it goes.
4. What waits is sent. What is not sent by the end goes with a later event.

When the time is used up before the third step is done, a process that nobody waits for does it.
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
from .settings import Settings, option, settings
from .spool.kept import EVENT_BYTES_MAX, Kept, age_s, done, kept_in, parsed, take_in

TOTAL_MS: Final = 300
TOTAL_MS_MAX: Final = 10_000
# Shares of it, from the beginning: for the answer to the agent, until nothing more is sent, and until the process ends
# whatever it does. The rest is for the interpreter's start and end.
RECALL_SHARE: Final = 0.6
SENDING_SHARE: Final = 0.8
LAST_SHARE: Final = 0.9
LATE_S: Final = 10.0  # for what is done when nobody waits any more
_LEFT_S: Final = 2.0  # for each event that was left behind
_READ_BYTES: Final = 1 << 16
_OUTPUT_CHARS_MAX: Final = 9_500  # Claude Code puts what is longer than 10,000 into a file


class _Late(BaseException):
    """The agent waits no longer."""


def main(arguments: Sequence[str], began: float) -> None:
    """Take one event, that was kept in a file or from standard input; ``began`` is when the process did, by the
    monotonic clock.
    """
    os.umask(0o077)  # what hooks keep is for its owner alone
    file = option(arguments, "spooled")
    began -= min(age_s(file), TOTAL_MS_MAX / 1_000) if file else 0.0
    total_s = total_ms(os.environ.get("YGGDRASIL_HOOKS_MS")) / 1_000
    taking = _Taking(arguments, file)
    try:
        try:
            signal.signal(signal.SIGALRM, taking.late)
            signal.setitimer(signal.ITIMER_REAL, max(0.001, LAST_SHARE * total_s - (monotonic() - began)))
            try:
                taking.in_time(began + RECALL_SHARE * total_s, began + SENDING_SHARE * total_s)
            except Away:
                taking.in_its_own_time()  # the time may be up in here too
        except _Late:
            taking.in_its_own_time()
    except Exception:
        pass
    os._exit(0)


class _Taking:
    """The taking of one event by this process; ``file`` is where the shell has kept it."""

    def __init__(self, arguments: Sequence[str], file: str | None) -> None:
        self._arguments = arguments
        self._file = file
        self._taken = bytearray()  # of standard input
        self._given: dict[str, Any] = {}
        self._found: Settings | None = None
        self._kept = False  # nothing of it can be lost any more
        self._waited_for = True

    def in_time(self, recalled_by: float, sent_by: float) -> None:
        """Take it while the agent waits. Raises Away and _Late when that takes too long."""
        self._given = self._read(recalled_by)
        self._found = self._meant() if self._given else None
        if self._found is None:
            if self._file and not self._given and (found := self._meant()) is not None:
                count_lost(found)  # it cannot be read
            self._is_kept()
            return
        take(self._given, self._found, recalled_by, sent_by, _answer, self._left_behind, self._is_kept)

    def in_its_own_time(self) -> None:
        """Take in what has not been, with nobody waiting. Raises Away."""
        if self._kept:
            return
        if self._waited_for:
            self._leave()
        signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, LATE_S)
        self._left_behind()
        by = Deadline.within(LATE_S / 2)
        if not self._given:
            self._given = self._read(monotonic() + LATE_S / 2)
        if not self._given:
            return
        found = self._found or self._meant()
        if found is not None:
            keep(self._given, found, by, self._is_kept)
            Outbox(found.state, by).send(Service(found, by))

    def late(self, *_: object) -> None:
        """End for whoever waits. What is not kept is kept by a process of its own: there this raises _Late."""
        if self._kept:
            os._exit(0)
        self._leave()
        raise _Late

    def _leave(self) -> None:
        """Go on in a process that nobody waits for; what is still to be read from standard input, it reads."""
        if os.fork():
            os._exit(0)
        self._waited_for = False
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for at in range(0 if self._file or self._given else 1, 3):
            os.dup2(nowhere, at)

    def _is_kept(self) -> None:
        self._kept = True
        if self._file:
            done(self._file)

    def _left_behind(self) -> None:
        if self._file:
            take_in(os.path.dirname(self._file), take_left)

    def _meant(self) -> Settings | None:
        """Return what the hook is told, for where the event happened as far as that is known."""
        return settings(self._arguments, os.environ, str(self._given.get("cwd") or os.getcwd()))

    def _read(self, until: float) -> dict[str, Any]:
        """Raises Away where standard input has not ended until then; what was read of it stays."""
        if self._file is None:
            _read(self._taken, until)
            return parsed(bytes(self._taken)) if len(self._taken) <= EVENT_BYTES_MAX else {}
        kept = kept_in(self._file)
        return {} if kept is None else parsed(kept.said)


def take_left(kept: Kept) -> bool:
    """Take in an event that was left behind; return whether it could be read. Raises Away and OSError."""
    given = parsed(kept.said)
    found = settings(kept.options, kept.variables, str(given.get("cwd") or kept.folder), kept.folder)
    if found is None:
        return False
    if not given:
        count_lost(found)
    elif str(given.get("hook_event_name")) in HANDLERS:
        try:
            keep(given, found, Deadline.within(_LEFT_S))
        except (Away, OSError):
            raise
        except Exception:
            count_lost(found)  # it would stand in everybody's way
    return True


def count_lost(found: Settings) -> None:
    """Count one event of a memory that is lost. Raises Away and OSError."""
    outbox = Outbox(found.state, Deadline.within(_LEFT_S))
    with outbox.locked():
        outbox.count_lost(1)


def _end(*_: object) -> None:
    os._exit(0)


def total_ms(said: str | None) -> int:
    """Return how long a hook may take: 300 ms, unless the environment says otherwise."""
    return min(int(said), TOTAL_MS_MAX) if said and said.isdecimal() and int(said) else TOTAL_MS


def take(
    given: dict[str, Any],
    found: Settings,
    recalled_by: float,
    sent_by: float,
    answer: Callable[[str, str], None],
    before: Callable[[], None] = lambda: None,
    kept: Callable[[], None] = lambda: None,
) -> None:
    """Take one event; ``answer`` is called with its name and what is remembered. Raises Away when time is used up.

    Until ``recalled_by``, by the monotonic clock, the memory is asked; until ``sent_by`` it is told. ``before`` is
    called before the event is kept, and ``kept`` once nothing of it can be lost any more.
    """
    name = str(given.get("hook_event_name"))
    if name not in HANDLERS and name != "SessionStart":
        kept()
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
    before()
    with outbox.locked():
        _kept(given, found, recalled, sessions, outbox)
    kept()
    outbox.send(Service(found, Deadline(sent_by)))


def keep(given: dict[str, Any], found: Settings, by: Deadline, kept: Callable[[], None] = lambda: None) -> None:
    """Add what an event says to what waits, with nothing recalled. Raises Away and OSError."""
    name = str(given.get("hook_event_name"))
    if name in HANDLERS or name == "SessionStart":
        outbox = Outbox(found.state, by)
        with outbox.locked():
            _kept(given, found, Recalled(), Sessions(found.state), outbox)
    kept()


def _recalled(given: dict[str, Any], found: Settings, state: State, deadline: Deadline) -> Recalled:
    """Return what the memory has to say at this event; nothing, when it does not say it in time."""
    service, session = Service(found, deadline), session_of(given)
    name, tool = given.get("hook_event_name"), given.get("tool_name")
    try:
        if name == "SessionStart":
            return recalling.at_start(service, found.project, session)
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
        if given.get("source") == "resume":
            state.opened = ""  # it may have been closed meanwhile
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


def _read(taken: bytearray, until: float) -> None:
    """Add what is said on standard input, up to one part more than an event may have. Raises Away."""
    stdin = sys.stdin.fileno()
    while len(taken) <= EVENT_BYTES_MAX:
        if not select.select([stdin], [], [], max(0.0, until - monotonic()))[0]:
            raise Away("standard input does not end")
        more = os.read(stdin, _READ_BYTES)
        if not more:
            return
        taken += more


def start_daemon(found: Settings, service: Service) -> None:
    """Start the service of the directory in the background, unless it listens or is one at an address."""
    if found.url is not None or service.listens():
        return
    command = [found.program, "serve", "--data", found.data, "--daemon"]
    quiet = [(os.POSIX_SPAWN_OPEN, at, os.devnull, os.O_RDWR, 0) for at in range(3)]
    with suppress(OSError):  # there is no such program: `yggdrasil hooks show` says so
        os.posix_spawnp(command[0], command, os.environ, file_actions=quiet, setsid=True)
