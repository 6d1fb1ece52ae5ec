"""Look after a host from a thread of its own: is the topic still the one that was folded, and does it go on?

Two things that the main loop cannot see by itself. The topic may be re-created, given more partitions or a retention
while the consumer reads on as if nothing had happened. And the loop may hang, or be handed nothing although the log
goes on: then the process ends, and whoever started it starts a fresh one.
"""

import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from time import monotonic
from typing import Final, NoReturn, Protocol, Self

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import Topic, TopicError, UnfitTopicError, describe_topic, verify_topic
from yggdrasil_infra.log import LogDamagedError, LogError, LogReader, OffsetOutOfRangeError
from yggdrasil_projections.graph.store.projector import LogMismatchError
from yggdrasil_schemas.topics import Profile

from .damage import lost_words

_LOGGER: Final = logging.getLogger("yggdrasil.watch")
BAD_LOG: Final = (OffsetOutOfRangeError, LogMismatchError, LogDamagedError)
"""What ends the folding of one partition, and of no other."""
UNFIT: Final = "the topic may lose records by its settings; `yggdrasil topics --check` says which, and how to mend them"
"""What anybody may know of it: the brokers and the settings are in the log, and in the answer of that command."""
_TICK_S: Final = 0.5
_EDGES_S: Final = 2.0  # how old the ends of the log may be that lag is told by
_EXIT_BROKEN: Final = 1
_LAST_WORDS_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Edges:
    """Where the log of one partition begins and ends, as last seen."""

    start: int
    end: int


class Folded(Protocol):
    """A partition with its store, as ``halt_wrong`` looks at it."""

    @property
    def number(self) -> int:
        """Which partition."""
        ...

    @property
    def position(self) -> int:
        """The offset of the next record to fold."""
        ...

    @property
    def halted(self) -> str | None:
        """Why it is not folded, if so."""
        ...

    def halt(self, why: str, cause: str) -> None:
        """Fold no more."""
        ...

    def verify(self) -> None:
        """Raise LogMismatchError when the log no longer holds what the store needs."""
        ...


class Watched(Protocol):
    """What the watch has to know of its host. Times are in seconds."""

    @property
    def kafka(self) -> KafkaSettings:
        """How to reach the brokers."""
        ...

    @property
    def topic(self) -> str:
        """The topic that is folded."""
        ...

    @property
    def profile(self) -> Profile:
        """What the topic must be."""
        ...

    @property
    def look_every_s(self) -> float:
        """How often the topic is looked at."""
        ...

    @property
    def watchdog_s(self) -> float:
        """After so long without progress the process ends."""
        ...

    @property
    def grace_s(self) -> float:
        """How long stopping may take."""
        ...


