"""``yggdrasil serve``: the query service."""

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from .options import DIR_DEFAULT
from .working import LogFormat, address_of, form_of

if TYPE_CHECKING:
    from ..serving import Host, Service

_SWITCH_S: Final = 0.0005  # ten times as often as by default: beside a greedy fold a read of 2 ms takes 9, not 63

Data = Annotated[
    Path, typer.Option("--data", "--dir", envvar="YGGDRASIL_DIR", metavar="DIR", help="Where log and stores are kept.")
]
Http = Annotated[str, typer.Option("--http", metavar="HOST:PORT", help="Where to listen.")]
KeyFile = Annotated[
    Path | None,
    typer.Option("--keys", envvar="YGGDRASIL_KEYS", metavar="FILE", help="Who may come in: see `yggdrasil key`."),
]
Rate = Annotated[float, typer.Option("--rate", min=0, help="Requests per second that a key may send; 0: no limit.")]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, max=1_000, help="Requests that are worked on at once.")
]
Drain = Annotated[
    float, typer.Option("--drain-s", min=0, help="When told to stop, go on for so long while /readyz says no.")
]
Grace = Annotated[float, typer.Option("--grace-s", min=0.1, help="Then finish what is under way within so long.")]


def serve(  # noqa: PLR0913, PLR0917 - typer declares a command's options as its arguments
    data: Data = DIR_DEFAULT,
    http: Http = "127.0.0.1:8787",
    keys: KeyFile = None,
    rate: Rate = 500.0,
    concurrency: Concurrency = 64,
    drain_s: Drain = 0.0,
    grace_s: Grace = 20.0,
    log_format: LogFormat = "text",
) -> None:
    """Serve the memories of a directory over HTTP, until Ctrl-C or SIGTERM.

    Without --keys it listens on loopback only, and whoever is on this machine may do everything. With keys, every
    request needs one; see `yggdrasil key --help`. The page /docs shows all routes and tries them out.

    \b
    Try it, from another terminal:
      curl -s http://127.0.0.1:8787/v1/memories/me/agent/commands -H 'Content-Type: application/json' \\
        -d '{"type": "record_event", "body": {"features": ["deploy"]}, "content": {"text": "Deployed on a Friday"}}'
      curl -s http://127.0.0.1:8787/v1/memories/me/agent/context -H 'Content-Type: application/json' \\
        -d '{"query": "Should we deploy on Friday?"}'

    \b
    Examples:
      yggdrasil serve --data .yggdrasil
      # for others: a key for each tenant, and TLS in front of it
      KEY=$(yggdrasil key new --keys keys.json --tenant me --role append --role read)
      yggdrasil serve --data .yggdrasil --keys keys.json --http 127.0.0.1:8788
    """
    from yggdrasil_infra.http.keys import Keys
    from yggdrasil_infra.http.server import Ending
    from yggdrasil_infra.logs import configure

    from ..serving import Service

    form = form_of(log_format)
    address = address_of(http)
    known = Keys(keys) if keys else None
    configure(form)
    if known is not None:
        signal.signal(signal.SIGHUP, lambda number, frame: known.expire())
    service = Service(address, known, rate, concurrency, Ending(drain_s, grace_s))
    with _embedded(data) as host:
        _run(host, service)


@contextmanager
def _embedded(data: Path) -> "Generator[Host, None, None]":
    from ..embedded import Embedded
    from .opening import catch_up, usable
    from .screen import Screen

    usable(data, "--data")
    with Embedded(data, sliced=True) as engine:
        catch_up(Screen(json=True), engine)
        yield engine


def _run(host: "Host", service: "Service") -> None:
    import logging

    from ..serving import Serving

    sys.setswitchinterval(_SWITCH_S)
    serving = Serving(host, service)
    logging.getLogger("yggdrasil.serve").info("serving", extra={"at": serving.url, "docs": f"{serving.url}/docs"})
    serving.run()
