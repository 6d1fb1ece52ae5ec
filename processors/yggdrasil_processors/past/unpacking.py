"""Check an archive, compare it with a log, and unpack it into one."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple

import orjson
from pydantic import TypeAdapter, ValidationError

from yggdrasil_infra.log import CommandLog, LogReader, LogRecord
from yggdrasil_infra.private import make_directory
from yggdrasil_infra.room import Room
from yggdrasil_projections.graph.fold import Answer, Fold
from yggdrasil_projections.graph.rules import KNOWN, Versions
from yggdrasil_projections.graph.store.chain import hash_of
from yggdrasil_projections.graph.store.digest import ENCODING
from yggdrasil_projections.graph.store.store import Pin
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands.wire import MemoryId
from yggdrasil_schemas.limits import MEMORY_FORM, RECORD_BYTES_MAX
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.problems import ExitCode, local
from yggdrasil_schemas.refusals import Refusal

from .alone import Alone, Stands, is_system, records_of
from .archive import Archive, ArchiveDamagedError, ArchiveError, End, Header, Packed, Refused
from .packing import RELEASE, Progress, again, take

NAMED_MAX: Final = 100
"""Faults and doubled records that a comparison names; all are counted."""
_ROOM: Final = 4  # bytes that a store, or a log and its WAL, may take for each byte of the lines
_CHUNK: Final = 1_000

What = Literal["missing", "altered", "swapped", "refused"]


class NotAcceptedError(ArchiveError):
    """A command of an archive that was accepted once is not accepted again; nothing was appended."""

    kind = local("not_accepted", ExitCode.DIFFERENT)


class MemoryThereError(ArchiveError):
    """The log holds that memory already, and not as a beginning of what is to be unpacked; nothing was appended."""

    kind = local("memory_there", ExitCode.USAGE)


class Checked(NamedTuple):
    """What folding an archive again has found, beside what it says.

    ``stands`` is how the memory stands here with the refused commands, as it did there, and ``last_id`` the id of the
    last that was accepted. ``why`` says what may explain that a digest differs, in words; nothing: nothing does.
    """

    header: Header
    end: End
    stands: Stands
    last_id: str
    why: list[str]

    @property
    def same(self) -> bool:
        """Whether the memory stands as the archive says."""
        header, end, here = self.header, self.end, self.stands
        return (here.digest, here.history.hex(), here.state) == (end.digest, end.history, header.state)


class Fault(NamedTuple):
    """A command of the archive that the log does not hold as it is: its seq and id, what is wrong, and where."""

    seq: int
    id: str
    what: What
    offset: int | None
    detail: str


@dataclass(slots=True)
class Compared:
    """A log's memory beside an archive: what differs, up to the last command that is packed.

    ``added`` counts what the log has accepted and the archive lacks. ``doubled`` and ``unreadable`` are offsets of
    records whose id stood there before, or which are no command: no memory takes notice of either, and the original may
    have had them too, so they are no faults. ``refused`` says whether the same commands were refused, or none were.
    """

    memory: str
    partition: int
    records: int = 0
    faults: list[Fault] = field(default_factory=list[Fault])
    counts: Counter[str] = field(default_factory=Counter[str])
    added: int = 0
    doubled: list[int] = field(default_factory=list[int])
    unreadable: list[int] = field(default_factory=list[int])
    digest: str | None = None
    same_state: bool = False
    refused: Literal["same", "none", "other"] = "other"

    @property
    def same(self) -> bool:
        """Whether every command is there, as it is and in its place, and nothing else, and the state is the same."""
        return self.same_state and not self.added and not self.faults

    def name(self, fault: Fault) -> None:
        """Count a fault, and keep it if there are few."""
        self.counts[fault.what] += 1
        if len(self.faults) < NAMED_MAX:
            self.faults.append(fault)


class Unpacked(NamedTuple):
    """What was unpacked: how many records were there before, how many were appended, and what came of it."""

    there: int
    appended: int
    compared: Compared


def check(archive: Archive, scratch: Path, name: str | None = None, progress: Progress = lambda _: None) -> Checked:
    """Read all of an archive, then fold it again, into a store in ``scratch``.

    ``name`` is that under which it is to be unpacked. Raises ArchiveDamagedError, NotAcceptedError, ArchiveError for
    versions that this release does not know, and what ``check_room`` raises.
    """
    header, end = archive.header, archive.end()
    if unknown := [held for _, held in header.held if held not in KNOWN]:
        raise ArchiveError(
            f"{archive.path} needs schema version {unknown[0].schema} with rules version {unknown[0].rules}; this "
            f"release knows {KNOWN.newest.schema} and {KNOWN.newest.rules}. Install a newer release."
        )
    if name is not None:
        _check_name(name)
    make_directory(scratch)
    check_room(scratch, header)
    last_id = ""
    with again(header, scratch / "again") as folded:
        for entry in archive.entries():
            if isinstance(entry, Refused):
                folded.refuse(entry.link)
                continue
            answer = take(header, folded, entry)
            _check_accepted(archive, entry, answer)
            if name is not None:
                renamed(entry.value, name)
            last_id = answer.command_id or ""
            progress(1)
        stands = folded.stands()
    return Checked(header, end, stands, last_id, _why(header))


def compare(
    archive: Archive,
    checked: Checked,
    log: LogReader,
    scratch: Path,
    name: str | None = None,
    progress: Progress = lambda _: None,
) -> Compared:
    """Compare the memory ``name`` of ``log``, unless given that of the archive, with an archive that was checked.

    It is folded alone, into a store in ``scratch``, as far as the last command of the archive. Then every command of
    the archive is looked for. Raises LogError and UnknownVersionError.
    """
    header = archive.header
    memory = name or header.memory
    partition = partition_for(memory.encode(), log.partitions)
    found = Compared(memory, partition, header.records)
    with Alone(scratch / "compared", Pin(log.topic_id, log.partitions, partition), memory) as folded:
        records = records_of(log, memory)
        for record in records:
            answer = folded.apply(record)
            progress(1)
            if answer.duplicate or (answer.refused and answer.refused.reason == Refusal.ID_REUSED):
                _keep(found.doubled, record.offset, found.counts, "doubled")
            elif answer.command_id is None:
                _keep(found.unreadable, record.offset, found.counts, "unreadable")
            elif answer.command_id == checked.last_id:
                break
        folded.commit()
        stands = folded.stands() if folded.seq else None
        found.added = folded.seq - _look_for(archive, folded, found, name)
        if stands:
            found.same_state = stands.state == checked.stands.state
            stands = _refused_as_well(records, folded, stands, checked.stands.history)
            found.digest = stands.digest
            if stands.history == checked.stands.history:
                found.refused = "same"
            elif stands.history.hex() == header.alone.history:
                found.refused = "none"
    return found


def unpack(
    archive: Archive,
    checked: Checked,
    log: CommandLog,
    scratch: Path,
    name: str | None = None,
    progress: Progress = lambda _: None,
) -> Unpacked:
    """Append what is packed to ``log``, with its timestamps, under ``name`` if that is given.

    The archive was checked, with that name. 1. The log must not hold the memory, or hold it as a beginning of what is
    packed: then an earlier attempt was interrupted, and this one goes on. 2. The rest is appended, in order. 3. The log
    is compared with the archive. Raises MemoryThereError, ArchiveError for a log in which other versions hold, and what
    ``compare`` raises.
    """
    memory = name or archive.header.memory
    there = _there(archive, log, memory, name)  # 1
    _check_versions(archive, log, memory)
    key, rest = memory.encode(), islice(archive.packed(), there, None)
    appended = 0
    while chunk := list(islice(rest, _CHUNK)):  # 2
        log.append_dated((key, _value(entry, name), entry.timestamp_ms) for entry in chunk)
        appended += len(chunk)
        progress(len(chunk))
    return Unpacked(there, appended, compare(archive, checked, log, scratch, name, progress))  # 3


def renamed(value: bytes, memory: str) -> bytes:
    """Return an accepted record's bytes as they would be said to ``memory``: all of it but that name stays.

    Neither the id, nor the hash of what was said, nor any law knows the name. Raises ArchiveError when the record would
    become too large, or something else would change.
    """
    fields = orjson.loads(value)
    made = orjson.dumps(fields | {"memory": memory})
    if len(made) > RECORD_BYTES_MAX:
        raise ArchiveError(
            f"with the name {memory} a record would have {len(made)} bytes, more than a command may have"
        )
    before, after = decode(value), decode(made)
    if not isinstance(before, Decoded) or not isinstance(after, Decoded):
        raise ArchiveError(f"{fields['id']} cannot be said to {memory}; please report this as a bug")
    same = before.command.model_copy(update={"memory": memory}), before.command_id, before.body_hash
    if same != (after.command, after.command_id, after.body_hash):
        raise ArchiveError(f"{fields['id']} cannot be said to {memory} as it was said; please report this as a bug")
    return made


def _check_name(name: str) -> None:
    with suppress(ValidationError):
        if not TypeAdapter[str](MemoryId).validate_python(name).startswith("_"):
            return
    raise ArchiveError(f"{name} is no name for a memory: that is {MEMORY_FORM}, and none of ours, which begin with _")


def _value(entry: Packed, name: str | None) -> bytes:
    return entry.value if name is None else renamed(entry.value, name)


def _look_for(archive: Archive, folded: Alone, found: Compared, name: str | None) -> int:
    """Name what of the archive is not in ``folded`` as it is; return how many of its commands were accepted there."""
    accepted, reached = 0, 0
    for number, entry in enumerate(archive.packed(), 1):
        value = _value(entry, name)
        command_id = str(orjson.loads(value)["id"])
        identity = folded.identity(command_id)
        if number % _CHUNK == 0:
            folded.store.release(folded.memory)
        if identity is None:
            found.name(Fault(entry.seq, command_id, "missing", None, "the log does not hold it"))
            continue
        offset = identity.offset
        if folded.store.record_hash(offset) != hash_of(folded.memory.encode(), value):
            found.name(Fault(entry.seq, command_id, "altered", offset, "other bytes stand there"))
        elif identity.result:
            reason = Refusal(identity.result).code
            found.name(Fault(entry.seq, command_id, "refused", offset, f"it is refused there: {reason}"))
        elif identity.seq < reached:
            found.name(Fault(entry.seq, command_id, "swapped", offset, "it stands before what it came after"))
        accepted += not identity.result
        reached = max(reached, identity.seq)
    return accepted


def _refused_as_well(records: Iterator[LogRecord], folded: Alone, stands: Stands, history: bytes) -> Stands:
    """Return how the memory stands once it has the ``history`` by what it has refused since; else as it ``stands``."""
    while folded.history != history and (record := next(records, None)) is not None:
        answer = folded.apply(record)
        if answer.seq and not answer.duplicate:
            return stands  # it has gone on
    return folded.stands() if folded.history == history != stands.history else stands


def _there(archive: Archive, log: LogReader, memory: str, name: str | None) -> int:
    """Return how many of the archive's records the log holds, all of the memory's there. Raises MemoryThereError."""
    expected: Iterator[Packed] = archive.packed()
    count = 0
    for record in records_of(log, memory):
        if is_system(record):
            continue
        entry = next(expected, None)
        if entry is None or record.value != _value(entry, name):
            raise MemoryThereError(
                f"{memory} is in this log already: its record at offset {record.offset} of partition "
                f"{record.partition} is not that of the archive. Nothing was appended; unpack it elsewhere, or under "
                "another name (--as)."
            )
        count += 1
    return count


class _NoGraphs:
    """For a fold that is shown nothing but what enables versions."""

    def graph(self, memory: str) -> Graph:
        raise LookupError(memory)


def _check_versions(archive: Archive, log: LogReader, memory: str) -> None:
    """Raise ArchiveError unless the versions of the archive hold in the memory's partition of ``log``."""
    partition = partition_for(memory.encode(), log.partitions)
    fold = Fold(partition, log.partitions, _NoGraphs())
    for record in records_of(log, memory):
        if is_system(record):
            fold.apply(record)
    wanted = {held for _, held in archive.header.held}
    if wanted != {fold.enabled}:
        raise ArchiveError(
            f"the commands of {archive.path} were accepted under {_told(wanted)}, and in partition {partition} of this "
            f"log {_told({fold.enabled})} hold. Unpack it where the same hold from the beginning to the end; "
            "`yggdrasil enable-version` enables them in a log that has older ones."
        )


