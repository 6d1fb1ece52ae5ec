"""What the service is put together from: its host, its health, how it behaves, and other protocols beside its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Protocol

from starlette.types import ASGIApp

from yggdrasil_infra.http.application import Check
from yggdrasil_infra.http.keys import Keys
from yggdrasil_infra.http.rates import Quota
from yggdrasil_infra.http.server import Ending
from yggdrasil_infra.log import LogReader
from yggdrasil_infra.signals.audit import Audit
from yggdrasil_producers.gateway.appends import Appends
from yggdrasil_producers.gateway.routes import CEILINGS

from .engines.engine import ReadingEngine


class Host(Appends, ReadingEngine, Protocol):
    """Whoever holds the stores: appends commands and reads memories."""

    @property
    def records(self) -> LogReader:
        """The log."""
        ...

    def knows(self, memory: str) -> bool:
        """Return whether anything of ``memory`` has been folded."""
        ...


def _well() -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Health:
    """How the host is: why the process should be ended, why it should not be asked, and why its answers are not of now.

    ``room_bytes`` are those of its disk that are free beyond what is kept free. ``unfit`` says that the log may lose
    records, which is appended to and answered from all the same. None of them waits for anything.
    """

    live: Check = _well
    ready: Check = _well
    stale: Check = _well
    room_bytes: Callable[[], float] = lambda: nan
    unfit: Check = _well


class Door(Protocol):
    """Another protocol, served beside the routes: what comes in there is asked of the routes, with the same key."""

    @property
    def path(self) -> str:
        """Where it is served, such as ``/mcp``, and ``/mcp/{tenant}/{agent}`` for one memory."""
        ...

    def app(self, service: ASGIApp, places: int) -> ASGIApp:
        """Return what answers, which asks ``service``; at most ``places`` requests are under way at once."""
        ...

    def close(self) -> None:
        """Let go of everything. Closing twice is allowed."""
        ...


@dataclass(frozen=True, slots=True)
class Service:
    """How the service behaves. ``rate`` is requests per second and key (0: no limit); ``concurrency`` requests at once.

    ``address`` None takes no port. ``keys`` None lets everybody in, and then only a loopback address may be listened
    on.
    ``directory`` is one that the host holds: in it there is a socket for its owner, who needs no key. After ``idle_s``
    without a request the service ends by itself. ``ceilings`` are the greatest
    values that a memory's policy may have, by the names of its constants; ``quota`` is what each tenant may take, and
    ``tally`` a file that keeps what it has taken. ``audit`` writes down who did what; it is closed by others. ``doors``
    are other protocols that are served as well.
    """

    address: tuple[str, int] | None = ("127.0.0.1", 8787)
    keys: Keys | None = None
    rate: float = 500.0
    concurrency: int = 64
    ending: Ending = field(default_factory=Ending)
    ceilings: Mapping[str, int] = field(default_factory=lambda: CEILINGS)
    quota: Quota = field(default_factory=Quota)
    tally: Path | None = None
    audit: Audit | None = None
    directory: Path | None = None
    idle_s: float | None = None
    doors: Sequence[Door] = ()
