"""The facade for asynchronous programs: every method of ``Memory`` and ``Store``, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import date
from functools import partial, update_wrapper
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Self, TypeVar

from yggdrasil_infra.forking import OfThisProcess, in_child
from yggdrasil_infra.log import LogError, Receipt
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.past.otherwise import Voids
from yggdrasil_schemas.commands import Origin

from .memory import Memory
from .sessions import Session
from .store import Store

if TYPE_CHECKING:
    from yggdrasil_producers.draft import Draft
    from yggdrasil_producers.envelopes import OpenedAs

    from .thinking.once import ThinkerRun

CONCURRENCY: Final = 16
"""Calls that are under way at once; more of them wait. Embedded, they share the syncs of the log."""
P = ParamSpec("P")
T = TypeVar("T")


def _awaited(method: Callable[Concatenate[Memory, P], T]) -> Callable[Concatenate[AsyncMemory, P], Awaitable[T]]:
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(partial(method, self.memory, *args, **kwargs))

    update_wrapper(call, method)
    return call


def _of_session(method: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[AsyncSession, P], Awaitable[T]]:
    async def call(self: AsyncSession, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(partial(method, self.session, *args, **kwargs))

    update_wrapper(call, method)
    return call


class Threads(ThreadPoolExecutor):
    """A pool of threads that begins anew in a forked process, where those of its parent are not."""

    def __init__(self, most: int, name: str) -> None:
        """Begin ``most`` threads at most, as they are needed."""
        super().__init__(most, name)
        in_child(self, lambda pool: ThreadPoolExecutor.__init__(pool, most, name))


class AsyncSession:
    """A ``Session`` whose methods are awaited. ``AsyncMemory.session`` makes one, which begins when it is entered.

    >>> async with memory.session(task="T-12", goal="Ship 2.1") as session:
    ...     await session.note(progress="built")
    """

    def __init__(self, memory: AsyncMemory, given: Mapping[str, Any], begun: Session | None = None) -> None:
        """Begin it in ``memory`` later, as ``given`` says, unless it has ``begun``."""
        self._memory = memory
        self._given = given
        self._begun = begun

    @property
    def session(self) -> Session:
        """The session itself. Raises LogError where it has not begun."""
        if self._begun is None:
            raise LogError("the session has not begun: use it as `async with memory.session(...) as session`")
        return self._begun

    record_event = _of_session(Session.record_event)
    log_outcome = _of_session(Session.log_outcome)
    get_context = _of_session(Session.get_context)
    context = _of_session(Session.context)
    decide = _of_session(Session.decide)
    promise = _of_session(Session.promise)
    settle = _of_session(Session.settle)
    hold = _of_session(Session.hold)
    let_go = _of_session(Session.let_go)
    reflect = _of_session(Session.reflect)
    end = _of_session(Session.end)

    async def note(self, **notes: str | bool) -> list[str]:
        """Put notes on the desk; see ``Session.note``."""
        return await self.run(partial(self.session.note, **notes))

    async def run(self, call: Callable[[], T]) -> T:
        """Run ``call`` on a thread of the memory's own."""
        return await self._memory.run(call)

    async def begin(self) -> Self:
        """Begin it, where that is not left to ``async with``."""
        if self._begun is None:
            self._begun = await self._memory.run(partial(self._memory.memory.session, **self._given))
        return self

    async def __aenter__(self) -> Self:
        return await self.begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._memory.run(partial(self.session.__exit__, kind, error, trace))


