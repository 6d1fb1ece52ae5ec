"""How two claims have to do with each other, as far as what they say tells: the relation, its direction, and why."""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from yggdrasil_projections.retrieval.text.said import value_of
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER
from yggdrasil_projections.retrieval.text.wording import wording
from yggdrasil_schemas.names import claim_in_words, name_in_words

from .sessions import Claimed
from .words import Likeness, likeness, words_of

RARE_MAX: Final = 3
"""A word that so many claims have at most is rare."""
RARE_COMMON_MIN: Final = 2
"""So many rare words in common relate two claims."""
RARE_AMONG_MIN: Final = 16
"""Among fewer claims no word is rare: nearly all are."""
SHOWN_CHARS_MAX: Final = 80
_NAMES_MAX: Final = 8_192
_LEARNT: Final = ("lesson", "rule")
_DEPENDS: Final = frozenset(["depend", "need", "requir", "use", "call", "rest", "run"])
_LEADS: Final = frozenset(["caus", "lead", "result", "trigger", "break"])
_KINDS: Final = frozenset(("is_a", "is_an", "kind_of", "instance_of", "example_of", "type_of"))
_BEYOND_COMPARING: Final = 3
"""A name of fewer letters says nothing by itself."""


class Link(NamedTuple):
    """A relation of two claims: ``forward`` from the first to the second; ``why`` in a sentence; ``weight``, 1 to 4."""

    relation: str
    forward: bool
    why: str
    weight: int


def linked(one: Claimed, two: Claimed, frequencies: Mapping[str, int]) -> Link | None:
    """Return how a claim has to do with another one; None where nothing tells.

    ``frequencies`` count in how many claims a word stands; empty: no word is rare. Two of one slot are not looked at:
    whether they are the same is the reweaver's business.
    """
    learnt = one.sort in _LEARNT, two.sort in _LEARNT
    if all(learnt):
        return _of_lessons(one, two)
    if any(learnt):
        return _applies(one, two, forward=learnt[0])
    if same_slot(one, two):
        return None
    return (
        _chained(one, two)
        or _of_one_subject(one, two)
        or _of_one_object(one, two, frequencies)
        or _rare(one, two, frequencies)
    )


def same_slot(one: Claimed, two: Claimed) -> bool:
    """Whether two claims say the same thing of the same subject, whatever the values are."""
    return one.subject == two.subject and predicate_terms(one.predicate) == predicate_terms(two.predicate)


@lru_cache(_NAMES_MAX)
def predicate_terms(predicate: str) -> tuple[str, ...]:
    """Return what a predicate says, in words without those that say nothing."""
    said = predicate.replace("_", " ")
    return tuple(TOKENIZER.terms(said)) or (said,)


def shown(claim: Claimed) -> str:
    """Return what a claim says, short enough for a reason."""
    said = claim.object
    if claim.sort not in _LEARNT:
        said = claim_in_words(claim.subject, claim.predicate, name_in_words(claim.object))
    line = " ".join(said.split())
    return line if len(line) <= SHOWN_CHARS_MAX else line[: SHOWN_CHARS_MAX - 1].rstrip() + "\u2026"


def telling_words(claim: Claimed) -> frozenset[str]:
    """Return the words by which a claim can be found beside others: of subject, object and sentence."""
    return words_of(_told(claim)).stems


def frequencies_of(claims: Collection[Claimed]) -> dict[str, int]:
    """Return in how many claims each word stands; empty where there are too few to tell which are rare."""
    counted: dict[str, int] = {}
    for claim in claims if len(claims) >= RARE_AMONG_MIN else ():
        for term in telling_words(claim):
            counted[term] = counted.get(term, 0) + 1
    return counted


def _of_lessons(one: Claimed, two: Claimed) -> Link | None:
    found = likeness(one.object, two.object)
    if found is Likeness.OPPOSED:
        return Link("contradicts", True, _opposed(one, two), 4)
    if one.subject == two.subject and one.predicate == two.predicate:
        return None
    if found is Likeness.SAME:
        return Link("supports", True, f"it was learnt of {_named(one)} and of {_named(two)}: {shown(two)}", 3)
    if found in (Likeness.MORE, Likeness.LESS):
        return Link("refines", found is Likeness.MORE, "it says the same of more, or more closely", 3)
    return None


