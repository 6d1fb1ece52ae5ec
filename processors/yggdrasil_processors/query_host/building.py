"""How far the stores of a query host are until each has been at the end of its log once.

"Ready" means that nothing of what was in the log is missing in an answer, so where the log ends has to be known: a
broker says it, and while none does a host waits for that, however much it has folded.
"""

import logging
from collections.abc import Collection, Mapping
from time import monotonic
from typing import Final, NamedTuple

_LOGGER: Final = logging.getLogger("yggdrasil.query")
_TOLD_EVERY_S: Final = 10.0


class Built(NamedTuple):
    """How many records of the log are folded, of how many, and of how many partitions its end is not known."""

    folded: int
    of: int
    unknown: int


class Building:
    """The partitions that are behind since they were opened. The main loop changes it, and any thread asks."""

    def __init__(self) -> None:
        self._behind: frozenset[int] = frozenset()  # replaced and never changed: other threads read it
        self._opening: str | None = None
        self._told_at = monotonic()

    def begin(self, partitions: Collection[int]) -> None:
        """Note partitions of which the stores are to be opened, and brought to the end of the log."""
        self._behind |= set(partitions)

    def opens(self, partition: int, what: str) -> None:
        """Note how far a store is that is restored or read before it is opened: ``what`` says it."""
        self._opening = f"partition {partition}: {what}"
        self._tell(f"a store is opened, {self._opening}")

    def opened(self) -> None:
        """Note that no store is being opened any more."""
        self._opening = None

    @property
    def behind(self) -> frozenset[int]:
        """The partitions that were never at the end of the log yet."""
        return self._behind

    def look(self, reached: Mapping[int, int], ends: Mapping[int, int]) -> None:
        """Note how far the partitions are, and where their logs end as far as a broker says so at this moment."""
        done = {at for at in self._behind if at in ends and reached.get(at, -1) >= ends[at]}
        for partition in sorted(done):
            _LOGGER.info("partition caught up", extra={"partition": partition, "position": reached[partition]})
        self._behind -= done
        if self._behind:
            self._tell(in_words(self.built(self._behind, reached, ends), len(self._behind)))

    def built(self, those: Collection[int], reached: Mapping[int, int], ends: Mapping[int, int]) -> Built:
        """Return how far ``those`` are. Of those whose end is not known nothing is counted."""
        known = [at for at in those if at in ends]
        folded = sum(min(reached.get(at, 0), ends[at]) for at in known)
        return Built(folded, sum(ends[at] for at in known), len(those) - len(known))

    def missing(self, partitions: Collection[int]) -> str:
        """Say that ``partitions`` are not open, and how far the one is that is being opened."""
        opening = f"; {self._opening}" if self._opening else ""
        return f"{len(partitions)} partitions are not open yet{opening}"

    def _tell(self, what: str) -> None:
        if monotonic() - self._told_at > _TOLD_EVERY_S:
            self._told_at = monotonic()
            _LOGGER.info("building: %s", what)


def in_words(built: Built, partitions: int) -> str:
    """Say how far ``partitions`` are that are behind, and what they wait for."""
    said: list[str] = []
    if known := partitions - built.unknown:
        said.append(
            f"{known} partitions have not caught up with the log yet: {built.folded} of {built.of} records are folded, "
            f"{built.of - built.folded} records remain"
        )
    if built.unknown:
        said.append(f"of {built.unknown} partitions no broker has said yet where the log ends, which is waited for")
    return "; ".join(said)
