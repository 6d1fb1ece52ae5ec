"""The pasts that a host has at hand: built off the fold's thread, a few at once, and kept within a bound of bytes.

Those that never were are kept beside them, under the same bounds, by what is otherwise in them.
"""

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic
from typing import Final

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.rocks.database import StorageError
from yggdrasil_processors.past.building import build, reaches
from yggdrasil_processors.past.ladder import Ladders, Rung, begun, remove
from yggdrasil_processors.past.what_if import Reality, build_otherwise, same_until
from yggdrasil_projections.graph.store.store import StoreError
from yggdrasil_projections.retrieval.errors import NotReadyError
from yggdrasil_projections.retrieval.past.moment import AsOf, BeingBuiltError
from yggdrasil_projections.retrieval.past.otherwise import Otherwise
from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker
from yggdrasil_schemas.partitions import partition_for

from .standing import Stood

PAST: Final = "past"
"""Where in a host's directory memories are built as they stood."""
BYTES_MAX: Final = 1 << 30
"""What all pasts of a host take on the disk and in memory together, give or take the one that is asked."""
KEPT_MAX: Final = 6
"""So many are kept, however small: each has some 75 open files, and many a process may open 1,024."""
_AT_ONCE: Final = 2
_LOOK_S: Final = 0.1
_MADE: Final = "built-"
Progress = Callable[[int, int], object]
"""Called with how many records have been read, and how many there are."""


_Key = tuple[str, str, Otherwise | None]


