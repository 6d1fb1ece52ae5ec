"""Start from a checkpoint: choose it, verify it to the last byte and digest, and only then let it be a store."""

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.private import make_directory
from yggdrasil_infra.rocks.database import MemoryBudget, StorageDamagedError

from ..store.projector import LogMismatchError, verify_against_log
from ..store.state import Pin, StoreError, StoreMismatchError
from ..store.store import GraphStore
from .files import Read, copied, hashed, sync
from .manifest import CheckpointDamagedError, CheckpointError, Filed, Manifest, Progress, read_manifest
from .taking import STORE, Checkpoint, attested, own_budget, place, positions


class Unfit(NamedTuple):
    """A checkpoint that was passed over, and why."""

    path: Path
    reason: str


class Restored(NamedTuple):
    """The checkpoint that a store was made from, None when none was fit, and the newer ones that were not."""

    checkpoint: Checkpoint | None
    unfit: tuple[Unfit, ...]


def restore(
    root: Path,
    into: Path,
    pin: Pin,
    log: LogReader,
    budget: MemoryBudget,
    progress: Progress | None = None,
    within: range | None = None,
) -> Restored:
    """Make the store ``into`` from the newest checkpoint below ``root`` that is whole and fits ``pin`` and ``log``.

    ``within`` says at which positions it may stand; at any, unless given.

    1. Its manifest is sound, of a release that is not newer than this one, of this partition, and at a position that
       the log still holds.
    2. Copy its files to another name beside ``into``; each has the size and hash that the manifest says.
    3. The copy opens, stands where the manifest says, and its last record is the one in the log.
    4. The digest of every memory, computed anew, is the manifest's.
    5. Sync, and rename it to ``into``.

    One that fails is passed over, with the reason, for the one before it. What speaks against the log and not against
    the checkpoint is raised: LogMismatchError when the log ends before its position or holds another record there, and
    StoreMismatchError when the log had another number of partitions. Raises CheckpointError when ``into`` is there
    already, OSError and StorageError when it cannot be written, and LogError.
    """
    if into.exists() and any(into.iterdir()):
        raise CheckpointError(f"{into} is there already; set it aside first")
    unfit: dict[Path, Unfit] = {}
    # Listed anew each time, since the host that has the partition makes new ones and removes old ones meanwhile.
    while path := next((each for each in _standing(place(root, pin), within) if each not in unfit), None):
        try:
            manifest = read_manifest(path)  # 1
            _check_fit(path, manifest, pin, log)
            _copy_verified(path, manifest, into, log, budget, progress)
        except CheckpointError as error:
            unfit[path] = Unfit(path, str(error))
        else:
            return Restored(Checkpoint(path, manifest), tuple(unfit.values()))
    return Restored(None, tuple(unfit.values()))


def verify(path: Path, progress: Progress | None = None) -> Manifest:
    """Verify the checkpoint at ``path`` by itself, without a log: every file and every digest; return its manifest.

    Nothing in it is changed. Raises CheckpointDamagedError, which names what differs, or CheckpointError.
    """
    manifest = read_manifest(path)
    _read_all(path, manifest, lambda name, read: hashed(path / STORE / name, read), progress)
    with tempfile.TemporaryDirectory(prefix="yggdrasil-verify-") as made:
        for name in manifest.files:
            file = (path / STORE / name).resolve()
            if name.endswith(".json"):  # rocksdict writes this one anew, even when it only reads
                shutil.copyfile(file, Path(made, name))
            else:
                Path(made, name).symlink_to(file)
        with _in_words(path), GraphStore(Path(made), manifest.pin, own_budget(), read_only=True) as store:
            _compare(path, manifest, store, progress)
    return manifest


def set_aside(path: Path) -> Path:
    """Rename the store at ``path``, so that another can take its place; return its new name. Nothing is deleted."""
    for number in count(1):
        aside = path.with_name(f"{path.name}.refused-{number}")
        if not aside.exists():
            path.rename(aside)
            sync(path.parent)
            return aside
    raise CheckpointError(f"{path} cannot be set aside")


