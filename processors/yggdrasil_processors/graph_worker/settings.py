"""What a graph worker is told when it starts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_schemas.topics import COMMANDS, Profile

from ..past.ladder import NO_LADDER, Spacing
from ..scrubbing import ScrubSettings

GROUP_DEFAULT: Final = "yggdrasil-graph"
CACHED_RECORDS_DEFAULT: Final = 2_000_000  # about 1.4 GB when every memory of the worker is in use


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Where to read, where to keep, and how long to wait. Times are in seconds.

    ``partitions`` are fixed ones for this worker; without them the group shares the partitions out. ``checkpoints`` is
    a directory that the workers share: each leaves its checkpoints there every ``checkpoint_every_s``, and starts from
    the newest that fits when a store is missing. ``recover`` sets a damaged store aside and does the same for it.
    ``scrub`` says how fast the stores are read again in the background, if they are.
    ``set_aside`` are partitions that are left alone, whoever gives them to us. ``operators`` are the sources whose
    ``enable_version`` is taken; None: every one that may write to the topic. ``room_bytes`` of the disk stay free (256
    MiB or 2 % unless given): folding rests below that. Stores that the group has given to others are deleted
    ``keep_left_s`` after they were left, when nothing can be lost by it; 0: none. ``spacing`` says which states of the
    stores are kept, from which services begin pasts; none unless it is given.
    """

    kafka: KafkaSettings
    directory: Path
    topic: str = COMMANDS
    profile: Profile = "production"
    group: str = GROUP_DEFAULT
    partitions: tuple[int, ...] | None = None
    checkpoints: Path | None = None
    recover: bool = False
    set_aside: tuple[int, ...] = ()
    operators: tuple[str, ...] | None = None
    checkpoint_every_s: float = 3_600.0
    session_timeout_s: float = 6.0
    grace_s: float = 20.0
    watchdog_s: float = 120.0
    look_every_s: float = 10.0
    cached_records_max: int = CACHED_RECORDS_DEFAULT
    scrub: ScrubSettings | None = None
    room_bytes: int | None = None
    keep_left_s: float = 24 * 3_600.0
    spacing: Spacing = NO_LADDER

    def in_words(self) -> dict[str, str]:
        """Return what an operator wants to see of it when it starts."""
        of_whom = {"group": self.group}
        if self.partitions is not None:
            of_whom |= {"partitions": ",".join(map(str, self.partitions))}
        if self.checkpoints is not None:
            of_whom |= {"checkpoints": str(self.checkpoints)}
        return {
            "brokers": self.kafka.bootstrap_servers,
            "topic": self.topic,
            "directory": str(self.directory),
        } | of_whom
