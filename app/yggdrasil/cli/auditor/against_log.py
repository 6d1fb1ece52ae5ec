"""``yggdrasil verify --against-log``: compare stores with their log, record by record, and say what differs and why."""

import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import orjson

from ..exits import CommandLineError, ExitCode
from ..options import OnKafka
from ..screen import Screen, bars, clean, counted
from ..targets import Target
from .replaying import log_of

if TYPE_CHECKING:
    from yggdrasil_infra.log import LogReader
    from yggdrasil_processors.auditing.against_log.comparing import PartitionVerdict
    from yggdrasil_projections.graph.store.store import GraphStore
    from yggdrasil_projections.retrieval.past.against_log import AgainstLog, MemoryVerdict, RecordDiffers

_STEPS: Final = {
    "log": "Reading the log",
    "fold": "Folding it",
    "compare": "Comparing records",
    "trace": "Looking for the commands",
}
_FIELDS_SHOWN_MAX: Final = 8  # of a record; --json has all
_VALUE_CHARS_MAX: Final = 100


def verify_against_log(screen: Screen, directory: Path, there: OnKafka | None) -> None:
    """Compare every store in ``directory`` with its log, and print what was found; end with 6 where something differs.

    Raises CommandLineError where there is nothing to compare, and what reading and folding raise.
    """
    import typer

    begun = time.monotonic()
    verdicts = list(_verdicts(screen, directory, there))
    document = _document(verdicts, time.monotonic() - begun)
    document = {"dir": str(directory)} | _of_kafka(there) | document
    screen.result(document, lambda: _show(screen, document, verdicts))
    if not document["same"]:
        raise typer.Exit(ExitCode.DIFFERENT)


def verify_at_service(screen: Screen, place: Target, memory: str) -> None:
    """Compare one memory with its log at a service, and print what was found; end with 6 where something differs.

    Raises what the service raises.
    """
    import typer

    from ..opening import opened

    with opened(screen, place, memory) as it, bars(screen) as progress:
        found = it.verify_against_log(progress=partial(progress, _STEPS["log"]))
    document = _at_service(found)

    def show() -> None:
        if found.altered:
            screen.tell(f"LOG: {_altered(found)}", "red")
        _show_memory(screen, found.verdict)
        if found.same:
            read = (
                f"{counted(found.verdict.records, 'record')} are what the log gives, at seq {found.verdict.log_seq:,}."
            )
            screen.tell(f"Equal: {clean(found.memory)}: {read}", "bold green")
        else:
            screen.tell(f"DIFFERENT: {clean(document['error']['message'])}", "bold red")

    screen.result(document, show)
    if not found.same:
        raise typer.Exit(ExitCode.DIFFERENT)


def _at_service(found: "AgainstLog") -> dict[str, Any]:
    document = asdict(found)
    if found.stopped is not None:
        document["error"] = {"code": "cannot_replay", "message": found.stopped}
    elif found.altered:
        document["error"] = {"code": "record_altered", "message": f"{_altered(found)} Restore the log."}
    elif not found.same:
        message = f"{found.memory} is not what its log gives. Whoever runs the service rebuilds it: `yggdrasil rebuild`"
        document["error"] = {"code": "records_differ", "message": message}
    return document


def _altered(found: "AgainstLog") -> str:
    first = ", ".join(str(each) for each in found.altered_at)
    what = counted(found.altered, "record")
    return f"{what} of it in partition {found.partition} are not what was folded; the first at offset {first}."


def _verdicts(screen: Screen, directory: Path, there: OnKafka | None) -> "Generator[PartitionVerdict, None, None]":
    from yggdrasil_processors.auditing.rebuilding import partitions_in

    partitions = partitions_in(directory)
    if not partitions:
        message = (
            f"{clean(directory)} holds no stores to compare with a log: name the directory of a memory or a worker"
        )
        raise CommandLineError(ExitCode.NOT_FOUND, "no_stores_here", message)
    if there is None and not (directory / "log").is_dir():
        message = (
            f"{clean(directory)} holds stores and no log: name the topic that they were folded from, with --kafka "
            "HOST:PORT and --topic NAME"
        )
        raise CommandLineError(ExitCode.NOT_FOUND, "no_log_here", message)
    with ExitStack() as stack:
        topic = stack.enter_context(log_of(there, directory)) if there else None
        for partition in partitions:
            with _store(directory / "graph" / f"{partition:04d}") as store:
                if store.state.position:
                    yield _verdict(screen, store, partition, directory, topic)


