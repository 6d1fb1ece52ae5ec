"""The fold: one log record in, one answer out, and the graph changed accordingly.

Pure, total and bounded. It reads the record and the graph; it returns a value for every record, however broken; what
it changes is limited by the language's bounds and the memory's policy. Only a broken invariant or an enabled version
that this release does not know raises, and then the host stops.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Final, Protocol, cast

from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import (
    Attest,
    Command,
    EnableVersion,
    LogOutcome,
    RecordEvent,
    RecordRecall,
    ReportUse,
    SetPolicy,
    system_memory,
)
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph import CommandKind, Identity
from yggdrasil_schemas.limits import RULES_VERSION, SCHEMA_VERSION
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import Refusal, Refused

from .laws.bounds import enforce
from .laws.event import record_event
from .laws.governance import attest, set_policy
from .laws.outcome import log_outcome
from .laws.recall import record_recall
from .laws.use import report_use
from .working_set import Graph

Law = Callable[[Graph, Command, int, bytes], Refused | None]

_LAWS: Final[dict[type[object], tuple[CommandKind, Law]]] = {
    RecordEvent: (CommandKind.RECORD_EVENT, cast(Law, record_event)),
    LogOutcome: (CommandKind.LOG_OUTCOME, cast(Law, log_outcome)),
    RecordRecall: (CommandKind.RECORD_RECALL, cast(Law, record_recall)),
    ReportUse: (CommandKind.REPORT_USE, cast(Law, report_use)),
    SetPolicy: (CommandKind.SET_POLICY, cast(Law, set_policy)),
    Attest: (CommandKind.ATTEST, cast(Law, attest)),
}


class UnknownVersionError(YggdrasilError):
    """The log enables a version that this release does not know. Install a newer release; nothing was lost."""

    def __init__(self, partition: int, offset: int, schema_version: int, rules_version: int) -> None:
        super().__init__(
            f"partition {partition}, offset {offset}: the log enables schema version {schema_version} with rules "
            f"version {rules_version}; this release knows {SCHEMA_VERSION} and {RULES_VERSION}. "
            "This partition stops here. Install a release that knows the version and start again; nothing is lost."
        )
        self.partition = partition
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Answer:
    """What the fold says of a record: the memory and id it belongs to, where they are known, and what became of it.

    ``seq`` is 0 and ``refused`` is set when the command was refused; ``duplicate`` says that the same command had been
    answered before, and that ``seq`` and ``refused`` repeat that answer.
    """

    memory: str | None = None
    command_id: str | None = None
    seq: int = 0
    refused: Refused | None = None
    duplicate: bool = False
    attests: bool = False


class Graphs(Protocol):
    """Where the fold finds the graph of a memory."""

    def graph(self, memory: str) -> Graph:
        """Return the graph of ``memory``, a new one when it has none, and note that it may change."""
        ...


@dataclass(frozen=True, slots=True)
class Fold:
    """The fold of one partition of a topic with ``partitions`` partitions."""

    partition: int
    partitions: int
    graphs: Graphs

    def apply(self, record: LogRecord) -> Answer:
        """Fold one record. Raises UnknownVersionError or BrokenInvariantError; everything else is an answer."""
        decoded = decode(record.value, SCHEMA_VERSION)
        if isinstance(decoded, Refused):
            return Answer(refused=decoded)
        command = decoded.command
        misplaced = self._misplaced(record, command)
        if misplaced is not None:
            return Answer(command.memory, command.id, refused=Refused(misplaced))
        if isinstance(command, EnableVersion):
            body = command.body
            if body.schema_version > SCHEMA_VERSION or body.rules_version > RULES_VERSION:
                raise UnknownVersionError(record.partition, record.offset, body.schema_version, body.rules_version)
            return Answer(command.memory, command.id)
        return self._answer(record, decoded)

    def _misplaced(self, record: LogRecord, command: Command) -> Refusal | None:
        """Return why the record may not stand where it stands, if so."""
        if record.key != command.memory.encode():
            return Refusal.WRONG_KEY
        if command.memory.startswith("_"):
            if not isinstance(command, EnableVersion):
                return Refusal.RESERVED_MEMORY
            stands = command.body.partition == record.partition and command.memory == system_memory(record.partition)
            return None if stands else Refusal.WRONG_PARTITION
        if isinstance(command, EnableVersion):
            return Refusal.RESERVED_MEMORY
        stands = partition_for(record.key, self.partitions) == record.partition
        return None if stands else Refusal.WRONG_PARTITION

    def _answer(self, record: LogRecord, decoded: Decoded) -> Answer:
        command = decoded.command
        graph = self.graphs.graph(command.memory)
        known = graph.identity(decoded.command_id)
        if known is not None:
            return _repeated(command, known, decoded.body_hash)
        header = graph.header
        kind, law = _LAWS[type(command)]
        seq = header.seq + 1
        refused = law(graph, command, seq, record.value or b"")
        if refused is None:
            header.seq = seq
            enforce(graph)
        result = refused.reason if refused else 0
        identity = Identity(0 if refused else seq, record.offset, decoded.body_hash, kind, result)
        graph.new_identities[decoded.command_id] = identity
        header.history = _chained(header.history, decoded, identity)
        attests = not result and kind == CommandKind.ATTEST
        return Answer(command.memory, command.id, identity.seq, refused, attests=attests)


def known_answer(graph: Graph, value: bytes, offset: int | None = None) -> Answer | None:
    """Return what became of the command in ``value``, or None when it has not been folded.

    It is a duplicate unless ``offset``, where it stands in the log, is the one that was folded.
    """
    decoded = decode(value)
    known = None if isinstance(decoded, Refused) else graph.identity(decoded.command_id)
    if isinstance(decoded, Refused) or known is None:
        return None
    answer = _repeated(decoded.command, known, decoded.body_hash)
    return replace(answer, duplicate=False) if known.offset == offset else answer


def _repeated(command: Command, known: Identity, body_hash: bytes) -> Answer:
    if known.body_hash != body_hash:
        return Answer(command.memory, command.id, refused=Refused(Refusal.ID_REUSED))
    refused = Refused(Refusal(known.result)) if known.result else None
    return Answer(command.memory, command.id, known.seq, refused, duplicate=True)


def _chained(history: bytes, decoded: Decoded, identity: Identity) -> bytes:
    """Return the memory's history with one more answer: offsets are transport, so they are left out."""
    said = decoded.command_id + decoded.body_hash + bytes((identity.result,)) + identity.seq.to_bytes(8, "big")
    return blake2b(history + said, digest_size=16).digest()