def _standing(directory: Path, within: range | None) -> Iterator[Path]:
    return (path for path in positions(directory) if within is None or int(path.name) in within)


def _check_fit(path: Path, manifest: Manifest, pin: Pin, log: LogReader) -> None:
    its, position = manifest.pin, manifest.position
    if (its.topic_id, its.partition, f"{position:020d}") != (pin.topic_id, pin.partition, path.name):
        raise CheckpointError(
            f"{path} is of topic {its.topic_id}, partition {its.partition}, offset {position}: it was put where that "
            "of another one belongs"
        )
    if its.partitions != pin.partitions:
        raise StoreMismatchError(
            f"{path} was folded from a topic of {its.partitions} partitions, and the same topic has {pin.partitions} "
            "now. Adding partitions splits memories in two: copy the log into a new topic, or move the checkpoint away."
        )
    start, end = log.start_offset(pin.partition), log.end_offset(pin.partition)
    if position > end:
        raise LogMismatchError(
            f"{path} was folded up to offset {position}, but the log ends at {end}: acknowledged records are missing "
            "from the log. Restore the log, or move the checkpoint away to accept the loss."
        )
    if position < start:
        raise CheckpointError(f"{path} stands at offset {position}, and the log begins at {start}: it is too old")


def _copy_verified(
    path: Path, manifest: Manifest, into: Path, log: LogReader, budget: MemoryBudget, progress: Progress | None
) -> None:
    copy = into.with_name(f"{into.name}.restoring")
    shutil.rmtree(copy, ignore_errors=True)  # of a process that was killed
    make_directory(copy)
    try:
        _read_all(path, manifest, lambda name, read: copied(path / STORE / name, copy / name, read), progress)  # 2
        with _in_words(path):
            store = GraphStore(copy, manifest.pin, budget)
        with store:
            _verify_against_log(path, log, store)  # 3
            with _in_words(path):
                _compare(path, manifest, store, progress)  # 4
        sync(copy)  # 5
        copy.rename(into)
        sync(into.parent)
    finally:
        shutil.rmtree(copy, ignore_errors=True)


def _read_all(path: Path, manifest: Manifest, take: Callable[[str, Read], Filed], progress: Progress | None) -> None:
    """Take every file by its name. Raises CheckpointDamagedError for one that is not what the manifest says."""
    try:
        there = {file.name for file in (path / STORE).iterdir()}
    except OSError as error:
        raise CheckpointDamagedError(f"{path / STORE} cannot be read: {error.strerror}") from error
    if odd := sorted(there ^ manifest.files.keys()):
        what = "is not named by its manifest" if odd[0] in there else "is missing"
        raise CheckpointDamagedError(f"{path / STORE / odd[0]} {what}")
    done = 0

    def read(count: int) -> None:
        nonlocal done
        done += count
        if progress:
            progress("Verifying files", done, manifest.size)

    for name, expected in sorted(manifest.files.items()):
        if take(name, read) != expected:
            raise CheckpointDamagedError(f"{path / STORE / name} is not the file that was written")


def _compare(path: Path, manifest: Manifest, store: GraphStore, progress: Progress | None) -> None:
    if not manifest.stands_at(store.state):
        raise CheckpointDamagedError(f"{path} says offset {manifest.position}, and its store says otherwise")
    found = attested(store, {}, progress)
    for memory in sorted(found.keys() | manifest.memories.keys()):
        if found.get(memory) != manifest.memories.get(memory):
            raise CheckpointDamagedError(f"{path}: {memory} is not the memory that was written")


def _verify_against_log(path: Path, log: LogReader, store: GraphStore) -> None:
    try:
        verify_against_log(log, store)
    except LogMismatchError as error:
        raise LogMismatchError(
            f"The checkpoint {path} is whole and the log contradicts it. {error} To accept what the log says now, move "
            "the checkpoint away."
        ) from error


@contextmanager
def _in_words(path: Path) -> Generator[None]:
    """Let what a store says of its own files be said of the checkpoint at ``path``."""
    try:
        yield
    except (StorageDamagedError, StoreError) as error:
        raise CheckpointDamagedError(f"{path} holds no sound store: {error}") from error
