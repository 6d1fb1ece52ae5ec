"""The connector: says how what a session has brought has to do with what else is known, across sessions too."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from yggdrasil_projections.retrieval.answers import Described
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.described import AskDescribed
from yggdrasil_projections.retrieval.reads.knowledge.lineage import AskLineage, ClaimLineage

from ..thinker import Decision
from .linking import Link, frequencies_of, linked
from .sessions import Digests, OfSessions, counts

SESSION_MAX: Final = 32
"""How many relations are found for one session."""
CLAIM_MAX: Final = 4
"""How many relations one claim begins."""
_AT_ONCE: Final = 8
_OUT: Final = ("rejected", "quarantined", "superseded", "resolved")
_NEUTRAL: Final = "related"


class Near(NamedTuple):
    """A claim that has to do with another one, and how."""

    ref: str
    link: Link


class Connector(OfSessions):
    """Relates claims of a session that has ended to near ones: by what they are about, say, or say in rare words.

    Each relation has its reason in a sentence. What only strangers say is never more than ``related`` to what others
    say. It asks whether both still stand, and relates nothing twice.
    """

    name: ClassVar[str] = "connector"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "assert_claim"})
    follows: ClassVar[frozenset[str]] = frozenset({"reducer", "reweaver"})

    def asks(self, state: Digests, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask for the next claims that are ready, and for what is near them."""
        del memory, again
        found: list[Query[Any]] = []
        for claim, near in _next(state):
            found.append(AskLineage(claim))
            found += [AskDescribed(each.ref) for each in near]
        return found

    def answered(self, state: Digests, answers: Sequence[Any]) -> Sequence[Decision]:
        """Relate those that stand."""
        made: list[Decision] = []
        told = iter(answers)
        for claim, near in list(_next(state)):
            lineage: ClaimLineage | None = next(told)
            found: list[Described | None] = [next(told) for _ in near]
            del state.ready[claim]
            if lineage is None or lineage.claim.status in _OUT:
                continue
            known = {(each.memory.ref, each.relation) for each in lineage.related}
            for each, other in zip(near, found, strict=True):
                decided = _related(lineage, each, other, known, state.claims[claim].session)
                if decided is not None and counts(state, state.claims[claim].session, SESSION_MAX):
                    made.append(decided)
        return made


def _next(state: Digests) -> Iterator[tuple[str, list[Near]]]:
    """Yield the next claims that are ready, each with what is near it; what was forgotten here is passed over."""
    for gone in [claim for claim in state.ready if claim not in state.claims]:
        del state.ready[gone]
    if not state.ready:
        return
    frequencies = frequencies_of(state.claims.values())
    for claim in list(state.ready)[:_AT_ONCE]:
        yield claim, _near(state, claim, frequencies)


def _near(state: Digests, claim: str, frequencies: Mapping[str, int]) -> list[Near]:
    """Return the few claims that are nearest to one: what tells most first, then the latest.

    Of two that are ready the later one is related to the earlier, and not the other way round as well.
    """
    own = state.claims[claim]
    found: list[tuple[int, int, Near]] = []
    for place, (ref, other) in enumerate(state.claims.items()):
        if ref == claim:
            break
        link = linked(own, other, frequencies)
        if link is not None:
            found.append((-link.weight, -place, Near(ref, link)))
    return [near for _, _, near in sorted(found, key=lambda each: each[:2])[:CLAIM_MAX]]


def _related(
    lineage: ClaimLineage, near: Near, other: Described | None, known: set[tuple[str, str]], session: str
) -> Decision | None:
    """Return the relation of a claim to what is near it, where both stand and it is not known yet."""
    if other is None or other.memory.status in _OUT or other.memory.ref == lineage.claim.ref:
        return None
    relation = near.link.relation
    if (lineage.claim.trust == 0) != (other.memory.trust == 0):
        relation = _NEUTRAL
    if (other.memory.ref, relation) in known:
        return None
    source, target = (lineage.claim.ref, near.ref) if near.link.forward else (near.ref, lineage.claim.ref)
    body = {"source": source, "target": target, "relation": relation}
    return Decision("relate", body, near.link.why, {"why": near.link.why}, session)