def _verdict(
    screen: Screen, store: "GraphStore", partition: int, directory: Path, topic: "LogReader | None"
) -> "PartitionVerdict":
    """Compare one store, with a log in ``directory`` unless that is a ``topic``."""
    from yggdrasil_processors.auditing.against_log.comparing import verify_against_log as verified

    total = _Total(store)
    with ExitStack() as stack:
        # A log in the directory is opened after the store, so that it holds all that a writer beside us has folded.
        log = stack.enter_context(log_of(None, directory)) if topic is None else topic
        _check_pin(store, log, partition)
        work = Path(stack.enter_context(TemporaryDirectory(prefix="yggdrasil-verify-")))
        tell = stack.enter_context(bars(screen))
        return verified(log, store, work, lambda step, records: tell(*total.moved(step, records)))


@contextmanager
def _store(path: Path) -> "Generator[GraphStore, None, None]":
    """Open a store as it is now, whoever writes to it. Raises CommandLineError where its writer lets nobody in."""
    from yggdrasil_infra.locks import has_writer
    from yggdrasil_infra.rocks.database import StorageDamagedError
    from yggdrasil_processors.auditing.beside import store_beside

    with ExitStack() as stack:
        try:
            store = stack.enter_context(store_beside(path))
        except StorageDamagedError as error:
            if not has_writer(path):
                raise
            message = (
                f"{clean(path)} could not be read beside the process that writes to it: {clean(error)} Try again; if "
                "that does not help, stop that process first, or restore its latest checkpoint into another directory "
                "and verify that one"
            )
            raise CommandLineError(ExitCode.IN_USE, "in_use", message) from error
        yield store


def _check_pin(store: "GraphStore", log: "LogReader", partition: int) -> None:
    """Raise StoreMismatchError for a store of another log."""
    from yggdrasil_infra.rocks.scrubbing import small_budget
    from yggdrasil_projections.graph.store.store import GraphStore, Pin

    pin = Pin(log.topic_id, log.partitions, partition)
    if store.pin != pin:
        GraphStore(store.path, pin, small_budget(), read_only=True).close()


class _Total:
    """How far each step is, and about how far it goes: how many records a store has is not known before."""

    def __init__(self, store: "GraphStore") -> None:
        headers = store.headers()
        # Beside each node stand its content and parts, beside each edge its index, and of each command its identity.
        records = sum(3 * each.nodes + 2 * each.edges for each in headers) + store.state.folded
        self._total = dict.fromkeys(_STEPS, store.state.position) | {"compare": records}
        self._done = dict.fromkeys(_STEPS, 0)

    def moved(self, step: str, records: int) -> tuple[str, int, int]:
        """Count what a step did; return what a bar shows of it."""
        total = self._total[step]
        self._done[step] = min(total, self._done[step] + records)
        return _STEPS[step], self._done[step], total


def _of_kafka(there: OnKafka | None) -> dict[str, Any]:
    return {"kafka": there.settings.bootstrap_servers, "topic": there.topic} if there else {}


def _document(verdicts: "Sequence[PartitionVerdict]", took_s: float) -> dict[str, Any]:
    same = all(each.same for each in verdicts)
    records = sum(each.position for each in verdicts)
    document: dict[str, Any] = {
        "same": same,
        "records": records,
        "seconds": round(took_s, 3),
        "memories": [_memory(each.partition, one) for each in verdicts for one in each.memories],
        "partitions": [_partition(each) for each in verdicts],
    }
    if not same:
        document["error"] = _error(verdicts)
    return document


def _memory(partition: int, one: "MemoryVerdict") -> dict[str, Any]:
    return {
        "memory": one.memory,
        "partition": partition,
        "same": one.same,
        "standing_seq": one.standing_seq,
        "log_seq": one.log_seq,
        "records": one.records,
        "differs": one.counts,
        "first": [asdict(each) for each in one.differs],
    }


def _partition(one: "PartitionVerdict") -> dict[str, Any]:
    return {
        "partition": one.partition,
        "position": one.position,
        "behind": one.behind,
        "same": one.same,
        "log_differs": one.log.count,
        "log_first": [asdict(each) | {"message": str(each)} for each in one.log.first],
        "state": {name: {"standing": ours, "by_log": theirs} for name, (ours, theirs) in one.state.items()},
        "stopped": one.stopped,
    }


