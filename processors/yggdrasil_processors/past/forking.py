"""Fork a memory: what it had accepted up to a moment, said once more to a memory of its own in the same log.

A fork is what ``pack`` and ``unpack`` make of a memory under another name, so it is equal to the original record by
record, but for that name. Nothing of its own is written into it: its name says of which memory it is, and ``shared``
finds in the records themselves up to where both are one. Whatever were noted would be a command, and a fork that was
told what the original was told would no longer be what that is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from yggdrasil_infra.log import CommandLog, LogReader
from yggdrasil_infra.private import make_directory
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import Command
from yggdrasil_schemas.problems import ExitCode, local

from .alone import is_system, records_of
from .archive import ArchiveError
from .packing import Progress, pack
from .unpacking import MemoryThereError, check, unpack

WRITTEN_TO: Final = (
    "something else was written to it meanwhile. Fork under another name, and let nobody write to it before it is made."
)


class ForkThereError(ArchiveError):
    """There is a fork of that name, which is another one, or has gone on by itself; nothing was appended."""

    kind = local("fork_there", ExitCode.USAGE)


class ForkDiffersError(ArchiveError):
    """A fork was made and is not what the original was: somebody has written to it meanwhile."""

    kind = local("fork_differs", ExitCode.DIFFERENT)


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork: its id, the memory ``of`` which it is, and the ``seq`` up to which it is that.

    ``appended`` records were copied now, and ``there`` had been before, by an attempt that was interrupted. ``state``
    is the digest, without name and history, that both have at that seq.
    """

    memory: str
    of: str
    seq: int
    there: int
    appended: int
    state: str


@dataclass(frozen=True, slots=True)
class ForkLineage:
    """Where a fork comes from: the memory ``of`` which it is, and the ``seq`` up to which both are one.

    ``own`` commands have come to the fork since, and ``others`` to the memory that it went on from.
    """

    memory: str
    of: str
    seq: int
    own: int
    others: int


def fork(log: CommandLog, memory: str, seq: int, to: str, scratch: Path, progress: Progress = lambda _: None) -> Forked:
    """Copy what ``memory`` had accepted up to ``seq`` to the memory ``to`` of the same log; stores go to ``scratch``.

    1. It is packed as it stood at that seq, read back and folded. 2. What is packed is appended under the other name,
    with its ids and timestamps; of what an interrupted attempt has left, the rest. 3. Both are compared, record by
    record. ``progress`` is told of each record that is read or written, some six times. Raises ForkThereError,
    ForkDiffersError, NothingToPackError, and what ``pack``, ``check`` and ``unpack`` raise.
    """
    make_directory(scratch)
    try:
        with TemporaryDirectory(prefix="fork-", dir=scratch) as made:
            here = Path(made)
            archive = pack(log, memory, here / "archive", here, seq, progress)  # 1
            checked = check(archive, here, to, progress)
            done = unpack(archive, checked, log, here, to, progress)  # 2, 3
    except MemoryThereError as error:
        raise ForkThereError(
            f"{to} is there already, and is not a beginning of {memory} up to seq {seq}: it is of another moment, or "
            "was told something of its own. Nothing was appended; give the fork another name."
        ) from error
    if not done.compared.same:
        raise ForkDiffersError(f"{to} is not what {memory} was at seq {seq}: {WRITTEN_TO}")
    return Forked(to, memory, seq, done.there, done.appended, checked.stands.state)


def shared(log: LogReader, own: Graph, origin: Graph) -> ForkLineage:
    """Return up to which seq a fork is what it went on from: both have accepted the same, said by the same."""
    seq, header = 0, own.header
    for here, there in zip(_accepted(log, own), _accepted(log, origin), strict=False):
        if here != there:
            break
        seq += 1
    return ForkLineage(header.memory, origin.header.memory, seq, header.seq - seq, origin.header.seq - seq)


def _accepted(log: LogReader, graph: Graph) -> Iterator[Command]:
    """Yield the commands that a memory has accepted, as if they were said to no memory in particular."""
    for record in records_of(log, graph.header.memory):
        decoded = None if is_system(record) else decode(record.value)
        if not isinstance(decoded, Decoded):
            continue
        identity = graph.identity(decoded.command_id)
        if identity is not None and identity.is_of(record.offset):
            yield decoded.command.model_copy(update={"memory": ""})
