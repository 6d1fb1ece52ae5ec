"""What somebody said in a conversation, as events: long ones in several parts, which joined give it back exactly."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from yggdrasil_schemas.commands.experience import UTTERANCE, NoteKind

from ..again import Named, called
from ..draft import Draft, Drafter
from ..stamps import Stamp
from ..utterance import tells_nothing
from .features import feature

PART_CHARS_MAX: Final = 32_768  # JSON needs at most 6 bytes for a character, so a part always fits into a record
LOOPS: Final = frozenset({"assistant", "ai", "model", "bot"})
"""The roles of who is a loop and no person; a role is named as its maker likes, so another one may be a person's."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said: by whom, in which session, and when, in Unix ms; None is the time of import.

    ``told`` says that something was learnt from it, which is then searched, whoever said it.
    """

    role: str
    text: str
    session: str
    at: int | None = None
    payload: Mapping[str, Any] = field(default_factory=dict[str, Any])
    told: bool = False

    @property
    def note(self) -> NoteKind | None:
        """``utterance`` where a loop said it, and it tells nothing new by itself."""
        loop = self.role.strip().casefold() in LOOPS
        return UTTERANCE if loop and not self.told and tells_nothing(self.text) else None


def in_parts(
    spoken: Spoken, named: tuple[str, ...], drafter: Drafter, known_as: Named | None = None
) -> Iterator[Draft]:
    """Yield the events of a turn; ``role`` is their only feature, and their ids follow from ``named``.

    ``known_as`` is what the source calls the turn, where it has a name for it.
    """
    parts = parts_of(spoken.text)
    note = spoken.note
    if note is not None:  # an earlier release knew no utterance: what it recorded has the other id, and stays as it is
        named = (*named, note)
    for number, text in enumerate(parts, start=1):
        counted = {"part": number, "parts": len(parts)} if len(parts) > 1 else {}
        part = known_as
        if part is not None and number > 1:
            part = part._replace(name=f"{part.name}/part{number}")
        draft = drafter.record_event(
            text,
            features=[feature("role", spoken.role.encode())],
            payload={**spoken.payload, **counted},
            session=spoken.session,
            note=note,
            key=None if part is None else part.key,
            stamp=Stamp(drafter.derived_id(*named, str(number)), spoken.at),
        )
        yield draft if part is None else called(draft, part)


def parts_of(content: str) -> list[str]:
    """Cut after the last blank of a part where there is one, so that words stay whole."""
    parts: list[str] = []
    start = 0
    while len(content) - start > PART_CHARS_MAX:
        end = start + PART_CHARS_MAX
        blank = max(content.rfind(mark, start, end) for mark in ("\n", " "))
        end = blank + 1 if blank > start else end
        parts.append(content[start:end])
        start = end
    return [*parts, content[start:]]
