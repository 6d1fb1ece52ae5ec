"""What searches offer in vain, as a metric: a service looks now and then at the memories that are asked."""

import logging
from typing import Final

from yggdrasil_infra.running.periodic import Periodic
from yggdrasil_infra.signals.metrics import ServiceMetrics
from yggdrasil_projections.retrieval.reads.operations.bias import exposure
from yggdrasil_schemas.errors import YggdrasilError

from ..reading import Reading

_LOGGER: Final = logging.getLogger("yggdrasil.serve")
_LOOK_S: Final = 300.0


class Unused(Periodic):
    """Looks every five minutes at the memories whose indexes are held, from ``__enter__`` to ``__exit__``.

    Others are left alone until they are asked: what nobody asks offers nothing. Each takes one scan over the scalars of
    its nodes, some milliseconds of a reader's turn.
    """

    def __init__(self, engine: Reading, metrics: ServiceMetrics, look_every_s: float = _LOOK_S) -> None:
        super().__init__("unused", self._look, look_every_s)
        self._engine = engine
        self._metrics = metrics
        self._look_every_s = look_every_s

    def look(self) -> None:
        """Look once, and tell the metrics. What cannot be read is left out."""
        offered = never_used = 0
        for memory in self._engine.memories_asked():
            if self._ended.is_set():
                return
            try:
                with self._engine.reading_of(memory) as (graph, _):
                    found = exposure(graph)
            except YggdrasilError as error:
                _LOGGER.debug("%s was not looked at: %s", memory, error)
                continue
            offered += found.offered
            never_used += len(found.numbers)
        self._metrics.offered.set(offered)
        self._metrics.never_used.set(never_used)

    def _look(self) -> float:
        self.look()
        return self._look_every_s