class AsyncMemory(OfThisProcess):
    """A ``Memory`` on any engine, whose methods are awaited: they run on threads, so the event loop never waits.

    A call that is cancelled goes on in its thread: what it appends is appended. An asynchronous context manager.

    >>> async with await AsyncMemory.open("./memories", memory="me/agent") as memory:
    ...     await memory.record_event("Deployed on a Friday", features=["deploy", "friday"])
    """

    def __init__(
        self, memory: Memory[Any], concurrency: int = CONCURRENCY, *, threads: ThreadPoolExecutor | None = None
    ) -> None:
        """Take over ``memory``, which is closed with this; at most ``concurrency`` calls are under way at once.

        With ``threads`` they run there, among those of others, and closing does not wait for them.
        """
        self.memory = memory
        self._closed = False
        self._shared = threads is not None
        self._threads = threads or Threads(concurrency, "memory")

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open a directory; the arguments are those of ``Memory.open``."""
        return cls(await asyncio.to_thread(partial(Memory.open, *args, **kwargs)))

    @classmethod
    async def connect(cls, *args: Any, **kwargs: Any) -> Self:
        """Connect to a query service, or to Kafka; the arguments are those of ``Memory.connect``."""
        return cls(await asyncio.to_thread(partial(Memory.connect, *args, **kwargs)))

    @property
    def id(self) -> str:
        """The memory's id, ``tenant/agent``."""
        return self.memory.id

    def after(self, receipt: Receipt) -> AsyncMemory:
        """Return this memory, on which every read waits for ``receipt``; see ``Memory.after``."""
        return AsyncMemory(self.memory.after(receipt), threads=self._threads)

    async def as_of(
        self,
        moment: AsOf | Receipt | int | str | date,
        *,
        quarantined: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> AsyncMemory:
        """Return this memory as it stood at a moment, to be read only, once that is built; see ``Memory.as_of``."""
        of_then = partial(self.memory.as_of, moment, quarantined=quarantined, progress=progress)
        return AsyncMemory(await self.run(of_then), threads=self._threads)

    async def what_if(
        self,
        without: str | Iterable[str] = (),
        *,
        without_source: str | None = None,
        without_session: str | None = None,
        policy: Mapping[str, float] | None = None,
        with_: Sequence[Draft] = (),
        as_of: AsOf | Receipt | int | str | date | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> AsyncMemory:
        """Return this memory as it would stand if something had been otherwise; see ``Memory.what_if``."""
        supposed = partial(
            self.memory.what_if,
            without,
            without_source=without_source,
            without_session=without_session,
            policy=policy,
            with_=with_,
            as_of=as_of,
            progress=progress,
        )
        return AsyncMemory(await self.run(supposed), threads=self._threads)

    @property
    def voids(self) -> Voids | None:
        """What was left out of this memory and what is refused in it; see ``Memory.voids``."""
        return self.memory.voids

    def seen(self, *, trust_min: int = 0, perspective: str | Sequence[str] | None = None) -> AsyncMemory:
        """Return this memory as one sees it who trusts nothing below ``trust_min``; see ``Memory.seen``."""
        return AsyncMemory(self.memory.seen(trust_min=trust_min, perspective=perspective), threads=self._threads)

    def as_agent(self, name: str, *, role: str | None = None) -> AsyncMemory:
        """Return this memory as the agent ``name`` has it, who asks for its ``role``; see ``Memory.as_agent``."""
        return AsyncMemory(self.memory.as_agent(name, role=role), threads=self._threads)

    def speaking(self, *, trust: int) -> AsyncMemory:
        """Return this memory as one speaks to it who is trusted no more than ``trust``; see ``Memory.speaking``."""
        return AsyncMemory(self.memory.speaking(trust=trust), threads=self._threads)

    def session(self, **given: Any) -> AsyncSession:
        """Return a session, which begins when it is entered with ``async with``; see ``Memory.session``."""
        return AsyncSession(self, given)

    async def resume(self, name: str) -> AsyncSession:
        """Return a session that was begun before; see ``Memory.resume``."""
        return AsyncSession(self, {}, await self.run(partial(self.memory.resume, name)))

    # Made by `make faces`, down to the empty line.
    differs = _awaited(Memory.differs)
    fork = _awaited(Memory.fork)
    forks = _awaited(Memory.forks)
    lineage_of_fork = _awaited(Memory.lineage_of_fork)
    compare = _awaited(Memory.compare)
    verify_against_log = _awaited(Memory.verify_against_log)
    diff = _awaited(Memory.diff)
    record_event = _awaited(Memory.record_event)
    log_outcome = _awaited(Memory.log_outcome)
    report_use = _awaited(Memory.report_use)
    used = _awaited(Memory.used)
    say = _awaited(Memory.say)
    resend = _awaited(Memory.resend)
    record_many = _awaited(Memory.record_many)
    say_steps = _awaited(Memory.say_steps)
    walk = _awaited(Memory.walk)
    observe_many = _awaited(Memory.observe_many)
    assert_claim = _awaited(Memory.assert_claim)
    observe = _awaited(Memory.observe)
    define = _awaited(Memory.define)
    learn = _awaited(Memory.learn)
    propose_identity = _awaited(Memory.propose_identity)
    alias = _awaited(Memory.alias)
    unalias = _awaited(Memory.unalias)
    relate = _awaited(Memory.relate)
    verify = _awaited(Memory.verify)
    promote = _awaited(Memory.promote)
    supersede = _awaited(Memory.supersede)
    withdraw = _awaited(Memory.withdraw)
    resolve = _awaited(Memory.resolve)
    reinstate = _awaited(Memory.reinstate)
    judge = _awaited(Memory.judge)
    commit_episode = _awaited(Memory.commit_episode)
    form_concept = _awaited(Memory.form_concept)
    dissolve_concept = _awaited(Memory.dissolve_concept)
    adjust = _awaited(Memory.adjust)
    sleep = _awaited(Memory.sleep)
    pin = _awaited(Memory.pin)
    lift_catastrophe = _awaited(Memory.lift_catastrophe)
    retire_thinker = _awaited(Memory.retire_thinker)
    propose_scorer = _awaited(Memory.propose_scorer)
    adopt_scorer = _awaited(Memory.adopt_scorer)
    snapshot = _awaited(Memory.snapshot)
    attach_vector = _awaited(Memory.attach_vector)
    ask = _awaited(Memory.ask)
    foretell = _awaited(Memory.foretell)
    explain_action = _awaited(Memory.explain_action)
    describe = _awaited(Memory.describe)
    neighbourhood = _awaited(Memory.neighbourhood)
    timeline = _awaited(Memory.timeline)
    happened = _awaited(Memory.happened)
    mentions = _awaited(Memory.mentions)
    working_memory = _awaited(Memory.working_memory)
    episodes = _awaited(Memory.episodes)
    episode = _awaited(Memory.episode)
    what_next = _awaited(Memory.what_next)
    drift = _awaited(Memory.drift)
    bias = _awaited(Memory.bias)
    claims = _awaited(Memory.claims)
    lineage = _awaited(Memory.lineage)
    digestion = _awaited(Memory.digestion)
    dependents = _awaited(Memory.dependents)
    entity = _awaited(Memory.entity)
    history = _awaited(Memory.history)
    contradictions = _awaited(Memory.contradictions)
    rulings = _awaited(Memory.rulings)
    said = _awaited(Memory.said)
    reported = _awaited(Memory.reported)
    scorers = _awaited(Memory.scorers)
    standing = _awaited(Memory.standing)
    moment = _awaited(Memory.moment)
    snapshots = _awaited(Memory.snapshots)
    sessions = _awaited(Memory.sessions)
    session_context = _awaited(Memory.session_context)
    desk = _awaited(Memory.desk)
    decisions = _awaited(Memory.decisions)
    sayers = _awaited(Memory.sayers)
    recoveries = _awaited(Memory.recoveries)
    profile = _awaited(Memory.profile)
    places = _awaited(Memory.places)
    nearest = _awaited(Memory.nearest)
    route = _awaited(Memory.route)
    last_seen = _awaited(Memory.last_seen)
    trades = _awaited(Memory.trades)
    neighbours_of = _awaited(Memory.neighbours_of)
    graph = _awaited(Memory.graph)
    overview = _awaited(Memory.overview)
    stats = _awaited(Memory.stats)
    digest = _awaited(Memory.digest)
    became = _awaited(Memory.became)
    get_context = _awaited(Memory.get_context)
    get_similar_cases = _awaited(Memory.get_similar_cases)
    attest = _awaited(Memory.attest)

    async def set_policy(self, **changes: float) -> str:
        """Change constants of the memory's policy; see ``Memory.set_policy``."""
        return await self.run(partial(self.memory.set_policy, **changes))

    async def close(self) -> None:
        """Wait for the calls under way, and close the memory. Closing twice is allowed."""
        self._closed = True
        await asyncio.to_thread(self._close)

    async def run(self, call: Callable[[], T]) -> T:
        """Run ``call`` on a thread of this memory's own. Raises LogError when it was closed."""
        if self._closed:
            raise LogError(f"the memory {self.id} is closed")
        try:
            running = self._threads.submit(copy_context().run, call)
        except RuntimeError as error:  # the store was closed, and with it the threads that its memories share
            raise LogError(f"the memory {self.id} is closed") from error
        return await asyncio.wrap_future(running)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _close(self) -> None:
        if not self._shared:
            self._threads.shutdown()
        self.memory.close()


class AsyncStore:
    """A ``Store`` whose memories are awaited, all on the same threads. An asynchronous context manager.

    >>> async with await AsyncStore.open("./house") as store:
    ...     await store.memory("acme/ana").record_event("The deploy key is in the vault", features=["deploy"])
    """

    def __init__(self, store: Store, concurrency: int = CONCURRENCY) -> None:
        """Take over ``store``, which is closed with this; at most ``concurrency`` calls are under way at once."""
        self.store = store
        self._threads = Threads(concurrency, "store")

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open a directory; the arguments are those of ``Store.open``."""
        return cls(await asyncio.to_thread(partial(Store.open, *args, **kwargs)))

    def memory(
        self, memory: str, *, source: str = "agent", origin: Origin = "agent", role: OpenedAs = "operator"
    ) -> AsyncMemory:
        """Return the memory ``memory``; see ``Store.memory``. Nothing is waited for."""
        return AsyncMemory(self.store.memory(memory, source=source, origin=origin, role=role), threads=self._threads)

    async def memories(self, tenant: str | None = None) -> list[str]:
        """Return the ids of all memories that are there, or of one tenant's, sorted; see ``Store.memories``."""
        return await asyncio.to_thread(self.store.memories, tenant)

    async def think(self, thinkers: Iterable[str] | str = "usual", **options: Any) -> list[ThinkerRun]:
        """Let thinkers read all that is new in all memories, and decide; see ``Store.think``."""
        return await asyncio.to_thread(partial(self.store.think, thinkers, **options))

    async def close(self) -> None:
        """Wait for the calls under way, and close the store with all of its memories. Closing twice is allowed."""
        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _close(self) -> None:
        self._threads.shutdown()
        self.store.close()
