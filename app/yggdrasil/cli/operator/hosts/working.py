"""``yggdrasil worker``: fold partitions of the commands topic until told to stop."""

import re
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from ...options import (
    TOPIC_DEFAULT,
    WORKER_DIR_DEFAULT,
    Development,
    Kafka,
    Topic,
    WorkerDir,
    kafka_of,
    not_blank,
    partitions_of,
)

if TYPE_CHECKING:
    from yggdrasil_processors.graph_worker import WorkerSettings
    from yggdrasil_processors.scrubbing import ScrubSettings

ADDRESS: Final = "127.0.0.1:9464"
_PORT_MAX: Final = 65_535


def operators_of(text: str) -> tuple[str, ...]:
    """Return the names in ``cli,ops``. Raises BadParameter."""
    found = tuple(name for each in text.split(",") if (name := each.strip()))
    if not found:
        raise typer.BadParameter(f"{text!r} names no source; write names such as cli,ops")
    return found


def address_of(text: str, option: str, example: str) -> tuple[str, int]:
    """Return host and port of ``127.0.0.1:9464``. Raises BadParameter, which names the option and shows an example."""
    host, _, port = text.rpartition(":")
    why = f"{text!r} is no address"
    if host and re.fullmatch(r"[0-9]{1,5}", port):
        if int(port) <= _PORT_MAX:
            return host.strip("[]"), int(port)
        why = f"{port} is no port, which is at most {_PORT_MAX}"
    raise typer.BadParameter(f"{why}; write HOST:PORT, such as {example}", param_hint=f"'{option}'")


def listening(text: str, option: str, example: str) -> tuple[str, int] | None:
    """Return where to listen; None for "off". Raises BadParameter."""
    return None if text == "off" else address_of(text, option, example)


Group = Annotated[
    str, typer.Option("--group", callback=not_blank, help="The consumer group that shares the partitions out.")
]
Partitions = Annotated[
    str | None,
    typer.Option("--partitions", metavar="0,3-5", help="Fold just these, for good, and share nothing out."),
]
Checkpoints = Annotated[
    Path | None,
    typer.Option("--checkpoints", metavar="DIR", help="Where workers leave checkpoints, and start from them."),
]
CheckpointMinutes = Annotated[
    float, typer.Option("--checkpoint-minutes", min=0.01, help="How often a checkpoint is made.")
]
Recover = Annotated[
    bool, typer.Option("--recover", help="Set a damaged store aside, and take a checkpoint or the log instead.")
]
SetAside = Annotated[
    str | None,
    typer.Option("--set-aside", metavar="0,3-5", help="Leave these alone, and be ready without them; give it to all."),
]
Operators = Annotated[
    str | None,
    typer.Option("--operators", metavar="NAME,...", help="Sources that may enable a version; another one halts."),
]
Http = Annotated[
    str, typer.Option("--http", metavar="HOST:PORT|off", help="Where /metrics, /livez and /readyz are served.")
]
SessionTimeout = Annotated[
    float, typer.Option("--session-timeout-s", min=1.0, help="After so long without a sign, others take over.")
]
Grace = Annotated[
    float, typer.Option("--grace-s", min=0.1, help="How long stopping may take before the process just ends.")
]
Watchdog = Annotated[
    float, typer.Option("--watchdog-s", min=5.0, help="Without progress for so long, the process ends.")
]
CachedRecords = Annotated[
    int, typer.Option("--cached-records", min=1_000, help="What all stores may hold in memory, at 0.7 kB each.")
]
Scrub = Annotated[
    float,
    typer.Option(
        "--scrub-mib-s", min=0, help="Read log and stores again at this speed, once a day, to find damage; 0: do not."
    ),
]
Room = Annotated[
    int | None,
    typer.Option(
        "--room-mib", min=0, help="Take no more while less of the disk is free; without it 256, or 2 % of a small disk."
    ),
]
KeepLeft = Annotated[
    float,
    typer.Option(
        "--keep-left-hours",
        min=0,
        help="In a group: after so long, delete a store that others fold on; 0: keep all.",
    ),
]
Ladder = Annotated[
    str | None,
    typer.Option(
        "--ladder",
        envvar="YGGDRASIL_LADDER",
        metavar="EVERY/AMONG/MIB",
        help="Keep states for the pasts of services beside it (`serve --ladder-of`), as `serve --ladder`; none unless "
        "given.",
    ),
]
LogFormat = Annotated[str, typer.Option("--log-format", metavar="text|json", help="How the log on stderr is written.")]


