"""Import a conversation from JSON lines: one object per line, each turn an event.

``{"role": "user", "content": "...", "session": "monday", "at": 1700000000000, "id": "m1"}``: only ``role`` and
``content`` are needed. ``facts``, a list of ``[subject, predicate, object]`` or of objects with these and more, are
what a turn tells of: they become claims with it as evidence. Other fields are not read. The position that an id is
derived from is counted per session, so that sessions may be interleaved, moved to other files, and continued.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import EVIDENCE_MAX, NAME_CHARS_MAX

from ..again import Named
from ..claims import Claimed
from ..draft import Draft, Drafter
from ..errors import ImporterError
from ..observing import Told
from ..stamps import Stamp
from .facts import NotAFactError, moment, told
from .features import plain
from .lines import lines_in, object_in, values_in
from .run import Import, NotUnderstoodError, Unread, shown
from .turns import Spoken, in_parts

LINE_BYTES_MAX: Final = 8_388_608  # beyond any turn of a conversation; it bounds the memory that one line can take
FACTS_MAX: Final = 256  # of one turn
_SECONDS_FROM: Final = 100_000_000  # 1973 in seconds, 1970 in ms
_SECONDS_BELOW: Final = 100_000_000_000  # 1973 in ms
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
    unread = Unread(file=str(path))
    total = sum(1 for turn in _turns(path, unread) if _check_facts(turn, drafter))
    return Import(total, _steps(path, drafter), unread)


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
    for turn in _turns(path, Unread()):
        yield _drafts(turn, positions[turn.session], drafter)
        positions[turn.session] += 1


def _drafts(turn: _Turn, position: int, drafter: Drafter) -> Iterator[Draft]:
    named = ("id", turn.id) if turn.id is not None else (str(position), turn.role, turn.content)
    payload = {"role": turn.role} if turn.id is None else {"role": turn.role, "id": turn.id}
    spoken = Spoken(turn.role, turn.content, turn.session, turn.at, payload, told=bool(turn.facts))
    called = None if turn.id is None else Named("chat", f"{turn.session}/{turn.id}")
    drafts = list(in_parts(spoken, ("chat", turn.session, *named), drafter, called))
    yield from drafts
    yield from _facts(turn, named, [draft.id for draft in drafts[:EVIDENCE_MAX]], drafter)


def _facts(turn: _Turn, named: tuple[str, ...], evidence: list[str], drafter: Drafter) -> Iterator[Draft]:
    for number, fact in enumerate(turn.facts):
        claimed: Claimed = {**fact.claimed, "evidence": evidence}
        said = canonical_json([fact.subject, fact.predicate, fact.object, fact.text, fact.claimed]).decode()
        about = evidence if turn.id is not None else []  # what has an id may be edited, and is then another evidence
        stamp = Stamp(drafter.derived_id("chat", turn.session, *named, "fact", str(number), said, *about), turn.at)
        fields = (fact.subject, fact.predicate, fact.object)
        yield drafter.assert_claim(*fields, claimed=claimed, text=fact.text, session=turn.session, stamp=stamp)


def _turns(path: Path, unread: Unread) -> Iterator[_Turn]:
    for number, line in lines_in(path, LINE_BYTES_MAX):
        place = f"{path}, line {number}"
        try:
            if not line.endswith(b"\n") and _is_torn(line):
                unread.add(f"line {number}", "a last line that is torn", hides=True)
                return
            for value in values_in(line):
                fields = object_in(value, LINE_BYTES_MAX, _EXPECTED)
                if fields.get("content") is None and "content" in fields and fields.get("tool_calls"):
                    unread.add(f"line {number}", "a call of a tool")
                    continue
                try:
                    turn = _turn(fields, place)
                except NothingSaidError:
                    unread.add(f"line {number}", "a picture or another file, and no text")
                    continue
                yield turn
        except NotUnderstoodError as error:
            raise ImporterError(f"{place}: {error}") from error


def _is_torn(line: bytes) -> bool:
    """Return whether a line begins as an object does, and ends before it."""
    if len(line) > LINE_BYTES_MAX or not line.lstrip().startswith(b'{"'):
        return False
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
    except (ValueError, RecursionError):
        return False
    return False


class NothingSaidError(Exception):
    """A turn has nothing that was said: a picture, a file."""


def _content(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with the texts of a list of parts as one text, as makers of models have it."""
    given = fields.get("content")
    if not isinstance(given, list):
        return fields
    parts = cast(list[object], given)
    said = [cast(dict[str, object], each).get("text") if isinstance(each, dict) else each for each in parts]
    texts = [text for text in said if isinstance(text, str) and text]
    if not texts:
        raise NothingSaidError("no part of the content is a text")
    return fields | {"content": "\n\n".join(texts)}


def _turn(fields: dict[str, Any], place: str) -> _Turn:
    fields = _content(fields)
    role, content = _text(fields, "role"), _text(fields, "content")
    session = _text(fields, "session") if fields.get("session") is not None else SESSION_DEFAULT
    if not 0 < len(session) <= NAME_CHARS_MAX or plain(session.encode()) != session:
        raise NotUnderstoodError(
            f"expected a session of 1 to {NAME_CHARS_MAX} printable characters, and got {shown(session)}"
        )
    named = fields.get("id")
    if named is not None and type(named) is not int:
        named = _text(fields, "id")
    at = _time(fields.get("at"))
    facts = _told(fields.get("facts"), at)
    return _Turn(role, content, session, at, None if named is None else str(named), facts, place)


def _told(given: Any, at: int | None) -> list[Told]:
    if given is None:
        return []
    if not isinstance(given, list) or len(cast(list[object], given)) > FACTS_MAX:
        raise NotUnderstoodError(f"'facts' is a list of at most {FACTS_MAX}, and got {shown(given)}")
    try:
        return [told(each, at) for each in cast(list[object], given)]
    except NotAFactError as error:
        raise NotUnderstoodError(f"'facts': {error}") from error


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or (name == "role" and not value.strip()):
        came = f"and got {shown(value)}" if name in fields else "and there is none"
        raise NotUnderstoodError(f"{_EXPECTED}: '{name}' must be a text, {came}")
    return value


def _time(value: Any) -> int | None:
    """Read Unix ms, or ISO 8601 (UTC if it names no zone), from 1970 on.

    A number that would be in the first years after 1970 as ms, and is a time of ours as seconds, is one of seconds.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and _SECONDS_FROM <= value < _SECONDS_BELOW:
        value = round(value * 1_000)
    try:
        at = moment("at", value)
    except NotAFactError:
        at = -1
    if at is not None and at < 0:
        raise NotUnderstoodError(f"expected 'at' in Unix ms from 0 on or in ISO 8601, and got {shown(value)}")
    return at
