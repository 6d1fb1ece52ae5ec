"""The pasts that a host has at hand: built off the fold's thread, a few at once, and kept within a bound of bytes.

Those that never were are kept beside them, under the same bounds, by what is otherwise in them.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import Event, Lock
from time import monotonic
from typing import Final

from yggdrasil_infra.log import LogReader
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_processors.past.building import Reached, build, reaches
from yggdrasil_processors.past.ladder import Ladders, Rung
from yggdrasil_processors.past.what_if import Reality, build_otherwise, same_until
from yggdrasil_projections.graph.store.store import StoreError
from yggdrasil_projections.retrieval.past.moment import AsOf, BeingBuiltError
from yggdrasil_projections.retrieval.past.otherwise import Otherwise
from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker
from yggdrasil_schemas.ids import tenant_of
from yggdrasil_schemas.partitions import partition_for

from .jobs import LOOK_S, Job, Jobs, Progress
from .standing import Stood

PAST: Final = "past"
"""Where in a host's directory memories are built as they stood."""
BYTES_MAX: Final = 1 << 30
"""What all pasts of a host take on the disk and in memory together, give or take the one that is asked."""
KEPT_MAX: Final = 6
"""So many are kept, however small: each has some 75 open files, and many a process may open 1,024."""
_MADE: Final = "built-"
_WAIT: Final = Event()  # never set
_OURS: Final = set[str]()  # the directories of this process: what was closed while it was read may still be in one


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
        self._gone: list[Stood] = []  # what is kept no more, and still held or being closed
        self._jobs = Jobs(self._lock, self._built, self._keep)
        self._scratch: TemporaryDirectory[str] | None = None
        self._ended = False  # nothing is being built any more either
        self._made = 0

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
            job = self._jobs.ask((memory, as_of, otherwise))
            if job is None:
                if until is not None and monotonic() >= until:
                    raise BeingBuiltError(memory, as_of.written, 0, 0)
                _WAIT.wait(LOOK_S)
                continue
            stood = self._jobs.wait(job, until, progress)
            try:
                yield stood
                return
            finally:
                self._let_go(stood)

    def removed(self, stood: Stood, why: Exception) -> None:
        """Keep what was found damaged no more, and remove the rung that it was begun from."""
        self._forget(stood, stood.rung, why)

    @property
    def nbytes(self) -> int:
        """About how many bytes they take."""
        with self._lock:
            return sum(each.nbytes for each in self._kept)

    def close(self) -> None:
        """Build nothing more, and remove all. What is held is closed when it is let go. Closing twice is allowed."""
        self._jobs.close()
        with self._lock:
            self._ended = True
            free, self._kept = self._taken_out(self._kept), []
        self._close(free)

    # Inside

    def _forget(self, stood: Stood | None, rung: Rung | None, why: Exception) -> None:
        """Keep no more what is damaged, nor what was begun from the same rung. What is held is closed when let go."""
        if rung is not None and self._ladders is not None:
            self._ladders.remove(rung, why)
        with self._lock:
            gone = [each for each in self._kept if each is stood or (rung is not None and each.rung == rung)]
            self._kept = [each for each in self._kept if each not in gone]
            free = self._taken_out(gone)
        self._close(free)

    def _taken_out(self, those: list[Stood]) -> list[Stood]:
        """Note that ``those`` are kept no more; return which nobody holds, to be closed. Under the lock."""
        self._gone += those
        return [each for each in those if not each.leases]

    def _close(self, those: list[Stood]) -> None:
        """Close what nobody holds; whoever closes the last, once nothing is built any more, removes their directory."""
        with ExitStack() as closing:
            closing.callback(self._tidy_up, those)
            for each in those:
                closing.callback(each.close)

    def _tidy_up(self, closed: list[Stood]) -> None:
        with self._lock:
            self._gone = [each for each in self._gone if each not in closed]
            if not self._ended or self._gone or self._scratch is None:
                return
            scratch, self._scratch = self._scratch, None
        scratch.cleanup()
        _OURS.discard(scratch.name)

    def _nearest(
        self, memory: str, as_of: AsOf, otherwise: Otherwise | None, until: AsOf | None = None
    ) -> Stood | None:
        """Return, held, what stands nearest before a moment, and before another one too if ``until`` is given."""
        with self._lock:
            self._jobs.check()
            own = [each for each in self._kept if each.memory == memory and each.otherwise == otherwise]
            fit = [each for each in own if each.reached.before(as_of) and each.reached.before(until or as_of)]
            if not fit:
                return None
            found = max(fit, key=lambda each: (each.reached.seq, each.reached.end))
            found.leases += 1
            self._kept.remove(found)
            self._kept.append(found)
            return found

    def _let_go(self, stood: Stood) -> None:
        with self._lock:
            stood.leases -= 1
            closing = [stood] if stood in self._gone and not stood.leases else []
            closing += self._taken_out(self._evicted())
        self._close(closing)

    def _evicted(self) -> list[Stood]:
        """Take out what is too much, of the tenant that has the most; the latest stays. Under the lock."""
        gone: list[Stood] = []
        sizes = {id(each): each.nbytes for each in self._kept}
        while len(self._kept) > 1 and (
            sum(sizes[id(each)] for each in self._kept) > self._bytes_max or len(self._kept) > KEPT_MAX
        ):
            shares: dict[str, int] = {}
            for each in self._kept:
                shares[tenant_of(each.memory)] = shares.get(tenant_of(each.memory), 0) + sizes[id(each)]
            free = [each for each in self._kept[:-1] if not each.leases]
            if not free:
                break
            most = max(shares[tenant_of(each.memory)] for each in free)
            out = next(each for each in free if shares[tenant_of(each.memory)] == most)
            self._kept.remove(out)
            gone.append(out)
        return gone

    def _keep(self, stood: Stood, waiters: int) -> Callable[[], None]:
        """Keep what was built, held by all who wait for it; return what is left to do without the lock."""
        stood.leases = waiters
        if self._jobs.closed:
            free = self._taken_out([stood])
        else:
            self._kept.append(stood)
            free = self._taken_out(self._evicted())
        return lambda: self._close(free)

    def _built(self, job: Job) -> Stood:
        (memory, as_of, otherwise), log = job.key, self._log()
        partition = partition_for(memory.encode(), log.partitions)
        with ExitStack() as opening:
            reality = None if otherwise is None else opening.enter_context(self._reality(memory))
            same: AsOf | None = as_of
            if otherwise is not None and reality is not None:
                same = same_until(otherwise, reality, as_of)
            while True:
                path = self._place()
                nearest = None if same is None else self._nearest(memory, same, None, as_of)
                rung = None if same is None or otherwise is not None else self._rung(memory, as_of)
                reached: Reached | None = None
                try:
                    if self._ladders and rung and (nearest is None or nearest.reached.end < rung.position):
                        reached = self._ladders.begun(log, partition, memory, rung, path)
                    elif nearest is not None:
                        rung = nearest.rung
                        reached = nearest.copy_to(path)
                    else:
                        rung = None
                    if otherwise is None or reality is None:
                        built = build(log, memory, as_of, path, job.progress, reached)
                    else:
                        built = build_otherwise(
                            log, memory, as_of, otherwise, reality, path, progress=job.progress, begun=reached
                        )
                    with ExitStack() as failing:
                        failing.callback(built.projector.close)
                        stood = Stood(built, log, path, rung=rung, ranker=self._ranker(), otherwise=otherwise)
                        failing.pop_all()
                    return stood
                except (StorageDamagedError, StoreError) as error:  # of what it was begun from, not of a full disk
                    rmtree(path, ignore_errors=True)
                    if rung is None and nearest is None:
                        raise
                    self._forget(nearest, rung, error)
                except FileNotFoundError:
                    rmtree(path, ignore_errors=True)
                    if rung is None or rung.path.exists():
                        raise  # or else the fold has just taken the rung away
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
            if self._scratch is None or not Path(self._scratch.name).is_dir():
                try:
                    self._scratch = TemporaryDirectory(prefix=_MADE, dir=self._swept(), ignore_cleanup_errors=True)
                except OSError:  # where the host may not write
                    self._scratch = TemporaryDirectory(prefix=f"yggdrasil-{_MADE}", ignore_cleanup_errors=True)
                _OURS.add(self._scratch.name)
            self._made += 1
            return Path(self._scratch.name, f"{self._made:06d}")

    def _swept(self) -> Path | None:
        """Return where pasts are built, once what a process that was killed has left there is gone; None: anywhere."""
        if self._directory is None:
            return None
        try:
            self._directory.mkdir(mode=0o700, exist_ok=True)
            for left in self._directory.glob(f"{_MADE}*"):
                if str(left) not in _OURS:
                    rmtree(left, ignore_errors=True)
        except OSError:
            return None
        return self._directory
