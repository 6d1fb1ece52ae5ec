"""Read the commands that the graph keeps as contents, and those in the log."""

from typing import Any

from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.commands import ClearContent, Command, LogOutcome, RecordEvent
from yggdrasil_schemas.refusals import Refused

from ..graph.working_set import BrokenInvariantError


def command_in(value: bytes | None) -> Command:
    """Return the command in a record that the fold has accepted. Raises BrokenInvariantError."""
    decoded = decode(value)
    if isinstance(decoded, Refused):
        raise BrokenInvariantError(f"a record that was folded cannot be read: {decoded}")
    return decoded.command


def text_of(command: Command) -> str | None:
    """Return a command's text, or None when it has none or is sealed."""
    return command.content.text if isinstance(command.content, ClearContent) else None


def payload_of(command: Command) -> dict[str, Any] | None:
    """Return a command's payload, or None when it has none or is sealed."""
    return command.content.payload if isinstance(command.content, ClearContent) else None


def words_of(command: Command) -> str:
    """Return what can be searched of an event or an outcome: its text, its features, its kind."""
    words = [text_of(command) or ""]
    if isinstance(command, RecordEvent):
        words += command.body.features
    elif isinstance(command, LogOutcome):
        words.append(command.body.kind)
    return " ".join(words)
