"""What a backup says of itself: the log that it is of, its files with their hashes, and what it lacks."""

from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import orjson

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from ..private import replace_private, sync_folder

MANIFEST: Final = "manifest.json"
SEGMENTS: Final = "segments"
_FORMAT: Final = 1


class BackupError(YggdrasilError):
    """A backup cannot be made or restored as asked; the message says what to do."""

    kind = local("cannot_back_up", ExitCode.USAGE)


class BackupDamagedError(BackupError):
    """A backup, or the log that it is to be of, does not hold what was written."""

    kind = local("damaged", ExitCode.BROKEN)


@dataclass(frozen=True, slots=True)
class Filed:
    """Size in bytes and BLAKE2b hash, 64 hexadecimal digits, of a file."""

    size: int
    hash: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A file with the records of one partition from offset ``begin`` to before ``end``, ``records`` of them."""

    name: str
    partition: int
    begin: int
    end: int
    records: int
    filed: Filed


@dataclass(frozen=True, slots=True)
class Manifest:
    """A backup as of ``created_ms``. ``lost`` are (partition, first, last offset) of what could not be read."""

    created_ms: int
    topic_id: str
    partitions: int
    segments: tuple[Segment, ...]
    files: dict[str, Filed]
    lost: tuple[tuple[int, int, int], ...]

    @property
    def records(self) -> int:
        """How many records it holds."""
        return sum(one.records for one in self.segments)

    @property
    def size(self) -> int:
        """Bytes of all segments."""
        return sum(one.filed.size for one in self.segments)


def write_manifest(target: Path, manifest: Manifest) -> None:
    """Replace the manifest durably, and what it is of before it."""
    stored: dict[str, Any] = {"format": _FORMAT, **asdict(manifest)}
    stored["hash"] = _hash(stored)
    sync_folder(target / SEGMENTS)
    replace_private(target / MANIFEST, orjson.dumps(stored, option=orjson.OPT_INDENT_2))
    sync_folder(target.absolute().parent)


def read_manifest(target: Path) -> Manifest:
    """Return what the backup ``target`` says of itself. Raises BackupError and BackupDamagedError."""
    path = target / MANIFEST
    try:
        stored: dict[str, Any] = orjson.loads(path.read_bytes())
        if stored["format"] != _FORMAT:
            raise BackupError(
                f"{path} has format {stored['format']}, and this release knows {_FORMAT}: use a newer one"
            )
        if stored.pop("hash") != _hash(stored):
            raise BackupDamagedError(f"{path} is not what was written. Take another backup.")
        del stored["format"]
        segments = tuple(_segment(one) for one in stored.pop("segments"))
        files = {name: Filed(**filed) for name, filed in stored.pop("files").items()}
        lost = tuple((one[0], one[1], one[2]) for one in stored.pop("lost"))
        return Manifest(**stored, segments=segments, files=files, lost=lost)
    except FileNotFoundError as error:
        raise BackupError(f"{target} holds no backup: {MANIFEST} is missing") from error
    except (KeyError, TypeError, AttributeError, ValueError, OSError) as error:
        raise BackupDamagedError(f"{path} cannot be read: {error}. Take another backup.") from error


def _segment(stored: dict[str, Any]) -> Segment:
    filed = Filed(**stored.pop("filed"))
    return Segment(**stored, filed=filed)


def _hash(stored: dict[str, Any]) -> str:
    return blake2b(orjson.dumps(stored, option=orjson.OPT_SORT_KEYS), digest_size=32).hexdigest()
