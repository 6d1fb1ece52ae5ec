"""Which memories have moved since somebody looked: one question for all memories of a host, in place of one for each.

A place to go on from is opaque to whoever asks. It says for each partition up to which offset of the log everything was
told, so that any host can go on from it, whichever partitions it has; and where a listing of all memories of a
partition stands, which is what is told first, and again where a host does not know any more what moved.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, Protocol, Self

from pydantic import Field

from yggdrasil_schemas.limits import SEQ_MAX

from ..retrieval.errors import InvalidAskError

MOVED_COUNT_MAX: Final = 2_000
"""At so many memories one question looks at most, and at the rest of the batch in which the last of them moved."""
PLACE_CHARS_MAX: Final = 32_000
"""Room for two thousand partitions of a topic: what is sent as a parameter has its bounds elsewhere too."""
_FORM: Final = re.compile(
    r"(?:\d{1,9}-\d{1,16}(?:,\d{1,9}-\d{1,16})*)?(?:;\d{1,9}-\d{1,16}:[A-Za-z0-9._/-]{0,129})?", re.ASCII
)
_SLICE_MIN: Final = 512
"""So many names one turn looks through at least, where none that is opened has been met: half a millisecond."""
MovedCount = Annotated[int, Field(ge=1, le=MOVED_COUNT_MAX)]


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory that may have moved, and the seq at which it is."""

    memory: str
    seq: int


@dataclass(frozen=True, slots=True)
class MovedAnswer:
    """Memories that have moved since one looked, those of a listing in order of their names.

    ``place`` is what to give as ``since`` to go on: at once while there is ``more``, and later else.
    """

    moved: list[Moved]
    place: str
    more: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """All memories of a partition that was at ``position`` are being told; those up to the name ``after`` have been."""

    partition: int
    position: int
    after: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Up to where somebody has been told: an offset for each partition, and a listing that is under way."""

    told: Mapping[int, int] = field(default_factory=dict[int, int])
    listing: Listing | None = None

    @classmethod
    def of(cls, text: str | None) -> Self:
        """Return the place that was ``written`` so; the beginning for None. Raises InvalidAskError."""
        if not text:
            return cls()
        if len(text) > PLACE_CHARS_MAX or not _FORM.fullmatch(text):
            raise InvalidAskError("since: it is no place of an answer: give `place` of one as it is, or leave it out")
        told, _, listed = text.partition(";")
        at = [each.split("-") for each in told.split(",") if each]
        listing = None
        if listed:
            where, _, after = listed.partition(":")
            partition, position = where.split("-")
            listing = Listing(int(partition), min(int(position), SEQ_MAX), after)
        return cls({int(partition): int(position) for partition, position in at}, listing)

    @property
    def written(self) -> str:
        """As a text."""
        told = ",".join(f"{partition}-{position}" for partition, position in sorted(self.told.items()))
        listing = self.listing
        return told if listing is None else f"{told};{listing.partition}-{listing.position}:{listing.after}"

    def up_to(self, partition: int, position: int) -> "Place":
        """Return it once all of ``partition`` is told up to ``position``. It never goes back: a host may be behind."""
        return Place({**self.told, partition: max(position, self.told.get(partition, 0))})


class Shelf(Protocol):
    """The memories of one partition, as its store knows them; see ``GraphStore``."""

    def seqs(self, prefix: str, after: str, count: int) -> list[tuple[str, int]]: ...
    def moved(self, position: int) -> list[tuple[str, int]] | None: ...
    def seq(self, memory: str) -> int: ...


@dataclass(slots=True)
class Telling:
    """An answer that is being put together, partition by partition; ``left`` is at how many memories it may look.

    Nothing of a memory is told that ``opens`` does not say, and no name of it stands in the place: so names that are
    not opened are passed over until one is, in turns between which others have theirs.
    """

    place: Place
    prefix: str
    left: int
    opens: Callable[[str], bool] | None = None
    moved: list[Moved] = field(default_factory=list[Moved])
    more: bool = False
    _passing: Listing | None = field(default=None, init=False)

    @property
    def turns(self) -> Callable[[int], tuple[bool, int]]:
        """The order in which partitions are told: first the one of which a listing is under way."""
        listing = self.place.listing
        return lambda partition: (listing is None or listing.partition != partition, partition)

    def tell(self, partition: int, position: int, shelf: Shelf) -> bool:
        """Tell what has moved in a partition whose store stands at ``position``; all of it, where that is not known.

        Returns whether it is to be called again for the same partition, in another turn.
        """
        if self.left <= 0 or self.more:
            self.more = True
            return False
        if self._passing is not None:
            return self._list(self._passing, position, shelf)
        listing = self.place.listing
        if listing is not None and listing.partition != partition:  # another host's: it begins again when it is met
            listing = None
            self.place = replace(self.place, listing=None)
        since = None if listing is not None else self.place.told.get(partition)
        latest = None if since is None else shelf.moved(since)
        if latest is None:
            listing = listing or Listing(partition, position)
            # A page may be another host's, which is behind: then what it tells is told up to there alone.
            return self._list(replace(listing, position=min(position, listing.position)), position, shelf)
        self._tell_latest(partition, position, shelf, latest)
        return False

    def _tell_latest(self, partition: int, position: int, shelf: Shelf, latest: list[tuple[str, int]]) -> None:
        cut = min(self.left, len(latest))
        while 0 < cut < len(latest) and latest[cut][1] == latest[cut - 1][1]:  # a batch is told as a whole
            cut += 1
        self.left -= cut
        self.moved += [Moved(name, shelf.seq(name)) for name, _ in latest[:cut] if self._is_told(name)]
        self.more = cut < len(latest)
        self.place = self.place.up_to(partition, latest[cut - 1][1] if self.more else position)

    def _is_told(self, memory: str) -> bool:
        return memory.startswith(self.prefix) and (self.opens is None or self.opens(memory))

    def _list(self, listing: Listing, position: int, shelf: Shelf) -> bool:
        """Look through some more names of a listing, at a store at ``position``; return whether none was opened yet."""
        size = max(self.left, _SLICE_MIN)
        found = shelf.seqs(self.prefix, listing.after, size + 1)
        page, more = found[:size], len(found) > size
        opened = [Moved(name, seq) for name, seq in page if self._is_told(name)]
        if more and not opened:
            self._passing = replace(listing, after=page[-1][0])
            return True
        if len(opened) > self.left:
            opened, more = opened[: self.left], True
        self._passing = None
        self.left -= len(page)
        self.moved += opened
        if more:  # what a page ends with is told: so it ends with one that is opened
            self.place = replace(self.place, listing=replace(listing, after=opened[-1].memory))
        else:  # what moved while it was listed moved beyond where the listing began
            self.place = self.place.up_to(listing.partition, listing.position)
        self.more = more or listing.position < position
        return False
