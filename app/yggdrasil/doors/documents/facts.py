"""What a memory knows of things, as files: one for each thing, which say what is claimed of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import unquote

from yggdrasil_projections.retrieval.errors import UnknownMemoryError
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.reads.knowledge.claims import Entity

from ...memory import Memory

_CLAIMS: Final = 200
_SUFFIX: Final = ".md"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS_MIN: Final = -62_135_596_800_000  # the year 1
_MS_MAX: Final = 253_402_214_400_000  # the last day of the year 9999


def fact_files(memory: Memory[Any]) -> Iterator[tuple[str, int]]:
    """Yield the names of the files of what is claimed, of at most 200 claims, with their sizes in bytes."""
    try:
        claims = memory.claims(count=_CLAIMS).claims
    except UnknownMemoryError:
        return
    for subject in dict.fromkeys(each.claim.subject for each in claims if each.claim is not None):
        of = [each for each in claims if each.claim is not None and each.claim.subject == subject]
        yield _name(subject), len(_page(Entity(subject, claims=of)).encode())


def fact_file(memory: Memory[Any], name: str) -> str | None:
    """Return what is claimed of the thing that a file is about; None where nothing is, or it is no such file."""
    thing = unquote(name.removesuffix(_SUFFIX))
    if not name.endswith(_SUFFIX) or not thing:
        return None
    try:
        known = memory.entity(thing, count=_CLAIMS)
    except UnknownMemoryError:
        return None
    return _page(known) if known.claims else None


def _name(subject: str) -> str:
    """Return the name of the file about a thing, from which ``unquote`` takes the thing again."""
    name = subject.replace("%", "%25").replace("/", "%2F").replace("\\", "%5C")
    return ("%2E" + name[1:] if name.startswith(".") else name) + _SUFFIX


def _page(known: Entity) -> str:
    lines = [f"# {known.name}"]
    if known.aliases:
        lines.append(f"Also called: {', '.join(known.aliases)}")
    return "\n".join([*lines, "", *map(_line, known.claims)]) + "\n"


def _day(ms: int) -> str:
    """Return the day of a moment; what lies beyond the years that a date has is shown as Unix ms."""
    if not _MS_MIN <= ms <= _MS_MAX:
        return f"{ms} ms"
    return (_EPOCH + timedelta(milliseconds=ms)).date().isoformat()


def _line(each: MemoryObject) -> str:
    """Return what a claim says in a line: since and until when, how sure it is, and its reference."""
    claim = each.claim
    if claim is None:
        return f"- {each.text}"
    value = " ".join(f"{claim.object} {claim.unit or ''}".split())  # a text may have lines, and this is one
    moments = (("since", claim.valid_from), ("until", claim.valid_to))
    when = [f"{word} {_day(ms)}" for word, ms in moments if ms is not None]
    status = [] if each.status == "active" else [each.status]
    told = ", ".join([*when, *status, f"confidence {claim.confidence:.2f}", f"reference {each.ref}"])
    return f"- {claim.predicate}: {value} ({told})"
