"""The reweaver: what would this claim say if it were written today, now that a session has said more of the same."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.reads.knowledge.lineage import AskLineage, ClaimLineage
from yggdrasil_schemas.limits import EVIDENCE_MAX

from ..thinker import Decision
from .gates import TRUST
from .linking import SHOWN_CHARS_MAX, same_slot
from .sessions import Digests, OfSessions, take_again
from .words import Likeness, likeness

NEAR_MAX: Final = 5
"""A claim is compared with so many others of its slot, the latest."""
WAITING_MAX: Final = 32
"""So many claims that were not decided yet are looked at again, the latest."""
_AT_ONCE: Final = 8
_STANDING: Final = ("active", "prior")
_WAITING: Final = "candidate"
_TEXTUAL: Final = ("text", "entity")


class Reweaver(OfSessions):
    """Compares each new claim of a session that has ended with what else is claimed in its slot, and decides one of:

    * *keep*: the two say different things, and both stay as they are;
    * *restate*: one of them says more: it is said anew with the evidence of both, and condenses both;
    * *condense*: the two say the same, in other forms of the words: so is the one that was there before;
    * *flag*: a figure or a negation alone differs: they are related as contradicting each other, which judges neither.

    What is said anew waits, as all that thinkers claim, until the verifier lets it pass: then it takes the place of
    both, by law. What is trusted more than a thinker is left alone.
    """

    name: ClassVar[str] = "reweaver"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "assert_claim", "judge"})
    follows: ClassVar[frozenset[str]] = frozenset({"reducer", "verifier"})

    def observe(self, state: Digests, happening: Happening) -> Sequence[Decision]:
        """Take in a claim, or that a session has ended; at its own claims it does not look again."""
        super().observe(state, happening)
        if happening.thinker == self.name:
            state.ready.pop(happening.id, None)
        return ()

    def asks(self, state: Digests, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask for the next claims that are ready, and those of their slots."""
        del memory
        if not again:
            take_again(state, WAITING_MAX)
        return [AskLineage(ref) for claim, near in _next(state) for ref in (claim, *near)]

    def answered(self, state: Digests, answers: Sequence[Any]) -> Sequence[Decision]:
        """Decide of each pair."""
        made: list[Decision] = []
        told = iter(answers)
        for claim, near in list(_next(state)):
            new: ClaimLineage | None = next(told)
            others: list[ClaimLineage | None] = [next(told) for _ in near]
            del state.ready[claim]
            if new is None or new.claim.status not in (*_STANDING, _WAITING):
                continue
            for other in others:
                if other is None or other.claim.status not in _STANDING or other.claim.ref == new.claim.ref:
                    continue
                decided = _decided(new, other, state.claims[claim].session)
                if decided is not None:
                    made.append(decided)
                    break
            else:
                if new.claim.status == _WAITING and near:
                    state.later[claim] = None
        return made


def _next(state: Digests) -> Iterator[tuple[str, list[str]]]:
    for gone in [claim for claim in state.ready if claim not in state.claims]:
        del state.ready[gone]
    for claim in list(state.ready)[:_AT_ONCE]:
        yield claim, _near(state, claim)


def _near(state: Digests, claim: str) -> list[str]:
    """Return the earlier claims of a slot whose values are worth comparing, the latest first."""
    own, found = state.claims[claim], list[str]()
    for ref, other in state.claims.items():
        if ref == claim:
            break
        near = other.sort == own.sort and same_slot(own, other)
        if near and likeness(own.object, other.object) is not Likeness.APART:
            found.append(ref)
    return found[::-1][:NEAR_MAX]


def _decided(new: ClaimLineage, old: ClaimLineage, session: str) -> Decision | None:
    """Return what follows from a new claim and one that stands; None: nothing, at least not yet."""
    one, two = new.claim, old.claim
    if one.claim is None or two.claim is None or one.claim.qualifiers != two.claim.qualifiers:
        return None
    if (one.claim.valid_from, one.claim.valid_to) != (two.claim.valid_from, two.claim.valid_to):
        return None
    found = likeness(str(one.claim.object), str(two.claim.object))
    if found is Likeness.OPPOSED:
        return _flagged(new, two, session)
    if one.claim.object_kind not in _TEXTUAL or two.claim.object_kind not in _TEXTUAL or found is Likeness.APART:
        return None
    if one.status == _WAITING or max(one.trust, two.trust) > TRUST:
        return None
    return _said_anew(new, old, session, found) if found is Likeness.MORE else _said_anew(old, new, session, found)


def _flagged(new: ClaimLineage, old: MemoryObject, session: str) -> Decision | None:
    """Return that two claims contradict each other, unless that is known, or is a conflict by law already."""
    if any(each.memory.ref == old.ref and each.relation == "contradicts" for each in new.related):
        return None
    if any(each.ref == old.ref for each in new.rivals):
        return None
    why = f"one says {_short(new.claim)}, and the other {_short(old)}: they differ in a figure or a negation alone"
    body = {"source": new.claim.ref, "target": old.ref, "relation": "contradicts"}
    return Decision("relate", body, why, {"why": why, "rule": "flag"}, session)


def _said_anew(kept: ClaimLineage, gone: ClaimLineage, session: str, found: Likeness) -> Decision | None:
    """Return that a claim is said anew, with the evidence of both, in place of itself and another one."""
    claim = kept.claim.claim
    if claim is None:
        return None
    evidence = [each.ref for of in (kept, gone) for each in of.evidence]
    body: dict[str, Any] = {
        "subject": claim.subject,
        "predicate": claim.predicate,
        "evidence": list(dict.fromkeys(evidence))[:EVIDENCE_MAX],
        "condenses": [kept.claim.ref, gone.claim.ref],
    }
    if claim.sort != "fact":
        body["claim_class"] = claim.sort
    if claim.qualifiers:
        body["qualifiers"] = dict(claim.qualifiers)
    if claim.object_kind == "entity":
        body["object"] = {"entity": claim.object}
    rule = "condense" if found is Likeness.SAME else "restate"
    why = f"it says all that the other one does, {_short(gone.claim)}"
    said = None if claim.object_kind == "entity" else str(claim.object)
    return Decision("assert_claim", body, kept.claim.text, {"why": why, "rule": rule}, session, said)


def _short(claim: MemoryObject) -> str:
    line = " ".join((claim.text or "").split())
    return line if len(line) <= SHOWN_CHARS_MAX else line[: SHOWN_CHARS_MAX - 1].rstrip() + "\u2026"
