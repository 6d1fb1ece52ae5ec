"""Vectors beside the fold: while some commands are appended and folded, a thread makes the vectors of the next.

An import records its texts first and has no vectors to wait for; what it has recorded before keeps those that it has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from operator import attrgetter
from typing import Final

from yggdrasil_producers.draft import Draft

from .appending import APPEND_CHUNK, Appending
from .embedding import Embedding, as_recorded
from .engine import Engine

BATCH: Final = 64
"""Texts in one call of the embedder: half a second of an offline model, and one request to a hosted one."""
_BATCH_BYTES: Final = 1 << 20  # give or take a command
_AHEAD: Final = 3


def completed_beside(
    embedding: Embedding, engine: Engine, drafts: Iterable[Draft]
) -> Generator[list[Draft], None, None]:
    """Yield drafts of one memory in their order, 64 at a time, with the vectors of what they say.

    While the caller appends some, the next are given vectors: at most three times 64 are drawn and not yet yielded.
    What the engine's memory knows by its id has the vector, or none, that it was recorded with, and is not embedded
    again, so that an import may be repeated.

    Whatever ``drafts`` or the embedder raises (EmbeddingError) comes after all that was complete before it; what is
    then left can be given again. Closed early, it waits for the call that is under way.
    """
    drawn = _drawn(drafts, BATCH)
    with ThreadPoolExecutor(1, "vectors") as thread:
        waiting: deque[Future[list[Draft]]] = deque()
        wrong: Exception | None = None
        try:
            while True:
                while wrong is None and len(waiting) < _AHEAD:
                    batch, wrong = next(drawn)
                    if not batch:
                        break
                    waiting.append(thread.submit(_completed, embedding, batch, _recorded(engine, batch)))
                if not waiting:
                    break
                yield waiting.popleft().result()
        finally:
            thread.shutdown(cancel_futures=True)
    if wrong is not None:
        raise wrong


def as_before(engine: Engine, drafts: Iterable[Draft]) -> Generator[list[Draft], None, None]:
    """Yield drafts in their order, up to 500 at a time, and make no vector.

    What the engine knows by its id has the vector, or none, that it was recorded with, so that an import may be
    repeated. What ``drafts`` raises comes after all that was drawn before it.
    """
    for batch, wrong in _drawn(drafts, APPEND_CHUNK):
        if batch:
            recorded: dict[str, bytes] = {}
            for _, said in groupby(batch, attrgetter("memory")):
                recorded |= _recorded(engine, list(said))
            yield [as_recorded(draft, recorded[draft.id]) if draft.id in recorded else draft for draft in batch]
        if wrong is not None:
            raise wrong
        if not batch:
            return


def _completed(embedding: Embedding, batch: Sequence[Draft], recorded: Mapping[str, bytes]) -> list[Draft]:
    made = iter(embedding.all_completed([draft for draft in batch if draft.id not in recorded]))
    return [as_recorded(draft, recorded[draft.id]) if draft.id in recorded else next(made) for draft in batch]


def _recorded(engine: Engine, batch: Sequence[Draft]) -> Mapping[str, bytes]:
    """Return the records of those that are known already, by their ids, from an engine that can tell."""
    return engine.recorded(batch) if isinstance(engine, Appending) else {}


def _drawn(drafts: Iterable[Draft], most: int) -> Iterator[tuple[list[Draft], Exception | None]]:
    """Yield what comes next, with what its source raised after it; without end, empty at last.

    A batch has at most so many commands, and about 1 MiB.
    """
    source = iter(drafts)
    while True:
        batch: list[Draft] = []
        left = _BATCH_BYTES
        wrong: Exception | None = None
        try:
            while len(batch) < most and left > 0 and (draft := next(source, None)) is not None:
                batch.append(draft)
                left -= len(draft.value)
        except Exception as error:  # whatever the source raises: what came before it is completed first
            wrong = error
        yield batch, wrong
