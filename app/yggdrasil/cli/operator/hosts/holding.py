"""What ``yggdrasil serve`` serves: a directory that it holds, or a topic that it folds."""

import os
import signal
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, nullcontext
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from ...options import OnKafka, partitions_of
from .serving_options import Kept
from .working import operators_of

if TYPE_CHECKING:
    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.serving_parts import Health, Host

_PATIENCE_S: Final = 10.0
_LOOK_S: Final = 0.05


@contextmanager
def embedded(
    kept: Kept, setting: str | None, given: "Embedding | None", *, patient: bool = False, auto: bool = False
) -> "Generator[tuple[Host, Health, Embedding | None]]":
    """Hold a directory; a ``patient`` one waits a while for another that is about to let go of it.

    One that a command has started, ``auto``, holds none that can only be read: whoever makes room on its disk has no
    way to have it opened again. Raises LogInUseError, and then DiskFullError and ReadOnlyError.
    """
    import logging

    from yggdrasil.engines.upkeep.watched import Watched
    from yggdrasil.opening import vectors_of
    from yggdrasil.serving_parts import Health
    from yggdrasil_processors.scrubbing import Scrub

    from ...opening import catch_up, usable
    from ...screen import Screen

    usable(kept.place, "--data")
    with (
        _ended_by_failure() as fail,
        _held(kept, _PATIENCE_S if patient else 0.0) as engine,
    ):
        if auto and engine.only_read is not None:
            raise engine.only_read
        vectors = vectors_of(engine, setting, given)
        # What is told once is told where people read it: by whoever asks a daemon first, and not in its file.
        said = vectors.said or (vectors.advice.give() if vectors.advice is not None and not patient else None)
        if said is not None:
            logging.getLogger("yggdrasil.serve").warning("%s", said)
        catch_up(Screen(json=True), engine)
        with (
            closing(vectors.embedding) if vectors.embedding is not None else nullcontext(),
            Watched(engine, fail) as watched,
            nullcontext() if kept.scrub is None else Scrub(kept.place, engine.hosting, kept.scrub),
        ):
            health = Health(watched.failed, watched.ready, room_bytes=engine.room.spare_bytes)
            yield engine, health, vectors.embedding


@contextmanager
def _ended_by_failure() -> "Generator[Callable[[Exception], None]]":
    """Yield what a host calls, on any thread, when it has failed: the process drains, and ends with that error."""
    failed: list[Exception] = []

    def fail(error: Exception) -> None:
        failed.append(error)
        os.kill(os.getpid(), signal.SIGTERM)

    yield fail
    if failed:
        raise failed[0]


@contextmanager
def hosted(
    there: OnKafka,
    kept: Kept,
    given: "Embedding | None",
    group: str,
    partitions: str | None,
    operators: str | None,
) -> "Generator[tuple[Host, Health, Embedding | None]]":
    """Fold a topic."""
    import logging

    from yggdrasil.engines.query import QueryEngine
    from yggdrasil.serving_parts import Health
    from yggdrasil_processors.query_host import HostSettings, QueryHost

    from ...opening import reachable, usable

    usable(kept.place)
    for other in kept.ladders_of or ():
        reachable(other, "--ladder-of")
        if not other.exists():
            said = "%s is not there yet: there are no states in it before a worker has made it (--ladder-of)"
            logging.getLogger("yggdrasil.serve").warning(said, other)
    settings = HostSettings(
        there.settings,
        kept.place,
        there.topic,
        there.profile,
        group,
        None if partitions is None else partitions_of(partitions),
        kept.checkpoints,
        kept.recover,
        None if operators is None else operators_of(operators),
        scrub=kept.scrub,
        room_bytes=kept.room_bytes,
        spacing=kept.spacing,
        ladders_of=tuple(kept.ladders_of or ()),
    )
    with _ended_by_failure() as fail:
        host = QueryHost(settings, fail)
        with QueryEngine(host) as engine:
            room_bytes = host.resting.room.spare_bytes
            yield engine, Health(host.live, host.ready, host.stale, room_bytes, host.unfit), given


def _held(kept: Kept, patience_s: float) -> "Embedded":
    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.own_log import briefly
    from yggdrasil_infra.http.wire.socket_file import find
    from yggdrasil_infra.log import LogInUseError

    until = monotonic() + patience_s
    while True:
        try:
            with briefly():
                return Embedded(
                    kept.place, sliced=True, recover=kept.recover, room_bytes=kept.room_bytes, spacing=kept.spacing
                )
        except LogInUseError:
            if monotonic() >= until or find(kept.place) is not None:
                raise
        sleep(_LOOK_S)
