"""A directory that holds many memories: opened once in a process, and as many facades from it as one likes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from yggdrasil_infra.forking import OfThisProcess, stays
from yggdrasil_infra.log import LogError, LogInUseError
from yggdrasil_infra.paths import directory_at, whole
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas.commands.forks import is_fork

from .daemon.commands.handing import is_auto, step_aside
from .memory import Memory
from .opening import opened

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from yggdrasil_infra.embedders import Embedder
    from yggdrasil_processors.scrubbing import Scrub
    from yggdrasil_processors.thinkers.thinker import Thinker
    from yggdrasil_producers.envelopes import OpenedAs
    from yggdrasil_schemas.commands import Origin

    from .engines.embedded import Embedded
    from .engines.embedding import Embedding
    from .engines.remote import Remote
    from .opening import Vectors
    from .settings import EmbedderGiven
    from .thinking.beside import Beside
    from .thinking.once import ThinkerRun
    from .thinking.summaries import ModelSummary


class Store(OfThisProcess):
    """One directory with its log, its stores, its indexes and its embedder, shared by all memories that are in it.

    Safe to use from several threads; a context manager.

    >>> with Store.open("./house") as store:
    ...     ana, ben = store.memory("acme/ana"), store.memory("acme/ben")
    ...     _ = ana.record_event("The deploy key is in the vault", features=["deploy"])
    ...     _ = ben.record_event("The printer is on the second floor", features=["printer"])
    ...     store.memories()
    ['acme/ana', 'acme/ben']
    """

    def __init__(
        self,
        engine: Embedded | Remote,
        vectors: Vectors | None = None,
        scrub: int | None = None,
        thinkers: Sequence[Thinker[Any]] = (),
        summary: ModelSummary | None = None,
        *,
        path: Path | None = None,
    ) -> None:
        """Take over ``engine`` and ``summary``, which are closed with this; ``open`` is the usual way.

        ``path`` is the directory, where the engine is a service's.
        """
        self.engine: Any = engine
        self._path = path
        self._scrub = _begun(_held(engine, path, "scrubs"), scrub) if scrub else None
        self._embedding = vectors.embedding if vectors is not None else None
        self._advice = vectors.advice if vectors is not None else None
        self._closed = False
        here = _held(engine, path, "thinks") if thinkers else None
        self._beside = None if here is None else _thinking(here, thinkers, self._embedding, summary)
        if not getattr(engine, "survives_fork", False):
            stays(self, f"the store {getattr(engine, 'where', path)}")

    @staticmethod
    def open(
        path: str | Path,
        *,
        partitions: int | None = None,
        embedder: EmbedderGiven = None,
        former_embedder: Embedder | None = None,
        scrub: int | None = None,
        thinkers: Iterable[str] | str = (),
        summary_model: str | Model | None = None,
        daemon: bool = False,
        ranker: str | None = None,
    ) -> Store:
        """Open or create the directory ``path``; where a service holds it, this speaks to that one.

        With ``daemon``, or YGGDRASIL_DAEMON=1 in the environment, a service is started where there is none, so that any
        number of processes use the directory (docs/doors/daemon.md). A service has an embedder, number of partitions,
        thinkers and scrub of its own: another ``embedder`` is warned of, and ``thinkers``, ``scrub`` and ``think`` are
        refused, as is a ``ranker``.

        ``partitions`` is fixed at creation (4 unless given). With an ``embedder``, what is said and what is asked get
        vectors, and are compared by what they mean as well. It may be one of ``yggdrasil_infra.embedders``, which
        remains the caller's to close, or the setting of one, such as "pair" or "e5:FOLDER" (``open_embedder``).
        ``former_embedder`` answers until 90 % of what was said has vectors of the new one (``yggdrasil embed``).

        The directory remembers its embedder, and is opened with it again where nothing else is said. A new one gets
        the offline model where the extra `embeddings` is installed, loaded with the first text; where it is not, the
        first answer comes with an EmbedderWarning that says how to get it. "none" says that there is to be none, and
        is remembered; "off" says so for this time. There is an EmbedderWarning, too, when the embedder that is
        remembered cannot be opened, and for another one that is given without the former.

        ``scrub`` is for a process that runs for long: at so many bytes per second, log and stores are read again in the
        background, once a day, so that damage on the disk shows before a question meets it.

        ``thinkers`` decide in the background whenever something is recorded: "usual", "all", or names such as
        "chunker"; see docs/thinkers.md. Without them ``think`` lets them. ``summary_model``, a model of Pydantic AI or
        its name there, such as "openai:gpt-5-mini", then says what each of their episodes was about.

        ``ranker`` names a ranker that somebody else has made and that is installed here, such as "acme-fresh/1"
        (docs/retrieval.md), or else YGGDRASIL_RANKER: it orders what is relevant. It is imported only if it is named.

        Raises PluginError for a ranker or a thinker that is not installed, EmbedderMissingError for a setting that
        cannot be used here, LogInUseError when the directory is open already, here or in another process that does
        not serve it, UntrustedSocketError where another user could have made the socket of its service, DaemonError
        when none starts, DaemonSettingError for a slip in YGGDRASIL_DAEMON, LogElsewhereError for the directory of a
        worker, UnknownThinkerError, SummaryModelMissingError, StoreSettingsError, and LogError, StorageError or
        StoreError, with the remedy, for what is damaged.
        """
        wanted = _named(thinkers)  # first, so that a slip leaves no directory behind
        with ExitStack() as held:
            summary = None if summary_model is None else held.enter_context(_summary(summary_model, wanted))
            there = directory_at(path)
            if wanted or scrub:
                step_aside(there)  # what a command has started is no obstacle to what has to be here
            engine, found = opened(there, partitions, embedder, former_embedder, daemon=daemon, ranker=ranker)
            held.callback(engine.close)
            store = Store(engine, found, scrub, wanted, summary, path=there)
            held.pop_all()
        return store

    def memory(
        self, memory: str, *, source: str = "agent", origin: Origin = "agent", role: OpenedAs = "operator"
    ) -> Memory[Any]:
        """Return the memory ``memory``, ``tenant/agent``, which need not exist: its first command makes it.

        ``source`` names who speaks, and ``origin`` what that is; both are stamped on every command. With ``role``
        "agent" it takes what agents may say, and the rest raises NotAllowedError. To close the memory
        leaves the store open, and closing the store closes all of its memories. Raises InvalidCommandError for a
        malformed id, and LogError once the store is closed.
        """
        self._check()
        drafter = Drafter(memory, source, "yggdrasil-embedded", origin, role=role)
        return Memory(self.engine, drafter, embedding=self._embedding, advice=self._advice)

    def memories(self, tenant: str | None = None, *, forks: bool = False) -> list[str]:
        """Return the ids of all memories that are there, or of one tenant's, sorted. Raises LogError when closed.

        Forks are left out unless ``forks``: whoever looks at all memories does not look at one several times.
        """
        self._check()
        found: list[str] = self.engine.memories(tenant)
        return found if forks else [each for each in found if not is_fork(each)]

    def think(
        self,
        thinkers: Iterable[str] | str = "usual",
        *,
        rest: bool = True,
        shadow: str | Path | None = None,
        summary_model: str | Model | None = None,
        extraction_model: str | Model | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> list[ThinkerRun]:
        """Let thinkers read all that is new in all memories, and decide; return what each has done.

        They are given by name; "usual" are the chunker, concepts, reflector and sleeper. One that somebody else has
        made is named with its version, such as "acme-watch/1" (docs/thinkers.md).

        With ``rest`` they are told that nothing more happens for a while, so that what is open is concluded. With
        ``shadow``, a file, they append nothing: what they would decide is written there, one JSON object in a line.
        ``summary_model`` says what an episode was about, in place of its most telling events: a model of Pydantic AI
        or its name there, such as "openai:gpt-5-mini"; ``extraction_model`` tells the reducer what events say, beside
        its patterns. ``progress`` is called with how much was read. Raises UnknownThinkerError, PluginError,
        SummaryModelMissingError, and LogError when thinkers are at work in the background.
        """
        from .thinking.once import think_over

        self._check()
        if self._beside is not None:
            raise LogError("thinkers are at work on this store already: it was opened with them")
        report = None if shadow is None else whole(shadow)
        wanted = _named(thinkers)
        if self._path is not None and is_auto(self._path):
            step_aside(self._path)  # and comes back with the next call
            with Store.open(self._path) as here:
                return here.think(
                    thinkers,
                    rest=rest,
                    shadow=shadow,
                    summary_model=summary_model,
                    extraction_model=extraction_model,
                    progress=progress,
                )
        engine = _held(self.engine, self._path, "thinks")
        asked: dict[str, Any] = {"rest": rest, "shadow": report, "progress": progress}
        asked |= {"summary_model": summary_model, "extraction_model": extraction_model}
        return think_over(engine, wanted, self._embedding, **asked)

    @property
    def path(self) -> Path:
        """The directory."""
        return self._path or Path(self.engine.path)

    def close(self) -> None:
        """Close the directory, and with it all of its memories. Closing twice is allowed."""
        self._closed = True
        if self._beside is not None:
            self._beside.__exit__(None, None, None)
        if self._scrub is not None:
            self._scrub.close()
        self.engine.close()
        if self._embedding is not None:
            self._embedding.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self) -> None:
        if self._closed:
            raise LogError(f"the store {self.path} is closed; open it again with Store.open")


def _held(engine: Embedded | Remote, path: Path | None, what: str) -> Embedded:
    """Return the engine, if the directory is held here: what thinks or scrubs has to be where it is.

    Raises LogInUseError.
    """
    from .engines.embedded import Embedded

    if isinstance(engine, Embedded):
        return engine
    raise LogInUseError(
        f"a service holds {path}, and what {what} has to be there: start it with --thinkers or --scrub-mib-s (see "
        "`yggdrasil serve --help`), or let it end first",
        None if path is None else str(path),
    )


def _begun(engine: Embedded, bytes_per_second: int) -> Scrub:
    from yggdrasil_processors.scrubbing import Scrub, ScrubSettings

    return Scrub(engine.path, engine.hosting, ScrubSettings(bytes_per_second)).__enter__()


def _named(thinkers: Iterable[str] | str) -> list[Thinker[Any]]:
    if not thinkers:
        return []
    from .thinking.known import thinkers_of

    return thinkers_of(thinkers)


def _summary(model: str | Model, thinkers: Sequence[Thinker[Any]]) -> ModelSummary:
    if not thinkers:
        raise ValueError("summary_model goes with thinkers: name some here, or give it to think")
    from .thinking.summaries import ModelSummary

    return ModelSummary(model)


def _thinking(
    engine: Embedded, thinkers: Sequence[Thinker[Any]], embedding: Embedding | None, summary: ModelSummary | None
) -> Beside:
    from .thinking.beside import Beside
    from .thinking.memories import EngineMemories

    return Beside(engine, thinkers, EngineMemories(engine, embedding), summary=summary).__enter__()