def _applies(one: Claimed, two: Claimed, *, forward: bool) -> Link | None:
    lesson, fact = (one, two) if forward else (two, one)
    name = _named(fact)
    if lesson.subject == fact.subject:
        return Link("applies_to", forward, f"what was learnt is of {name}, and that is what is said of it", 2)
    if _stands_in(name, lesson.object):
        return Link("applies_to", forward, f"what was learnt names {name}, of which this is said", 3)
    return None


def _chained(one: Claimed, two: Claimed) -> Link | None:
    """Return how two claims are linked where what one of them ends with is what the other is about."""
    for first, second, forward in ((one, two, True), (two, one, False)):
        if not _is(first.object, second.subject):
            continue
        stems, between = frozenset(predicate_terms(first.predicate)), _named(second)
        said = f"since {shown(first)}, and {shown(second)}"
        if first.predicate in _KINDS:
            return Link("example_of", forward, f"{said}: it is an example of {between}", 4)
        if stems & _DEPENDS:
            return Link("depends_on", forward, f"{said}: it depends on {between}", 4)
        if stems & _LEADS:
            return Link("leads_to", forward, f"{said}: it leads to {between}", 4)
        return Link("related", forward, f"{said}: both are of {between}", 3)
    return None


def _of_one_subject(one: Claimed, two: Claimed) -> Link | None:
    if one.subject != two.subject:
        return None
    found = likeness(shown(one), shown(two))
    if found is Likeness.SAME:
        return Link("supports", True, f"both say of {_named(one)} the same: {shown(one)}", 3)
    if found is Likeness.OPPOSED:
        return Link("contradicts", True, _opposed(one, two), 4)
    if found in (Likeness.MORE, Likeness.LESS):
        return Link("refines", found is Likeness.MORE, f"it says the same of {_named(one)}, more closely", 3)
    return None


def _of_one_object(one: Claimed, two: Claimed, frequencies: Mapping[str, int]) -> Link | None:
    """Return how two claims are linked that say something of one thing, which hardly any other one names."""
    if not frequencies or ":" not in one.object or one.object != two.object:
        return None
    name = value_of(one.object)
    if all(frequencies.get(term, 0) > RARE_MAX for term in words_of(name).stems):
        return None
    return Link("related", True, f"{shown(one)}, and {shown(two)}: both are of {name}", 2)


def _rare(one: Claimed, two: Claimed, frequencies: Mapping[str, int]) -> Link | None:
    if not frequencies:
        return None
    own = words_of(value_of(one.subject)).stems if one.subject == two.subject else frozenset[str]()
    common = [
        term
        for term in telling_words(one) & telling_words(two) - own
        if len(term) >= _BEYOND_COMPARING and frequencies.get(term, 0) <= RARE_MAX
    ]
    if len(common) < RARE_COMMON_MIN:
        return None
    words = [word for word in dict.fromkeys(TOKENIZER.split(_told(one))) if TOKENIZER.counted_as(word) in common]
    return Link("related", True, f"both speak of {_listed(words[:4])}, and hardly anything else here does", 1)


def _told(claim: Claimed) -> str:
    return f"{value_of(claim.subject)} {name_in_words(claim.object)} {claim.about}"


def _opposed(one: Claimed, two: Claimed) -> str:
    return f"one says {shown(one)}, and the other {shown(two)}: they differ in a figure or a negation alone"


def _is(said: str, name: str) -> bool:
    """Whether what is said is a name, by its words, whatever their case."""
    of = value_of(name) if ":" in name else name
    return len(of) >= _BEYOND_COMPARING and (said == name or _worded(value_of(said)) == _worded(of))


def _stands_in(name: str, text: str) -> bool:
    words, among = _worded(name), _worded(text)
    if len(name) < _BEYOND_COMPARING or not words:
        return False
    return any(among[at : at + len(words)] == words for at in range(len(among) - len(words) + 1))


@lru_cache(_NAMES_MAX)
def _worded(text: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("'s") for word in wording(text.replace("_", " ")))


def _named(claim: Claimed) -> str:
    return value_of(claim.subject)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
