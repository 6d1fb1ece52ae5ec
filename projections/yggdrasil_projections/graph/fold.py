"""The fold: one log record in, one answer out, and the graph changed accordingly.

Pure, total and bounded. It reads the record and the graph; it returns a value for every record, however broken; what
it changes is limited by the language's bounds and the memory's policy. Only a broken invariant or an enabled version
that this release does not know raises, and then the host stops.
"""

from dataclasses import dataclass, field
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple, Protocol, get_args

from yggdrasil_infra.log import LogRecord
from yggdrasil_schemas.codec import Decoded, Language, decode
from yggdrasil_schemas.commands import (
    AssertClaim,
    Attest,
    Command,
    EnableVersion,
    Judge,
    Origin,
    RecordRecall,
    ReportUse,
    system_memory,
)
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import Refusal, Refused

from .laws.authority import voice_of
from .laws.derivation import trust_here
from .rules import FIRST, KNOWN, Known, Rules, Versions
from .working_set import Graph

_PLACED_MAX: Final = 65_536  # memories, some 10 MB; a partition of a large installation has so many
_SAID: Final = Struct(">16s16sBQBB").pack
_NO_TRUST: Final = 255
_VOICED: Final = (AssertClaim, Judge, RecordRecall, ReportUse)
_ORIGINS: Final = {origin: number for number, origin in enumerate(get_args(Origin), 1)}


class UnknownVersionError(YggdrasilError):
    """The log enables a version that this release does not know. Install a newer release; nothing was lost."""

    def __init__(self, partition: int, offset: int, enabled: Versions, newest: Versions) -> None:
        super().__init__(
            f"partition {partition}, offset {offset}: the log enables schema version {enabled.schema} with rules "
            f"version {enabled.rules}; this release knows {newest.schema} and {newest.rules}. "
            "This partition stops here. Install a release that knows the version and start again; nothing is lost."
        )
        self.partition = partition
        self.offset = offset


class Answer(NamedTuple):
    """What the fold says of a record: the memory and id it belongs to, where they are known, and what became of it.

    ``seq`` is 0 and ``refused`` is set when the command was refused; ``duplicate`` says that the same command had been
    answered before, and that ``seq`` and ``refused`` repeat that answer. ``enabled`` is what holds in the partition
    from an accepted ``enable_version`` on.
    """

    memory: str | None = None
    command_id: str | None = None
    seq: int = 0
    refused: Refused | None = None
    duplicate: bool = False
    attests: bool = False
    enabled: Versions | None = None


class Graphs(Protocol):
    """Where the fold finds the graph of a memory."""

    def graph(self, memory: str) -> Graph:
        """Return the graph of ``memory``, a new one when it has none, and note that it may change."""
        ...