def _told(versions: set[Versions]) -> str:
    return " and ".join(f"schema version {one.schema} with rules version {one.rules}" for one in sorted(versions))


def _check_accepted(archive: Archive, entry: Packed, answer: Answer) -> None:
    """Raise NotAcceptedError unless a packed command got its own seq again."""
    if answer.refused is None and not answer.duplicate and answer.seq == entry.seq:
        return
    if answer.memory not in {None, archive.header.memory}:
        raise ArchiveDamagedError(f"{archive.path} holds a command of another memory at seq {entry.seq}")
    if answer.duplicate:
        raise ArchiveDamagedError(f"{archive.path} holds command {answer.command_id} twice, again at seq {entry.seq}")
    reason = f"refused ({answer.refused.reason.code})" if answer.refused else f"accepted at seq {answer.seq}"
    raise NotAcceptedError(
        f"{archive.path}: the command at seq {entry.seq} was accepted by release {archive.header.release}, and is "
        f"{reason} by this one, {RELEASE}. Nothing was appended; please report this, and unpack it with that release."
    )


def check_room(path: Path, header: Header) -> None:
    """Raise DiskFullError, or ArchiveError, unless ``path`` has room for a store, or a log, of what is packed."""
    room = Room(path, what="unpacked")
    room.check()
    if room.spare_bytes() < _ROOM * header.body.unpacked:
        mib = _ROOM * header.body.unpacked >> 20
        raise ArchiveError(
            f"the archive takes up to {mib:,} MiB at {path}, and there is less; TMPDIR names another place"
        )


def _why(header: Header) -> list[str]:
    """Return what differs between this release and the one that packed an archive, as far as digests follow from it."""
    found: list[str] = []
    if header.release != RELEASE:
        found.append(f"it was packed by release {header.release}, and this is {RELEASE}")
    if header.digest_encoding != ENCODING:
        found.append(f"its digests are in encoding {header.digest_encoding}, and those of this release in {ENCODING}")
    return found


def _keep(offsets: list[int], offset: int, counts: Counter[str], what: str) -> None:
    counts[what] += 1
    if len(offsets) < NAMED_MAX:
        offsets.append(offset)
