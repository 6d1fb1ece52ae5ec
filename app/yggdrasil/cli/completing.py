"""Vectors for what was recorded without: batch by batch, where people can see it, and while others use the directory.

A directory has one writer, and vectors take long. So a process that makes them serves the directory meanwhile, to its
owner alone, as a daemon does: whoever opens it finds the socket.
"""

import logging
import sys
from dataclasses import dataclass
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from yggdrasil_infra.locks import BriefHold

from .screen import Screen, clean

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import EmbeddingError

    from ..engines.embedded import Embedded
    from ..engines.embedding import Embedding
    from ..engines.reading import Reading

_ALONE_S: Final = 0.7  # others wait for longer than that, and what is shorter need not load a server
_LOGGER: Final = logging.getLogger("yggdrasil.serve")


@dataclass(frozen=True, slots=True)
class Given:
    """How many texts of a memory were given a vector, how many have one now, and how many there are.

    ``error`` says why the embedder went no further, if it failed.
    """

    attached: int
    covered: int
    texts: int
    error: "EmbeddingError | None" = None


def give_vectors(screen: Screen, engine: "Reading", memory: str, embedding: "Embedding") -> Given:
    """Give every text of ``memory`` that has no vector of the embedder one, with a bar. An unknown memory has no text.

    It may be stopped at any moment, and goes on where it was. Raises as ``reembed`` does, but for the embedder's error.
    """
    from yggdrasil_infra.embedders import EmbeddingError

    from ..engines.embedding import coverage, reembed

    model = embedding.current
    before = coverage(engine, memory, model)
    if before.covered == before.texts:
        return Given(0, *before)
    done, error = before.covered, None
    with screen.progress(f"Embedding {clean(memory)}", before.texts - before.covered) as advance:

        def progress(covered: int, texts: int) -> None:
            nonlocal done
            advance(covered - done)
            done = covered

        try:
            attached = reembed(engine, memory, model, progress)
        except EmbeddingError as failed:
            attached, error = done - before.covered, failed
    return Given(attached, *coverage(engine, memory, model), error)


class Shared:
    """Lets others use a directory that this process holds, from a moment after ``__enter__`` to ``__exit__``.

    Whoever asks something then is answered before it ends. Who needs the directory itself is told that it is a command
    that has it, which ends by itself (``is_brief`` of the directory itself).
    """

    def __init__(self, engine: "Embedded", embedding: "Embedding | None") -> None:
        """Serve ``engine``, which is closed by others, with ``embedding`` for what is asked and recorded meanwhile.

        Until then others wait for one that was opened ``briefly``.
        """
        self._engine = engine
        self._embedding = embedding
        self._ended = Event()
        self._thread = Thread(target=self._serve, name="shared", daemon=True)

    def __enter__(self) -> Self:
        self._hold = BriefHold(self._engine.path)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._hold.close()

    def _serve(self) -> None:
        if self._ended.wait(_ALONE_S):
            return
        from yggdrasil_infra.http.errors import ServerError
        from yggdrasil_infra.running.turns import SWITCH_S

        from ..serving import Serving
        from ..serving_parts import Service

        sys.setswitchinterval(SWITCH_S)  # or whoever asks would wait long for a turn
        try:
            service = Service(address=None, directory=self._engine.path)
            with Serving(self._engine, service, embedding=self._embedding):
                self._engine.served()
                self._ended.wait()
        except ServerError as error:  # others then wait for the end, and nothing else is lost
            self._engine.served()
            _LOGGER.warning("others cannot use the directory meanwhile: %s", error)
