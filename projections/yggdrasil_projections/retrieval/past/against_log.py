"""What comparing a memory with what its log gives has found: values, and no stores."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Touched:
    """The command that touched a record last: its id and type, who sent it, its seq and its place in the log.

    ``seq`` is 0 where it was refused: the header of a memory and its identities know of those too. ``key`` is the id of
    the key with which it came over HTTP, and id and type are None where the log's record has none. ``removed``: the
    record has not been there since.
    """

    id: str | None
    type: str | None
    source: str | None
    key: str | None
    seq: int
    partition: int
    offset: int
    removed: bool


@dataclass(frozen=True, slots=True)
class RecordDiffers:
    """A record that differs: its ``family``, what it is ``called``, and its value in the store and by the log.

    A value is None where the record is not there. ``fields`` are those that differ; ``touched`` is the command that
    touched it last as the log has it, None where no command of the log ever did, and where nobody looked.
    """

    family: str
    called: str
    standing: dict[str, Any] | None
    by_log: dict[str, Any] | None
    fields: list[str]
    touched: Touched | None


@dataclass(frozen=True, slots=True)
class MemoryVerdict:
    """Whether a memory is what its log gives: how many records were compared, and how many differ, by family.

    ``differs`` are the first of each family. A seq is None where the memory is not there at all.
    """

    memory: str
    standing_seq: int | None
    log_seq: int | None
    records: int
    counts: dict[str, int]
    differs: list[RecordDiffers]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.counts


@dataclass(frozen=True, slots=True)
class AgainstLog:
    """Whether one memory is what its log gives, up to the offset ``position`` of its ``partition``.

    ``verdict`` compares its records. ``altered`` counts records of the log under its key that are not those that were
    folded, and ``altered_at`` are the offsets of the first of them. ``stopped`` says why the log could not be folded up
    to there, if so: then nothing is compared.
    """

    memory: str
    partition: int
    position: int
    same: bool
    verdict: MemoryVerdict
    altered: int
    altered_at: list[int]
    stopped: str | None
