"""Let thinkers read all that is new, in the calling thread, and say what came of it."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from yggdrasil_infra.signals.metrics import ThinkerMetrics
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.pool import Pool
from yggdrasil_processors.thinkers.frame.shadow import Shadow
from yggdrasil_processors.thinkers.frame.thinking import Listen, Progress, Rewrite, Thinking
from yggdrasil_processors.thinkers.thinker import Thinker

from ..engines.embedded import Embedded
from ..engines.embedding import Embedding
from .extraction import ModelExtraction, listening
from .memories import EngineMemories
from .summaries import ModelSummary, summarising

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_LISTENS: Final = "reducer"
PLACE: Final = "thoughts"
"""Where thinkers keep what they know, in a directory of memories."""


@dataclass(slots=True)
class ThinkerRun:
    """What one thinker did: how much it has read and decided, and why it has stopped, if so."""

    thinker: str
    version: str
    read: int = 0
    decided: int = 0
    stopped: str | None = None


def pool_of(
    thinkers: Sequence[Thinker[Any]],
    memories: EngineMemories,
    store: ThoughtStore,
    *,
    metrics: ThinkerMetrics | None = None,
    shadow: Path | None = None,
    rewrite: Rewrite | None = None,
    listen: Listen | None = None,
) -> Pool:
    """Return thinkers over ``memories`` that keep what they know in ``store``, and decide, or report to ``shadow``.

    The reducer is told what ``listen`` finds.
    """
    thinks = [
        Thinking(thinker, memories, store, memories.source, rewrite, listen if thinker.name == _LISTENS else None)
        if shadow is None
        else Shadow(thinker, memories, store, shadow)
        for thinker in thinkers
    ]
    return Pool(thinks, memories, metrics or ThinkerMetrics())


def think_over(
    engine: Embedded,
    thinkers: Sequence[Thinker[Any]],
    embedding: Embedding | None = None,
    *,
    rest: bool = True,
    shadow: Path | None = None,
    summary_model: "str | Model | None" = None,
    extraction_model: "str | Model | None" = None,
    progress: Callable[[int], object] | None = None,
) -> list[ThinkerRun]:
    """Let thinkers read all that is new in the memories of a directory; see ``Store.think``."""
    memories = EngineMemories(engine, embedding)
    with (
        ThoughtStore(engine.path / PLACE) as store,
        rewriting(memories, summary_model) as rewrite,
        heard_by(extraction_model) as listen,
    ):
        pool = pool_of(thinkers, memories, store, shadow=shadow, rewrite=rewrite, listen=listen)
        try:
            return think_once(pool, memories.memories(), rest=rest, progress=progress)
        finally:
            pool.keep()


@contextmanager
def rewriting(memories: EngineMemories, summary_model: "str | Model | None") -> Generator[Rewrite | None]:
    """Hold what gives episodes the words of a model, by its name at Pydantic AI; None without one.

    Raises SummaryModelMissingError.
    """
    if summary_model is None:
        yield None
        return
    with ModelSummary(summary_model) as model:
        yield summarising(memories, model, model.name)


@contextmanager
def heard_by(extraction_model: "str | Model | None") -> Generator[Listen | None]:
    """Hold what finds claims in events by a model, by its name at Pydantic AI; None without one.

    Raises SummaryModelMissingError.
    """
    if extraction_model is None:
        yield None
        return
    with ModelExtraction(extraction_model) as model:
        yield listening(model)


def think_once(
    pool: Pool,
    memories: Sequence[str],
    *,
    rest: bool = False,
    progress: Callable[[int], object] | None = None,
) -> list[ThinkerRun]:
    """Let all of a pool read what is new in ``memories``, and what the others decide of it, until nothing is left.

    With ``rest`` they are told afterwards that nothing more happens for a while. ``progress`` is called with how much
    was read. Raises YggdrasilError when the memories cannot be read; what was decided by then is in the log.
    """
    done = {desk.name: ThinkerRun(desk.name, desk.thinks.thinker.version) for desk in pool.desks}

    def note(name: str, step: Progress) -> None:
        done[name].read += step.read
        done[name].decided += step.taken
        if progress:
            progress(step.read)

    pool.wake_all(memories)
    pool.drain(note)
    if rest:
        pool.wake_all(memories, resting=True)
        pool.drain(note)
    for desk in pool.desks:
        done[desk.name].stopped = desk.stopped
    return list(done.values())
