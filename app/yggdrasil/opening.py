"""How a directory is opened for memories: its engine, and the embedder that was given, remembered, or is there."""

import os
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from yggdrasil_infra.http.wire.socket_file import is_named
from yggdrasil_infra.log import LogInUseError
from yggdrasil_infra.paths import directory_at

from .daemon.commands.handing import is_auto
from .daemon.starting import IDLE_S, in_use, start
from .daemon.wish import auto_idle_s, wanted
from .engines.own_log import check_not_held
from .settings import EmbedderUsed, EmbedderWarning, Kept, agree, kept, remember, typed, unused, without

if TYPE_CHECKING:
    from yggdrasil_infra.embedders import Embedder
    from yggdrasil_projections.retrieval.ranking.own.ranker import OwnRanker

    from .engines.embedded import Embedded
    from .engines.embedding import Embedding
    from .engines.remote import Remote
    from .settings import EmbedderGiven

DEFAULT: Final = "pair"
"""What a new directory embeds with, where it is installed."""
OFFLINE: Final = frozenset({"pair", "minilm", "multilingual"})
"""What can be opened by its name alone, wherever it is installed."""
VARIABLE: Final = "YGGDRASIL_EMBEDDER"
"""The environment may name another for new directories, or "none"."""
RANKER_VARIABLE: Final = "YGGDRASIL_RANKER"
"""The environment may name a ranker of somebody else's, for whatever opens a directory itself."""
_PATIENCE_S: Final = 2.0  # with another process that has the directory, and may be about to serve it, or to end
_LOOK_S: Final = 0.05


class Advice:
    """How a directory would get vectors, for whoever asks it first. For any thread."""

    def __init__(self, directory: Path, how: str) -> None:
        """Advise ``how``: what to install."""
        self._directory = directory
        self._how = how
        self._giving = Lock()
        self._given = False

    def give(self) -> str | None:
        """Return the advice the first time, and None ever after, in other processes too."""
        with self._giving:
            if self._given:
                return None
            self._given = True
        with suppress(OSError):  # where nothing can be written it is said again, and the answer is given all the same
            remember(self._directory, Kept("told"))
        return (
            f"questions to {self._directory} are compared by their words alone, since {self._how}. "
            f"`yggdrasil embed --dir {self._directory}` then gives vectors to what was recorded, and from then on "
            "what is said and asked gets one. This is said once"
        )


@dataclass(frozen=True, slots=True)
class Vectors:
    """What a directory is opened with beside its engine: what makes vectors or why nothing does, and what to say."""

    embedding: "Embedding | None" = None
    advice: Advice | None = None
    said: str | None = None


def opened(
    path: str | Path,
    partitions: int | None,
    embedder: "EmbedderGiven",
    former: "Embedder | None" = None,
    *,
    daemon: bool = False,
    ranker: str | None = None,
) -> "tuple[Embedded | Remote, Vectors]":
    """Open a directory for a method of a facade, whose caller is warned; see ``Store.open``."""
    directory = directory_at(path)  # once: a link may lead elsewhere when a service that ended is asked for again
    asked = wanted()  # first, so that a slip is told whatever is asked for
    if (served := _served(directory, embedder, daemon=daemon or asked)) is not None:
        return _warned(served, directory, embedder, ranker)
    from .engines.embedded import Embedded
    from .engines.own_log import BRIEF_S, UNTOLD_S

    own = ranker_named(ranker)
    embedding = given(embedder, former)  # first, so that a setting with a slip leaves no directory behind
    until = monotonic() + _PATIENCE_S
    while True:
        begun = monotonic()
        try:
            engine = Embedded(directory, partitions=partitions)
            break
        except LogInUseError as error:
            until += max(0.0, (waited := monotonic() - begun) - UNTOLD_S)  # for somebody who had it for a moment
            check_not_held(directory)
            if (served := _served(directory, embedder, daemon=False)) is not None:
                return _warned(served, directory, embedder, ranker)
            if monotonic() > until or waited >= BRIEF_S:  # or it would wait as long again at each look
                raise LogInUseError(f"{error} {in_use(directory)}", str(directory)) from error
        sleep(_LOOK_S)
    engine.ranker = own
    try:
        found = vectors_of(engine, embedder, embedding)
        if found.said is not None:
            warnings.warn(found.said, EmbedderWarning, stacklevel=3)
    except BaseException:  # a warning may be an error, where warnings are
        engine.close()
        raise
    return engine, found


def _served(directory: Path, embedder: "EmbedderGiven", *, daemon: bool) -> "Remote | None":
    """Return an engine over the service that holds ``directory``, if one does; with ``daemon`` one is started.

    Raises UntrustedSocketError, and with ``daemon`` what ``start`` raises.
    """
    # "off" is meant for this opener, and not for all.
    options = ["--embedder", typed(embedder)] if isinstance(embedder, str) and embedder != "off" else []

    def begin() -> None:
        start(directory, options, IDLE_S if daemon else auto_idle_s(), auto=not daemon)

    if daemon:
        begin()
    elif not is_named(directory):
        return None
    from .daemon.attaching import attached

    # One that the command line has started ends early, and nobody here has asked for it: it comes back when needed.
    return attached(directory, begin if daemon or is_auto(directory) else None)


