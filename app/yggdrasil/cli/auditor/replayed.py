"""What a replay found, as a document for machines and as tables for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..exits import CommandLineError, ExitCode
from ..screen import Screen, clean, counted

if TYPE_CHECKING:
    from yggdrasil_processors.replaying.partition import Replayed, Task

_IN_USE: Final = "Another process writes here, so nothing was compared: these are the digests of the replay alone."
_NO_STORES: Final = "No store stands here to compare with: these are the digests of the replay alone."
_EMPTY: Final = "The log has no record yet, and no store has folded one: there was nothing to compare."
_NOT_THERE: Final = (
    "The replay was not where the stores stand, and nothing was attested where it ended: there was nothing to compare "
    "with but the records, and these are the ones that were folded."
)


def documented(found: "Sequence[Replayed]", tasks: "Sequence[Task]", *, in_use: bool) -> dict[str, Any]:
    """Return what partitions gave. Raises CommandLineError when a memory that was named is in none of them."""
    task = tasks[0]
    memories = [entry for one in found for entry in _memories(one)]
    missing = [name for name in task.chosen.names if not any(task.chosen.matches(name, m["memory"]) for m in memories)]
    if missing:
        message = f"the stretch of the log holds no command of {clean(missing[0])}: is that its name (--memory)?"
        raise CommandLineError(ExitCode.NOT_FOUND, "unknown_memory", message)
    verdicts = [one.same for one in found]
    same = False if False in verdicts else True if True in verdicts else None
    document: dict[str, Any] = {
        "same": same,
        "from": task.since and task.since.written,
        "to": task.until and task.until.written,
        "records": sum(one.records for one in found),
        "memories": memories,
        "partitions": [_partition(one, each.end) for one, each in zip(found, tasks, strict=True)],
    }
    if same is None:
        document["note"] = _IN_USE if in_use else _why_not(found, tasks)
    elif not same:
        altered = [str(one.altered) for one in found if one.altered]
        message = " ".join(altered) or "The replay gave other memories than those that stand."
        document["error"] = {"code": "record_altered" if altered else "digests_differ", "message": message}
    return document


def _why_not(found: "Sequence[Replayed]", tasks: "Sequence[Task]") -> str:
    """Say why nothing was compared."""
    standing = [one.standing.position for one in found if one.standing is not None]
    if not any(standing) and not any(task.end for task in tasks):
        return _EMPTY
    return _NOT_THERE if standing else _NO_STORES


def _memories(one: "Replayed") -> list[dict[str, Any]]:
    """Pair each memory's digest at the end with the comparison, which stands where the store stands, if it was made."""
    compared = {entry.memory: entry for entry in one.compared}
    found: list[dict[str, Any]] = []
    for memory in sorted({*one.at_end.digests, *compared}):
        entry = compared.get(memory)
        row: dict[str, Any] = {
            "memory": memory,
            "seq": one.at_end.seqs.get(memory, 0),
            "digest": one.at_end.digests.get(memory),
            "standing": entry.standing if entry else None,
            "replayed_there": entry.replayed if entry else None,
            "same": entry.same if entry else None,
        }
        if one.since is not None:
            row |= {"from_seq": one.since.seqs.get(memory, 0), "from_digest": one.since.digests.get(memory)}
        if one.told is not None:
            happened = one.told.memories.get(memory)
            for count in ("accepted", "refused", "again"):
                row[count] = dict(sorted(getattr(happened, count).items())) if happened else {}
        found.append(row)
    return found


def _partition(one: "Replayed", end: int) -> dict[str, Any]:
    altered = {"offset": one.altered.offset, "message": str(one.altered)} if one.altered else None
    return {
        "partition": one.partition,
        "same": one.same,
        "begun": {"with": one.begun.kind, "position": one.begun.position, "path": one.begun.path},
        "resumed": one.resumed,
        "position": one.at_end.position,
        "from_position": None if one.since is None else one.since.position,
        "records": one.records,
        "unreadable": None if one.told is None else one.told.unreadable,
        "chain": one.at_end.chain or None,
        "standing_position": None if one.standing is None else one.standing.position,
        "standing_chain": None if one.standing is None or one.there is None else one.standing.chain or None,
        "behind": None if one.standing is None else max(0, end - one.standing.position),
        "altered": altered,
    }


def show(screen: Screen, found: dict[str, Any]) -> None:
    """Show the document to people."""
    verdicts = {True: "equal", False: "DIFFERENT", None: "-"}
    if found["from"] is not None:
        screen.table(
            ["memory", "digest as the stretch begins"],
            [(entry["memory"], entry["from_digest"] or "-") for entry in found["memories"]],
        )
    screen.table(
        ["memory", "digest of the replay", "standing"],
        [(entry["memory"], entry["digest"], verdicts[entry["same"]]) for entry in found["memories"]],
    )
    if told := [entry for entry in found["memories"] if "accepted" in entry]:
        screen.table(
            ["memory", ">from seq", ">to seq", "accepted", "refused", ">there before"],
            [_row(entry) for entry in told],
        )
    shown = [p for p in found["partitions"] if p["records"] or p["standing_position"] or p["altered"]]
    screen.table(
        [">partition", ">records", "chain of the replay", "standing"],
        [(p["partition"], p["records"], p["chain"] or "-", _chain_verdict(p)) for p in shown],
    )
    if empty := len(found["partitions"]) - len(shown):
        screen.tell(f"Without a record: {counted(empty, 'partition')}.")
    for each in found["partitions"]:
        _show_begun(screen, each)
    if "note" in found:
        screen.tell(clean(found["note"]))
    elif "error" in found:
        screen.tell(f"DIFFERENT: {clean(found['error']['message'])}", "bold red")
    elif all(entry["same"] for entry in found["memories"]) and not any(map(_unseen, found["partitions"])):
        screen.tell("Equal: the log gives exactly the memories that stand.", "bold green")
    else:
        compared = sum(entry["same"] is not None for entry in found["memories"])
        screen.tell(f"Equal, as far as it could be compared: {compared:,} of {len(found['memories']):,}.", "bold green")
    if found["into"]:
        screen.tell(f"The replayed stores are in {clean(found['stores'])}.")


def _row(entry: dict[str, Any]) -> tuple[object, ...]:
    kinds = [
        ", ".join(f"{kind} {count:,}" for kind, count in entry[which].items()) for which in ("accepted", "refused")
    ]
    return (
        entry["memory"],
        entry.get("from_seq", "-"),
        entry["seq"],
        *(each or "-" for each in kinds),
        sum(entry["again"].values()),
    )


def _unseen(partition: dict[str, Any]) -> bool:
    """Whether a store stands there with which nothing was compared."""
    return bool(partition["standing_position"]) and not partition["same"]


def _show_begun(screen: Screen, partition: dict[str, Any]) -> None:
    number, begun = partition["partition"], partition["begun"]
    if begun["path"] is not None:
        screen.tell(
            f"Partition {number} was begun at offset {begun['position']:,} with a {begun['with']}. What came before is "
            f"taken on trust, and proved only by a replay of the whole: {clean(begun['path'])}"
        )
    if partition["resumed"]:
        screen.tell(f"Partition {number} went on at offset {partition['resumed']:,}, where it had ended.")


def _chain_verdict(partition: dict[str, Any]) -> str:
    if partition["altered"]:
        return f"DIFFERENT at offset {partition['altered']['offset']}"
    if partition["standing_chain"] is None:
        return "-"
    return f"equal, and {counted(partition['behind'], 'offset')} behind the log" if partition["behind"] else "equal"
