"""Import the conversations that Claude exports: ``conversations.json``, or the archive that it comes in.

A conversation is ``{"uuid", "name", "created_at", "chat_messages": [{"uuid", "sender", "content", "attachments"}]}``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ...draft import Drafter
from ..run import Import, NotUnderstoodError, Seen, Unread, shown, unseen
from .conversations import FILES_MAX, Conversation, Message, conversations
from .fields import needed, objects_at, text_at, time_at

_ROLES: Final = {"human": "user"}
"""Speakers that are called otherwise here than in other conversations."""
_TEXTS: Final = ("text", "voice_note")
_PASSED: Final = {
    "thinking": "what a model thought, and did not say",
    "tool_use": "a call of a tool",
    "tool_result": "what a tool returned",
}


def import_claude(file: str | Path, drafter: Drafter, seen: Seen = unseen) -> Import:
    """Import the conversations in ``file``: JSON, an archive with it, or a folder; ``total`` counts messages.

    A message is an event of the session ``claude/UUID`` with the feature ``role:user`` or ``role:assistant``; the text
    of an attached file is one with ``role:attachment``. Calls of tools and thinking are passed over, and counted.
    Raises ImporterError for what cannot be read.
    """
    return conversations(file, drafter, "claude", _read, seen)


def _read(fields: dict[str, Any], place: str, unread: Unread) -> Conversation:
    if isinstance(fields.get("mapping"), dict) and "chat_messages" not in fields:
        raise NotUnderstoodError("a conversation of ChatGPT's: `yggdrasil import chatgpt` takes it", "no conversation")
    named = needed(fields, "a conversation", "uuid")
    if not isinstance(fields.get("chat_messages"), list):
        raise NotUnderstoodError("expected a conversation with 'chat_messages', a list", "no conversation")
    messages: list[Message] = []
    listed = objects_at(fields, "chat_messages")
    path = _path(listed, fields.get("current_leaf_message_uuid"))
    for number, each in enumerate(listed, start=1):
        here = f"{place}, conversation {shown(named)}, message {number}"
        if path is not None and each.get("uuid") not in path:
            unread.add(here, "on a branch that was left")
            continue
        with unread.noting(here):
            messages.extend(_messages(each, here, unread))
    return Conversation(named, text_at(fields, "name") or "", time_at(fields, "created_at"), messages)


def _path(messages: list[dict[str, Any]], leaf: Any) -> set[str] | None:
    """Return the messages from the first to ``leaf``, what the conversation came to; None where nobody says so.

    An edited question or a repeated answer begins a branch, and all of them are in the export.
    """
    by_name = {str(each["uuid"]): each for each in messages if isinstance(each.get("uuid"), str)}
    if not isinstance(leaf, str) or leaf not in by_name:
        return None
    path: set[str] = set()
    while isinstance(leaf, str) and leaf in by_name and leaf not in path:  # a ring of parents ends as well
        path.add(leaf)
        leaf = by_name[leaf].get("parent_message_uuid")
    return path


def _messages(fields: dict[str, Any], place: str, unread: Unread) -> Iterator[Message]:
    named, sender = needed(fields, "a message", "uuid"), needed(fields, "a message", "sender")
    at = time_at(fields, "created_at", "updated_at")
    role = _ROLES.get(sender, sender)
    text = _said(fields, place, unread)
    attached = objects_at(fields, "attachments")
    names = [name for each in [*attached, *objects_at(fields, "files")] if (name := text_at(each, "file_name"))]
    if text:
        yield Message(named, role, text, at, {"files": names[:FILES_MAX]} if names else {})
    for number, each in enumerate(attached, start=1):
        if content := text_at(each, "extracted_content"):
            kept = {"file": name} if (name := text_at(each, "file_name")) else {}
            yield Message(f"{named}/attachment/{number}", "attachment", content, at, kept)
    if not text and not any(text_at(each, "extracted_content") for each in attached):
        unread.add(place, "an empty message")
    if len(objects_at(fields, "files")) > 0:
        unread.add(place, "a file of which only the name is in the export")


def _said(fields: dict[str, Any], place: str, unread: Unread) -> str:
    """Return what was said: the texts of the blocks, or, where there are none, the text of the whole."""
    blocks = objects_at(fields, "content")
    for block in blocks:
        sort = block.get("type")
        if sort not in _TEXTS:
            reason = _PASSED.get(str(sort), "a block of an unknown sort")
            unread.add(place, reason, f"{reason} ({shown(sort)})")
    texts = [text for block in blocks if block.get("type") in _TEXTS and (text := text_at(block, "text", "transcript"))]
    return "\n\n".join(texts) if blocks else text_at(fields, "text") or ""
