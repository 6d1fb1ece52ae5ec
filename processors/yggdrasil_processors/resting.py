"""A host on Kafka rests while its disk has too little room: before a write fails, and until there is room again.

What it has stays as it is and can be read; the log waits, and so does the group, of which it stays a member.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol

from yggdrasil_infra.room import Room

_LOGGER: Final = logging.getLogger("yggdrasil.fold")


class Standing(Protocol):
    """A partition of a host: where it stands."""

    @property
    def position(self) -> int:
        """The offset of the next record to fold."""
        ...

    @property
    def halted(self) -> str | None:
        """Why it is not folded whatever the disk has, if so."""
        ...


class Consumer(Protocol):
    """What hands the host its records."""

    def start(self, partition: int, offset: int) -> None:
        """Read a partition from an offset on."""
        ...

    def pause(self, partition: int) -> None:
        """Read no more of a partition."""
        ...


class Resting:
    """Looks at the disk of ``directory`` before each turn of a host's main loop."""

    def __init__(self, directory: Path, bytes_min: int | None) -> None:
        """``bytes_min`` as ``Room`` has it."""
        self.room = Room(directory, bytes_min, "folded")
        self.why: str | None = None
        """Why nothing is folded, without a path and with the remedy; None while there is room."""
        self._stores = directory / "graph"

    def rests(self, those: Mapping[int, Standing], consumer: Consumer, going_on: Callable[[int], None]) -> bool:
        """Return whether nothing is to be folded in this turn; what was polled is dropped then, and comes again.

        ``going_on`` is called with each partition that is folded again.
        """
        before, self.why = self.why, self.room.low()
        if self.why is not None:
            if before is None:
                _LOGGER.error("%s", self.why)
            for partition in those:
                consumer.pause(partition)
            return True
        if before is not None:
            _LOGGER.warning("there is room again, and folding goes on")
            for partition, one in those.items():
                if one.halted is None:
                    going_on(partition)
                    consumer.start(partition, one.position)
        return False

    def opens(self, partition: int) -> bool:
        """Whether a partition may be opened: its store is there, or there is room to make one."""
        return self.room.low() is None or (self._stores / f"{partition:04d}" / "CURRENT").exists()