class Watch:
    """Watches from ``__enter__`` to ``__exit__``, and closes ``log`` then.

    ``positions`` are those of the partitions that fold. From the moment that ``stopping`` is set the main loop has its
    grace; after it the process ends as it is, and loses nothing by it.
    """

    def __init__(
        self, settings: Watched, log: KafkaLog, positions: Callable[[], Mapping[int, int]], stopping: Event
    ) -> None:
        self.edges: dict[int, Edges] = {}  # replaced and never changed: other threads read it
        self._settings = settings
        self._log = log
        self._positions = positions
        self._fault: Exception | None = None
        self._unfit: str | None = None
        self._away_since: float | None = None
        self._beat = monotonic()
        self._went_on = 0.0
        self._moved: dict[int, tuple[int, float]] = {}
        self._stopping = stopping
        self._ended = Event()
        self._threads = [Thread(target=run, name=name, daemon=True) for name, run in self._tasks().items()]

    def beat(self) -> None:
        """Say that the main loop has taken another turn. Raises what is wrong with the topic."""
        self._beat = monotonic()
        if self._fault is not None:
            raise self._fault

    def went_on(self) -> None:
        """Beat, and say that a store which is opened, restored or read came further: no partition is folded meanwhile.

        Raises what is wrong with the topic.
        """
        self._went_on = monotonic()
        self.beat()

    @property
    def unfit(self) -> str | None:
        """What is wrong with the topic's settings, with the remedy, or None; what is folded of it is saved."""
        return self._unfit

    def forget(self, partition: int) -> None:
        """Let go of the edges of a partition that comes or goes: what is said of it next is to be looked up anew."""
        self.edges = {at: edges for at, edges in self.edges.items() if at != partition}
        self._moved.pop(partition, None)  # nor has it stood still for long

    def since_beat_s(self) -> float:
        """Return how long ago the main loop took a turn."""
        return monotonic() - self._beat

    def away_s(self) -> float:
        """Return for how long no broker has answered; 0 when the last question was answered."""
        since = self._away_since
        return 0.0 if since is None else monotonic() - since

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._log.close()

    def _tasks(self) -> dict[str, Callable[[], None]]:
        return {"watch-topic": self._watch_topic, "watchdog": self._watch_progress}

    def _watch_topic(self) -> None:
        """Look every now and then, and at once for the edges of a partition that has just come."""
        look_at = monotonic() + self._settings.look_every_s  # the topic was verified a moment ago
        edges_at = 0.0
        while self._fault is None and not self._ended.wait(_TICK_S):
            is_new = self._away_since is None and self._positions().keys() - self.edges.keys()
            is_due = monotonic() >= look_at
            if not is_due and not is_new and (self._away_since is not None or monotonic() < edges_at):
                continue
            edges_at = monotonic() + _EDGES_S
            try:
                if is_due:
                    look_at = monotonic() + self._settings.look_every_s
                    self.look()
                else:
                    self._look_at_edges()
                if self._away_since is not None:
                    _LOGGER.warning("the brokers answer again, after %.0f s", self.away_s())
                    self._away_since = None
            except (TopicError, LogMismatchError) as fault:
                self._fault = fault
            except LogError as error:
                self.edges = {}  # brokers that are away say nothing about the topic
                if self._away_since is None and not self._ended.is_set():
                    self._away_since = monotonic()
                    _LOGGER.warning("the brokers do not answer, and are waited for: %s", error)
            except Exception as fault:  # a watch that has ended without a word would be worse than none
                self._fault = fault

    def look(self) -> None:
        """Ask the brokers for the topic and for its ends. Raises what is wrong with the topic, and LogError."""
        topic = describe_topic(self._settings.kafka, self._settings.topic)
        known = self._log.topic
        if (topic.topic_id, topic.partitions) != (known.topic_id, known.partitions):
            raise LogMismatchError(
                f"topic {topic.name} was {known.topic_id} with {known.partitions} partitions when this process "
                f"started, and is {topic.topic_id} with {topic.partitions} now: it was re-created, or partitions were "
                "added. The memories stand on the earlier one; leave every directory where it is. Restore that topic, "
                "or, if partitions were added, copy its records to a new one with `yggdrasil topics copy`."
            )
        self._look_at_settings(topic)
        self._look_at_edges()

    def _look_at_settings(self, topic: Topic) -> None:
        """Tell, and go on: a topic that may forget is the best reason to fold what it still has."""
        try:
            verify_topic(topic, self._settings.profile)
        except UnfitTopicError as error:
            if self._unfit is None:
                _LOGGER.critical("the topic may lose records, and is folded all the same: %s", error)
            self._unfit = str(error)
        else:
            if self._unfit is not None:
                _LOGGER.warning("the topic is fit again")
            self._unfit = None

    def _look_at_edges(self) -> None:
        those = sorted(self._positions())
        found = self._log.edges(those) if those else {}
        self.edges = {partition: Edges(*edges) for partition, edges in found.items() if partition in self._positions()}

    def _watch_progress(self) -> None:
        deadline: float | None = None
        while not self._ended.wait(_TICK_S):
            now = monotonic()
            if deadline is None and self._stopping.is_set():
                deadline = now + self._settings.grace_s
            if deadline is not None and now > deadline:
                self._end(f"it did not stop within its grace of {self._settings.grace_s:g} s")
            if self.since_beat_s() > self._settings.watchdog_s:
                self._end(f"the main loop took no turn for {self._settings.watchdog_s:g} s")
            self._watch_partitions(dict(self._positions()), now)

    def _watch_partitions(self, positions: Mapping[int, int], now: float) -> None:
        """End the process when the log of a partition goes on and nothing comes of it for too long.

        Partitions that are behind take turns, and so do they and the stores that are opened: as long as one of them
        comes further none stands still. What is not behind says nothing: it moves whenever somebody appends.
        """
        edges, moved = self.edges, self._moved
        behind = {at for at, position in positions.items() if at in edges and edges[at].end > position}
        if any(at in moved and moved[at][0] != positions[at] for at in behind):
            self._went_on = now
        for partition, position in positions.items():
            at, since = moved.get(partition, (None, now))
            if at != position or partition not in behind:
                moved[partition] = position, now
            elif now - max(since, self._went_on) > self._settings.watchdog_s:
                self._end(
                    f"partition {partition} stands at offset {position} for {self._settings.watchdog_s:g} s although "
                    f"the log goes on to {edges[partition].end}, and no other one that is behind comes further"
                )

    def _end(self, why: str) -> NoReturn:
        """End the process at once: its stores are whole at any moment, and a fresh process recovers."""
        # What hangs may be the log itself, with its lock held: nobody reads the other end. Then it ends without a word.
        saying = Thread(target=_say, args=(why,), name="last-words", daemon=True)
        saying.start()
        saying.join(_LAST_WORDS_S)
        os._exit(_EXIT_BROKEN)


def halt_wrong(watch: Watch | None, log: LogReader, those: Iterable[Folded], pause: Callable[[int], None]) -> bool:
    """Raise what is wrong with the topic as a whole, or halt and ``pause`` its partitions that are wrong.

    Return whether there is one. A partition is wrong when its log has lost, altered or damaged what its store needs;
    brokers that are away say nothing of it.
    """
    try:
        if watch is not None:
            watch.look()
    except LogError as error:
        if isinstance(error, TopicError):
            raise
    found = False
    for each in those:
        if each.halted is not None:
            continue
        try:
            each.verify()
            log.read(each.number, each.position, 1)
        except BAD_LOG as error:
            each.halt(lost_words(each.number), str(error))
            pause(each.number)
            found = True
        except LogError as error:
            _LOGGER.warning("partition not looked at: %s", error, extra={"partition": each.number})
    return found


def _say(why: str) -> None:
    """Log why the process ends, and write where every thread is. A dump by faulthandler would block all of them."""
    _LOGGER.critical("the watchdog ends this process: %s", why)
    names = {thread.ident: thread.name for thread in enumerate_threads()}
    for ident, frame in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
        where = "".join(traceback.format_stack(frame))
        with suppress(OSError):
            os.write(2, f"Thread {names.get(ident, ident)} (most recent call last):\n{where}\n".encode())
