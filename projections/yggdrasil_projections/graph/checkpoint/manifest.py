"""What a checkpoint says of itself: which log it was folded from, how far, and the hash of everything in it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import orjson

from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

from ..rules import KNOWN, Versions
from ..store import state as store_state
from ..store.digest import ENCODING
from ..store.state import Pin, StoreState

NAME: Final = "manifest.json"
_FORMAT: Final = 1
_READABLE: Final = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2

Progress = Callable[[str, int, int], object]
"""Called with what is being done, how much of it is done, and how much there is to do."""


class CheckpointError(YggdrasilError):
    """A checkpoint cannot be taken or used; the message says why."""

    kind = local("checkpoint_unfit", ExitCode.BROKEN)


class CheckpointDamagedError(CheckpointError):
    """A checkpoint is not what was once written; the message names the file or the memory."""


@dataclass(frozen=True, slots=True)
class Filed:
    """A file as it must be found: its size in bytes and its hash, 64 hexadecimal digits."""

    size: int
    blake2b: str


@dataclass(frozen=True, slots=True)
class Attested:
    """A memory as it must be found: its state digest, and the hash of all that it was ever told, both hexadecimal."""

    digest: str
    history: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A checkpoint's own account of itself. ``created_ms`` is the Unix time, to be read by people alone.

    ``enabled`` are the versions that hold from ``position`` on.
    """

    created_ms: int
    pin: Pin
    enabled: Versions
    position: int
    last_offset: int
    folded: int
    chain: str
    memories: Mapping[str, Attested]
    files: Mapping[str, Filed]

    @property
    def size(self) -> int:
        """The bytes of all files together."""
        return sum(file.size for file in self.files.values())

    def stands_at(self, state: StoreState) -> bool:
        """Whether a store with ``state`` is as far as this says."""
        found = (state.enabled, state.position, state.last_offset, state.folded, state.chain.hex())
        return found == (self.enabled, self.position, self.last_offset, self.folded, self.chain)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write ``manifest`` into the checkpoint at ``path``. Its last line is the hash of the rest."""
    document = {**asdict(manifest), "versions": _versions(manifest.enabled)}
    del document["enabled"]
    document["blake2b"] = _hash_of(document)
    (path / NAME).write_bytes(orjson.dumps(document, option=_READABLE) + b"\n")


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the checkpoint at ``path``.

    Raises CheckpointDamagedError when it is not what was written, CheckpointError when a newer release wrote it.
    """
    try:
        raw: dict[str, Any] = orjson.loads((path / NAME).read_bytes())
        if raw.pop("blake2b") != _hash_of(raw):
            raise CheckpointDamagedError(f"{path / NAME} was changed after it was written")
        versions: dict[str, int] = raw.pop("versions")
        newer = [name for name, known in _versions(KNOWN.newest).items() if versions[name] > known]
        if newer:
            raise CheckpointError(f"{path} was written by a newer release (newer {', '.join(newer)}); install that one")
        written = versions["store_format"], versions["digest_encoding"]
        if written != (store_state.FORMAT, ENCODING):
            raise CheckpointError(f"{path} was written by an older release, and cannot be used by this one")
        enabled = Versions(versions["schema_version"], versions["rules_version"])
        pin = Pin(**raw.pop("pin"))
        memories = {name: Attested(**entry) for name, entry in raw.pop("memories").items()}
        files = {name: Filed(**entry) for name, entry in raw.pop("files").items()}
        found = Manifest(pin=pin, enabled=enabled, memories=memories, files=files, **raw)
    except OSError as error:
        raise CheckpointDamagedError(f"{path / NAME} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointDamagedError(f"{path / NAME} is no manifest of a checkpoint") from error
    if any(Path(name).name != name for name in files):
        raise CheckpointDamagedError(f"{path / NAME} names files outside of the checkpoint")
    return found


def _versions(enabled: Versions) -> dict[str, int]:
    """What a release must know to read a checkpoint of this one, of a partition in which ``enabled`` hold."""
    return {
        "checkpoint_format": _FORMAT,
        "store_format": store_state.FORMAT,
        "schema_version": enabled.schema,
        "rules_version": enabled.rules,
        "digest_encoding": ENCODING,
    }


def _hash_of(document: dict[str, Any]) -> str:
    return blake2b(orjson.dumps(document, option=orjson.OPT_SORT_KEYS), digest_size=32).hexdigest()
