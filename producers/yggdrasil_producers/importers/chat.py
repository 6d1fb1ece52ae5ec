"""Import a conversation from JSON lines: one object per line, each turn an event.

``{"role": "user", "content": "...", "session": "monday", "at": 1700000000000, "id": "m1"}``: only ``role`` and
``content`` are needed. ``facts``, a list of ``[subject, predicate, object]`` or of objects with these and more, are
what a turn tells of: they become claims with it as evidence. Other fields are not read. The position that an id is
derived from is counted per session, so that sessions may be interleaved, moved to other files, and continued.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import orjson

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import EVIDENCE_MAX, NAME_CHARS_MAX, TIME_MS_MAX

from ..claims import Claimed
from ..draft import Draft, Drafter
from ..errors import ImporterError
from ..stamps import Stamp
from .facts import NotAFactError, Told, told
from .features import feature, plain
from .run import Import

LINE_BYTES_MAX: Final = 8_388_608  # beyond any turn of a conversation; it bounds the memory that one line can take
PART_CHARS_MAX: Final = 32_768  # JSON needs at most 6 bytes for a character, so a part always fits into a record
FACTS_MAX: Final = 256  # of one turn
_SHOWN_CHARS: Final = 60
_EXPECTED: Final = (
    'expected {"role": text, "content": text, "session"?: text, "at"?: Unix ms or ISO 8601, "id"?: text, '
    '"facts"?: list}'
)


@dataclass(frozen=True, slots=True)
class _Turn:
    role: str
    content: str
    session: str
    at: int | None
    id: str | None
    facts: list[Told]
    place: str


def import_chat(file: str | Path, drafter: Drafter) -> Import:
    """Import the JSON lines in ``file``; ``total`` counts turns.

    The whole file is checked first, so that a malformed line is found before anything is appended. A turn without
    ``session`` belongs to "default"; one without ``at`` gets the time of import. ``role`` becomes the only feature.
    Content longer than 32,768 characters becomes several events, in order, that joined give it back exactly. Raises
    ImporterError, naming the line, for what is no such object, for a line above 8 MiB, and for a file that cannot be
    read.
    """
    path = Path(file)
    total = sum(1 for turn in _turns(path) if _check_facts(turn, drafter))
    return Import(total, _steps(path, drafter))


def _check_facts(turn: _Turn, drafter: Drafter) -> bool:
    """Return True. Raises ImporterError for a fact that cannot be said."""
    try:
        for _ in _facts(turn, (), [], drafter):
            pass
    except InvalidCommandError as error:
        raise ImporterError(f"{turn.place}: 'facts': {error.detail}") from error
    return True


def _steps(path: Path, drafter: Drafter) -> Iterator[Iterator[Draft]]:
    positions: Counter[str] = Counter()
    for turn in _turns(path):
        yield _drafts(turn, positions[turn.session], drafter)
        positions[turn.session] += 1


def _drafts(turn: _Turn, position: int, drafter: Drafter) -> Iterator[Draft]:
    named = ("id", turn.id) if turn.id is not None else (str(position), turn.role, turn.content)
    parts = _parts(turn.content)
    ids = [drafter.derived_id("chat", turn.session, *named, str(number)) for number in range(1, len(parts) + 1)]
    for number, text in enumerate(parts, start=1):
        payload: dict[str, Any] = {"role": turn.role}
        if turn.id is not None:
            payload["id"] = turn.id
        if len(parts) > 1:
            payload |= {"part": number, "parts": len(parts)}
        yield drafter.record_event(
            text,
            features=[feature("role", turn.role.encode())],
            payload=payload,
            session=turn.session,
            stamp=Stamp(ids[number - 1], turn.at),
        )
    yield from _facts(turn, named, ids[:EVIDENCE_MAX], drafter)


def _facts(turn: _Turn, named: tuple[str, ...], evidence: list[str], drafter: Drafter) -> Iterator[Draft]:
    for number, fact in enumerate(turn.facts):
        claimed: Claimed = {**fact.claimed, "evidence": evidence}
        said = canonical_json([fact.subject, fact.predicate, fact.object, fact.text, fact.claimed]).decode()
        stamp = Stamp(drafter.derived_id("chat", turn.session, *named, "fact", str(number), said), turn.at)
        about = (fact.subject, fact.predicate, fact.object)
        yield drafter.assert_claim(*about, claimed=claimed, text=fact.text, session=turn.session, stamp=stamp)


def _parts(content: str) -> list[str]:
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


def _turns(path: Path) -> Iterator[_Turn]:
    try:
        with path.open("rb") as lines:
            number = 0
            while line := lines.readline(LINE_BYTES_MAX + 1):
                number += 1
                if len(line) > LINE_BYTES_MAX:
                    raise ImporterError(f"{path}, line {number}: longer than {LINE_BYTES_MAX} bytes; split the turn")
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if line.strip():
                    yield _turn(line, f"{path}, line {number}")
    except OSError as error:
        raise ImporterError(f"expected a file of JSON lines at {path}: {error.strerror}") from error


def _turn(line: bytes, place: str) -> _Turn:
    try:
        found: Any = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise ImporterError(f"{place}: {_EXPECTED}, and this is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ImporterError(f"{place}: {_EXPECTED}, and got {_shown(found)}")
    fields = cast(dict[str, Any], found)
    role, content = _text(fields, "role", place), _text(fields, "content", place)
    session = _text(fields, "session", place) if fields.get("session") is not None else "default"
    if not 0 < len(session) <= NAME_CHARS_MAX or plain(session.encode()) != session:
        raise ImporterError(
            f"{place}: expected a session of 1 to {NAME_CHARS_MAX} printable characters, and got {_shown(session)}"
        )
    named = fields.get("id")
    if named is not None and type(named) is not int:
        named = _text(fields, "id", place)
    at = _time(fields.get("at"), place)
    facts = _told(fields.get("facts"), at, place)
    return _Turn(role, content, session, at, None if named is None else str(named), facts, place)


def _told(given: Any, at: int | None, place: str) -> list[Told]:
    if given is None:
        return []
    if not isinstance(given, list) or len(cast(list[object], given)) > FACTS_MAX:
        raise ImporterError(f"{place}: 'facts' is a list of at most {FACTS_MAX}, and got {_shown(given)}")
    try:
        return [told(each, at) for each in cast(list[object], given)]
    except NotAFactError as error:
        raise ImporterError(f"{place}: 'facts': {error}") from error


def _text(fields: dict[str, Any], name: str, place: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or (name == "role" and not value.strip()):
        came = f"and got {_shown(value)}" if name in fields else "and there is none"
        raise ImporterError(f"{place}: {_EXPECTED}: '{name}' must be a text, {came}")
    return value


def _time(value: Any, place: str) -> int | None:
    """Read a whole number of Unix ms, or ISO 8601 (UTC if it names no zone)."""
    if value is None or (type(value) is int and 0 <= value <= TIME_MS_MAX):
        return value
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            if moment.timestamp() >= 0:
                return int(moment.timestamp() * 1000)
        except (ValueError, OverflowError):
            pass
    raise ImporterError(f"{place}: expected 'at' in Unix ms from 0 on or in ISO 8601, and got {_shown(value)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "..."