def worker(
    kafka: Kafka,
    directory: WorkerDir = WORKER_DIR_DEFAULT,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    group: Group = "yggdrasil-graph",
    partitions: Partitions = None,
    checkpoints: Checkpoints = None,
    checkpoint_minutes: CheckpointMinutes = 60.0,
    recover: Recover = False,
    set_aside: SetAside = None,
    operators: Operators = None,
    http: Http = ADDRESS,
    session_timeout_s: SessionTimeout = 6.0,
    grace_s: Grace = 20.0,
    watchdog_s: Watchdog = 120.0,
    cached_records: CachedRecords = 2_000_000,
    scrub_mib_s: Scrub = 2.0,
    room_mib: Room = None,
    keep_left_hours: KeepLeft = 24.0,
    ladder: Ladder = None,
    log_format: LogFormat = "text",
) -> None:
    """Fold the commands topic into graphs of memory, until Ctrl-C or SIGTERM.

    Workers of one group share the partitions, with a directory each: start, stop or kill one, and the others give or
    take over. Each partition's store in DIR/graph knows how far it is; refusals go to the topic yggdrasil.refused.

    \b
    Examples:
      yggdrasil topics --kafka 127.0.0.1:19092 --development
      yggdrasil worker --kafka 127.0.0.1:19092 --development --dir worker-1
      yggdrasil worker --kafka 127.0.0.1:19092 --development --dir worker-2 --http 127.0.0.1:9467
      # one of a StatefulSet, with partitions that never move
      yggdrasil worker --kafka broker:9092 --dir /data --partitions 0-3 --log-format json
    """
    from yggdrasil_infra.signals.logs import configure
    from yggdrasil_processors.graph_worker import WorkerSettings
    from yggdrasil_processors.past.ladder import NO_LADDER, Spacing

    address, form = listening(http, "--http", ADDRESS), form_of(log_format)
    settings, profile = kafka_of(kafka, development=development)
    _check_directory(directory)
    configure(form)
    _run(
        WorkerSettings(
            settings,
            directory,
            topic,
            profile=profile,
            group=group,
            partitions=None if partitions is None else partitions_of(partitions),
            checkpoints=checkpoints,
            recover=recover,
            set_aside=() if set_aside is None else partitions_of(set_aside),
            operators=None if operators is None else operators_of(operators),
            checkpoint_every_s=checkpoint_minutes * 60,
            session_timeout_s=session_timeout_s,
            grace_s=grace_s,
            watchdog_s=watchdog_s,
            cached_records_max=cached_records,
            scrub=scrub_of(scrub_mib_s),
            room_bytes=room_of(room_mib),
            keep_left_s=keep_left_hours * 3_600,
            spacing=NO_LADDER if ladder is None else Spacing.of(ladder),
        ),
        address,
        form,
    )


def _check_directory(directory: Path) -> None:
    """Raise CommandLineError for a directory that cannot be written to, or holds a log."""
    from ...exits import CommandLineError, ExitCode
    from ...opening import usable
    from ...screen import clean

    usable(directory)
    if (directory / "log").is_dir():
        message = f"{clean(directory)} holds a log of its own; give the worker a directory for itself (--dir)"
        raise CommandLineError(ExitCode.USAGE, "not_for_workers", message)


def scrub_of(mib_s: float) -> "ScrubSettings | None":
    """Return how fast to read again in the background; None for 0."""
    from yggdrasil_processors.scrubbing import ScrubSettings

    return ScrubSettings(int(mib_s * (1 << 20))) if mib_s else None


def room_of(mib: int | None) -> int | None:
    """Return how many bytes of a disk are to stay free; None: as many as that of its size should have."""
    return None if mib is None else mib << 20


def form_of(text: str) -> Literal["json", "text"]:
    """Return the form of a log. Raises BadParameter."""
    if text == "json":
        return "json"
    if text == "text":
        return "text"
    raise typer.BadParameter(f"{text!r} is no form of a log; write text or json")


def once(act: Callable[[], None]) -> Callable[[int, object], None]:
    """Return a signal handler that acts on the first signal only.

    A second one may come while the first is handled, on the same thread; setting an event would then wait for a lock
    that this very thread holds, and the process would hang until the watchdog ends it.
    """
    acted = False

    def handle(number: int, frame: object) -> None:
        nonlocal acted
        if not acted:
            acted = True
            act()

    return handle


def _run(settings: "WorkerSettings", address: tuple[str, int] | None, form: Literal["json", "text"]) -> None:
    """Run a worker until a signal stops it, with its probes at ``address``; its last word has ``form`` as well."""
    from contextlib import ExitStack
    from importlib.metadata import version

    from yggdrasil_infra.running.garbage import LongLived
    from yggdrasil_infra.signals.metrics import WorkerMetrics
    from yggdrasil_infra.signals.probes import Probes
    from yggdrasil_processors.graph_worker import GraphWorker
    from yggdrasil_schemas.limits import RULES_VERSION, SCHEMA_VERSION

    metrics = WorkerMetrics()
    if settings.scrub is not None:
        settings.scrub.metrics.register(metrics.registry)
    it = GraphWorker(settings, metrics, LongLived().folding)
    metrics.ready.set_function(lambda: it.ready() is None)
    metrics.build.info(
        {"version": version("yggdrasil-substrate"), "schema": str(SCHEMA_VERSION), "rules": str(RULES_VERSION)}
    )

    stop = once(it.stop)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    with last_words("yggdrasil.worker", form), ExitStack() as stack:
        if address is not None:
            stack.enter_context(Probes(address, metrics.registry, it.live, it.ready, it.unfit))
        it.run()


@contextmanager
def last_words(logger: str, form: Literal["json", "text"]) -> Generator[None]:
    """Tell an error that ends the process as the log is told, where a collector reads it."""
    import logging

    from yggdrasil_schemas.errors import YggdrasilError

    from ...exits import classify
    from ...wording import explained

    try:
        yield
    except YggdrasilError as error:
        if form == "text":
            raise
        code, name = classify(error)
        logging.getLogger(logger).critical(explained(error), extra={"code": name, "exit_code": int(code)})
        raise typer.Exit(code) from error
