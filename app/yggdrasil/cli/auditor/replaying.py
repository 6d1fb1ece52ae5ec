"""``yggdrasil replay``: fold the log once more, or a stretch of it, and prove that it gives the memories that stand."""

import os
import tempfile
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ..exits import CommandLineError, ExitCode
from ..options import (
    DIR_DEFAULT,
    MEMORY_DEFAULT,
    TOPIC_DEFAULT,
    Development,
    Dir,
    Json,
    KafkaInstead,
    OnKafka,
    Topic,
    named,
    on_kafka,
    partitions_of,
    typed,
)
from ..screen import Screen, clean
from .replayed import documented, show

if TYPE_CHECKING:
    from yggdrasil_infra.log import LogReader
    from yggdrasil_processors.replaying.beginning import Beginnings
    from yggdrasil_processors.replaying.partition import Replayed, Task
    from yggdrasil_processors.replaying.together import Opening
    from yggdrasil_projections.retrieval.past.moment import AsOf

_FEW_RECORDS: Final = 20_000  # folded here before processes of their own have begun and done it


Since = Annotated[
    str | None, typer.Option("--from", metavar="MOMENT", help="The stretch is what comes after this; see below.")
]
Until = Annotated[
    str | None, typer.Option("--to", "--as-of", metavar="MOMENT", help="Fold no further than this; see below.")
]
Memories = Annotated[
    list[str] | None,
    typer.Option("--memory", metavar="TENANT/AGENT", help="Only this memory, or a pattern such as acme/*; or again."),
]
Partitions = Annotated[
    str | None, typer.Option("--partitions", metavar="0,3-5", help="Only these; without it, all that are there.")
]
FromCheckpoint = Annotated[
    bool,
    typer.Option(
        "--from-checkpoint", help="Begin with the nearest state in --dir before the stretch, not with nothing."
    ),
]
Checkpoints = Annotated[
    Path | None,
    typer.Option("--checkpoints", metavar="CHECKPOINTS", help="The same, with checkpoints that are kept here, too."),
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, metavar="N", help="So many partitions at once; without it, as there are cores."),
]
Into = Annotated[
    Path | None,
    typer.Option("--into", metavar="DIR", help="Keep the replayed stores here; one that was interrupted goes on."),
]


