"""Take a checkpoint: a directory from which another host can start, at ``ROOT/TOPIC ID/PARTITION/POSITION``.

It holds the files of a store as of one commit, and a manifest with their hashes and the digest of every memory. It is
built under another name and renamed at the end, so whatever bears the name of a position was once whole.
"""

import re
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Final, NamedTuple

from yggdrasil_infra.clock import now_ms
from yggdrasil_infra.locks import DirectoryInUseError, DirectoryLock
from yggdrasil_infra.paths import PathError, refuse
from yggdrasil_infra.rocks.database import MemoryBudget

from ..store.state import Pin, StoreState
from ..store.store import GraphStore
from .files import shared, sync
from .manifest import NAME, Attested, CheckpointError, Manifest, Progress, read_manifest, write_manifest

STORE: Final = "store"
KEPT: Final = 2  # one to start from, and one more in case it is damaged
_POSITION: Final = re.compile(r"\d{20}")
_UNFINISHED: Final = ".unfinished-"
_BUDGET_BYTES: Final = 16 << 20  # of its own, so that reading everything once does not empty the fold's cache


class Checkpoint(NamedTuple):
    """A whole checkpoint and what it says of itself."""

    path: Path
    manifest: Manifest


def place(root: Path, pin: Pin) -> Path:
    """Return where the checkpoints of one partition are."""
    return root / pin.topic_id / f"{pin.partition:04d}"


def positions(directory: Path) -> list[Path]:
    """Return the checkpoints in the directory of a partition, newest first."""
    if not directory.is_dir():
        return []
    return sorted((each for each in directory.iterdir() if _POSITION.fullmatch(each.name)), reverse=True)


def own_budget() -> MemoryBudget:
    """Return a small budget for a store that is read through once."""
    return MemoryBudget.of(_BUDGET_BYTES, 1 << 20)


def attested(store: GraphStore, known: Mapping[str, Attested], progress: Progress | None) -> dict[str, Attested]:
    """Return the digest of every memory in ``store``.

    A memory that stands as it did in ``known`` keeps the digest it has there: its history determines all of it.
    """
    headers = store.headers()
    total, done = sum(header.nodes + header.edges for header in headers), 0
    found: dict[str, Attested] = {}
    for header in headers:
        before, history = known.get(header.memory), header.history.hex()
        same = before is not None and before.history == history
        found[header.memory] = before if before and same else Attested(store.digest(header.memory), history)
        done += header.nodes + header.edges
        if progress:
            progress("Computing digests", done, total)
    return found


class Pending:
    """A checkpoint that has been begun: its files stand beside the store. Finish or abandon it, on any thread."""

    def __init__(self, lock: DirectoryLock, staged: Path, pin: Pin, state: StoreState, root: Path) -> None:
        self.position = state.position
        self._lock = lock
        self._staged = staged
        self._pin = pin
        self._state = state
        self._root = root

    def finish(self, keep: int = KEPT, progress: Progress | None = None) -> Checkpoint:
        """Make it whole and give it its name.

        1. Compute the digests, from the files that ``begin`` made.
        2. Alone in the partition's directory, remove what was interrupted there. Link or copy the files to a new
           directory, hash them, sync them.
        3. Write the manifest; sync it and the names.
        4. Rename the directory to its position, in place of what may have been there.
        5. Remove those before it beyond ``keep``. One that stands further is left alone: it is another host's.

        Raises CheckpointError or StorageError when it cannot be written or read back, and DirectoryInUseError while
        another process writes one of the same partition; nothing is left of it then.
        """
        try:
            memories = self._attested(progress)  # 1
            directory = place(self._root, self._pin)
            try:
                directory.mkdir(parents=True, exist_ok=True)  # as the umask says: other hosts may read it
            except OSError as error:
                refuse(directory, error)
            with DirectoryLock(directory, ".lock"):
                _remove_unfinished(directory)
                made = self._build(directory, memories, progress)  # 2, 3
                _move_into_place(made.path, target := directory / f"{self.position:020d}")  # 4
                for old in [each for each in positions(directory) if each.name < target.name][max(keep, 1) - 1 :]:
                    old.rename(directory / f"{_UNFINISHED}{old.name}")  # 5
                _remove_unfinished(directory)
            return Checkpoint(target, made.manifest)
        except (OSError, PathError) as error:
            raise CheckpointError(f"no checkpoint can be written below {self._root}: {error}") from error
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Remove the files that ``begin`` made. Doing so twice is allowed."""
        shutil.rmtree(self._staged, ignore_errors=True)
        self._lock.close()

    def _attested(self, progress: Progress | None) -> dict[str, Attested]:
        known: Mapping[str, Attested] = {}
        for path in positions(place(self._root, self._pin)):
            try:
                known = read_manifest(path).memories
                break
            except CheckpointError:  # it says nothing, then
                continue
        with GraphStore(self._staged, self._pin, own_budget(), read_only=True) as store:
            if store.state != self._state:
                raise CheckpointError(f"{self._staged} stands at {store.state.position} and not at {self.position}")
            return attested(store, known, progress)

    def _build(self, directory: Path, memories: Mapping[str, Attested], progress: Progress | None) -> Checkpoint:
        path = Path(mkdtemp(prefix=_UNFINISHED, dir=directory))
        path.chmod(0o755)  # it was made for one's own eyes, and another host may read as somebody else
        store = path / STORE
        store.mkdir()
        names = sorted(file.name for file in self._staged.iterdir() if file.name != "LOCK")
        total, done = sum((self._staged / name).stat().st_size for name in names), 0

        def read(count: int) -> None:
            nonlocal done
            done += count
            if progress:
                progress("Hashing files", done, total)

        files = {name: shared(self._staged / name, store / name, read) for name in names}
        state = self._state
        at = (state.enabled, state.position, state.last_offset, state.folded, state.chain.hex())
        manifest = Manifest(now_ms(), self._pin, *at, memories, files)
        write_manifest(path, manifest)
        return Checkpoint(path, manifest)


def begin(store: GraphStore, root: Path) -> Pending:
    """Begin a checkpoint of ``store`` as of its last commit, on the thread of the fold: it only links files.

    Raises CheckpointError while an earlier one of this store is not finished, and StorageError.
    """
    beside = store.path.with_name(f"{store.path.name}.checkpoint")  # never on another file system than the store
    staged = beside / STORE
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(DirectoryLock(beside, "lock"))
            if staged.exists():
                shutil.rmtree(staged)  # of a process that was killed
        except DirectoryInUseError as error:
            raise CheckpointError(f"{store.path}: an earlier checkpoint is not finished yet") from error
        except (OSError, PathError) as error:
            raise CheckpointError(f"{store.path}: no checkpoint can be made beside it: {error}") from error
        store.write_checkpoint(staged)
        stack.pop_all()
    return Pending(lock, staged, store.pin, replace(store.state), root)  # a copy: the fold goes on


def take(store: GraphStore, root: Path, keep: int = KEPT, progress: Progress | None = None) -> Checkpoint:
    """Begin and finish a checkpoint of ``store`` below ``root``. Raises what these raise."""
    return begin(store, root).finish(keep, progress)


def _move_into_place(made: Path, target: Path) -> None:
    for path in (made / NAME, made / STORE, made):
        sync(path)
    if target.exists():
        target.rename(target.with_name(f"{_UNFINISHED}{target.name}"))
    made.rename(target)
    for path in (target.parent, target.parent.parent, target.parent.parent.parent):
        sync(path)


def _remove_unfinished(directory: Path) -> None:
    for path in directory.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)