@dataclass(slots=True)
class Fold:
    """The fold of one partition of a topic with ``partitions`` partitions.

    ``enabled`` are the versions that hold where it begins; it moves on with the log, whether or not anything is kept.
    """

    partition: int
    partitions: int
    graphs: Graphs
    enabled: Versions = FIRST
    known: Known = KNOWN
    _languages: dict[int, Language] = field(init=False)
    _rules: Rules = field(init=False)
    _placed: dict[bytes | None, str] = field(init=False, default_factory=dict[bytes | None, str])

    def __post_init__(self) -> None:
        self._hold(self.enabled)

    def apply(self, record: LogRecord) -> Answer:
        """Fold one record. Raises UnknownVersionError or BrokenInvariantError; everything else is an answer."""
        decoded = decode(record.value, self._languages)
        if isinstance(decoded, Refused):
            return Answer(refused=decoded)
        command = decoded.command
        # Most records are of a memory that was here before, under the same key, and only a law is asked about them.
        law = self._rules.laws.get(type(command))
        if law is None or self._placed.get(record.key) != command.memory or record.partition != self.partition:
            misplaced = self._misplaced(record, command)
            if misplaced is not None:
                return Answer(command.memory, command.id, refused=Refused(misplaced))
            if isinstance(command, EnableVersion):  # of all that is spoken it alone has no law
                return self._enable(record, command)
            self._remember(record, command)
        return self._answer(record, decoded)

    def _hold(self, versions: Versions) -> None:
        """Go on in the languages and under the rules of ``versions``, which must be known."""
        self.enabled = versions
        self._languages = self.known.spoken(versions)
        self._rules = self.known.rules[versions.rules]

    def _enable(self, record: LogRecord, command: EnableVersion) -> Answer:
        """Let the versions of ``command`` hold from the next record on; what holds already is never taken back."""
        body = command.body
        versions = self.enabled.raised(body.schema_version, body.rules_version)
        if versions not in self.known:
            asked = Versions(body.schema_version, body.rules_version)
            raise UnknownVersionError(record.partition, record.offset, asked, self.known.newest)
        if versions != self.enabled:
            self._hold(versions)
        return Answer(command.memory, command.id, enabled=versions)

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

    def _remember(self, record: LogRecord, command: Command) -> None:
        """Remember that this memory belongs to the record's key, and both to this partition."""
        if record.partition != self.partition:
            return
        if len(self._placed) >= _PLACED_MAX:
            self._placed.clear()
        self._placed[record.key] = command.memory

    def _answer(self, record: LogRecord, decoded: Decoded) -> Answer:
        command = decoded.command
        graph = self.graphs.graph(command.memory)
        known = graph.identity(decoded.command_id)
        if known is not None:
            return _repeated(command, known, decoded.body_hash)
        header = graph.header
        rules = self._rules
        if not header.seq:
            header.policy = rules.policy
        kind, law = type(command).number, rules.laws[type(command)]
        seq = header.seq + 1
        graph.said, graph.trust = seq, trust_here(graph, command)
        refused = law(graph, command, seq, record.value or b"")
        if refused is None:
            header.seq = seq
            rules.enforce(graph)
            result = 0
        else:
            seq, result = 0, int(refused.reason)
        identity = Identity(seq, record.offset, decoded.body_hash, kind, result)
        graph.add_identity(decoded.command_id, identity)
        header.history = _chained(graph, decoded, identity)
        attests = refused is None and kind == Attest.number
        return Answer(command.memory, command.id, seq, refused, False, attests)


def known_answer(graph: Graph, value: bytes, offset: int | None = None) -> Answer | None:
    """Return what became of the command in ``value``, or None when it has not been folded.

    It is a duplicate unless ``offset``, where it stands in the log, is the one that was folded.
    """
    decoded = decode(value)
    known = None if isinstance(decoded, Refused) else graph.identity(decoded.command_id)
    if isinstance(decoded, Refused) or known is None:
        return None
    answer = _repeated(decoded.command, known, decoded.body_hash)
    return answer._replace(duplicate=False) if known.offset == offset else answer


def _repeated(command: Command, known: Identity, body_hash: bytes) -> Answer:
    if known.body_hash != body_hash:
        return Answer(command.memory, command.id, refused=Refused(Refusal.ID_REUSED))
    refused = Refused(Refusal(known.result)) if known.result else None
    return Answer(command.memory, command.id, known.seq, refused, duplicate=True)


def _chained(graph: Graph, decoded: Decoded, identity: Identity) -> bytes:
    return chained_on(graph.header.history, link_of(graph, decoded, identity))


def chained_on(history: bytes, link: bytes) -> bytes:
    """Return a memory's history, 16 bytes, with one more answer: see ``link_of``."""
    return blake2b(history + link, digest_size=16).digest()


def link_of(graph: Graph, decoded: Decoded, identity: Identity) -> bytes:
    """Return what of one answer goes into the memory's history: offsets are transport, so they are left out.

    Beside the body laws read the session and what is stamped: origin and trust; and who says it, of a claim, a verdict,
    a recall and a report, and of all else where something foreign came into a session. What counts as the same command
    is the body alone. It is 43 bytes (id, hash of the body, result, seq, origin, trust), and these names.
    """
    command = decoded.command
    trust = _NO_TRUST if command.trust is None else command.trust
    answer = (identity.result, identity.seq)
    said = _SAID(decoded.command_id, decoded.body_hash, *answer, _ORIGINS[command.origin], trust)
    voiced = graph.taints or isinstance(command, _VOICED)
    named = f"{command.session}\0{voice_of(command)}" if voiced else command.session
    return said + named.encode()
