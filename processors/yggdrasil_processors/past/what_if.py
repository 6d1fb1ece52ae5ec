"""What would have been: a memory folded again from its own records, in which some of them never happened.

A command that was accepted in reality is folded at the seq that it has there. One that is left out, and one that the
laws refuse here, becomes a *void*: its seq passes, and so does what a thinker has read by it, and nothing else does. So
node numbers and cursors are those of reality, and what is refused is only what names what is not there. What reality
refused or had met before stays so. The laws are those of every fold, asked through ``Known``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import orjson

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_projections.graph.fold import Answer, Fold
from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.laws.decisions.thinker import advance, retire_thinker
from yggdrasil_projections.graph.laws.knowledge.judging import put_in_quarantine
from yggdrasil_projections.graph.rules import KNOWN, Known, Law, Rules
from yggdrasil_projections.graph.store.projector import LogMismatchError
from yggdrasil_projections.graph.store.store import GraphStore
from yggdrasil_projections.graph.working_set import BrokenInvariantError, Graph
from yggdrasil_projections.retrieval.errors import InvalidAskError, NotReadyError
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.past.otherwise import REFUSALS_MAX, Otherwise, VoidCommand, Voids
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import Command, RetireThinker, system_memory
from yggdrasil_schemas.commands.decisions import Decision
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import RECORD_BYTES_MAX
from yggdrasil_schemas.policy import changed
from yggdrasil_schemas.refusals import Refusal, Refused

from .building import Built, Progress, Reached, Until, build

_NO_CHANGE: Final = Answer()
_ID_BYTES: Final = 16


class Reality(NamedTuple):
    """What became of the commands of a memory: by their ids, of all records below the offset ``position``."""

    answered: Callable[[bytes], Identity | None]
    position: int


class OtherFold:
    """A fold of one memory's records, in which some never happened."""

    def __init__(self, memory: str, store: GraphStore, otherwise: Otherwise, reality: Reality) -> None:
        """Fold into ``store``, which stands where nothing is otherwise yet."""
        partition = store.pin.partition
        self._rules = {number: self._of(each, otherwise) for number, each in KNOWN.rules.items()}
        known = Known(KNOWN.languages, self._rules)
        self._fold = Fold(partition, store.pin.partitions, store, store.state.enabled, known)
        self._memory = memory
        self._own = memory.encode()
        self._system = system_memory(partition).encode()
        self._graphs = store
        self._reality = reality
        self._otherwise = otherwise
        self._without = {id_bytes(each) for each in otherwise.without}
        self._really: Identity | None = None  # of the command that is being folded; None at the end of the log
        self._ended = False
        self._left_out = 0
        self._refused = 0
        self._refusals: list[VoidCommand] = []

    @property
    def voids(self) -> Voids:
        """What has been void so far."""
        return Voids(self._left_out, self._refused, tuple(self._refusals))

    def apply(self, record: LogRecord) -> Answer:
        """Fold one record of the log: what reality did not take changes nothing. Raises as ``Fold.apply``."""
        if self._ended:
            return self._fold.apply(record)
        if record.key != self._own:
            return self._fold.apply(record) if record.key == self._system else _NO_CHANGE
        if record.offset >= self._reality.position:
            raise NotReadyError(f"{self._memory}: offset {record.offset} of the log is not folded here yet; ask again")
        said = _read(record.value)
        command_id = _id_of(said)
        really = None if command_id is None else self._reality.answered(command_id)
        if command_id is None or really is None or really.offset != record.offset:
            return _NO_CHANGE  # not in the language, or said before: then the first one is what counts
        if not really.result and self._leaves_out(command_id, said):
            return self._leave_out(record, str(said["id"]), really)
        self._really = really
        answer = self._fold.apply(record)
        self._check_same(command_id, really)
        if really.result:
            return answer
        if answer.refused is None and answer.seq == really.seq:
            return answer
        if answer.refused is None or answer.duplicate:
            raise BrokenInvariantError(f"{self._memory}: seq {really.seq} of reality became seq {answer.seq}")
        self._refused += 1
        if len(self._refusals) < REFUSALS_MAX:
            reason = answer.refused.reason.code
            command = command_of(record.value)
            trust = 0 if isinstance(command, Refused) else trust_of(command)
            told = VoidCommand(str(said["id"]), really.seq, str(said["type"]), reason, answer.refused.detail, trust)
            self._refusals.append(told)
        return self._pass(str(said["id"]), really)

    def end(self) -> None:
        """Take what comes next for what reality has not.

        Raises InvalidAskError for what was to be left out and was never there, so that nothing is said of a typo.
        """
        self._ended, self._really = True, None
        if self._without:
            missing = str(next(each for each in self._otherwise.without if id_bytes(each) in self._without))
            raise InvalidAskError(
                f"{self._memory} has accepted no command {missing} by then, so that it cannot be left out"
            )
        sought = self._otherwise.without_source is not None or self._otherwise.without_session is not None
        if sought and not self._left_out:
            raise InvalidAskError(
                f"{self._memory} has accepted nothing of that source or session by then, so that nothing is left out"
            )

    # Inside

    def _of(self, rules: Rules, otherwise: Otherwise) -> Rules:
        """Return rules that refuse what reality has refused, and under which a memory begins with another policy."""
        laws = {model: self._with_reality(law) for model, law in rules.laws.items()}
        return replace(rules, laws=laws, policy=changed(rules.policy, dict(otherwise.policy)))

    def _with_reality(self, law: Law) -> Law:
        def decide(graph: Graph, command: Command, seq: int, record: bytes) -> Refused | None:
            really = self._really
            if really is not None and really.result:
                return Refused(Refusal(really.result))
            refused = law(graph, command, seq, record)
            if refused is not None and really is not None:
                _read_on(graph, command)
            return refused

        return decide

    def _check_same(self, command_id: bytes, really: Identity) -> None:
        """Raise LogMismatchError where a record does not say what reality has folded."""
        known = self._graphs.graph(self._memory).identity(command_id)
        if known is None or known.body_hash != really.body_hash:
            raise LogMismatchError(
                f"{self._memory}: the record at offset {really.offset} is not the one that was folded; "
                "`yggdrasil replay` says which records were altered"
            )

    def _leaves_out(self, command_id: bytes, said: dict[str, Any]) -> bool:
        if command_id in self._without:
            self._without.discard(command_id)
            return True
        source, session = self._otherwise.without_source, self._otherwise.without_session
        return (source is not None and said.get("source") == source) or (
            session is not None and said.get("session", SESSION_DEFAULT) == session
        )

    def _leave_out(self, record: LogRecord, command_id: str, really: Identity) -> Answer:
        self._left_out += 1
        command = command_of(record.value)
        if not isinstance(command, Refused):
            _read_on(self._graphs.graph(self._memory), command)
        return self._pass(command_id, really)

    def _pass(self, command_id: str, really: Identity) -> Answer:
        """Let a seq pass."""
        header = self._graphs.graph(self._memory).header
        if not header.seq:
            header.policy = self._rules[self._fold.enabled.rules].policy
        if header.seq != really.seq - 1:
            raise BrokenInvariantError(f"{self._memory}: seq {really.seq} of reality follows seq {header.seq}")
        header.seq = really.seq
        return Answer(self._memory, command_id, really.seq)


