"""What hooks keep of a session from one event to the next, and of a project from one session to the next."""

import json
import os
from typing import Any, Final

from .ids import short
from .outbox import write
from .service import record

SESSIONS_MAX: Final = 32  # files of sessions; the oldest go
RECALLS_MAX: Final = 16
EDITS_MAX: Final = 16  # as many as an outcome credits
SEEN_MAX: Final = 256
PATHS_MAX: Final = 128
FILES_MAX: Final = 1_000  # of a project
_BYTES_MAX: Final = 1 << 20


class State:
    """Of one session. All of it is bounded, and nothing of it is lost that matters: it is rebuilt by what happens next.

    ``turn`` counts those that have ended, ``did`` what was done in this one. ``recalls`` have ``id``, ``refs`` (by
    label), ``paths`` (of the files that each label names) and ``by`` (the event that asked); they are told to the
    memory once, when the turn ends. ``opened`` is the event that opened the session in the memory, empty where none
    did, ``goal`` what was asked then, and ``who`` the features of its agent and project. ``desk`` is what was noted
    last, by predicate. ``edits`` are ids of events since the last outcome, with paths. ``changed`` are the files of the
    session, ``touched`` those of this turn, ``uncommitted`` those since the last commit with their events. ``failing``
    is what the last tests said, while they fail.
    """

    def __init__(self, **kept: Any) -> None:
        """Make a new one, or the one that was kept; what is not of the right type is as in a new one."""
        self.turn = 0
        self.prompt = ""
        self.prompt_event = ""
        self.opened = ""
        self.goal = ""
        self.who: list[str] = []
        self.desk: dict[str, str] = {}
        self.changed: list[str] = []
        self.did = 0
        self.recalls: list[dict[str, Any]] = []
        self.edits: list[list[str]] = []
        self.touched: list[str] = []
        self.uncommitted: dict[str, str] = {}
        self.read: list[str] = []
        self.looked: list[str] = []
        self.seen: list[str] = []
        self.failing = ""
        self.tested = ""
        for name, value in vars(self).items():
            if isinstance(kept.get(name), type(value)):
                setattr(self, name, kept[name])

    def kept(self) -> dict[str, Any]:
        """Return what makes it again."""
        return vars(self)

    def bound(self) -> None:
        """Cut what has grown too long; the latest stays."""
        self.recalls = self.recalls[-RECALLS_MAX:]
        self.edits = self.edits[-EDITS_MAX:]
        self.seen = self.seen[-SEEN_MAX:]
        self.touched = self.touched[-PATHS_MAX:]
        self.changed = self.changed[-PATHS_MAX:]
        self.read = self.read[-PATHS_MAX:]
        self.looked = self.looked[-PATHS_MAX:]
        self.uncommitted = dict(list(self.uncommitted.items())[-PATHS_MAX:])


class Sessions:
    """The files of a memory's sessions, in a folder. Called with its lock."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def load(self, session: str) -> State:
        """Return the state of a session: a new one, where there is none that can be read."""
        return State(**_read(self._path(session)))

    def save(self, session: str, state: State) -> None:
        """Keep the state of a session."""
        state.bound()
        write(self._path(session), json.dumps(state.kept(), separators=(",", ":")))

    def forget(self, session: str) -> None:
        """Take out a session that has ended."""
        if os.path.exists(self._path(session)):
            os.unlink(self._path(session))

    def prune(self) -> None:
        """Take out all but the latest sessions."""
        found = [each for each in os.scandir(self._folder) if each.name.startswith("session-")]
        found.sort(key=lambda each: each.stat().st_mtime)
        for each in found[:-SESSIONS_MAX]:
            os.unlink(each.path)

    def commits(self) -> dict[str, str]:
        """Return the event of the last commit of each file of the project."""
        return {path: event for path, event in _read(self._commits).items() if isinstance(event, str)}

    def save_commits(self, commits: dict[str, str]) -> None:
        """Keep them: the latest, up to a bound."""
        write(self._commits, json.dumps(dict(list(commits.items())[-FILES_MAX:]), separators=(",", ":")))

    @property
    def _commits(self) -> str:
        return os.path.join(self._folder, "commits.json")

    def _path(self, session: str) -> str:
        return os.path.join(self._folder, f"session-{short(session)}.json")


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            found = json.loads(file.read(_BYTES_MAX))
    except (OSError, ValueError):
        return {}
    return record(found)
