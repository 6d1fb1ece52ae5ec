"""What a text says: who speaks in which line, which sentences state or teach, and what fields a ticket has."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Final

from .grammar import phrases
from .grammar.clauses import statements
from .grammar.names import CAPITAL, is_no_name, person, thing
from .grammar.said import Said
from .grammar.subjects import About, Subject, thing_named
from .grammar.tokens import tokens_of
from .grammar.value import predicate_of
from .lessons import RECOVERY, taught
from .sentences import TEXT_CHARS_MAX, sentences, spelt

_LINE: Final = re.compile(rf"\s*(?:\[\d{{1,2}}:\d\d(?::\d\d)?\] )?(?P<who>{CAPITAL}(?: {CAPITAL}){{0,2}}): +(?=\S)")
_FIELD: Final = re.compile(
    r"\s*(?:[-*] )?(?P<name>owner|assignee|assigned to|due|due date|deadline|status|priority|version|port|location|"
    r"price|cost|severity|environment|reporter|component)(?:: +| +(?=\d|(?-i:[A-Z])))(?P<value>\S.{0,79})$",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r" [-|/] |; |\.$")
_TICKETS: Final = frozenset(["ticket", "bug", "issue", "task", "story", "epic", "item", "card", "action"])
SUBJECT_WORDS_MAX: Final = 6
_PEOPLE: Final = frozenset({"owner", "assignee", "reporter"})
_FIELDS: Final = {"assigned_to": "assignee", "deadline": "due"}
_LABELS: Final = frozenset(
    [
        "note",
        "fix",
        "warning",
        "lesson",
        "tip",
        "update",
        "todo",
        "goal",
        "summary",
        "caution",
        "problem",
        "cause",
        "result",
    ]
)
_FAILURE: Final = "failure:"


def read(
    text: str, features: Sequence[str], known: Container[str], topic: str, failed: str
) -> Iterator[tuple[Said, str]]:
    """Yield what a text says, each with its sentence as it stands there.

    ``known`` are the names that were met before, ``topic`` is what lessons are about, and ``failed`` the kind of what
    went wrong before, which a recovery is about if it is a failure.
    """
    met = _Met(known)
    speakers = _speakers(text, met)
    who: list[str] = list(features)
    it: Subject | None = None
    for sentence in sentences(text):
        plain, spoken = spelt(sentence), sentence
        if fields := _fields(plain, features, topic):
            yield from ((field, sentence) for field in fields)
            continue
        line = _LINE.match(plain)
        if line is not None and line["who"] in speakers:
            who, it = [*(name for name in features if not name.startswith(("speaker:", "author:", "from:")))], None
            who.append(f"speaker:{line['who']}")
            plain = plain[line.end() :]
            spoken = sentence[line.end() :]
            if (speaks := person(line["who"], features)) is not None:
                met.names.add(speaks)
        sort = taught(plain)
        if sort is not None:
            about = failed if sort == RECOVERY and failed.startswith(_FAILURE) else topic
            yield Said(about, sort, spoken, sort="lesson"), sentence
        said: Subject | None = None
        for one, subject in statements(plain, About(who, met), it):
            met.names.add(one.subject)
            said = subject
            yield one, sentence
        it = said


def _speakers(text: str, met: "_Met") -> set[str]:
    """Return who speaks in the lines of a text: names before a colon that were met, or that come again."""
    found = [line["who"] for line in map(_LINE.match, text[:TEXT_CHARS_MAX].splitlines()) if line is not None]
    often = Counter(who for who in found if who.casefold() not in _LABELS and not is_no_name(who))
    return {who for who, times in often.items() if times > 1 or f"person:{who.casefold()}" in met}


def _fields(line: str, features: Sequence[str], topic: str) -> list[Said]:
    """Return what the fields of a ticket say of what it is about: "Owner: Mia", "Orders queue - owner: Mia"."""
    parts = [part for part in _PARTS.split(line) if part]
    subject = "" if topic.startswith("session:") else topic
    if len(parts) > 1 and _FIELD.match(parts[0]) is None:
        label, colon, rest = parts[0].rpartition(": ")
        named = rest if colon and label.casefold() in _TICKETS else parts[0]
        named = named.rpartition(" the ")[2]
        told = len(named.split()) <= SUBJECT_WORDS_MAX and named[:1].isalnum() and "," not in named
        subject = (thing_named(named, features) if told else None) or ""
    found = [_field(part, features, subject) for part in parts] if subject else []
    return [field for field in found if field is not None]


def _field(part: str, features: Sequence[str], topic: str) -> Said | None:
    """Return what a field says of a thing."""
    found = _FIELD.match(part)
    if found is None:
        return None
    predicate = predicate_of(found["name"])
    predicate = _FIELDS.get(predicate, predicate)
    value = found["value"].strip().rstrip(".")
    if predicate in _PEOPLE:
        who = person(value.removeprefix("@"), features) if len(value.split()) <= 3 else None
        return None if who is None else Said(topic, predicate, who)
    if predicate == "due" and not phrases.is_time(tokens_of(value)):
        return None
    if len(value.split()) > phrases.PHRASE_WORDS_MAX or "?" in value or value.casefold() in {"none", "n/a", "tbd", "-"}:
        return None
    return Said(topic, predicate, thing(value, features))


class _Met:
    """The names that were met: those that the memory knows, and those of this text."""

    def __init__(self, known: Container[str]) -> None:
        self.names: set[str] = set()
        self._known = known

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.names or name in self._known)
