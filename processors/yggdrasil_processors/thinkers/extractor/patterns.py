"""What plain sentences say: for each pattern what it means, and what its value may be."""

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from .subjects import CAPITAL, NAME, SYSTEM, is_no_name, person, speaker, system, thing, words

_OPENER: Final = (
    r"(?:(?:Also|Now|Today|Well|Actually|Currently|FYI|Yes|Yeah|Oh|Hi|Hello|Hey|By the way|As of today|Update|Note)"
    r"(?:[,:!]| -)? |[Aa]nd |[Bb]ut |[Ss]o )?"
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms)\.? )?"
)
_NOW: Final = r"(?:(?:now|currently|still|just|also|recently|already|really|both) )?"
_END: Final = (
    rf"(?=[.!)]*$|,(?! {CAPITAL})|;|:?\s*-\s|[ ](?:now|today|since|with|because|as|these|again|at the moment|too|"
    rf"right now|currently|last|this|two|three|a|an|from|and (?!{CAPITAL})[a-z]+|and I|from|so|but)\b)"
)
_PHRASE: Final = r"[\w'-]+(?: [\w'-]+){0,3}?"
_STARTS: Final = re.compile(r"^|(?:, (?:and|but|so) |; | - |(?<=[a-z]) and (?=I ))")
# The last part gives nothing back: nothing that may follow begins within it, and trying that took quadratic time.
_VERSION: Final = r"v?\d+(?:\.\d+){0,3}(?:-[\w.]++)?"
_CALENDAR: Final = "January February March April May June July August September October November December"
_MONTHS: Final = tuple(_CALENDAR.split())
_MONTH: Final = "|".join(f"{month}|{month[:3]}" for month in _MONTHS)
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE: Final = rf"(?:(?:{_MONTH}) {_DAY}(?:,? \d{{4}})?|{_DAY} (?:of )?(?:{_MONTH})(?:,? \d{{4}})?|\d{{4}}-\d\d-\d\d)"
_NO_PLACE: Final = words(
    f"{_CALENDAR} Monday Tuesday Wednesday Thursday Friday Saturday Sunday Spring Summer Autumn Fall Winter I "
    "Postgres PostgreSQL MySQL SQLite Mongo MongoDB Redis Kafka Linux Windows Mac Ubuntu Debian Docker Kubernetes Git "
    "GitHub GitLab Slack Teams Zoom Jira Python Java Rust Go TypeScript JavaScript React Vue Angular AWS Azure GCP "
    "Chrome Firefox Safari Vim Emacs Neovim VSCode Notion Gmail Outlook Android Plan Phase Step Stage Tier Part "
    "Excel Word PowerPoint Figma SAP Salesforce Team Group Room Noon Midnight Department Amazon Google Microsoft "
    "Chapter Page Level Version Release Day Week One Two Three Four Five "
    "Management Sales Marketing Engineering Finance Support Legal Spanish English French German Product Design"
)
_NO_ORGANISATION: Final = frozenset((*_MONTHS, "Home", "Night", "Christmas", "Easter", "Noon", "I"))
_NO_ALLERGY: Final = words(
    "it that this them those these him her you me us everything anything something nothing most some many such "
    "certain mornings mondays work meetings nonsense exercise stupidity drama bullshit commitment rules change failure "
    "math homework people effort small being getting having doing early hard bad losing paperwork fun boredom "
    "politics responsibility sleep silence bugs the all both"
)
_MEASURED: Final = words("it that this them those these one ones him her everything anything")
_NO_CHOICE: Final = frozenset(("to", "a", "an"))  # "a talk over lunch", "to stay over Christmas"
_STATES: Final = (
    "down|up|offline|online|healthy|unhealthy|degraded|deprecated|retired|decommissioned|read-only|live|archived|"
    "in maintenance|under maintenance|in maintenance mode|frozen|broken"
)
_CHARS_MAX: Final = 100  # of a name: no command takes much more
Value = str | int


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: of a subject, by a predicate, a value."""

    subject: str
    predicate: str
    object: Value
    qualifiers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way to say something; the group ``who`` is the subject, ``value`` the value, ``over`` what it is not."""

    predicate: str
    wording: re.Pattern[str]
    about: Callable[[str, Sequence[str]], str | None]
    value: Callable[[str, Sequence[str]], Value | None]
    of_known: bool = False
    """Whether much else than a person can be what it is said of: then a single name must be known."""


def said_in(sentence: str, features: Sequence[str], known: Container[str]) -> Iterator[Said]:
    """Yield what a plain sentence of an event with these features says, as far as it can be told.

    ``known`` are the persons who were spoken of before, as subjects.
    """
    for start in _STARTS.finditer(sentence):
        for pattern in PATTERNS:
            found = pattern.wording.match(sentence, start.end())
            if found is None:
                continue
            subject = pattern.about(found["who"], features)
            value = pattern.value(found["value"], features)
            if subject is None or value is None or value == subject:
                continue
            if len(subject) > _CHARS_MAX or max(map(len, found.groups(""))) > _CHARS_MAX:
                continue
            if pattern.of_known and found["who"] != "I" and " " not in found["who"] and subject not in known:
                continue
            over = found.groupdict().get("over")
            if over is None or (_phrase(over, features) is not None and _alike(found["value"], over)):
                yield Said(subject, pattern.predicate, value, {"over": over} if over else {})
                break


def _who(name: str, features: Sequence[str]) -> str | None:
    return speaker(features) if name in {"I", "My", "my"} else person(name, features)