class _Job:
    """A past that is being built, and how far that is."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.future: Future[Stood] = Future()

    def progress(self, done: int, total: int) -> None:
        """Take notice of how far it is."""
        self.done, self.total = done, total


class Pasts:
    """The pasts of a host. For any thread."""

    def __init__(
        self,
        log: Callable[[], LogReader],
        reality: Callable[[str], AbstractContextManager[Reality]],
        directory: Path | None = None,
        bytes_max: int = BYTES_MAX,
        ladders: Ladders | None = None,
        ranker: Callable[[], OwnRanker | None] = lambda: None,
    ) -> None:
        """Build from ``log`` below ``directory``, or in a temporary one; keep about ``bytes_max`` bytes.

        What is built is begun from ``ladders``, where these stand nearer than what is kept. ``reality`` opens what
        became of a memory's commands.
        """
        self._ladders = ladders
        self._log = log
        self._reality = reality
        self._directory = directory
        self._bytes_max = bytes_max
        self._ranker = ranker
        self._lock = Lock()
        self._kept: list[Stood] = []  # the one that was asked longest ago first
        self._gone: list[Stood] = []  # what is kept no more, and still held
        self._jobs: dict[_Key, _Job] = {}
        self._building: dict[str, Lock] = {}  # by tenant: one at a time
        self._threads: ThreadPoolExecutor | None = None
        self._scratch: TemporaryDirectory[str] | None = None
        self._made = 0
        self._closed = False

    @contextmanager
    def standing(
        self,
        memory: str,
        as_of: AsOf,
        deadline_s: float | None,
        progress: Progress | None = None,
        otherwise: Otherwise | None = None,
    ) -> Generator[Stood]:
        """Hold ``memory`` as it stood, or would have if that were ``otherwise``, built if need be.

        ``progress`` is told of that. Raises BeingBuiltError when it takes longer than ``deadline_s``, while it goes on,
        and what ``build`` and ``build_otherwise`` raise.
        """
        until = None if deadline_s is None else monotonic() + deadline_s
        while True:
            nearest = self._nearest(memory, as_of, otherwise)
            if nearest is not None:
                try:
                    if reaches(self._log(), memory, as_of, nearest.reached):
                        yield nearest
                        return
                finally:
                    self._let_go(nearest)
            job = self._job(memory, as_of, otherwise)
            self._wait(job, memory, as_of, until, progress)

    def removed(self, stood: Stood, why: Exception) -> bool:
        """Remove what was found damaged, and the rung that it was begun from; return whether there was one."""
        if stood.rung is None:
            return False
        self._forget(stood, stood.rung, why)
        return True

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        with self._lock:
            return sum(each.nbytes for each in self._kept)

    def close(self) -> None:
        """Build nothing more, and remove all. Closing twice is allowed."""
        with self._lock:
            self._closed = True
            self._gone += [each for each in self._kept if each.leases]
            kept, self._kept = [each for each in self._kept if not each.leases], []
            threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=True, cancel_futures=True)
        with ExitStack() as closing:
            if self._scratch is not None:
                closing.callback(self._scratch.cleanup)
            for each in kept:
                closing.callback(each.close)

    # Inside

    def _forget(self, stood: Stood | None, rung: Rung, why: Exception) -> None:
        """Keep nothing any more that was begun from a rung. What is held meanwhile is closed when it is let go."""
        remove(rung, why)
        with self._lock:
            gone = [each for each in self._kept if each is stood or each.rung == rung]
            self._kept = [each for each in self._kept if each not in gone]
            free = [each for each in gone if not each.leases]
            self._gone += [each for each in gone if each.leases]
        for each in free:
            each.close()

    def _nearest(
        self, memory: str, as_of: AsOf, otherwise: Otherwise | None, until: AsOf | None = None
    ) -> Stood | None:
        """Return, held, what stands nearest before a moment, and before another one too if ``until`` is given."""
        with self._lock:
            if self._closed:
                raise NotReadyError("the memories here are being closed; open them again")
            own = [each for each in self._kept if each.memory == memory and each.otherwise == otherwise]
            fit = [each for each in own if each.reached.before(as_of) and each.reached.before(until or as_of)]
            if not fit:
                return None
            found = max(fit, key=lambda each: each.reached.seq)
            found.leases += 1
            self._kept.remove(found)
            self._kept.append(found)
            return found

    def _let_go(self, stood: Stood) -> None:
        with self._lock:
            stood.leases -= 1
            closing = self._evicted()
            if stood in self._gone and not stood.leases:
                self._gone.remove(stood)
                closing.append(stood)
        for each in closing:
            each.close()

    def _evicted(self) -> list[Stood]:
        """Take out what is too much, of the tenant that has the most; the latest stays. Under the lock."""
        gone: list[Stood] = []
        sizes = {id(each): each.nbytes for each in self._kept}
        while len(self._kept) > 1 and (
            sum(sizes[id(each)] for each in self._kept) > self._bytes_max or len(self._kept) > KEPT_MAX
        ):
            shares: dict[str, int] = {}
            for each in self._kept:
                shares[_tenant(each.memory)] = shares.get(_tenant(each.memory), 0) + sizes[id(each)]
            free = [each for each in self._kept[:-1] if not each.leases]
            if not free:
                break
            most = max(shares[_tenant(each.memory)] for each in free)
            out = next(each for each in free if shares[_tenant(each.memory)] == most)
            self._kept.remove(out)
            gone.append(out)
        return gone

    def _job(self, memory: str, as_of: AsOf, otherwise: Otherwise | None) -> _Job:
        """Return the building of a past, begun if nobody has."""
        key = memory, as_of.written, otherwise
        with self._lock:
            if self._closed:
                raise NotReadyError("the memories here are being closed; open them again")
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = _Job()
                turn = self._building.setdefault(_tenant(memory), Lock())
                if self._threads is None:
                    self._threads = ThreadPoolExecutor(_AT_ONCE, "past")
                self._threads.submit(self._run, job, key, as_of, turn)
            return job

    def _run(self, job: _Job, key: _Key, as_of: AsOf, turn: Lock) -> None:
        if not turn.acquire(timeout=_LOOK_S):  # another of this tenant's is being built: the thread is for others
            with self._lock, suppress(RuntimeError):  # closed
                if self._threads is not None:
                    self._threads.submit(self._run, job, key, as_of, turn)
                    return
            job.future.set_exception(NotReadyError("the memories here are being closed; open them again"))
            return
        try:
            stood = self._built(job, key[0], as_of, key[2])
        except BaseException as error:
            with self._lock:
                self._jobs.pop(key, None)
            job.future.set_exception(error)
            return
        finally:
            turn.release()
        with self._lock:
            self._jobs.pop(key, None)
            closed = self._closed
            if not closed:
                self._kept.append(stood)
            gone = self._evicted()
        for each in [stood] if closed else gone:
            each.close()
        job.future.set_result(stood)

    def _built(self, job: _Job, memory: str, as_of: AsOf, otherwise: Otherwise | None) -> Stood:
        log = self._log()
        with ExitStack() as opening:
            reality = None if otherwise is None else opening.enter_context(self._reality(memory))
            same: AsOf | None = as_of
            if otherwise is not None and reality is not None:
                same = same_until(otherwise, reality, as_of)
            while True:
                path = self._place()
                nearest = None if same is None else self._nearest(memory, same, None, as_of)
                rung = None if same is None or otherwise is not None else self._rung(memory, as_of)
                try:
                    if rung is not None and (nearest is None or nearest.reached.end < rung.position):
                        reached = begun(log, partition_for(memory.encode(), log.partitions), memory, rung, path)
                    elif nearest is not None:
                        rung = nearest.rung
                        reached = nearest.copy_to(path)
                    else:
                        rung, reached = None, None
                    if otherwise is None or reality is None:
                        built = build(log, memory, as_of, path, job.progress, reached)
                    else:
                        built = build_otherwise(
                            log, memory, as_of, otherwise, reality, path, progress=job.progress, begun=reached
                        )
                    return Stood(built, log, path, rung=rung, ranker=self._ranker(), otherwise=otherwise)
                except (OSError, StorageError, StoreError) as error:
                    rmtree(path, ignore_errors=True)
                    if rung is None:
                        raise
                    self._forget(nearest, rung, error)
                except BaseException:
                    rmtree(path, ignore_errors=True)
                    raise
                finally:
                    if nearest is not None:
                        self._let_go(nearest)

    def _rung(self, memory: str, as_of: AsOf) -> Rung | None:
        """Return the rung from which a past is best begun, if there is one."""
        if self._ladders is None:
            return None
        log = self._log()
        return self._ladders.nearest(log, partition_for(memory.encode(), log.partitions), memory, as_of)

    def _place(self) -> Path:
        """Return the path of a directory that is not there yet."""
        with self._lock:
            if self._scratch is None:
                self._scratch = TemporaryDirectory(prefix=_MADE, dir=self._swept())
            self._made += 1
            return Path(self._scratch.name, f"{self._made:06d}")

    def _swept(self) -> Path | None:
        """Return where pasts are built, once what a process that was killed has left there is gone; None: anywhere."""
        if self._directory is None:
            return None
        try:
            self._directory.mkdir(mode=0o700, exist_ok=True)
            for left in self._directory.glob(f"{_MADE}*"):
                rmtree(left, ignore_errors=True)
        except OSError:
            return None
        return self._directory

    def _wait(self, job: _Job, memory: str, as_of: AsOf, until: float | None, progress: Progress | None) -> None:
        while True:
            left = _LOOK_S if until is None else min(_LOOK_S, until - monotonic())
            try:
                job.future.result(max(0.0, left))
                return
            except TimeoutError:
                if job.future.done():
                    raise
                if progress is not None:
                    progress(job.done, job.total)
                if until is not None and monotonic() >= until:
                    raise BeingBuiltError(memory, as_of.written, job.done, job.total) from None


def _tenant(memory: str) -> str:
    return memory.partition("/")[0]
