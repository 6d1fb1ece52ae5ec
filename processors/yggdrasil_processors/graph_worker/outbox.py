"""Publish the refusals of one partition: from the outbox of its store to the topic of refusals.

The outbox was written with the fold that refused, so no refusal is ever forgotten; it is deleted once the brokers have
it, so a crash between the two publishes it twice. Consumers take one (partition, offset) once.
"""

import logging
from collections import deque
from time import monotonic
from typing import Final

from yggdrasil_infra.kafka_sender import Delivery, KafkaSender
from yggdrasil_infra.log import LogError
from yggdrasil_projections.graph.store import GraphStore

_LOGGER: Final = logging.getLogger("yggdrasil.worker")
_UNDER_WAY_MAX: Final = 500
_RETRY_S: Final = 5.0


class Outbox:
    """The way of one partition's refusals to ``topic``, in log order but for what is sent again."""

    def __init__(
        self, store: GraphStore, sender: KafkaSender, topic: str, partition: int, published_below: int
    ) -> None:
        self._store = store
        self._sender = sender
        self._topic = topic
        self._partition = partition  # of the topic of refusals
        self._published_below = published_below
        self._under_way: deque[tuple[int, Delivery]] = deque()
        self._sent = -1
        self._not_before = 0.0

    @property
    def empty(self) -> bool:
        """Whether every refusal so far has been published."""
        return self._store.outbox_depth == 0

    @property
    def rebuilding(self) -> bool:
        """Whether the group knows of more that was published than this store has folded yet."""
        return self._store.state.position < self._published_below

    def pump(self) -> int:
        """Send more of what waits, and delete what has arrived; return how many have arrived."""
        if self._published_below:
            self._drop_published()
        arrived: list[int] = []
        try:
            while self._under_way and self._under_way[0][1].done():
                offset, delivery = self._under_way[0]
                delivery.result()
                arrived.append(offset)
                self._under_way.popleft()
            self._send()
        except LogError as error:
            _LOGGER.warning(
                "refusals could not be published, and are kept to be sent again",
                extra={"partition": self._store.pin.partition, "error": str(error)},
            )
            self._under_way.clear()  # some of these may arrive yet, and will be sent twice
            self._sent, self._not_before = -1, monotonic() + _RETRY_S
        if arrived:
            self._store.delete_from_outbox(arrived)
        return len(arrived)

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
        key = str(self._store.pin.partition).encode()
        for offset, refusal in self._store.outbox(self._sent, room):
            self._under_way.append((offset, self._sender.send(self._topic, self._partition, key, refusal)))
            self._sent = offset