def ranker_named(name: str | None) -> "OwnRanker | None":
    """Return the ranker of somebody else's that is named, here or in YGGDRASIL_RANKER; None: ours. Raises PluginError.

    Nothing of it is imported unless it is named.
    """
    said = name or os.environ.get(RANKER_VARIABLE)
    if not said:
        return None
    from yggdrasil_projections.retrieval.ranking.own.order import own_ranker

    return own_ranker(said)


def _warned(
    served: "Remote", directory: Path, embedder: "EmbedderGiven", ranker: str | None
) -> "tuple[Remote, Vectors]":
    """Warn, two callers up, of an embedder that is not that of the service. Raises LogInUseError for a ranker."""
    try:
        if ranker is not None:
            why = f"a service holds {directory}, and what ranks has to be there: start it with --ranker {ranker}"
            raise LogInUseError(why, str(directory))
        if (said := unused(directory, embedder)) is not None:
            warnings.warn(said, EmbedderWarning, stacklevel=4)
        before = kept(directory)
        advice = _advice(directory) if before is not None and before.embedder == "missing" else None
    except BaseException:
        served.close()
        raise
    return served, Vectors(advice=advice)


def given(embedder: "EmbedderGiven", former: "Embedder | None" = None) -> "Embedding | None":
    """Return what makes vectors with ``embedder``, if it is one or names one. Raises EmbedderMissingError."""
    if embedder is None or (isinstance(embedder, str) and embedder in {"off", "none"}):
        return None
    from .engines.embedding import Embedding

    if not isinstance(embedder, str):
        return Embedding(embedder, former)
    from yggdrasil_infra.embedders import open_embedder

    return Embedding(open_embedder(embedder, lazily=True), former, owned=True)


def vectors_of(engine: "Embedded", embedder: "EmbedderGiven", embedding: "Embedding | None") -> Vectors:
    """Return what makes the vectors of a directory that is open: what was ``given`` for it, or what it remembers.

    A new directory without anything said gets the default model, if it is there. Raises StoreSettingsError.
    """
    if embedding is not None:
        setting = typed(embedder) if isinstance(embedder, str) else None
        return Vectors(embedding, said=agree(engine.path, embedding.current, embedding.former, setting=setting))
    if embedder is not None:
        agree(engine.path, embedder)
        return Vectors()
    before = kept(engine.path)
    if before is None:
        return _of_new(engine.path) if _is_new(engine) else Vectors()
    if isinstance(before.embedder, EmbedderUsed):
        return _of_used(engine.path, before, before.embedder)
    return Vectors(advice=_advice(engine.path) if before.embedder == "missing" else None)


def _is_new(engine: "Embedded") -> bool:
    return not any(engine.log.end_offset(partition) for partition in range(engine.log.partitions))


def _of_new(directory: Path) -> Vectors:
    """Open the model that new directories are used with, and let this one remember it. Raises EmbedderMissingError."""
    from yggdrasil_infra.embedders import EmbedderMissingError

    setting = os.environ.get(VARIABLE) or DEFAULT
    if setting in {"none", "off"}:
        agree(directory, "none")
        return Vectors()
    try:
        embedding = given(setting)
    except EmbedderMissingError:
        if setting != DEFAULT:
            raise
        remember(directory, Kept("missing"))
        return Vectors(advice=_advice(directory))
    if embedding is not None:
        agree(directory, embedding.current, setting=typed(setting))
    return Vectors(embedding)


def _of_used(directory: Path, before: Kept, used: EmbedderUsed) -> Vectors:
    """Open the embedder that a directory remembers, if its setting is known or it is one that needs no account."""
    from yggdrasil_infra.embedders import EmbeddingError

    setting = before.setting or (used.setting if used.setting in OFFLINE else None)
    if setting is None or used.provider == "supplied":  # the one has no name to open it by, and the other no model
        return Vectors(said=without(directory, used))
    try:
        embedding = given(setting)
    except EmbeddingError as error:
        return Vectors(said=without(directory, used, str(error)))
    if embedding is None or EmbedderUsed.of(embedding.current) != used:
        return Vectors(said=without(directory, used))
    return Vectors(embedding)


def _advice(directory: Path) -> Advice | None:
    """Return what to install for the default model; None when it has been installed meanwhile."""
    from yggdrasil_infra.embedders import EmbedderMissingError

    try:
        given(DEFAULT)
    except EmbedderMissingError as error:
        return Advice(directory, str(error))
    return Advice(directory, f"{DEFAULT} was not installed when it was made, and is now")
