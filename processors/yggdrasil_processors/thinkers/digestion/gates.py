"""The gates that a claim has to pass, in order, before it stands without a person: pure, and each with its reason."""

from collections.abc import Sequence
from typing import Final

from yggdrasil_projections.retrieval.claimed import ClaimSeen
from yggdrasil_projections.retrieval.found import Found
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.reads.knowledge.lineage import ClaimLineage
from yggdrasil_projections.retrieval.text.said import value_of
from yggdrasil_schemas.names import claim_in_words, name_in_words

from .linking import predicate_terms
from .sessions import Claimed
from .words import Likeness, Words, figures_in, likeness, months_in, sentences, words_of

SUPPORT_MIN: Final = 0.6
"""At least this share of the content words of a claim stands in one of its pieces of evidence."""
FIRST: Final = 5
"""Asked by its own words, a claim is among the first so many."""
_LESSONS: Final = ("lesson", "rule")
_FALLEN: Final = ("rejected", "quarantined", "superseded")
_POINTING: Final = """
he she it they we you i this that these those someone somebody everyone one who him her them us
"""
_NOBODY: Final = frozenset(_POINTING.split())
TRUST: Final = 1
"""That of a thinker: what is trusted more it judges not, and what only strangers say no thinker can let pass."""
_JUDGED: Final = ("fact", "lesson")
Failure = tuple[str, str]
"""The name of a gate, and why it was not passed, in a few words."""


def is_to_be_judged(claim: MemoryObject) -> bool:
    """Whether a claim waits, and a thinker may let it pass or reject it: no verdict has let it wait."""
    sort = claim.claim.sort if claim.claim else ""
    return claim.status == "candidate" and claim.trust == TRUST and sort in _JUDGED and claim.ruling is None


def question_of(said: Claimed) -> str:
    """Return the words by which a claim has to be found: its own."""
    if said.sort in _LESSONS and said.object:
        return said.object
    return claim_in_words(said.subject, said.predicate, name_in_words(said.object))


def failed(lineage: ClaimLineage, others: Sequence[MemoryObject], found: Sequence[Found]) -> Failure | None:
    """Return the first gate that a claim does not pass, and why; None if it passes all.

    ``others`` are what else is claimed of its subject, ``found`` what is found by its own words, the best first.
    """
    claim, said = lineage.claim, lineage.claim.claim
    if said is None or not isinstance(said.object, str | bool) or not said.subject or said.object == "":
        return "form", "it says nothing, or what it says is sealed"
    live = [each for each in lineage.evidence if each.status not in _FALLEN and (each.text or "").strip()]
    if not live:
        return "evidence", "none of what it was concluded from stands"
    unsupported = min((_support(said, each) for each in live), key=lambda each: (each is not None, each or ""))
    if unsupported is not None:
        return "support", unsupported
    twin = next((each for each in others if each.ref != claim.ref and _says_the_same(said, each)), None)
    if twin is not None:
        return "duplicate", f"{twin.ref} says the same"
    if not _resolves(said, live):
        return "names", f"nothing that it was concluded from names {value_of(said.subject)}"[:100]
    shown = {each.memory.ref for each in found[:FIRST]}
    if claim.ref not in shown and not shown.intersection(each.ref for each in lineage.evidence):
        return "retrievable", f"asked by its own words it is not among the first {FIRST}"
    return None


def _support(said: ClaimSeen, evidence: MemoryObject) -> str | None:
    """Return why a piece of evidence does not support what is claimed; None if it does."""
    text = evidence.text or ""
    known = words_of(text).stems | words_of(" ".join(map(value_of, evidence.features))).stems
    wanted = _content(said)
    have = len(wanted & known)
    if wanted and have < SUPPORT_MIN * len(wanted):
        return f"{have} of its {len(wanted)} words stand in its evidence"
    missing = _figures(said) - figures_in(text) - months_in(text)
    if missing:
        return f"the figure {min(missing)} is not in its evidence"
    if _denies(said) != _nearest(text, wanted).denies:
        return "one of them denies, and the other does not"
    return None


def _content(said: ClaimSeen) -> frozenset[str]:
    """Return the words of a claim that say something: of a lesson its text, else of subject, predicate and object."""
    if said.sort in _LESSONS:
        return words_of(str(said.object)).stems
    value = "" if isinstance(said.object, bool) else name_in_words(str(said.object))
    own = words_of(f"{value_of(said.subject)} {value}").stems
    return own | frozenset(term for term in predicate_terms(said.predicate) if not isinstance(said.object, bool) or own)


def _figures(said: ClaimSeen) -> frozenset[str]:
    object_said = "" if isinstance(said.object, bool) else str(said.object)
    return figures_in(" ".join([object_said, *said.qualifiers.values()]))


def _denies(said: ClaimSeen) -> bool:
    if said.sort in _LESSONS:
        return words_of(str(said.object)).denies
    predicate, value = said.predicate.replace("_", " "), "" if isinstance(said.object, bool) else str(said.object)
    return words_of(f"{predicate} {value}").denies != (said.object is False)


def _nearest(text: str, wanted: frozenset[str]) -> Words:
    """Return what that sentence of a text says which has most of the words that are wanted; of equals the first."""
    said = [words_of(each) for each in sentences(text)] or [words_of(text)]
    return max(said, key=lambda each: len(each.stems & wanted))


def _says_the_same(said: ClaimSeen, other: MemoryObject) -> bool:
    """Whether a claim that stands says the same of the same thing, in other forms of the words."""
    theirs = other.claim
    if theirs is None or other.status == "candidate" or theirs.sort != said.sort:
        return False
    if predicate_terms(theirs.predicate) != predicate_terms(said.predicate) or theirs.qualifiers != said.qualifiers:
        return False
    return likeness(str(said.object), str(theirs.object)) is Likeness.SAME


def _resolves(said: ClaimSeen, evidence: Sequence[MemoryObject]) -> bool:
    """Whether something that a claim was concluded from names what it is about: a name, and no word that points."""
    if said.sort in _LESSONS:
        return True
    name = value_of(said.subject).lower()
    if not name or name in _NOBODY:
        return False
    wanted = words_of(name).stems or frozenset([name])
    for each in evidence:
        features = [value_of(feature).lower() for feature in each.features]
        text = (each.text or "").lower()
        if name in text or name in features or wanted <= words_of(f"{each.text} {' '.join(features)}").stems:
            return True
    return any(said.subject in each.features for each in evidence)
