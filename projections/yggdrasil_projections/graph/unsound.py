"""Records that a store holds otherwise than they were folded, such as a text that somebody changed there.

No answer shows them. Whoever reads meets one as an error, takes note of it, and asks again of a graph in which it is
not there (``graph.lensed``).
"""

import logging
from collections.abc import Iterable, Set
from threading import Lock
from typing import Any, Final

import orjson

from yggdrasil_infra.rocks.errors import OF_STORE
from yggdrasil_infra.signals.metrics import ReadMetrics
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph.records import is_feature, seq_of
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.problems import DAMAGED

from .working_set import Graph

UNSOUND_MAX: Final = 256
"""Of so many records of one memory it is told; with more, the store is of no use, and nothing is answered from it."""
_NONE: Final[Set[int]] = frozenset()
_LOGGER: Final = logging.getLogger("yggdrasil.reads")


class UnsoundRecordError(YggdrasilError):
    """What the store holds of a node is not the record that was folded. ``number`` is the node's."""

    kind = DAMAGED

    def __init__(self, memory: str, number: int, command_id: str | None) -> None:
        of = f"command {command_id}" if command_id else "a command, or of its vector,"
        super().__init__(
            f"{memory}: what the store holds of {of}, seq {seq_of(number)}, is not what was folded. {OF_STORE}"
        )
        self.memory = memory
        self.number = number


def check_folded(graph: Graph, number: int, content: bytes) -> None:
    """Raise UnsoundRecordError where a node's content is not the record that was folded. A feature's is a name."""
    if not (is_feature(number) or graph.folded(seq_of(number), content)):
        raise UnsoundRecordError(graph.header.memory, number, _id_in(graph, number, content))


def check_attached(graph: Graph, number: int, seq: int, record: bytes) -> None:
    """Raise UnsoundRecordError where what attached a vector to a node, at ``seq``, is not what was folded."""
    if not graph.folded(seq, record):
        raise UnsoundRecordError(graph.header.memory, number, None)


def _id_in(graph: Graph, number: int, content: bytes) -> str | None:
    """Return the id that a content gives, if the node is that command's."""
    try:
        fields: dict[str, Any] = orjson.loads(content)
        command_id: str = fields["id"]
        known = graph.identity(id_bytes(command_id))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return command_id if known is not None and known.seq == seq_of(number) else None


class Unsound:
    """The nodes of a host's memories that no answer shows. For any thread."""

    def __init__(self) -> None:
        self.metrics = ReadMetrics()
        self._known: dict[str, Set[int]] = {}
        self._noting = Lock()

    def note(self, error: UnsoundRecordError, partition: int) -> None:
        """Show a node no more; count it, and tell of it, when it is met for the first time.

        Raises the error where too much of its memory is known to be unsound already.
        """
        with self._noting:
            known = self._known.get(error.memory, _NONE)
            if error.number in known:
                return
            if len(known) >= UNSOUND_MAX:
                raise error
            self._known[error.memory] = known | {error.number}
        self.metrics.records_unsound.labels(partition).inc()
        _LOGGER.error("left out of every answer: %s", error, extra={"partition": partition})

    def among(self, graph: Graph) -> Set[int]:
        """Return which nodes of a memory are still not to be shown; those that were mended are forgotten here."""
        memory = graph.header.memory
        known = self._known.get(memory)
        if not known:
            return _NONE
        left = frozenset(_unsound(graph, known))
        if len(left) < len(known):
            with self._noting:
                self._known[memory] = self._known[memory] - (known - left)
        return left


def _unsound(graph: Graph, numbers: Iterable[int]) -> Iterable[int]:
    for number in sorted(numbers):
        content = graph.content(number)
        if content is None:
            continue
        records = [(seq_of(number), content), *graph.vectors(number).values()]
        if not all(graph.folded(seq, record) for seq, record in records):
            yield number
