"""Commits played through the hooks: each a session, with the events that Claude Code would send."""

from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final

from yggdrasil.doors.hooks.script import take
from yggdrasil.doors.hooks.settings import Settings

from .history import Commit

_LONG_S: Final = 60.0  # what comes back is measured here, and not in which time


@dataclass
class Given:
    """What stood in the context of a session before each of its files was first touched.

    ``begun`` is what its beginning and the prompt gave; by the path of the file, ``read`` is all of it when that had
    been read, which an agent does before it thinks of a change, and ``before`` when it was about to be changed.
    """

    begun: str = ""
    read: dict[str, str] = field(default_factory=dict[str, str])
    before: dict[str, str] = field(default_factory=dict[str, str])


class Player:
    """Plays sessions in the order of the history, in one project."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._uses = 0
        self._context: list[str] = []

    def play(self, commit: Commit) -> Given:
        """Play one commit as a session; return what the memory gave before its files were touched."""
        self._context = []
        given = Given()
        session = commit.sha
        self._event(session, "SessionStart", source="startup")
        self._event(session, "UserPromptSubmit", prompt=commit.subject, prompt_id=commit.sha)
        given.begun = "\n".join(self._context)
        for change in commit.changes:
            sent = {
                "file_path": str(Path(self._settings.root) / change.path),
                "old_string": change.old,
                "new_string": change.new,
            }
            seen = {"type": "text", "file": {"filePath": sent["file_path"], "content": change.old}}
            self._tool(session, "PostToolUse", "Read", {"file_path": sent["file_path"]}, tool_response=seen)
            given.read[change.path] = "\n".join(self._context)
            self._tool(session, "PreToolUse", "Edit", sent)
            given.before[change.path] = "\n".join(self._context)
            self._tool(session, "PostToolUse", "Edit", sent, tool_response={"filePath": sent["file_path"]})
        line = f"git add -A && git commit -m \"$(cat <<'MESSAGE'\n{commit.message}\nMESSAGE\n)\""
        self._tool(session, "PostToolUse", "Bash", {"command": line}, tool_response={"stdout": "", "stderr": ""})
        self._event(session, "Stop", stop_hook_active=False, last_assistant_message="Done.")
        self._event(session, "SessionEnd", reason="other")
        return given

    def _tool(self, session: str, name: str, tool: str, sent: dict[str, Any], **more: Any) -> None:
        if name != "PreToolUse" and tool == "Edit":
            use = self._uses  # the one that was announced
        else:
            self._uses += 1
            use = self._uses
        self._event(session, name, tool_name=tool, tool_input=sent, tool_use_id=f"toolu_{use}", **more)

    def _event(self, session: str, name: str, **more: Any) -> None:
        given = {"session_id": session, "cwd": self._settings.root, "hook_event_name": name, **more}
        until = monotonic() + _LONG_S
        take(given, self._settings, until, until, lambda _, text: self._context.append(text))