def _error(verdicts: "Sequence[PartitionVerdict]") -> dict[str, str]:
    of_log = next((each.log.first[0] for each in verdicts if each.log.first), None)
    if of_log is not None:
        blame = "" if of_log.how == "kept" else " Restore the log; what was folded from there on is in doubt."
        return {"code": "record_altered", "message": f"{_sentence(str(of_log))}{blame}"}
    stopped = next((each.stopped for each in verdicts if each.stopped), None)
    if stopped is not None:
        return {"code": "cannot_replay", "message": stopped}
    message = (
        "The stores are not what their log gives. `yggdrasil rebuild --accept` makes them from it again; what stood is "
        "set aside."
    )
    return {"code": "records_differ", "message": message}


def _show(screen: Screen, document: dict[str, Any], verdicts: "Sequence[PartitionVerdict]") -> None:
    rows = [
        (each["memory"], each["records"], "equal" if each["same"] else "DIFFERENT") for each in document["memories"]
    ]
    if rows:
        screen.table(["memory", ">records", "standing"], rows)
    for each in verdicts:
        for one in each.log.first:
            screen.tell(f"LOG: {clean(one)}", "red")
        if each.log.count > len(each.log.first):
            screen.tell(f"LOG: and {counted(each.log.count - len(each.log.first), 'other difference')}", "red")
        for name, (ours, theirs) in each.state.items():
            told = f"{name} is {_short(ours)} in the store and {_short(theirs)} by the log"
            screen.tell(f"STORE of partition {each.partition}: {told}", "red")
        if each.stopped:
            screen.tell(f"Partition {each.partition} cannot be folded: {clean(each.stopped)}", "red")
        for memory in each.memories:
            _show_memory(screen, memory)
        if each.behind:
            behind = f"stands at offset {each.position}, {counted(each.behind, 'offset')} behind the log"
            screen.tell(f"Partition {each.partition} {behind}; it was compared there.")
    rate = document["records"] / max(document["seconds"], 0.001)
    read = f"{counted(document['records'], 'record')} of the log were folded and compared, {rate:,.0f} a second."
    if document["same"]:
        screen.tell(f"Equal: every record of every memory is what the log gives. {read}", "bold green")
    else:
        screen.tell(f"DIFFERENT: {clean(document['error']['message'])}", "bold red")


def _show_memory(screen: Screen, memory: "MemoryVerdict") -> None:
    if memory.same:
        return
    counts = ", ".join(f"{count:,} of {family}" for family, count in memory.counts.items())
    screen.tell(f"{clean(memory.memory)}: {counts}", "bold red")
    for one in memory.differs:
        screen.tell(f"  {_sentence(clean(one.called))}", "red")
        for line in _values(one):
            screen.tell(f"    {line}")
        screen.tell(f"    {_cause(one)}", "dim")


def _values(one: "RecordDiffers") -> list[str]:
    if one.standing is None or one.by_log is None:
        where, said = ("by the log", one.by_log) if one.standing is None else ("in the store", one.standing)
        return [f"it is only {where}: {_short(said)}"]
    shown = one.fields[:_FIELDS_SHOWN_MAX]
    lines = [
        f"{clean(name)} is {_short(one.standing.get(name))} in the store, and {_short(one.by_log.get(name))} by the log"
        for name in shown
    ]
    if len(one.fields) > len(shown):
        lines.append(f"and {counted(len(one.fields) - len(shown), 'other field')}")
    return lines or ["its bytes differ, and say the same"]


def _cause(one: "RecordDiffers") -> str:
    touched = one.touched
    if touched is None:
        return "no command of the log is known to have touched it"
    what = f"{touched.type or 'a record that is no command'} {touched.id or ''}".rstrip()
    whose = f" of {clean(touched.source)}" if touched.source else ""
    key = f" with the key {clean(touched.key)}" if touched.key else ""
    seq = f"seq {touched.seq}" if touched.seq else "refused"
    did = "removed it" if touched.removed else "touched it last"
    return f"{clean(what)}{whose}{key} {did}: {seq}, {touched.partition}-{touched.offset} of the log"


def _short(value: object) -> str:
    return clean(value if isinstance(value, str) else orjson.dumps(value).decode(), _VALUE_CHARS_MAX)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
