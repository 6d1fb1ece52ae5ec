"""What a replay notes in its directory, so that it can be gone on with after it was interrupted, or killed.

Stores say themselves where they stand. Beside them is noted what is replayed there, and how the memories stood where
the stretch began and where the store stands that they are compared with: a store has no way back to that.
"""

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import orjson

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.private import make_directory, open_private

from ..auditing.replay import ReplayError
from .asked import Chosen

WHOLE: Final = "graph"
"""Where the stores of whole partitions are: as in the directory of a host."""
SOME: Final = "some"
"""Where those of some memories alone are; no host must take them for whole ones."""
_SAYS: Final = "replay.json"
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Mark:
    """How a replay stood on its way: its position, and the digest and seq of each memory.

    ``chain`` is that of the log, empty where only some memories are replayed.
    """

    position: int
    chain: str
    digests: dict[str, str]
    seqs: dict[str, int]


@dataclass(slots=True)
class Begun:
    """Where a replay of a partition began: at ``position``, from nothing (``path`` None), a rung or a checkpoint."""

    position: int = 0
    kind: str = "log"
    path: str | None = None


@dataclass(slots=True)
class Notes:
    """The notes of one partition; ``keep`` writes them."""

    file: Path
    begun: Begun | None = None
    marks: dict[str, Mark] = field(default_factory=dict[str, Mark])

    @classmethod
    def of(cls, into: Path, partition: int) -> "Notes":
        """Return what was noted in ``into``. Raises ReplayError when that cannot be read."""
        file = into / "notes" / f"{partition:04d}.json"
        make_directory(file.parent)
        said = _read(file)
        if said is None:
            return cls(file)
        try:
            marks = {name: Mark(**mark) for name, mark in said["marks"].items()}
            return cls(file, Begun(**said["begun"]), marks)
        except (KeyError, TypeError, AttributeError) as error:
            raise _unreadable(file) from error

    def keep(self) -> None:
        """Write them, all at once."""
        begun = asdict(self.begun or Begun())
        _write(self.file, {"begun": begun, "marks": {name: asdict(mark) for name, mark in self.marks.items()}})


def begin_or_go_on(into: Path, log: LogReader, chosen: Chosen) -> bool:
    """Note in ``into`` what is replayed there, unless it is noted already; return whether it is.

    Raises ReplayError when something else is there, or the replay of another log or of other memories.
    """
    says = {
        "format": _FORMAT,
        "topic_id": log.topic_id,
        "partitions": log.partitions,
        "memories": sorted({*chosen.names}),
    }
    said = _read(into / _SAYS)
    if said is None:
        if any(any((into / room).glob("*/*")) for room in (WHOLE, SOME)):
            raise ReplayError(f"{into} is not empty, and no replay has noted there what it is: name a fresh directory")
        _write(into / _SAYS, says)
        return False
    for name, what in (
        ("format", "by another release"),
        ("topic_id", "of another log"),
        ("partitions", "of another log"),
        ("memories", "of other memories"),
    ):
        if said.get(name) != says[name]:
            raise ReplayError(f"{into} holds a replay {what}: name a fresh directory")
    return True


def _read(file: Path) -> dict[str, Any] | None:
    try:
        said: Any = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _unreadable(file) from error
    if not isinstance(said, dict):
        raise _unreadable(file)
    return cast("dict[str, Any]", said)


def _unreadable(file: Path) -> ReplayError:
    return ReplayError(f"{file} cannot be read, so the replay there cannot be gone on with: name a fresh directory")


def _write(file: Path, says: dict[str, Any]) -> None:
    """Write a file so that it is there whole or not at all."""
    make_directory(file.parent)
    other = file.with_suffix(".new")
    with open_private(other, "wb") as opened:
        opened.write(orjson.dumps(says))
        opened.flush()
        os.fsync(opened.fileno())
    other.replace(file)
