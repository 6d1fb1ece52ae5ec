"""Thinkers beside a topic: woken by Faust, reading from a query service and appending through it."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.signals.metrics import ThinkerMetrics
from yggdrasil_processors.thinkers.faust_worker import FaustSettings, FaustWorker
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.thinker import Thinker
from yggdrasil_schemas.topics import Profile

from ..engines.remote import Remote
from .memories import EngineMemories
from .once import heard_by, pool_of, rewriting


@dataclass(frozen=True, slots=True)
class Told:
    """Where thinkers are woken, and where they read and append. Times are in seconds.

    ``source`` is the name of ``key`` at the ``service``; ``directory`` is where thinkers keep what they know.
    """

    kafka: KafkaSettings
    topic: str
    profile: Profile
    directory: Path
    service: str
    key: str | None = field(repr=False)
    source: str
    group: str
    idle_s: float
    grace_s: float
    session_timeout_s: float
    shadow: Path | None = None
    summary_model: str | None = None
    extraction_model: str | None = None


class OnTopic:
    """A process of thinkers; a context manager."""

    def __init__(self, told: Told, thinkers: Sequence[Thinker[Any]], metrics: ThinkerMetrics) -> None:
        """Verify the topic. Raises TopicError, with the remedy, LogError, StorageInUseError or StorageError."""
        with ExitStack() as held:
            log = KafkaLog(told.kafka, told.topic, told.profile)
            partitions = log.partitions
            log.close()
            remote = Remote(told.service, told.key)
            held.callback(remote.close)
            store = held.enter_context(ThoughtStore(told.directory / "thoughts"))
            memories = EngineMemories(remote, source=told.source)
            rewrite = held.enter_context(rewriting(memories, told.summary_model))
            listen = held.enter_context(heard_by(told.extraction_model))
            pool = pool_of(
                thinkers, memories, store, metrics=metrics, shadow=told.shadow, rewrite=rewrite, listen=listen
            )
            held.callback(pool.keep)
            times = told.idle_s, told.grace_s, told.session_timeout_s
            settings = FaustSettings(told.kafka, told.topic, partitions, told.directory, told.group, *times)
            self._worker = FaustWorker(pool, memories, settings)
            self._held = held.pop_all()

    def ready(self) -> str | None:
        """Return None while all thinkers are at work on their partitions, or else why not, in a sentence."""
        return self._worker.ready()

    def live(self) -> str | None:
        """Return why the process should be ended, or None."""
        return self._worker.live()

    def run(self) -> None:
        """Think until SIGTERM or SIGINT. Raises SystemExit, with 0 when it was told to stop."""
        self._worker.run()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()
