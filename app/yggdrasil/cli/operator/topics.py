"""``yggdrasil topics``: create the topics that are missing, and say whether they can be trusted with a memory."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ..exits import ExitCode
from ..options import TOPIC_DEFAULT, Development, Json, KafkaOrCommand, Topic, kafka_of
from ..screen import Screen, clean, counted
from .copying import copy

if TYPE_CHECKING:
    from yggdrasil_infra.kafka_log.settings import KafkaSettings
    from yggdrasil_schemas.topics import Profile

_DAY_MS: Final = 86_400_000
_COPIES_MIN: Final = 2  # of a record that is acknowledged, so that it outlives a broker
_UNPINNED: Final = (
    "The log does not say how many partitions it was made with, since it held records before that was written down: "
    "only the stores of its workers know. Never add partitions to it; `yggdrasil topics copy` makes one that says so."
)


@dataclass(slots=True)
class Found:
    """What is known of one topic in the end; ``error`` says what is wrong with it and how to mend it.

    ``pinned`` is the number of partitions that its log says it was made with, and ``note`` says why that is not known;
    ``stops`` says what keeps it from taking records, or would with the first broker that goes. ``copy_of`` is the id of
    the topic that the log was written in, if it is another one.
    """

    name: str
    created: bool = False
    exists: bool = True
    partitions: int | None = None
    replicas: int | None = None
    in_sync: int | None = None
    in_sync_min: int | None = None
    retention_ms: int | None = None
    topic_id: str | None = None
    pinned: int | None = None
    copy_of: str | None = None
    note: str | None = None
    stops: str | None = None
    error: str | None = None


app = typer.Typer(rich_markup_mode=None)
app.command("copy", short_help="Copy a topic into one with more partitions, verified.")(copy)


@app.callback(invoke_without_command=True)
def topics(
    context: typer.Context,
    kafka: KafkaOrCommand = None,
    partitions: Annotated[
        int | None,
        typer.Option("--partitions", min=1, help="Of the commands; fixed for ever when they are created (16 if new)."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Create nothing, only look.")] = False,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Create the topics of the commands and of their refusals where they are missing, and verify both.

    A topic that exists is never changed: what is wrong with it is said, with the command that mends it. Without
    --development a topic must have 3 replicas, of which 2 must have a record before it is acknowledged. The log of a
    new topic begins with a record that says how many partitions it has; partitions that were added later, and records
    that were deleted at the beginning, are told by that.

    \b
    Examples:
      # one broker, as `make kafka` starts it
      yggdrasil topics --kafka 127.0.0.1:19092 --development
      yggdrasil topics --kafka 127.0.0.1:19092 --development --check --json
    """
    from yggdrasil_schemas.topics import PARTITIONS, refused_topic

    if context.invoked_subcommand is not None:
        return
    if kafka is None:
        raise typer.BadParameter("it is missing, and names the brokers", context, param_hint="'--kafka'")
    screen = Screen(json)
    settings, profile = kafka_of(kafka, development=development)
    commands = _look(settings, topic, profile, None if check else partitions or PARTITIONS)
    if partitions is not None and commands.exists and commands.partitions not in {partitions, None}:
        commands.error = f"{_other_count(topic, commands.partitions or 0, partitions)} {commands.error or ''}".strip()
    if commands.partitions is not None:  # else nobody may look at it
        _look_inside(settings, commands, write=not check and not commands.error)
    # As many, so that the refusals of a partition stand in the partition of the same number.
    refused = _look(settings, refused_topic(topic), profile, None if check else commands.partitions or PARTITIONS)
    both = [commands, refused]
    document = {
        "kafka": settings.bootstrap_servers,
        "profile": profile,
        "fit": not any(one.error for one in both),
        "topics": [asdict(one) for one in both],
    }
    screen.result(document, lambda: _show(screen, both))
    if not all(one.exists for one in both):
        raise typer.Exit(ExitCode.NOT_FOUND)
    if not document["fit"]:
        raise typer.Exit(ExitCode.BROKEN)


def _look(settings: "KafkaSettings", name: str, profile: "Profile", partitions: int | None) -> Found:
    """Create ``name`` with ``partitions`` unless that is None or it exists; describe and verify it."""
    from yggdrasil_infra.kafka_log import topics as on_kafka

    found = Found(name)
    try:
        try:
            there = on_kafka.describe_topic(settings, name)
        except on_kafka.TopicMissingError:
            found.exists = False
            if partitions is None:
                raise
            found.created = on_kafka.create_topic(settings, name, partitions, profile)
            there = on_kafka.describe_topic(settings, name)
            found.exists = True
        found.partitions, found.replicas, found.in_sync = there.partitions, there.replicas, there.in_sync
        found.in_sync_min, found.retention_ms = (
            int(value) if (value := there.settings.get(name)) else None for name in (on_kafka.IN_SYNC, "retention.ms")
        )
        found.topic_id = there.topic_id
        found.stops = _stops(found)
        on_kafka.verify_topic(there, profile)
    except on_kafka.TopicError as error:
        found.error = str(error)
    return found


