"""What a query host is told when it starts."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_projections.retrieval.index.view import BYTES_MAX
from yggdrasil_schemas.topics import COMMANDS, Profile

from ..past.ladder import Spacing
from ..scrubbing import ScrubSettings

GROUP_DEFAULT: Final = "yggdrasil-query"
CACHED_RECORDS_DEFAULT: Final = 2_000_000  # about 1.4 GB when every memory of the host is in use


@dataclass(frozen=True, slots=True)
class HostSettings:
    """Where to read, where to keep, and how long to wait. Times are in seconds.

    ``partitions`` are those that this host answers for; without them, all. ``group`` is no group that shares anything
    out: lag tools see under it how far this host is, so each host of the same partitions has one of its own.
    ``checkpoints`` is a directory of workers, from which a missing store is started; ``recover`` sets a damaged store
    aside and does the same for it. ``index_bytes_max`` is what the indexes may take in memory. ``scrub`` says how
    fast the stores are read again in the background, if they are. ``operators`` are the sources whose
    ``enable_version`` is taken; None: every one that may write to the topic. ``room_bytes`` of the disk stay free (256
    MiB or 2 % unless given): folding rests below that, and what is there is read. ``spacing`` says from which states a
    past can be begun; those that workers keep in ``ladders_of``, their directories, are used too.
    """

    kafka: KafkaSettings
    directory: Path
    topic: str = COMMANDS
    profile: Profile = "production"
    group: str = GROUP_DEFAULT
    partitions: tuple[int, ...] | None = None
    checkpoints: Path | None = None
    recover: bool = False
    operators: tuple[str, ...] | None = None
    grace_s: float = 20.0
    watchdog_s: float = 120.0
    look_every_s: float = 5.0
    cached_records_max: int = CACHED_RECORDS_DEFAULT
    scrub: ScrubSettings | None = None
    room_bytes: int | None = None
    index_bytes_max: int = BYTES_MAX
    spacing: Spacing | None = None
    ladders_of: tuple[Path, ...] = ()
