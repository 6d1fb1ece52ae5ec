"""Claims as English sentences, for people: ``ana lives in oslo since March 2025``.

No id, no hash and no index is made of one: the claim itself is its names and its value. A predicate is a name, and no
grammar is kept with it, so its words decide how it is read: a verb, a state or a property.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Final, Protocol

from yggdrasil_schemas.names import claim_in_words, name_in_words, object_in_words

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


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TAKE_NOT: Final = frozenset(("is", "are", "was", "were", "can", "may", "must", "should", "will"))
_VERBS: Final = _TAKE_NOT | {"has", "have", "had", "does", "did", "cannot"}
_ADVERBS: Final = _listed(
    "never always often usually also no not longer still already currently sometimes rarely mostly"
)
_NEGATIONS: Final = frozenset(("no", "not", "never"))
_PREPOSITIONS: Final = frozenset(("in", "at", "of", "on", "by", "to", "for", "with", "from", "near", "under", "as"))
_NO_VERB: Final = ("ss", "us", "is")  # address, status, basis: nouns that end as verbs of the third person do
_BARE_VERBS: Final = """
accept allow become begin believe belong bring buy come connect consist contain create deny depend deploy describe
die differ drink eat enjoy exclude exist expect feel follow forbid get give go happen hate hear hold import include
keep know lack learn like live lose make manage meet need occur own pay prefer prevent provide reach receive rely
remember replace require respond say see seem sell send sing sit speak suit take teach tell tend think throw
understand use want wear win
"""
_BARE_OR_NOUNS: Final = """
act agree answer apply break call change charge crash drive end fail fall fit fly grow lead lie link listen look map
match move permit play point produce read refer report result run serve ship sleep stand start stay stop study
subscribe support switch talk trade train travel trust turn vote wait walk work write
"""
_BARE: Final = frozenset(_BARE_VERBS.split())  # without an s; seldom a property's name
_BARE_BEFORE: Final = _BARE.union(
    _BARE_OR_NOUNS.split()
)  # where a preposition follows: "work" is none, "work for" is one
_PAST: Final = _listed("""
ate became began bought broke built came chose decided did drank failed fell forgot founded gave graduated grew hated
joined knew learned learnt left liked lived lost loved met moved promised ran said saw sold started stopped studied
taught told took travelled traveled visited wanted went won worked wrote
""")  # not passive, unless "by" or "of" follows: "told by"
_COUNTED: Final = _listed("""
acts affects allows charges contains costs counts covers earns employs equals exceeds expects fits gets gives has
holds keeps lasts loses makes measures needs owes owns pays produces reaches receives requires returns runs scores
seats sells serves spends spans takes totals uses wants weighs wins
""")  # verbs that a number follows; other words with an s are what is counted: "replicas"
_PLURALS: Final = _listed("""
addresses aliases allergies brothers bugs cats children colors colours columns constraints cores days dependencies
dogs emails errors failures files friends glasses goals hobbies hours interests issues items kids
languages lines medications members minutes months nodes options parents permissions pets phones pods
ports projects replicas requirements retries roles rows seconds servers services settings siblings
sisters skills symptoms tables tags tasks teams threads users weeks workers years
""")
_HEADS: Final = _listed("count total number limit max min size rate name list file folder page id date")  # are one
_ONE: Final = _listed(
    "aws bias canvas css dns gas gps https ios lens news series sms species tls"
)  # end with s, and are no verbs
_JOINTS: Final = re.compile(
    r"[_\s]+|(?<=\w)-(?=\w)|(?<=[a-z0-9])(?=[A-Z][a-z]|[A-Z]$)|(?:(?<=\bis)|(?<=\bhas))(?=[A-Z])"
)
"""Of ``lives_in``, ``lives-in``, ``livesIn``, and of ``hasURL``; "macOS" stays one word."""
_OF: Final = "of"  # follows nouns: "cause of", "end of"


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


def claim_said(text: str | None, said: Said | None) -> str | None:
    """Return what a memory says with a ``text``: a claim in its own words as a sentence, whole; else the text.

    Since when it holds, and how sure it is, is not said, and nobody's words are changed.
    """
    if said is None or text is None or said.object is None or text != own_words(said):
        return text
    return f"{_clause(said, None, None)}{_qualified(said.qualifiers)}"


def own_words(said: Said) -> str | None:
    """Return the words that a claim has, where nobody gave it others: they are searched. None for what is sealed."""
    value = said.object
    if value is None:
        return None
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return claim_in_words(said.subject, said.predicate, object_in_words(said.object_kind, value))


def _clause(said: Said, name_chars: int | None = _NAME_CHARS_MAX, value_chars: int | None = _VALUE_CHARS_MAX) -> str:
    subject = one_line(name_in_words(said.subject), name_chars)
    words = _in_third_person(one_line(_words(said.predicate), name_chars))
    if isinstance(said.object, bool):
        return _flag(subject, words, holds=said.object)
    counted = said.object_kind == "decimal" and " " not in words and _is_verb(words)
    if _is_plural(words) or (counted and words not in _COUNTED | _VERBS):
        return f"{subject}'s {words} are {_value(said, value_chars)}"
    return f"{_about(subject, words)} {_value(said, value_chars)}"


def _words(predicate: str) -> str:
    """Return the words of a predicate, however they are joined; one that has none, such as "_", as it stands."""
    parts = [part for part in _JOINTS.split(predicate) if part]
    shouted = len(parts) > 1 and predicate.isupper()  # LIVES_IN; an abbreviation alone stays one
    return " ".join(part.lower() if shouted or part[1:].islower() else part for part in parts) or predicate


def _in_third_person(words: str) -> str:
    """Return a predicate that begins with a bare verb with that as "ana" has it: "fail on" as "fails on"."""
    first = _verb(words)
    if not first:  # nothing of it can be seen
        return words
    before, _, after = words.partition(first)
    last = after.rpartition(" ")[2]
    verbs = _BARE_BEFORE if last in _PREPOSITIONS and last != _OF else _BARE
    return f"{before}{_ending(first)}{after}" if first in verbs else words


def _ending(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


def _about(subject: str, words: str) -> str:
    """Return the sentence up to its value."""
    first, last = _verb(words), words.rpartition(" ")[2]
    if _is_verb(first) or _is_past(words):
        return f"{subject} {words}"
    if first == "born":
        return f"{subject} was {words}"
    if last in _PREPOSITIONS:
        return f"{subject} is {words}"
    return f"{subject}'s {words} is"


def _flag(subject: str, words: str, *, holds: bool) -> str:
    """Return a claim of which the value is yes or no."""
    first, _, rest = words.partition(" ")
    verb = _verb(words)
    if verb in _PLURALS:  # "allergies", "no allergies": of such things one has some or none
        said, denied = f"{subject} has {words}", f"{subject} has no {words}" if first == verb else ""
    elif not (_is_verb(verb) or _is_past(words, of_flag=True)):
        said, denied = f"{subject} is {words}", f"{subject} is not {words}"
    elif first == "can" and rest:
        said, denied = f"{subject} {words}", f"{subject} cannot {rest}"
    elif first in _TAKE_NOT and first != "must" and rest:  # who need not may all the same: "must not" forbids
        said, denied = f"{subject} {words}", f"{subject} {first} not {rest}"
    else:
        said, denied = f"{subject} {words}", ""
    if holds:
        return said
    if not denied or _NEGATIONS.intersection((first, rest.partition(" ")[0])):
        return f"it is not so that {said}"  # two nots beside each other are read as one
    return denied


def _verb(words: str) -> str:
    """Return the first word that is no adverb."""
    return next((word for word in words.split() if word not in _ADVERBS), words)


def _is_plural(words: str) -> bool:
    """Whether a property is several: "languages spoken", and not "children count" nor "siblings of"."""
    last = words.rpartition(" ")[2]
    return words.partition(" ")[0] in _PLURALS and last not in _PREPOSITIONS and last not in _HEADS


def _is_past(words: str, *, of_flag: bool = False) -> bool:
    """Whether a predicate says what was done: "left", "moved to", and not "left eye", "joined date" nor "told by"."""
    verb, last = _verb(words), words.rpartition(" ")[2]
    if verb not in _PAST or last in {"by", _OF}:
        return False
    return last == verb or last in _PREPOSITIONS or (of_flag and not last.endswith("ed"))  # not "left handed"


def _is_verb(word: str) -> bool:
    if word in _VERBS or word.endswith("n't"):
        return True
    if word.lower() in _ONE or word in _PLURALS:
        return False
    return len(word) > len("is") and word.endswith("s") and not word.endswith(_NO_VERB)


def _value(said: Said, chars_max: int | None) -> str:
    if said.object is None:
        return "something that is sealed"
    value = one_line(object_in_words(said.object_kind, str(said.object)), chars_max)
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
