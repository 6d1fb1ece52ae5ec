"""Open a directory for a command: say so when it cannot serve, and catch up where people can see it."""

import os
import threading
import warnings
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview

from ..engines.embedded import Embedded, check_own_log
from ..engines.engine import Engine
from ..engines.own_log import briefly
from ..settings import EmbedderWarning
from .exits import CommandLineError, ExitCode, classify
from .screen import Screen, bars, clean
from .targets import SOURCE, Target, at_service, memory_at

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import LazyEmbedder
    from yggdrasil_schemas.commands import Origin

    from ..engines.embedding import Embedding
    from ..memory import Memory


def usable(path: Path, option: str = "--dir") -> None:
    """Raise CommandLineError when ``path`` is no directory that can be written to, nor can become one."""
    reachable(path, option)
    for one in (path, path / "log", path / "log" / "records"):
        if os.access(one, os.F_OK) and not os.access(one, os.W_OK | os.X_OK):
            message = f"{clean(one)} cannot be written to: see to its permissions, or name another directory ({option})"
            raise CommandLineError(ExitCode.USAGE, "not_writable", message)


def reachable(path: Path, option: str = "--dir") -> None:
    """Raise CommandLineError when ``path`` is no directory, nor can become one; it may be one that is only read."""
    from yggdrasil_infra.paths import PathError, check_directory

    try:
        check_directory(path)
    except PathError as error:
        raise CommandLineError(*classify(error), f"{clean(error)} ({option})") from error


def require(path: Path) -> None:
    """Raise CommandLineError when ``path`` holds no log, and LogElsewhereError when it is a worker's."""
    reachable(path)
    check_own_log(path)
    if not (path / "log").is_dir():
        raise CommandLineError(
            ExitCode.NOT_FOUND,
            "no_memory_here",
            f"{clean(path)} holds no memory yet. `yggdrasil record` or `yggdrasil import` makes one there; "
            "--dir or YGGDRASIL_DIR names another directory.",
        )


def catch_up(screen: Screen, engine: Engine, memory: str | None = None) -> None:
    """Fold what the log holds beyond the stores, or that of ``memory`` alone, with a bar when that takes a while.

    A service does so by itself.
    """
    if not isinstance(engine, Embedded):
        return
    behind = engine.behind(memory)
    if behind:
        with screen.progress("Catching up with the log", behind) as advance:
            engine.catch_up(advance, memory)


@contextmanager
def heard(screen: Screen) -> Generator[None, None, None]:
    """Say on stderr, in a line each, what the facade warns of: what gets no vector, and what to do about it."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        screen.warn(clean(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", EmbedderWarning)
        warnings.showwarning = show
        yield


@contextmanager
def opened(
    screen: Screen,
    place: Target,
    memory: str,
    *,
    create: bool = False,
    embedder: str | None = "off",
    origin: "Origin" = "agent",
) -> "Generator[Memory[Any], None, None]":
    """Open ``memory`` in a directory, caught up, or at the service that holds it, or at the one that was named.

    With ``embedder`` None, what is said and asked gets vectors as ever.

    ``origin`` is who stands behind what is said; a service that was named knows that by the key.

    Unless ``create``, raises CommandLineError for a directory, and UnknownMemoryError for a memory, that is not there.
    With it, raises CommandLineError for a directory that cannot be written to.
    """
    from ..memory import Memory  # and all that can be asked of one, which numbers of a directory do without

    if place.service is not None:
        from yggdrasil_producers.draft import Drafter

        with at_service(place.service) as remote:
            drafter = Drafter(memory_at(remote, memory), SOURCE, "yggdrasil-http")
            yield _as_of(screen, Memory(remote, drafter), place.as_of)
        return
    path = place.directory
    if not create:
        require(path)
    else:
        usable(path)
    with ExitStack() as stack:
        stack.enter_context(heard(screen))
        with briefly():
            it = stack.enter_context(Memory.open(path, memory, source="cli", origin=origin, embedder=embedder))
        catch_up(screen, it.engine, memory)  # the stores of other memories need not even be opened
        if not create:
            it.engine.graph(memory) if isinstance(it.engine, Embedded) else it.engine.ask(memory, AskOverview())
        yield _as_of(screen, it, place.as_of)


def _as_of(screen: Screen, it: "Memory[Any]", moment: str | None) -> "Memory[Any]":
    """Return a memory as of the moment that was named, built with a bar where that takes a while."""
    if moment is None:
        return it
    with bars(screen) as progress:
        return it.as_of(moment, progress=partial(progress, "Building the past"))


@contextmanager
def embedding_of(setting: str | None, former: str) -> "Generator[Embedding | None]":
    """Open what makes vectors, by its setting; None for none."""
    if setting is None or setting in {"off", "none"}:
        yield None
        return
    from yggdrasil_infra.embedders import open_embedder

    from ..engines.embedding import Embedding

    with ExitStack() as stack:
        embedder = stack.enter_context(closing(open_embedder(setting)))
        before = None if former == "off" else stack.enter_context(closing(open_embedder(former)))
        yield Embedding(embedder, before)


@contextmanager
def loaded(model: "LazyEmbedder") -> "Generator[None]":
    """Load a model beside what is served already, so that whoever asks first need not wait for it."""
    import logging

    from yggdrasil_infra.embedders import EmbeddingError

    def load() -> None:
        try:
            model.load()
        except EmbeddingError as error:
            logging.getLogger("yggdrasil.serve").warning("no vectors: %s", error)

    loading = threading.Thread(target=load, name="model", daemon=True)
    loading.start()
    yield
    loading.join()
