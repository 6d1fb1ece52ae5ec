"""Import the conversations that ChatGPT exports: ``conversations.json``, several with numbers, or their archive.

A conversation is ``{"conversation_id", "title", "create_time", "mapping", "current_node"}``. The mapping is a tree of
messages, since an edited question or a repeated answer begins a branch; the one that ends in the current node is what
the conversation came to, and is what is imported.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from ...draft import Drafter
from ..run import Import, NotUnderstoodError, Seen, Unread, shown, unseen
from .conversations import FILES_MAX, Conversation, Message, conversations
from .fields import fields_at, needed, text_at, time_at

_SPEAKERS: Final = ("user", "assistant")
_TEXTS: Final = ("text", "multimodal_text", "code")
_PASSED: Final = {
    "thoughts": "what a model thought, and did not say",
    "reasoning_recap": "what a model thought, and did not say",
    "user_editable_context": "instructions of the user that stand before every conversation",
}
_POINTERS: Final = ("asset_pointer", "audio_asset_pointer", "video_container_asset_pointer")


def import_chatgpt(file: str | Path, drafter: Drafter, seen: Seen = unseen) -> Import:
    """Import the conversations in ``file``: JSON, an archive with it, or a folder; ``total`` counts messages.

    A message is an event of the session ``chatgpt/ID`` with the feature ``role:user`` or ``role:assistant``. Branches
    that were left, what systems and tools say, and pictures are passed over, and counted. Raises ImporterError for
    what cannot be read.
    """
    return conversations(file, drafter, "chatgpt", _read, seen)


def _read(fields: dict[str, Any], place: str, unread: Unread) -> Conversation:
    if isinstance(fields.get("chat_messages"), list) and "mapping" not in fields:
        raise NotUnderstoodError("a conversation of Claude's: `yggdrasil import claude` takes it", "no conversation")
    named = needed(fields, "a conversation", "conversation_id", "id")
    mapping = fields.get("mapping")
    if not isinstance(mapping, dict):
        raise NotUnderstoodError(f"expected a conversation with 'mapping', an object, and got {shown(mapping)}",
                                 "no conversation")  # fmt: skip
    nodes = {name: cast(dict[str, Any], each) for name, each in cast(dict[str, Any], mapping).items()
             if isinstance(each, dict)}  # fmt: skip
    here = f"{place}, conversation {shown(named)}"
    path = _path(nodes, fields.get("current_node"))
    for name in nodes.keys() - set(path):
        if text_at(fields_at(fields_at(nodes[name], "message"), "author"), "role") in _SPEAKERS:
            unread.add(f"{here}, message {shown(name)}", "on a branch that was left")
    messages: list[Message] = []
    for name in path:
        if message := fields_at(nodes[name], "message"):
            with unread.noting(within := f"{here}, message {shown(name)}"):
                messages.extend(_message(name, message, within, unread))
    return Conversation(named, text_at(fields, "title") or "", time_at(fields, "create_time"), messages)


def _path(nodes: dict[str, dict[str, Any]], current: Any) -> list[str]:
    """Return the nodes from the root to the current one; without that, to the one whose message is the latest."""
    if not isinstance(current, str) or current not in nodes:
        dated = [(time_at(fields_at(node, "message"), "create_time") or 0, place, name)
                 for place, (name, node) in enumerate(nodes.items())]  # fmt: skip
        current = max(dated)[2] if dated else None
    path: dict[str, None] = {}
    while isinstance(current, str) and current in nodes and current not in path:  # a ring of parents ends as well
        path[current] = None
        current = nodes[current].get("parent")
    return list(reversed(path))


def _message(name: str, fields: dict[str, Any], place: str, unread: Unread) -> Iterator[Message]:
    role = needed(fields_at(fields, "author"), "a message", "role")
    content, metadata = fields_at(fields, "content"), fields_at(fields, "metadata")
    sort = text_at(content, "content_type") or "text"
    if reason := _passed(role, sort, fields, metadata):
        unread.add(place, reason, f"{reason} ({sort})")
        return
    texts, files = _parts(content)
    if files:
        unread.add(place, "a picture or another file, of which only the name is kept")
    if not any(text.strip() for text in texts):
        if not files:
            unread.add(place, "an empty message")
        return
    kept: dict[str, Any] = {"files": files[:FILES_MAX]} if files else {}
    if model := text_at(metadata, "model_slug"):
        kept["model"] = model
    yield Message(text_at(fields, "id") or name, role, "\n\n".join(texts), time_at(fields, "create_time"), kept)


def _passed(role: str, sort: str, fields: dict[str, Any], metadata: dict[str, Any]) -> str | None:
    """Return why a message is passed over; None if it is what somebody said."""
    if sort in _PASSED:
        return _PASSED[sort]
    if role not in _SPEAKERS:
        return "what a system or a tool says"
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden in the conversation"
    if (text_at(fields, "recipient") or "all") != "all":
        return "a call of a tool"
    return None if sort in _TEXTS else "content of an unknown sort"


def _parts(content: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the texts of a message, and the names of its files."""
    listed = content.get("parts")
    parts = cast(list[object], listed) if isinstance(listed, list) else [content.get("text")]
    texts = [part for part in parts if isinstance(part, str) and part]
    files: list[str] = []
    for part in parts:
        if isinstance(part, dict):
            fields = cast(dict[str, Any], part)
            if (text := text_at(fields, "text")) is not None:  # what was said, as it was written down
                texts.append(text)
            else:
                files.append(text_at(fields, *_POINTERS) or text_at(fields, "content_type") or "file")
    return texts, [file[:200] for file in files]