class Extended(Until):
    """A log as it was when it ended at ``end``, with ``more`` records of one partition beyond that."""

    def __init__(self, log: LogReader, partition: int, end: int, more: Sequence[LogRecord]) -> None:
        super().__init__(log, partition, end)
        self._begins = end
        self._more = tuple(more)
        self._of_partition = partition

    def end_offset(self, partition: int) -> int:
        """Return where it ends with what comes beyond."""
        end = super().end_offset(partition)
        return end + len(self._more) if partition == self._of_partition else end

    def read(self, partition: int, offset: int, records_max: int) -> Sequence[LogRecord]:
        """Return records as the log does, and then those beyond."""
        if partition != self._of_partition or offset < self._begins:
            return super().read(partition, offset, records_max)
        return self._more[offset - self._begins :][:records_max]


def same_until(otherwise: Otherwise, reality: Reality, as_of: AsOf) -> AsOf | None:
    """Return until when the other history is reality, up to ``as_of``; None where that is not known, or never."""
    if otherwise.policy or otherwise.without_source is not None or otherwise.without_session is not None:
        return None
    named = [reality.answered(id_bytes(each)) for each in otherwise.without]
    first = min([each.seq for each in named if each is not None and not each.result], default=None)
    if first is None:
        return as_of
    return AsOf(seq=first - 1) if first > 1 else None


