"""Claims as English sentences, for people: ``ana lives in oslo since March 2025``.

No id, no hash and no index is made of one: the claim itself is its names and its value. A predicate is a name, and no
grammar is kept with it, so its words decide how it is read: a verb, a state or a property.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Final, Protocol

from yggdrasil_schemas.names import name_in_words, object_in_words

from .plain import one_line

_NAME_CHARS_MAX: Final = 64
_VALUE_CHARS_MAX: Final = 110
_QUALIFIERS_MAX: Final = 4
_PERHAPS_BELOW: Final = 0.5  # what is less sure is shown only to who asks for it
_YEARS_MS: Final = range(-62_135_596_800_000, 253_402_300_800_000)  # that a calendar has, 1 to 9999
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_TAKE_NOT: Final = frozenset(("is", "are", "was", "were", "can", "may", "must", "should", "will"))
_VERBS: Final = _TAKE_NOT | {"has", "have", "had", "does", "did"}
_ADVERBS: Final = frozenset(("never", "always", "often", "usually", "also", "no", "not"))
_PREPOSITIONS: Final = frozenset(("in", "at", "of", "on", "by", "to", "for", "with", "from", "near", "under", "as"))
_NO_VERB: Final = ("ss", "us", "is")  # address, status, basis: nouns that end as verbs of the third person do


class Said(Protocol):
    """What a sentence is made of: a ``ClaimSeen``."""

    @property
    def sort(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def predicate(self) -> str: ...
    @property
    def object(self) -> str | bool | None: ...
    @property
    def object_kind(self) -> str: ...
    @property
    def unit(self) -> str | None: ...
    @property
    def qualifiers(self) -> Mapping[str, str]: ...
    @property
    def confidence(self) -> float: ...
    @property
    def valid_from(self) -> int | None: ...
    @property
    def valid_to(self) -> int | None: ...


def claim_sentence(said: Said, now: int) -> str:
    """Return what a claim says as one English sentence on one line, without a full stop; ``now`` is in Unix ms.

    A predicate that begins with a verb is read as it stands (``lives_in``), one that ends with a preposition after "is"
    (``part_of``), and any other as a property ("ana's email is ..."). What is less than half sure begins with
    "perhaps", and what held only until ``now`` or before ends with "no longer". Names have at most 64 characters in it
    and a value 110; a moment that no calendar has is left out.
    """
    sort = "" if said.sort == "fact" else f"{said.sort}: "
    perhaps = "perhaps " if said.confidence < _PERHAPS_BELOW else ""
    return f"{sort}{perhaps}{_clause(said)}{_qualified(said.qualifiers)}{_held(said, now)}"


def _clause(said: Said) -> str:
    subject = _name(name_in_words(said.subject))
    words = _name(said.predicate.replace("_", " "))
    if isinstance(said.object, bool):
        return _flag(subject, words, holds=said.object)
    return f"{_about(subject, words)} {_value(said)}"


def _about(subject: str, words: str) -> str:
    """Return the sentence up to its value."""
    first, last = _verb(words), words.rpartition(" ")[2]
    if _is_verb(first):
        return f"{subject} {words}"
    if last in _PREPOSITIONS:
        return f"{subject} {'was' if first == 'born' else 'is'} {words}"
    return f"{subject}'s {words} is"


def _flag(subject: str, words: str, *, holds: bool) -> str:
    """Return a claim of which the value is yes or no."""
    first, _, rest = words.partition(" ")
    if not _is_verb(_verb(words)):
        return f"{subject} is {'' if holds else 'not '}{words}"
    if holds:
        return f"{subject} {words}"
    return f"{subject} {first} not {rest}" if first in _TAKE_NOT and rest else f"it is not so that {subject} {words}"


def _verb(words: str) -> str:
    """Return the first word that is no adverb."""
    return next((word for word in words.split() if word not in _ADVERBS), words)


def _is_verb(word: str) -> bool:
    return word in _VERBS or (len(word) > len("is") and word.endswith("s") and not word.endswith(_NO_VERB))


def _value(said: Said) -> str:
    if said.object is None:
        return "something that is sealed"
    value = one_line(object_in_words(said.object_kind, str(said.object)), _VALUE_CHARS_MAX)
    return f"{value} {_name(said.unit)}" if said.unit else value


def _qualified(qualifiers: Mapping[str, str]) -> str:
    shown = [f"{_name(name)} {_name(value)}" for name, value in islice(sorted(qualifiers.items()), _QUALIFIERS_MAX)]
    more = ["..."] if len(qualifiers) > len(shown) else []
    return f" ({', '.join(shown + more)})" if shown else ""


def _held(said: Said, now: int) -> str:
    """Return since when and until when it holds, as far as that is known."""
    begins, ends = _moment(said.valid_from), _moment(said.valid_to)
    ahead = said.valid_from is not None and said.valid_from > now
    since = "" if not begins else f" from {begins}" if ends else f" from {begins} on" if ahead else f" since {begins}"
    over = ", no longer" if said.valid_to is not None and said.valid_to <= now else ""
    return f"{since}{f' until {ends}' if ends else ''}{over}"


def _moment(at: int | None) -> str:
    """Return a moment in UTC as it was named: a month where that begins, a day where it does, else the minute."""
    if at is None or at not in _YEARS_MS:  # a sender may name any
        return ""
    when = datetime.fromtimestamp(at / 1000, UTC)
    month = f"{_MONTHS[when.month - 1]} {when.year}"
    if (when.hour, when.minute) != (0, 0):
        return f"{when.day} {month} at {when:%H:%M} UTC"
    return month if when.day == 1 else f"{when.day} {month}"


def _name(name: str) -> str:
    return one_line(name, _NAME_CHARS_MAX)
