"""The verifier: lets candidates pass that hold what they say against their evidence, and rejects those that do not."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.asks import Ask, Where
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims
from yggdrasil_projections.retrieval.reads.knowledge.digested import VERIFIED
from yggdrasil_projections.retrieval.reads.knowledge.lineage import AskLineage, ClaimLineage
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_schemas.limits import NAME_CHARS_MAX

from ..thinker import Decision
from .gates import FIRST, failed, is_to_be_judged, question_of
from .sessions import Claimed, Digests, OfSessions

_AT_ONCE: Final = 12
_SUBJECT_CLAIMS: Final = 20
_ASKED_OF_EACH: Final = 3
_STANDING: Final = ("active", "prior", "contested", "candidate")


class Verifier(OfSessions):
    """Holds each candidate of a session that has ended against six gates, in order (``gates``).

    What passes is verified, what does not is rejected with the gate as the reason. It is no witness: by the law a
    candidate that it verifies stands, and is trusted and believed no more than before. Rules, what a predicate leaves
    to people, and what is trusted more than a thinker, or not at all, it leaves alone.
    """

    name: ClassVar[str] = "verifier"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"record_event", "assert_claim"})
    follows: ClassVar[frozenset[str]] = frozenset({"reducer", "reweaver"})

    def asks(self, state: Digests, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask of the next claims what they rest on, what else is said of their subjects, and whether they are found."""
        del again
        return [query for claim, said in _next(state) for query in _queries(memory, claim, said)]

    def answered(self, state: Digests, answers: Sequence[Any]) -> Sequence[Decision]:
        """Verify what passes all gates, and reject the rest."""
        made: list[Decision] = []
        told = iter(answers)
        for claim, said in _next(state):
            lineage: ClaimLineage | None = next(told)
            others: Claims | None = next(told)
            found: Context | None = next(told)
            del state.ready[claim]
            if lineage is not None and is_to_be_judged(lineage.claim):
                beside = [] if others is None else [each for each in others.claims if each.ref not in said.condenses]
                gate = failed(lineage, beside, () if found is None else found.found)
                made.append(_judged(lineage, said.session, gate))
        return made


def _next(state: Digests) -> list[tuple[str, Claimed]]:
    for gone in [claim for claim in state.ready if claim not in state.claims]:
        del state.ready[gone]
    return [(claim, state.claims[claim]) for claim in list(state.ready)[:_AT_ONCE]]


def _queries(memory: str, claim: str, said: Claimed) -> list[Query[Any]]:
    """Return what is asked of one claim, ``_ASKED_OF_EACH`` in number."""
    ask = Ask(memory, question_of(said), k=FIRST, where=Where(statuses=_STANDING))
    others = AskClaims(subject=said.subject, statuses=_STANDING, count=_SUBJECT_CLAIMS)
    return [AskLineage(claim), others, AskContext(ask, record=False)]


def _judged(lineage: ClaimLineage, session: str, gate: tuple[str, str] | None) -> Decision:
    """Return the verdict on a claim: ``gate`` is the one that it did not pass, and why."""
    verdict, reason = ("verify", VERIFIED) if gate is None else ("reject", f"{gate[0]}: {gate[1]}"[:NAME_CHARS_MAX])
    why = "it passed all gates" if gate is None else f"it did not pass the gate {gate[0]}: {gate[1]}"
    evidence = [each.ref for each in lineage.evidence if each.kind != "feature"][:16]
    body = {"items": [{"node": lineage.claim.ref, "verdict": verdict}], "reason": reason, "evidence": evidence}
    return Decision("judge", body, None, {"why": why}, session)