def build_otherwise(
    log: LogReader,
    memory: str,
    as_of: AsOf,
    otherwise: Otherwise,
    reality: Reality,
    path: Path,
    *,
    progress: Progress | None = None,
    begun: Reached | None = None,
) -> Built:
    """Build ``memory`` as of a moment in the directory ``path``, as it would be if what is ``otherwise`` were so.

    A store may stand there at ``begun``, a moment of reality at or before ``same_until``. What comes at the end bears
    the log's time of the moment. Raises as ``build`` does, InvalidAskError for what was to be left out and is not
    there, or comes at the end and is refused, NotReadyError for a record that is not below the position of
    ``reality``, and LogMismatchError for one that is not what was folded.
    """
    made: list[OtherFold] = []

    def folds(store: GraphStore) -> OtherFold:
        made.append(OtherFold(memory, store, otherwise, reality))
        return made[0]

    built = build(log, memory, as_of, path, progress, begun, folds)
    try:
        made[0].end()
        more = tuple(_beyond(memory, built, otherwise))
        for record in more:
            _, answer = built.projector.apply([record])[0]
            if answer.refused is not None:
                named = answer.command_id or f"number {record.offset - built.reached.end + 1}"
                raise InvalidAskError(f"{memory} would not take the command {named} of with_: {answer.refused}")
        store = built.projector.store
        if otherwise.quarantined or otherwise.taken_out:
            put_in_quarantine(store.graph(memory), otherwise.quarantined, otherwise.taken_out)
            store.commit(())
        return replace(built, voids=made[0].voids, more=more)
    except BaseException:
        built.projector.close()
        raise


def _beyond(memory: str, built: Built, otherwise: Otherwise) -> Iterator[LogRecord]:
    """Yield the records that come at the end."""
    reached, partition = built.reached, built.projector.store.pin.partition
    for offset, value in enumerate(otherwise.with_, reached.end):
        yield LogRecord(partition, offset, memory.encode(), value, timestamp_ms=reached.ms)


def _read(value: bytes | None) -> dict[str, Any]:
    """Return the fields of a record; none of what is no command."""
    if not value or len(value) > RECORD_BYTES_MAX:
        return {}
    try:
        raw = orjson.loads(value)
    except orjson.JSONDecodeError:
        return {}
    return cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}


def _id_of(said: dict[str, Any]) -> bytes | None:
    command_id = said.get("id")
    try:
        found = id_bytes(command_id) if isinstance(command_id, str) else b""
    except ValueError:
        return None
    return found if len(found) == _ID_BYTES else None


def _read_on(graph: Graph, command: Command) -> None:
    """Let a thinker have read as far as it has in reality, although its decision changes nothing here.

    Otherwise its cursor would wait for ever, and all that it decided later would be refused with what never happened.
    """
    if isinstance(command, RetireThinker):
        retire_thinker(graph, command, 0, b"")
    elif isinstance(command.body, Decision):
        advance(graph, command.body)
