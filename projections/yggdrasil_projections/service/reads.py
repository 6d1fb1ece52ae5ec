"""The port of the query service: what it needs of whoever holds the stores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from yggdrasil_infra.log import Receipt

from ..retrieval.answers import Became, Context, Described, Foretelling, SimilarCases, Timeline
from ..retrieval.asks import Ask, Speaker, Where
from ..retrieval.reads.drift import Drift
from ..retrieval.reads.episodic.episodes import Episode, Episodes
from ..retrieval.reads.episodic.what_next import AskNext, WhatNext
from ..retrieval.reads.episodic.working_memory import WorkingMemory
from ..retrieval.reads.explain import Explanation
from ..retrieval.reads.happened import Happenings
from ..retrieval.reads.knowledge.claims import AskClaims, Claims, Entity
from ..retrieval.reads.knowledge.conflicts import Contradictions
from ..retrieval.reads.knowledge.history import History
from ..retrieval.reads.knowledge.lineage import ClaimLineage, Dependents
from ..retrieval.reads.knowledge.rulings import Rulings
from ..retrieval.reads.neighbourhood import Neighbourhood
from ..retrieval.reads.overview import Overview


@dataclass(frozen=True, slots=True)
class Lag:
    """How far a partition is folded, and where the log ends."""

    partition: int
    position: int
    end: int


class Reads(Protocol):
    """Reads of memories by any thread. What names a memory raises UnknownMemoryError unless it says otherwise."""

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once ``memory`` has folded the record at ``after``. Raises NotYetError at the deadline."""
        ...

    def context(self, ask: Ask, by: Speaker | None) -> Context:
        """Answer, and record the recall on behalf of ``by`` if given."""
        ...

    def similar_cases(self, ask: Ask, by: Speaker | None) -> SimilarCases:
        """Answer with cases, and record the recall on behalf of ``by`` if given."""
        ...

    def foretell(self, memory: str, text: str, features: Sequence[str]) -> Foretelling:
        """Return what the features of a situation foretell, and what usually follows them; nothing is recorded."""
        ...

    def explain(self, memory: str, action: str) -> Explanation:
        """Return the lineage of an action. Raises UnknownActionError."""
        ...

    def describe(self, memory: str, ref: str) -> Described:
        """Return one memory by its reference. Raises UnknownNodeError."""
        ...

    def neighbourhood(self, memory: str, ref: str, count: int, depth: int = 1) -> Neighbourhood:
        """Return at most ``count`` edges around one memory. Raises UnknownNodeError and InvalidAskError."""
        ...

    def timeline(
        self, memory: str, *, session: str | None, before: int | None, count: int, where: Where | None = None
    ) -> Timeline:
        """Return at most ``count`` events and episodes with a seq below ``before``, of one session or of all.

        With ``where`` only what that admits.
        """
        ...

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        """Return at most ``count`` live events, outcomes, episodes and concepts with a seq beyond ``since``, in order.

        Nothing is recorded. Where contents are long there are fewer; ``position`` says where to go on.
        """
        ...

    def working_memory(self, memory: str, *, session: str | None, count: int) -> WorkingMemory:
        """Return what is in mind in one open session or in all, with at most ``count`` observations of each."""
        ...

    def episodes(self, memory: str, *, session: str | None, before: int | None, count: int) -> Episodes:
        """Return at most ``count`` episodes with a seq below ``before``, of one session or of all."""
        ...

    def episode(self, memory: str, ref: str) -> Episode:
        """Return one episode by its reference. Raises UnknownNodeError, and InvalidAskError for what is none."""
        ...

    def what_next(self, memory: str, ask: AskNext) -> WhatNext:
        """Return what usually comes next; nothing is recorded. Raises UnknownNodeError and InvalidAskError."""
        ...

    def history(self, memory: str, *, ref: str | None, key: str | None, standing: bool = False) -> History:
        """Return what was said in the slot of a reference, or of a key, the first first. Raises UnknownNodeError.

        With ``standing`` only what still stands.
        """
        ...

    def claims(self, memory: str, ask: AskClaims) -> Claims:
        """Return the claims that are asked for."""
        ...

    def lineage(self, memory: str, ref: str) -> ClaimLineage:
        """Return why a claim is believed. Raises UnknownNodeError, and InvalidAskError for what is no claim."""
        ...

    def dependents(self, memory: str, ref: str, *, depth: int, count: int) -> Dependents:
        """Return what rests on a memory, up to ``depth`` steps from it. Raises UnknownNodeError and InvalidAskError."""
        ...

    def entity(self, memory: str, name: str, *, valid_at: int | None, count: int) -> Entity:
        """Return a thing by any of its names, with what is claimed of it."""
        ...

    def contradictions(self, memory: str, *, count: int) -> Contradictions:
        """Return at most ``count`` conflicts."""
        ...

    def rulings(self, memory: str) -> Rulings:
        """Return what people decided between claims, and which rule would have decided the same."""
        ...

    def drift(self, memory: str) -> Drift:
        """Return what the latest of a memory says of its habits; nothing is recorded."""
        ...

    def overview(self, memory: str) -> Overview:
        """Return the counts of a memory."""
        ...

    def became(self, memory: str, command_id: str) -> Became | None:
        """Return what became of a command; None when the fold has not met it."""
        ...

    def digest(self, memory: str) -> tuple[str, int]:
        """Return the state digest of a memory as it stands, and the seq that it is of."""
        ...

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of all memories, or of one tenant's, sorted."""
        ...

    def lags(self) -> list[Lag]:
        """Return how far every partition of this host is."""
        ...