def replay(
    context: typer.Context,
    since: Since = None,
    until: Until = None,
    memories: Memories = None,
    partitions: Partitions = None,
    from_checkpoint: FromCheckpoint = False,
    checkpoints: Checkpoints = None,
    jobs: Jobs = None,
    into: Into = None,
    directory: Dir = DIR_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Fold the log again, or a stretch of it, into empty stores, and compare digests and record hashes.

    The log is only read, so this may run beside a process that writes; then nothing is compared. A difference ends
    with exit code 6 and names the first record that was altered. With --kafka the log is a topic, and --dir names the
    directory of a worker that has stopped: then 0 means that its stores were compared, and are equal, each where it
    stands; how far that is behind the log is shown. Without --dir it is a replay alone, which proves only that the log
    can be folded.

    A MOMENT is an offset such as 3-1250 (partition 3, right after the record at 1250; only that partition is replayed),
    a time with its zone, a date (its end), or for one memory a seq: of --memory, of YGGDRASIL_MEMORY, or me/agent.
    Of a stretch it is told what its records did, and how each memory stood at its beginning and its end. The fold
    begins with the log's first record all the same, or with --from-checkpoint with a state that a host has left: then
    what came before that state is taken on trust.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil record "Deployed on a Tuesday" --feature deploy
      yggdrasil replay
      # the memory as it stood after its first command, and what came then
      yggdrasil replay --to 1
      yggdrasil replay --from 1 --to 2
      # what came after a day, for the memories of a tenant
      yggdrasil replay --memory "me/*" --from 2025-03-01
      # keep what is replayed; given again it goes on where it was interrupted
      yggdrasil replay --into replayed --jobs 2 --json
    """
    stretch = _moment(context, since, "--from"), _moment(context, until, "--to")
    there = on_kafka(context, kafka, topic, development=development)
    screen = Screen(json)
    compared = _compared(context, directory) if there else directory
    opening = partial(log_of, there, directory)
    _check_apart(into, directory if compared is not None else None)
    with opening() as log, workplace(into) as path:
        in_use = compared is not None and _in_use(compared)
        states = _states(compared, checkpoints, wanted=from_checkpoint or checkpoints is not None)
        tasks = _tasks(log, path, stretch, memories, partitions, None if in_use else compared, states)
        found, rate = _replayed(screen, log, opening, tasks, jobs)
    place: dict[str, Any] = {"dir": compared and str(compared), "into": into and str(into), "in_use": in_use}
    place["stores"] = into and str(tasks[0].place.parent)
    if there:
        place |= {"kafka": there.settings.bootstrap_servers, "topic": there.topic}
    document = place | documented(found, tasks, in_use=in_use)
    screen.result(document, lambda: show(screen, document))
    screen.tell(rate)
    if document["same"] is False:
        raise typer.Exit(ExitCode.DIFFERENT)


def _replayed(
    screen: Screen, log: "LogReader", opening: "Opening", tasks: "list[Task]", jobs: int | None
) -> "tuple[list[Replayed], str]":
    """Replay partitions, with a bar; return what was found, and how fast that was."""
    from yggdrasil_processors.replaying.together import together

    at_once, begun = _jobs(jobs, tasks), monotonic()
    with screen.progress("Replaying", sum(task.end for task in tasks)) as progress:
        found = together(opening if at_once > 1 else lambda: nullcontext(log), tasks, at_once, progress)
    folded, seconds = sum(one.folded for one in found), monotonic() - begun
    return (
        found,
        f"Folded {folded:,} records in {seconds:,.1f} s, {folded / seconds:,.0f} a second, at once: {at_once}.",
    )


def _moment(context: typer.Context, written: str | None, option: str) -> "AsOf | None":
    """Return the moment that was typed. Raises BadParameter."""
    from yggdrasil_projections.retrieval.errors import InvalidAskError
    from yggdrasil_projections.retrieval.past.moment import AsOf

    try:
        return None if written is None else AsOf.of(written)
    except InvalidAskError as error:
        raise typer.BadParameter(str(error), context, param_hint=f"'{option}'") from error


def _states(compared: Path | None, checkpoints: Path | None, *, wanted: bool) -> "Beginnings | None":
    """Return where a replay may begin, None: with nothing. Raises CommandLineError where there is no such place."""
    from yggdrasil_processors.replaying.beginning import Beginnings

    if not wanted:
        return None
    for place in (checkpoints, None if checkpoints else compared):
        if place is not None and place.is_dir():
            return Beginnings(compared, checkpoints)
    what = f"{clean(checkpoints)} is no directory" if checkpoints else "there is no directory of a host"
    message = f"{what}, so there is no state to begin with: name one (--dir, --checkpoints), or begin with the log"
    raise CommandLineError(ExitCode.NOT_FOUND, "no_checkpoints_here", message)


def _tasks(
    log: "LogReader",
    path: Path,
    stretch: "tuple[AsOf | None, AsOf | None]",
    memories: list[str] | None,
    partitions: str | None,
    standing: Path | None,
    states: "Beginnings | None",
) -> "list[Task]":
    """Return what is to be replayed, by partition. Raises ReplayError where that cannot be meant."""
    from yggdrasil_processors.replaying.asked import Chosen, check_stretch
    from yggdrasil_processors.replaying.notes import begin_or_go_on
    from yggdrasil_processors.replaying.partition import Task

    names, (since, until) = tuple(memories or ()), stretch
    if not names and any(each is not None and each.seq is not None for each in stretch):
        names = (os.environ.get("YGGDRASIL_MEMORY") or MEMORY_DEFAULT,)
    chosen = Chosen(names)
    wanted = None if partitions is None else partitions_of(partitions)
    of = check_stretch(log, chosen, since, until, wanted)
    begin_or_go_on(path, log, chosen)
    return [
        Task(
            partition=partition,
            end=log.end_offset(partition),
            into=path,
            chosen=chosen,
            since=since,
            until=until,
            standing=standing,
            states=states,
            telling=bool(names or since or until),
        )
        for partition in of
    ]


def _jobs(asked: int | None, tasks: "Sequence[Task]") -> int:
    """Return how many partitions are replayed at once: for a few records it takes longer to begin a process."""
    if asked is not None:
        return min(asked, len(tasks))
    if sum(task.end for task in tasks) < _FEW_RECORDS:
        return 1
    return max(1, min(len(os.sched_getaffinity(0)), sum(task.end > 0 for task in tasks)))


def _compared(context: typer.Context, directory: Path) -> Path | None:
    """Return where a worker's stores are to be compared with the topic, or None when no directory was named.

    Raises CommandLineError when there is nothing to compare with: the exit code would seem to prove what it does not.
    """
    if not named(context, "directory"):
        return None
    if (directory / "log").is_dir() and not typed(context, "directory"):
        return None  # what the environment names may be a memory of its own, which has nothing to do with the topic
    alone = "leave --dir out for a replay alone"
    if not any((directory / "graph").glob("*/CURRENT")):
        message = f"{clean(directory)} holds no stores to compare with: name the directory of a worker, or {alone}"
        raise CommandLineError(ExitCode.NOT_FOUND, "no_stores_here", message)
    if _in_use(directory):
        message = f"a worker has {clean(directory)} open, so its stores cannot be compared: stop it first, or {alone}"
        raise CommandLineError(ExitCode.IN_USE, "in_use", message)
    return directory


@contextmanager
def log_of(there: OnKafka | None, directory: Path) -> "Generator[LogReader, None, None]":
    """Open the log for reading. Raises CommandLineError when the directory is to hold one and does not.

    A topic that may lose records is read and told: a mirror is made with the settings of its cluster, and is no memory.
    """
    if there:
        from yggdrasil_infra.kafka_log.log import KafkaLog
        from yggdrasil_infra.kafka_log.pins import unpinned
        from yggdrasil_infra.kafka_log.topics import UnfitTopicError, verify_topic
        from yggdrasil_processors.partitions import check_partitions

        with KafkaLog(there.settings, there.topic, None) as log:
            try:
                verify_topic(log.topic, there.profile)
            except UnfitTopicError as error:
                typer.echo(
                    f"Note: it is read all the same, and nothing is written to it: {clean(str(error))}", err=True
                )
            check_partitions(None, log)
            if late := unpinned(log):
                typer.echo(f"Note: {late}.", err=True)
            yield log
        return
    from yggdrasil_infra.local_log.log import LocalLog

    from ..opening import require

    require(directory)
    with closing(LocalLog.open_read_only(directory / "log")) as local:
        yield local


def _check_apart(into: Path | None, directory: Path | None) -> None:
    """Raise CommandLineError where a replay would write into what it reads."""
    if into is None or directory is None:
        return
    read = [(directory / room).resolve() for room in ("log", "graph", "ladder")]
    if into.resolve() == directory.resolve() or any(into.resolve().is_relative_to(each) for each in read):
        message = f"{clean(into)} is part of {clean(directory)}, which is only read: name another directory (--into)"
        raise CommandLineError(ExitCode.USAGE, "not_apart", message)


def _in_use(directory: Path) -> bool:
    """Whether another process writes to the log or the stores in ``directory``."""
    from yggdrasil_infra.locks import has_holder, has_writer

    stores = sorted((directory / "graph").glob("*"))
    return has_holder(directory) or any(has_writer(each) for each in (directory / "log" / "records", *stores))


@contextmanager
def workplace(into: Path | None) -> Generator[Path, None, None]:
    """Yield the directory ``into``, held for this process, or one that is deleted afterwards.

    Raises CommandLineError, and DirectoryInUseError.
    """
    if into is not None:
        from yggdrasil_infra.locks import DirectoryLock

        from ..opening import usable

        usable(into, "--into")
        with DirectoryLock(into, "replay.lock"):
            yield into
        return
    with tempfile.TemporaryDirectory(prefix="yggdrasil-replay-") as made:
        yield Path(made)
