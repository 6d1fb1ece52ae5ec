"""Fork a memory: what it had accepted up to a moment, said once more to a memory of its own in the same log.

A fork is what ``pack`` and ``unpack`` make of a memory under another name, so it is equal to the original record by
record, but for that name. Nothing of its own is written into it: its name says of which memory it is, and ``shared``
finds in the records themselves up to where both are one. Whatever were noted would be a command, and a fork that was
told what the original was told would no longer be what that is.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from yggdrasil_infra.log import CommandLog, LogReader
from yggdrasil_infra.private import make_directory
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.past.forks import (
    WRITTEN_TO,
    CannotForkError,
    ForkDiffersError,
    Forked,
    ForkLineage,
    ForkThereError,
)
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import Command

from .alone import is_system, records_of
from .archive import ArchiveError
from .packing import Progress, pack
from .unpacking import MemoryThereError, check, unpack

PASSES: Final = 5
"""How often each record is read or written to make a fork, or nearly: what is refused is read once."""


def fork(
    log: CommandLog,
    memory: str,
    seq: int,
    to: str,
    scratch: Path,
    progress: Progress = lambda _: None,
    admit: Callable[[int], object] = lambda _: None,
) -> Forked:
    """Copy what ``memory`` had accepted up to ``seq`` to the memory ``to`` of the same log; stores go to ``scratch``.

    1. It is packed as it stood at that seq, read back and folded. 2. ``admit`` is told how many bytes are to be
    appended, and may raise. 3. What is packed is appended under the other name, with its ids and timestamps; of what an
    interrupted attempt has left, the rest. 4. Both are compared, record by record. ``progress`` is told of each record
    that is read or written, some five times. Raises ForkThereError, ForkDiffersError, CannotForkError, LogError,
    DiskFullError, and what ``admit`` raises.
    """
    make_directory(scratch)
    with TemporaryDirectory(prefix="fork-", dir=scratch) as made:
        here = Path(made)
        try:
            archive = pack(log, memory, here / "archive", here, seq, progress)  # 1
            checked = check(archive, here, to, progress)
            admit(sum(len(to) + len(each.value) for each in archive.packed()))  # 2
            done = unpack(archive, checked, log, here, to, progress)  # 3, 4
        except MemoryThereError as error:
            raise ForkThereError(
                f"{to} is there already, and is not a beginning of {memory} up to seq {seq}: it is of another moment, "
                "or was told something of its own. Nothing was appended; give the fork another name."
            ) from error
        except ArchiveError as error:
            raise CannotForkError(_without_paths(str(error), here, memory)) from error
    if not done.compared.same:
        raise ForkDiffersError(f"{to} is not what {memory} was at seq {seq}: {WRITTEN_TO}")
    return Forked(to, memory, seq, done.there, done.appended, checked.stands.state)


def shared(
    log: LogReader, own: Graph, origin: Graph, progress: Callable[[int, int], object] | None = None
) -> ForkLineage:
    """Return up to which seq a fork is what it went on from: both have accepted the same, said by the same.

    ``progress`` is told how many commands of how many are compared, now and then.
    """
    seq, header = 0, own.header
    most = min(header.seq, origin.header.seq)

    def look() -> None:
        if progress is not None:
            progress(seq, most)

    for here, there in zip(_accepted(log, own, look), _accepted(log, origin, look), strict=False):
        if here != there:
            break
        seq += 1
    return ForkLineage(header.memory, origin.header.memory, seq, header.seq - seq, origin.header.seq - seq)


def _without_paths(told: str, scratch: Path, memory: str) -> str:
    """Return a message as it is told over HTTP, where nobody is to know how a host's disk looks."""
    return told.replace(str(scratch / "archive"), f"what {memory} was").replace(
        str(scratch), "the directory for temporary files"
    )


def _accepted(log: LogReader, graph: Graph, look: Callable[[], object]) -> Iterator[Command]:
    """Yield the commands that a memory has accepted, as if they were said to no memory in particular."""
    for record in records_of(log, graph.header.memory, look):
        decoded = None if is_system(record) else decode(record.value)
        if not isinstance(decoded, Decoded):
            continue
        identity = graph.identity(decoded.command_id)
        if identity is not None and identity.is_of(record.offset):
            yield decoded.command.model_copy(update={"memory": ""})
