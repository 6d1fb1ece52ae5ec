"""Publish the refusals of one partition: from the outbox of its store to the topic of refusals.

The outbox was written with the fold that refused, so no refusal is ever forgotten; it is deleted once the brokers have
it, so a crash between the two publishes it twice. Consumers take one (topic id, partition, offset) once.
"""

import logging
from collections import deque
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Final

from yggdrasil_infra.kafka_log.sender import Delivery, KafkaSender
from yggdrasil_infra.kafka_log.topics import Topic
from yggdrasil_infra.log import LogError
from yggdrasil_projections.graph.store.store import GraphStore

from .committed import Published, words, words_again

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_UNDER_WAY_MAX: Final = 500
_RETRY_S: Final = 5.0


class Publisher:
    """Hands refusals to the sender on a thread of its own: it may have to wait for brokers, and the fold may not."""

    def __init__(self, sender: KafkaSender, topic: Topic) -> None:
        self._sender = sender
        self._topic = topic
        self._queue: SimpleQueue[tuple[Future[Delivery], int, bytes] | None] = SimpleQueue()
        self._closed = False
        Thread(target=self._run, name="refusals", daemon=True).start()

    def send(self, partition: int, refusal: bytes) -> "Future[Delivery]":
        """Queue a refusal of ``partition``; what was queued and is cancelled is not sent."""
        handed: Future[Delivery] = Future()
        self._queue.put((handed, partition, refusal))
        return handed

    def close(self) -> None:
        """Send no more; the outboxes keep what waits."""
        self._closed = True
        self._queue.put(None)

    def _run(self) -> None:
        while (queued := self._queue.get()) is not None:
            handed, partition, refusal = queued
            if self._closed or not handed.set_running_or_notify_cancel():
                continue
            key, there = str(partition).encode(), partition % self._topic.partitions
            try:
                handed.set_result(self._sender.send(self._topic.name, there, key, refusal))
            except BaseException as error:  # whoever asks for the result hears of it
                handed.set_exception(error)


class Outbox:
    """The way of one partition's refusals to their topic, in log order but for what is sent again."""

    def __init__(self, store: GraphStore, publisher: Publisher, published: Published) -> None:
        self._store = store
        self._publisher = publisher
        self._said = published.words
        self._published_below = published.below
        self._under_way: deque[tuple[int, Future[Delivery]]] = deque()
        self._sent = -1
        self._not_before = 0.0

    @property
    def empty(self) -> bool:
        """Whether every refusal so far has been published."""
        return self._store.outbox_depth == 0

    @property
    def published_below(self) -> int:
        """The offset below which every refusal is known to have been published before, by us or another worker."""
        return self._published_below

    @property
    def rebuilding(self) -> bool:
        """Whether the group knows of more that was published than this store has folded yet."""
        return self._store.state.position < self._published_below

    @property
    def words(self) -> str | None:
        """What the store's position may be committed with, or None while refusals below it wait."""
        if self.rebuilding:
            return words_again(self._said)
        return words(self._store) if self.empty else None

    def pump(self) -> int:
        """Send more of what waits, and delete what has arrived; return how many have arrived."""
        if self._published_below:
            self._drop_published()
        arrived: list[int] = []
        try:
            while self._under_way and self._under_way[0][1].done():
                delivery = self._under_way[0][1].result()
                if not delivery.done():
                    break
                delivery.result()
                arrived.append(self._under_way.popleft()[0])
            self._send()
        except LogError as error:
            _LOGGER.warning(
                "refusals could not be published, and are kept to be sent again",
                extra={"partition": self._store.pin.partition, "error": str(error)},
            )
            self.close()  # some of these may arrive yet, and will be sent twice
            self._sent, self._not_before = -1, monotonic() + _RETRY_S
        if arrived:
            self._store.delete_from_outbox(arrived)
        return len(arrived)

    def close(self) -> None:
        """Let go of what is under way; the store keeps it."""
        for _, handed in self._under_way:
            handed.cancel()
        self._under_way.clear()

    def _drop_published(self) -> None:
        """While a rebuild folds what was folded before, by us or another host, publish nothing of it again."""
        if self._store.outbox_depth:
            self._store.drop_outbox_below(self._published_below)
        if self._store.state.position >= self._published_below:
            self._published_below = 0

    def _send(self) -> None:
        room = _UNDER_WAY_MAX - len(self._under_way)
        if room <= 0 or len(self._under_way) >= self._store.outbox_depth or monotonic() < self._not_before:
            return
        for offset, refusal in self._store.outbox(self._sent, room):
            self._under_way.append((offset, self._publisher.send(self._store.pin.partition, refusal)))
            self._sent = offset
