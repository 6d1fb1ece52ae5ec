"""``yggdrasil replay``: fold the log once more, and prove that it gives the memories that stand."""

import tempfile
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    typed,
)
from ..screen import Screen, clean, counted

if TYPE_CHECKING:
    from yggdrasil_infra.log import LogReader
    from yggdrasil_processors.auditing.audit import Audit
    from yggdrasil_projections.graph.store.store import GraphStore

_IN_USE = "Another process writes here, so nothing was compared: these are the digests of the replay alone."
_NO_STORES = "No store stands here to compare with: these are the digests of the replay alone."


def replay(
    context: typer.Context,
    as_of: Annotated[
        int | None, typer.Option("--as-of", metavar="SEQ", min=1, help="Only --memory, as it stood at this seq.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="DIR", help="Keep the replayed stores in this new directory.")
    ] = None,
    directory: Dir = DIR_DEFAULT,
    memory: Annotated[
        str,
        typer.Option("--memory", envvar="YGGDRASIL_MEMORY", metavar="TENANT/AGENT", help="Whose memory --as-of means."),
    ] = MEMORY_DEFAULT,
    kafka: KafkaInstead = None,
    topic: Topic = TOPIC_DEFAULT,
    development: Development = False,
    json: Json = False,
) -> None:
    """Fold the whole log again, from offset 0 into empty stores, and compare digests and record hashes.

    The log is only read, so this may run beside a process that writes; then nothing is compared. A difference ends
    with exit code 6 and names the first record that was altered. With --kafka the log is a topic, and --dir names the
    directory of a worker that has stopped: then 0 means that its stores were compared, and are equal, each where it
    stands; how far that is behind the log is shown. Without --dir it is a replay alone, which proves only that the log
    can be folded.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil replay
      # the memory as it stood after its first command
      yggdrasil replay --as-of 1
      # keep what was replayed
      yggdrasil replay --into replayed --json
    """
    there = on_kafka(context, kafka, topic, development=development)
    screen = Screen(json)
    compared = _compared(context, directory) if there else directory
    with ExitStack() as stack:
        log = stack.enter_context(log_of(there, directory))
        in_use = compared is not None and _in_use(compared)
        path = stack.enter_context(workplace(into))
        standing = {} if in_use or not compared else stack.enter_context(_standing(compared, log))
        if as_of is not None:
            document = _past(screen, log, path, memory, as_of, standing)
        else:
            document = _whole(screen, log, path, standing, in_use=in_use)
    place = {"dir": str(compared) if compared else None, "into": str(into) if into else None, "in_use": in_use}
    if there:
        place |= {"kafka": there.settings.bootstrap_servers, "topic": there.topic}
    document = place | document
    screen.result(document, lambda: _show(screen, document))
    if document["same"] is False:
        raise typer.Exit(ExitCode.DIFFERENT)


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
    """Open the log for reading. Raises CommandLineError when the directory is to hold one and does not."""
    if there:
        from yggdrasil_infra.kafka_log.log import KafkaLog
        from yggdrasil_processors.partitions import check_partitions

        with KafkaLog(there.settings, there.topic, there.profile) as log:
            check_partitions(None, log)
            yield log
        return
    from yggdrasil_infra.local_log.log import LocalLog

    from ..opening import require

    require(directory)
    with closing(LocalLog.open_read_only(directory / "log")) as local:
        yield local


def _in_use(directory: Path) -> bool:
    """Whether another process writes to the log or the stores in ``directory``."""
    from yggdrasil_infra.locks import has_holder, has_writer

    stores = sorted((directory / "graph").glob("*"))
    return has_holder(directory) or any(has_writer(each) for each in (directory / "log" / "records", *stores))


@contextmanager
def workplace(into: Path | None) -> Generator[Path, None, None]:
    """Yield the new directory ``into``, or one that is deleted afterwards. Raises CommandLineError."""
    if into is not None:
        from ..opening import usable

        usable(into, "--into")
        yield into
        return
    with tempfile.TemporaryDirectory(prefix="yggdrasil-replay-") as made:
        yield Path(made)


@contextmanager
def _standing(directory: Path, log: "LogReader") -> "Generator[dict[int, GraphStore], None, None]":
    """Open the stores that stand, read-only, by partition."""
    from yggdrasil_infra.rocks.database import MemoryBudget
    from yggdrasil_projections.graph.store.store import GraphStore, Pin

    budget = MemoryBudget.of()
    with ExitStack() as stack:
        stores: dict[int, GraphStore] = {}
        for partition in range(log.partitions):
            path = directory / "graph" / f"{partition:04d}"
            if (path / "CURRENT").exists():
                pin = Pin(log.topic_id, log.partitions, partition)
                stores[partition] = stack.enter_context(GraphStore(path, pin, budget, read_only=True))
        yield stores


def _whole(
    screen: Screen, log: "LogReader", path: Path, standing: "dict[int, GraphStore]", *, in_use: bool
) -> dict[str, Any]:
    from yggdrasil_processors.auditing.audit import audit

    ends = [log.end_offset(partition) for partition in range(log.partitions)]
    total = sum(ends) + sum(store.state.position for store in standing.values())
    with screen.progress("Replaying", total) as advance:
        audits = [
            audit(log, path / "graph" / f"{partition:04d}", partition, standing.get(partition), advance)
            for partition in range(log.partitions)
        ]
    same = all(one.same for one in audits) if standing else None
    found: dict[str, Any] = {
        "same": same,
        "records": sum(one.records for one in audits),
        "memories": [entry for one in audits for entry in _memories(one)],
        "partitions": [_partition(one, ends[one.partition]) for one in audits],
    }
    if same is None:
        found["note"] = _IN_USE if in_use else _NO_STORES
    elif not same:
        altered = [str(one.altered) for one in audits if one.altered]
        message = " ".join(altered) or "The replay gave other memories than those that stand."
        found["error"] = {"code": "record_altered" if altered else "digests_differ", "message": message}
    return found


def _past(
    screen: Screen, log: "LogReader", path: Path, memory: str, seq: int, standing: "dict[int, GraphStore]"
) -> dict[str, Any]:
    """Replay one memory to an earlier seq; an attestation made there is compared with it."""
    from yggdrasil_processors.auditing.replay import replay_as_of
    from yggdrasil_schemas.partitions import partition_for

    partition = partition_for(memory.encode(), log.partitions)
    with screen.progress("Replaying", log.end_offset(partition)) as advance:
        digest = replay_as_of(log, path / "graph" / f"{partition:04d}", memory, seq, advance)
    store = standing.get(partition)
    attested = store.attestations(memory).get(seq) if store and memory in store.memories() else None
    found: dict[str, Any] = {
        "same": None if attested is None else attested == digest,
        "as_of": seq,
        "memories": [{"memory": memory, "digest": digest, "standing": attested}],
        "partitions": [],
    }
    if found["same"] is False:
        message = f"{memory} was attested at seq {seq} with another digest than its log gives now."
        found["error"] = {"code": "digests_differ", "message": message}
    elif attested is None:
        found["note"] = f"This is {memory} as it stood at seq {seq}; no attestation was made there to compare with."
    return found


def _memories(one: "Audit") -> list[dict[str, Any]]:
    """Pair each memory's digest at the end of the log with the comparison, which stands where the store stands."""
    compared = {entry.memory: entry for entry in one.compared}
    found: list[dict[str, Any]] = []
    for memory in sorted({*one.digests, *compared}):
        entry = compared.get(memory)
        found.append(
            {
                "memory": memory,
                "digest": one.digests.get(memory),
                "standing": entry.standing if entry else None,
                "replayed_there": entry.replayed if entry else None,
                "same": entry.same if entry else None,
            }
        )
    return found


def _partition(one: "Audit", end: int) -> dict[str, Any]:
    altered = {"offset": one.altered.offset, "message": str(one.altered)} if one.altered else None
    return {
        "partition": one.partition,
        "records": one.records,
        "chain": one.chain,
        "standing_position": one.standing_position,
        "standing_chain": one.standing_chain,
        "behind": None if one.standing_position is None else max(0, end - one.standing_position),
        "altered": altered,
    }


def _show(screen: Screen, found: dict[str, Any]) -> None:
    verdicts = {True: "equal", False: "DIFFERENT", None: "-"}
    screen.table(
        ["memory", "digest of the replay", "standing"],
        [(entry["memory"], entry["digest"], verdicts[entry.get("same", found["same"])]) for entry in found["memories"]],
    )
    if found["partitions"]:
        shown = [p for p in found["partitions"] if p["records"] or p["standing_position"] or p["altered"]]
        screen.table(
            [">partition", ">records", "chain of the replay", "standing"],
            [(p["partition"], p["records"], p["chain"], _chain_verdict(p)) for p in shown],
        )
        if empty := len(found["partitions"]) - len(shown):
            screen.tell(f"Without a record: {counted(empty, 'partition')}.")
    if "note" in found:
        screen.tell(clean(found["note"]))
    elif "error" in found:
        screen.tell(f"DIFFERENT: {clean(found['error']['message'])}", "bold red")
    else:
        screen.tell("Equal: the log gives exactly the memories that stand.", "bold green")
    if found["into"]:
        screen.tell(f"The replayed stores are in {clean(Path(found['into']) / 'graph')}.")


def _chain_verdict(partition: dict[str, Any]) -> str:
    if partition["altered"]:
        return f"DIFFERENT at offset {partition['altered']['offset']}"
    if partition["standing_chain"] is None:
        return "-"
    return f"equal, and {counted(partition['behind'], 'offset')} behind the log" if partition["behind"] else "equal"
