"""What is being built, and for whom: a few at once, one for a tenant, and each tenant has its turn."""

from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from time import monotonic
from typing import Final

from yggdrasil_projections.retrieval.errors import NotReadyError
from yggdrasil_projections.retrieval.past.moment import AsOf, BeingBuiltError
from yggdrasil_projections.retrieval.past.otherwise import Otherwise
from yggdrasil_schemas.ids import tenant_of

from .standing import Stood

AT_ONCE: Final = 2
WAITING_MAX: Final = 4
"""So many of one tenant wait to be begun; whoever asks for more is told to ask again."""
LOOK_S: Final = 0.1
Key = tuple[str, AsOf, Otherwise | None]
"""A memory, a moment of it, and what is to be otherwise."""
Progress = Callable[[int, int], object]
"""Called with how many records have been read, and how many there are."""


class Job:
    """A past that is being built, or waits for that; how far it is, and how many wait for it."""

    def __init__(self, jobs: "Jobs", key: Key) -> None:
        self.key = key
        self.done = 0
        self.total = 0
        self.waiters = 0
        self.future: Future[Stood] = Future()
        self._jobs = jobs

    @property
    def tenant(self) -> str:
        """Whose it is."""
        return tenant_of(self.key[0])

    def progress(self, done: int, total: int) -> None:
        """Take notice of how far it is. Raises NotReadyError once nothing is to be built any more."""
        self._jobs.check()
        self.done, self.total = done, total


class Jobs:
    """The buildings of a host, under the ``lock`` of what it keeps. For any thread."""

    def __init__(
        self, lock: Lock, build: Callable[[Job], Stood], keep: Callable[[Stood, int], Callable[[], None]]
    ) -> None:
        """``keep`` is told, under the lock, what was built and how many wait for it; it returns what is left to do."""
        self._lock = lock
        self._build = build
        self._keep = keep
        self._known: dict[Key, Job] = {}
        self._waiting: OrderedDict[str, deque[Job]] = OrderedDict()  # the tenant whose turn comes next first
        self._working: set[str] = set()
        self._threads: ThreadPoolExecutor | None = None
        self.closed = False
        """Whether nothing is to be built, or kept, any more."""

    def check(self) -> None:
        """Raise NotReadyError once closed."""
        if self.closed:
            raise NotReadyError("the memories here are being closed; open them again")

    def ask(self, key: Key) -> Job | None:
        """Return the building of a past, for one that waits for it; None where too much of that tenant waits."""
        with self._lock:
            self.check()
            job = self._known.get(key)
            if job is None:
                job = Job(self, key)
                waiting = self._waiting.setdefault(job.tenant, deque())
                if len(waiting) >= WAITING_MAX:
                    return None
                self._known[key] = job
                waiting.append(job)
                if self._threads is None:
                    self._threads = ThreadPoolExecutor(AT_ONCE, "past")
                self._threads.submit(self._work)
            job.waiters += 1
            return job

    def wait(self, job: Job, until: float | None, progress: Progress | None) -> Stood:
        """Return, held, what was built. Raises BeingBuiltError at ``until``, while it goes on, and what went wrong."""
        while True:
            left = LOOK_S if until is None else min(LOOK_S, until - monotonic())
            try:  # Ctrl-C comes anywhere in here, and whoever waits no more holds nothing
                try:
                    return job.future.result(max(0.0, left))
                except TimeoutError:
                    if job.future.done():  # just now, or it was the building that took too long for something
                        return job.future.result()
                if progress is not None:
                    progress(job.done, job.total)
                if until is not None and monotonic() >= until:
                    raise BeingBuiltError(job.key[0], job.key[1].written, job.done, job.total)
            except BaseException:
                with self._lock:
                    if not job.future.done():
                        job.waiters -= 1
                        raise
                if isinstance(job.future.exception(), BaseException):
                    raise
                return job.future.result()  # it has come just now, and is held for us

    def close(self) -> None:
        """Build nothing more, and return once nothing is built; whoever waits hears of it. Closing twice is allowed."""
        with self._lock:
            self.closed = True
            threads = self._threads  # which a second one who closes waits for as well
            for job in [job for waiting in self._waiting.values() for job in waiting]:
                self._end(job, NotReadyError("the memories here are being closed; open them again"))
            self._waiting.clear()
        if threads is not None:
            threads.shutdown(wait=True)

    def _work(self) -> None:
        """Build what may be built now: a thread that finds nothing leaves it to those who work for that tenant."""
        while (job := self._next()) is not None:
            try:
                stood = self._build(job)
            except BaseException as error:  # whoever waits for it is told
                with self._lock:
                    self._working.discard(job.tenant)
                    self._end(job, error)
                continue
            with self._lock:
                self._working.discard(job.tenant)
                self._known.pop(job.key, None)
                rest = self._keep(stood, job.waiters)
                job.future.set_result(stood)
            rest()

    def _next(self) -> Job | None:
        with self._lock:
            tenant = next((each for each in self._waiting if each not in self._working), None)
            if tenant is None:
                return None
            waiting = self._waiting.pop(tenant)
            job = waiting.popleft()
            if waiting:
                self._waiting[tenant] = waiting  # behind the others
            self._working.add(tenant)
            return job

    def _end(self, job: Job, error: BaseException) -> None:
        self._known.pop(job.key, None)
        job.future.set_exception(error)
