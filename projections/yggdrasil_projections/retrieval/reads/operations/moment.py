"""Where a memory stands: its seq, and through ``memory.as_of(...)`` which moment of the past that is."""

from dataclasses import dataclass

from ...found import OfAMoment
from ...query import Query, Read, Source


@dataclass(frozen=True, slots=True)
class MomentSeen(OfAMoment):
    """Where a memory stands. Of a past, ``past_ms`` says when that was, and ``withheld`` what is not shown of it."""

    memory: str
    as_of: int


@dataclass(frozen=True, slots=True)
class AskMoment(Query[MomentSeen]):
    """Return where the memory stands: the seq of its latest command, and of a past what moment that is."""

    def read(self, source: Source, /) -> MomentSeen:
        """Answer it."""
        with source.graph() as graph:
            return MomentSeen(source.memory, graph.header.seq)


MOMENT = Read(
    "moment",
    AskMoment,
    MomentSeen,
    "GET /moment",
    "Where a memory stands",
    "The seq of the latest command that was folded. With `as_of` it says which moment of the past is meant: `past_ms` "
    "is the log's time then, and `withheld` how many of its memories are in quarantine today. Never recorded.",
    recorded="never",
)