def _owned(name: str, features: Sequence[str]) -> str | None:
    return system(name, features)


def _place(name: str, features: Sequence[str]) -> str | None:
    return None if not _NO_PLACE.isdisjoint(re.split(r"[ ,]+", name)) else thing(name, features)


def _organisation(name: str, features: Sequence[str]) -> str | None:
    return None if name.split(maxsplit=1)[0] in _NO_ORGANISATION or is_no_name(name) else thing(name, features)


def _owner(name: str, features: Sequence[str]) -> str | None:
    if name.startswith("the "):
        return thing(name.removeprefix("the "), features)
    return person(name, features)


def _allergen(name: str, features: Sequence[str]) -> str | None:
    del features
    return None if name.split(maxsplit=1)[0].casefold() in _NO_ALLERGY else name.casefold()


def _phrase(name: str, features: Sequence[str]) -> str | None:
    del features
    said = name.casefold().split()
    return None if said[0] in _NO_CHOICE or not _MEASURED.isdisjoint(said) else name


def _alike(value: str, over: str) -> bool:
    """Return whether a choice is between two of a sort: "walking over bridges" is none."""
    return " " in value or not value.endswith("ing") or over.split(maxsplit=1)[0].endswith("ing")


def _email(address: str, features: Sequence[str]) -> str:
    del features
    return address.casefold()


def _birthday(date: str, features: Sequence[str]) -> str | None:
    del features
    if re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        return date
    month = next(number for number, name in enumerate(_MONTHS, 1) if name[:3] in date)
    day, *year = (int(digits) for digits in re.findall(r"\d+", date))
    if not 1 <= day <= 31:
        return None
    return f"{year[0]:04}-{month:02}-{day:02}" if year else f"{day} {_MONTHS[month - 1]}"


def _number(digits: str, features: Sequence[str]) -> int | None:
    del features
    return int(digits) if 0 < int(digits) < 65_536 else None


def _text(said: str, features: Sequence[str]) -> str:
    del features
    return said


def _of(wording: str) -> re.Pattern[str]:
    return re.compile(_OPENER + wording + _END)


_BY_THING: Final = rf"(?P<who>{SYSTEM}|{NAME}|[a-z][\w-]*[\w])"
_PLACES: Final = rf"(?P<value>{NAME}(?:, {NAME})?)"
_OWN: Final = rf"(?:(?P<who>[Mm]y|{NAME})(?:'s)?(?<![Mm]y's) (?:new |current )?)"
PATTERNS: Final = (
    Pattern("lives_in", _of(rf"(?P<who>(?:I(?= {_NOW}live )|{NAME}(?= {_NOW}lives ))) {_NOW}lives? in {_PLACES}"),
            _who, _place),
    Pattern("lives_in", _of(rf"(?P<who>I|{NAME})(?:'ve| has| have)? {_NOW}moved (?:back )?to {_PLACES}"),
            _who, _place, of_known=True),
    Pattern("works_for",
            _of(rf"(?P<who>(?:I(?= {_NOW}work )|{NAME}(?= {_NOW}works ))) {_NOW}works? (?:for|at) (?:the )?"
                rf"(?P<value>{NAME})"),
            _who, _organisation, of_known=True),
    Pattern("email", _of(rf"{_OWN}e-?mail(?: address)? is (?:now )?(?P<value>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"),
            _who, _email),
    Pattern("birthday", _of(rf"{_OWN}birthday is (?:on )?(?:the )?(?P<value>{_DATE})"), _who, _birthday),
    Pattern("allergic_to",
            _of(rf"(?P<who>I(?= am|'m)|{NAME}(?= is|'s))(?: am| is|'m|'s) {_NOW}(?:very |severely )?"
                rf"allergic to (?P<value>{_PHRASE})"),
            _who, _allergen),
    Pattern("prefers_over",
            _of(rf"(?P<who>I|{NAME}) {_NOW}(?:prefers?|likes?) (?P<value>{_PHRASE}) over (?P<over>{_PHRASE})"),
            _who, _phrase),
    Pattern("prefers_over",
            _of(rf"(?P<who>I|{NAME}) {_NOW}likes? (?P<value>{_PHRASE}) (?:more|better) than (?P<over>{_PHRASE})"),
            _who, _phrase),
    Pattern("owner", _of(rf"{_BY_THING} is (?:now |currently )?owned by (?P<value>{NAME}|the [\w-]+ team)"),
            _owned, _owner),
    Pattern("version",
            _of(rf"{_BY_THING} (?:is (?:now |currently )?(?:on|at|running)|(?:now |currently )?(?:runs|uses))"
                rf" (?:on )?(?P<value>(?:version |{CAPITAL} ){_VERSION})"),
            _owned, lambda said, _: said.removeprefix("version ")),
    Pattern("version",
            _of(rf"(?:We|I)(?: have|'ve)? {_NOW}(?:upgraded|updated|migrated) {_BY_THING} to "
                rf"(?P<value>(?:version |{CAPITAL} ){_VERSION})"),
            _owned, lambda said, _: said.removeprefix("version ")),
    Pattern("port",
            _of(rf"{_BY_THING} (?:{_NOW}(?:listens|runs)|is {_NOW}(?:listening|running|reachable)) "
                r"on port (?P<value>\d{1,5})"),
            _owned, _number),
    Pattern("status", _of(rf"{_BY_THING} is {_NOW}(?:back )?(?P<value>{_STATES})"), _owned, _text),
)  # fmt: skip
"""The first that fits at the beginning of a clause counts."""
