"""The moments of a memory that have names."""

from dataclasses import dataclass
from typing import Final

from ...found import Answered
from ...query import Query, Read, Source


@dataclass(frozen=True, slots=True)
class NamedMoment:
    """A moment that has a ``name``: right after the command ``seq``, which gave it that."""

    name: str
    seq: int


@dataclass(frozen=True, slots=True)
class Snapshots(Answered):
    """The moments of a memory that have names, at most 64, the earliest first."""

    snapshots: list[NamedMoment]
    as_of: int


@dataclass(frozen=True, slots=True)
class AskSnapshots(Query[Snapshots]):
    """Return the moments that have names, the earliest first: ``as_of`` and ``diff`` take a name for its moment."""

    def read(self, source: Source, /) -> Snapshots:
        """Answer it."""
        with source.graph() as graph:
            found = [NamedMoment(name, seq) for name, seq in graph.snapshots.items()]
            return Snapshots(sorted(found, key=lambda each: each.seq), graph.header.seq)


SNAPSHOTS: Final = Read(
    "snapshots",
    AskSnapshots,
    Snapshots,
    "GET /snapshots",
    "The moments that have names",
    "The moments of the memory that have names, with the seq of each, the earliest first. `as_of` takes a name for its "
    "moment. The command `snapshot` gives one, or takes it back. Never recorded.",
    recorded="never",
)