def _stops(found: Found) -> str | None:
    """Return what keeps the topic from taking records, or would with the first broker that goes; or None."""
    replicas, in_sync, least = found.replicas or 0, found.in_sync or 0, found.in_sync_min or 1
    told = f"min.insync.replicas of topic {found.name} is {least}"
    if least > replicas:
        return f"{told}, of {counted(replicas, 'replica')}: older brokers take no record then. Set it to less."
    if in_sync < least:
        return f"{told}, and in some partition {in_sync} of {replicas} are in sync: it takes no record until more are."
    if least == replicas > 1:
        mend = f"Set it to {least - 1}." if least > _COPIES_MIN else "Add a third: with 1 instead a record may be lost."
        return f"{told}, of {replicas} replicas: while one broker is away no record is taken. {mend}"
    return None


def _look_inside(settings: "KafkaSettings", found: Found, *, write: bool) -> None:
    """Say what the log begins with; let that of a new topic begin with its pin, if we may ``write``."""
    from yggdrasil_infra.kafka_log.log import KafkaLog
    from yggdrasil_infra.kafka_log.pins import check_pin, check_starts, read_pin, write_pins
    from yggdrasil_infra.kafka_log.topics import TopicError
    from yggdrasil_infra.log import LogError

    try:
        with KafkaLog(settings, found.name, None) as log:  # it was verified just now
            if write:
                write_pins(log)
            check_starts(log.topic, [log.start_offset(partition) for partition in range(log.partitions)])
            pin = read_pin(log)
            if pin is None:
                found.note = _UNPINNED
                return
            found.pinned = pin.partitions
            found.copy_of = pin.topic_id if pin.topic_id != log.topic_id else None
            check_pin(log.topic, pin)
    except TopicError as error:  # what is lost already comes before what may lose more
        found.error = f"{error} {found.error or ''}".strip()
    except LogError as error:
        found.note = f"What its log begins with could not be read or written: {error}"


def _other_count(topic: str, partitions: int, wanted: int) -> str:
    return (
        f"topic {topic} has {counted(partitions, 'partition')}, and {wanted} were asked for. A memory's partition "
        "follows from the count, so it can never change: leave out --partitions to use the topic as it is, or name "
        "another with --topic."
    )


def _show(screen: Screen, both: list[Found]) -> None:
    screen.table(
        ["topic", ">partitions", ">replicas", ">in sync", ">min ISR", ">retention", "topic id", "verdict"],
        [
            (
                one.name,
                *(_or_dash(value) for value in (one.partitions, one.replicas, one.in_sync, one.in_sync_min)),
                _retention(one.retention_ms),
                _or_dash(one.topic_id),
                _verdict(one),
            )
            for one in both
        ],
    )
    for one in both:
        if one.error:
            screen.tell(clean(one.error), "bold red")
        if one.stops:
            screen.tell(clean(one.stops), "bold yellow")
        if one.note:
            screen.tell(clean(one.note), "bold yellow")
        if one.copy_of:
            screen.tell(f"{clean(one.name)} is a copy of a log that began in topic {clean(one.copy_of)}.")
    if not any(one.error for one in both):
        screen.tell(*_in_all(both))


def _in_all(both: list[Found]) -> tuple[str, str]:
    """Return what follows from all that was told of topics that are fit, and its style."""
    if any(one.note not in {None, _UNPINNED} for one in both):
        return "Whether both can be trusted with a memory is not known before that can be read.", "bold yellow"
    if any(one.stops for one in both):
        return "What is in them stays. Mend first what keeps them from taking more.", "bold yellow"
    if min(one.replicas or 0 for one in both) < _COPIES_MIN:
        return "Fit for development: the memory is lost with this broker.", "bold yellow"
    if min(one.in_sync_min or 1 for one in both) < _COPIES_MIN:
        return "Fit for development: what one broker alone has acknowledged is lost with it.", "bold yellow"
    return "Both can be trusted with a memory.", "bold green"


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)


def _retention(retention_ms: int | None) -> str:
    if retention_ms is None:
        return "-"
    if retention_ms < 0:
        return "for ever"
    return f"{retention_ms / _DAY_MS:g} days" if retention_ms >= _DAY_MS else f"{retention_ms / 1_000:g} s"


def _verdict(one: Found) -> str:
    if not one.exists:
        return "MISSING"
    if one.error:
        return "NOT FIT" if one.partitions else "NOT SEEN"
    return f"fit{', see below' if one.stops else ''}{', created' if one.created else ''}"
