"""The learned scorers that were proposed to a memory: by whom, how good they were, and which one counts."""

from dataclasses import dataclass
from typing import Final

from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import AdoptScorer, ClearContent

from ...found import Answered
from ...query import Query, Read, Source
from ...ranking.rankers import RANKER, named_with
from ...ranking.scoring.adopted import in_force, ranker_in
from ...ranking.scoring.scorers import network_in


@dataclass(frozen=True, slots=True)
class ProposedScorer:
    """A scorer that was proposed at ``at`` (Unix ms): by the ``source``, with its ``origin`` and its ``trust``, 0 to 4.

    ``metric`` is its log loss on what it was not fitted to, and ``baseline`` that of the linear form there. ``digest``
    stands for its weights. ``standing`` is "in force", "before" of the one that the memory goes back to, or "proposed".
    ``text`` are the words of whoever proposed it.
    """

    id: str
    at: int
    source: str
    origin: str
    trust: int
    features: str
    digest: str
    samples: int
    metric: float
    baseline: float
    standing: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Scorers(Answered):
    """The scorers that a memory keeps, at most 16, the oldest first, and what its context is ranked by now.

    By its policy a scorer was fitted to ``samples_min`` samples at least, and ``thinkers_adopt`` says whether that of a
    thinker may count at once.
    """

    scorers: list[ProposedScorer]
    ranker: str
    samples_min: int
    thinkers_adopt: bool
    as_of: int


@dataclass(frozen=True, slots=True)
class AskScorers(Query[Scorers]):
    """Return the learned scorers that were proposed, who did, how good they were, and which one counts."""

    def read(self, source: Source, /) -> Scorers:
        """Answer it."""
        with source.graph() as graph:
            policy, own = graph.header.policy, source.ranker
            ranker = ranker_in(graph, RANKER) if own is None else named_with(own)
            may = policy.scorer_adopt > 0
            return Scorers(_proposed(graph), ranker, policy.scorer_samples_min, may, graph.header.seq)


def _proposed(graph: Graph) -> list[ProposedScorer]:
    scorers, found = graph.scorers, list[ProposedScorer]()
    first = in_force(scorers)
    for seq, each in scorers.items():
        command = command_of(each.record)
        if not isinstance(command, AdoptScorer) or command.body.weights is None:  # the fold keeps no others
            continue
        body, content = command.body, command.content
        found.append(
            ProposedScorer(
                command.id,
                command.at,
                command.source,
                command.origin,
                trust_of(command),
                body.features or "",
                network_in(command.body.weights).digest,
                each.samples,
                (body.metric or 0) / 1_000,
                (body.baseline or 0) / 1_000,
                "in force" if seq == first else "before" if each.adopted else "proposed",
                content.text if isinstance(content, ClearContent) else None,
            )
        )
    return found


SCORERS: Final = Read(
    "scorers",
    AskScorers,
    Scorers,
    "GET /scorers",
    "The learned scorers that were proposed",
    """Return the scorers that a memory keeps: who proposed each, how good it was, and which one ranks its context.

An operator lets one count, and goes back, with `adopt_scorer`.""",
)
