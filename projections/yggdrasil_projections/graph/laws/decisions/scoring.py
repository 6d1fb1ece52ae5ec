"""The law of learned scorers: who may propose one, who lets it count, and what is gone back to (003, section 3.5)."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AdoptScorer
from yggdrasil_schemas.graph.records import Scorer
from yggdrasil_schemas.limits import SCORERS_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_operator, trust_of
from ..reference import accepted
from .thinker import advance, refuse

_COUNTING_MAX: Final = 2
"""The scorer in force, and the one that the memory goes back to."""


def adopt_scorer(graph: Graph, command: AdoptScorer, seq: int, record: bytes) -> Refused | None:
    """Keep a scorer that is proposed, and let it count where it is ``active``; or one that was proposed before.

    Operators may say all of it. Thinkers propose; theirs counts at once only where the policy ``scorer_adopt`` lets it.
    What counts was fitted to ``scorer_samples_min`` samples at least. What is named with ``active`` false counts no
    longer, and the one before it does again.
    """
    body = command.body
    refused = _forbidden(graph, command)
    if refused is not None:
        return refused
    named = seq
    if body.scorer is None:
        refused = _proposable(graph, command)
    else:
        identity = accepted(graph, body.scorer)
        known = None if identity is None else graph.scorers.get(identity.seq)
        if identity is None or known is None:
            return Refused(Refusal.UNKNOWN_SCORER)
        named = identity.seq
        refused = _changeable(graph, known, active=body.active)
    if refused is None:
        refused = refuse(graph, body)
    if refused is not None:
        return refused
    if body.scorer is None:
        _make_room(graph, trust_of(command))
        graph.changed_scorers[seq] = Scorer(0, trust_of(command), body.samples or 0, record)
    _let_count(graph, named, seq if body.active else 0)
    advance(graph, body)
    return None


def _forbidden(graph: Graph, command: AdoptScorer) -> Refused | None:
    """Return the refusal of what only an operator may say."""
    if is_operator(command):
        return None
    proposes = command.origin == "thinker" and command.body.scorer is None
    if proposes and (not command.body.active or graph.header.policy.scorer_adopt):
        return None
    return Refused(Refusal.NOT_ALLOWED)


def _proposable(graph: Graph, command: AdoptScorer) -> Refused | None:
    if (command.body.samples or 0) < graph.header.policy.scorer_samples_min:
        return Refused(Refusal.TOO_FEW_SAMPLES)
    scorers = graph.scorers
    if len(scorers) >= SCORERS_MAX and _least(scorers, trust_of(command)) is None:
        return Refused(Refusal.SCORERS_FULL)
    return None


def _changeable(graph: Graph, scorer: Scorer, *, active: bool) -> Refused | None:
    if active and scorer.samples < graph.header.policy.scorer_samples_min:
        return Refused(Refusal.TOO_FEW_SAMPLES)
    if not active and not scorer.adopted:
        return Refused(Refusal.SCORER_NOT_ADOPTED)
    return None


def _least(scorers: dict[int, Scorer], trust: int) -> int | None:
    """Return the oldest scorer that does not count and is trusted no more than so; None without one."""
    return min([seq for seq, each in scorers.items() if not each.adopted and each.trust <= trust], default=None)


def _make_room(graph: Graph, trust: int) -> None:
    scorers = graph.scorers
    if len(scorers) >= SCORERS_MAX:
        least = _least(scorers, trust)
        if least is not None:
            graph.changed_scorers[least] = None


def _let_count(graph: Graph, seq: int, adopted: int) -> None:
    """Let a scorer count from now on, or no longer; of those before it only the latest stays to go back to."""
    scorers = graph.scorers
    if scorers[seq].adopted != adopted:
        graph.changed_scorers[seq] = scorers[seq]._replace(adopted=adopted)
    counting = sorted([(each.adopted, number) for number, each in graph.scorers.items() if each.adopted])
    for _, number in counting[:-_COUNTING_MAX]:
        graph.changed_scorers[number] = graph.scorers[number]._replace(adopted=0)
