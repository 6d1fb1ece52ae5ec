"""Conversations as events: each is a session, and each message an event with its speaker as the feature.

Each message has the name of its conversation and its own, so a later export of the same conversations adds what is new,
and takes the place of what has changed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ...again import Named
from ...draft import Draft, Drafter
from ..features import cut, plain
from ..run import Import, NotUnderstoodError, Seen, Unread, shown
from ..turns import Spoken, in_parts
from .elements import Element, Export
from .files import Wanted

CONVERSATIONS: Final = Wanted.such_as(
    r"conversations(?:[-_]\d+)?\.json", "conversations.json", "memories.json", "projects.json"
)
FILES_MAX: Final = 32  # names of files that a message keeps
_TITLE_CHARS_MAX: Final = 200
_ID_CHARS_MAX: Final = 1_024  # far more than any has


@dataclass(frozen=True, slots=True)
class Message:
    """A message: what it is called, who said it, the words, when (Unix ms), and what else is kept of it."""

    id: str
    role: str
    text: str
    at: int | None = None
    kept: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its messages in their order; ``at`` is when it began, for messages that do not say when."""

    id: str
    title: str
    at: int | None
    messages: list[Message]


Read = Callable[[dict[str, Any], str, Unread], Conversation]
"""Reads the fields of a conversation at a place, and notes what it passes over. Raises NotUnderstoodError."""


def conversations(file: str | Path, drafter: Drafter, kind: str, read: Read, seen: Seen) -> Import:
    """Import the conversations of an export; ``total`` counts messages.

    All of it is read first, of which ``seen`` hears in bytes. Raises ImporterError for what cannot be read.
    """
    export = Export(Path(file), CONVERSATIONS)

    def steps(unread: Unread, seen: Seen) -> Iterator[list[Draft]]:
        for element in export.elements(unread, seen):
            yield from _drafts(element, kind, read, drafter, unread)

    return Import.of(steps, seen)


def _drafts(element: Element, kind: str, read: Read, drafter: Drafter, unread: Unread) -> Iterator[list[Draft]]:
    found: list[Conversation] = []
    with unread.noting(element.place):
        conversation = read(element.fields, element.place, unread)
        if len(conversation.id) > _ID_CHARS_MAX:  # each of its messages says it
            raise NotUnderstoodError(f"its id has more than {_ID_CHARS_MAX} characters", "no conversation")
        found.append(conversation)
    for conversation in found:
        yield from _messages(conversation, element.place, kind, drafter, unread)


def _messages(found: Conversation, place: str, kind: str, drafter: Drafter, unread: Unread) -> Iterator[list[Draft]]:
    at = found.at
    session = cut(plain(f"{kind}/{found.id}".encode()), NAME_CHARS_MAX)
    for message in found.messages:
        at = message.at if message.at is not None else at
        payload: dict[str, Any] = {"role": message.role, "id": message.id, "conversation": found.id}
        payload |= {"title": cut(found.title, _TITLE_CHARS_MAX)} if found.title else {}
        spoken = Spoken(message.role, message.text, session, at, payload | message.kept)
        named = (kind, found.id, message.id, message.role, message.text)
        with unread.noting(f"{place}, message {shown(message.id)}"):
            drafts = list(in_parts(spoken, named, drafter, Named(kind, f"{found.id}/{message.id}")))
            yield drafts
