"""What somebody said, what came of it, and which answers it was in: read from the log alone.

What a command refers to stands before it in the log, so one pass finds all that came of something.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from yggdrasil_infra.log import LogReader
from yggdrasil_projections.graph.laws.authority import trust_of
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX
from yggdrasil_schemas.codec import decode
from yggdrasil_schemas.commands import (
    AliasEntity,
    AssertClaim,
    AttachVector,
    ClearContent,
    Command,
    CommitEpisode,
    FormConcept,
    Judge,
    LogOutcome,
    RecordEvent,
    RecordRecall,
    Relate,
    ReportUse,
)
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.ids import id_bytes, key_in
from yggdrasil_schemas.partitions import partition_for
from yggdrasil_schemas.refusals import Refused

from .replay import Progress

_WORDS_CHARS_MAX: Final = 120


class Accepted(NamedTuple):
    """An accepted command: its seq, when the log took it in (Unix ms, its own clock), and what it says."""

    seq: int
    logged_ms: int
    command: Command


class Who(NamedTuple):
    """Whose commands are meant: all that is given must be so. ``since`` is Unix ms, by the clock of the log.

    A ``key`` is named by its id, or by its name. A writer chooses the time that a command says of itself, and not that
    of the log.
    """

    source: str | None = None
    key: str | None = None
    session: str | None = None
    command: str | None = None
    since: int = 0

    def said(self, command: Command) -> bool:
        """Whether a command is of whoever is meant, whenever that was."""
        key = key_in(command.process)
        return (
            self.source in (None, command.source)
            and (self.key is None or self.key == key or (key is not None and self.key == command.source))
            and self.session in (None, command.session)
            and self.command in (None, command.id)
        )


class Traced(NamedTuple):
    """A command that was found: who said it and when, in a few words what, and how (``by``) it came ``of`` which other.

    ``at_ms`` is the writer's clock, ``logged_ms`` that of the log. ``key`` is the id of the key that it came with, and
    ``trust``, 0 to 4, is as it is stamped.
    """

    seq: int
    id: str
    type: str
    at_ms: int
    logged_ms: int
    source: str
    key: str | None
    session: str
    origin: str
    trust: int
    words: str
    by: str = ""
    of: str = ""


@dataclass(slots=True)
class Trace:
    """What somebody said, and what came of it, each in order of seq. ``known``: they said something at some time."""

    said: list[Traced] = field(default_factory=list[Traced])
    derived: list[Traced] = field(default_factory=list[Traced])
    known: bool = False


@dataclass(slots=True)
class Report:
    """The recalls that returned a memory, the events that these informed, and how those ended, in order of seq."""

    recalls: list[Traced] = field(default_factory=list[Traced])
    events: list[Traced] = field(default_factory=list[Traced])
    outcomes: list[Traced] = field(default_factory=list[Traced])


def accepted_in(
    log: LogReader,
    memory: str,
    identities: Mapping[bytes, Identity],
    progress: Progress | None = None,
    mark: bytes = b"",
) -> Iterator[Accepted]:
    """Yield the accepted commands of ``memory`` in order of seq; of these only what holds the bytes ``mark``.

    ``identities`` are those of its store, which say what was accepted, and at which place. What the log holds beyond
    the store is left out.
    """
    partition, key = partition_for(memory.encode(), log.partitions), memory.encode()
    offset = log.start_offset(partition)
    while records := log.read(partition, offset, BATCH_RECORDS_MAX):
        for record in records:
            if record.key != key or record.value is None or mark not in record.value:
                continue
            decoded = decode(record.value)
            if isinstance(decoded, Refused) or decoded.command.memory != memory:
                continue
            identity = identities.get(id_bytes(decoded.command.id))
            if identity is not None and not identity.result and identity.offset == record.offset:
                yield Accepted(identity.seq, record.timestamp_ms, decoded.command)
        offset = records[-1].offset + 1
        if progress:
            progress(len(records))


def trace(commands: Iterable[Accepted], who: Who) -> Trace:
    """Return what ``who`` said among ``commands``, and the closure of what came of that.

    Something came of another by its causes, by a recall that returned that, by evidence, as an episode or a concept of
    it, as its outcome, its vector, or a relation to it. Whoever supersedes or judges something does not repeat it.
    """
    found, out, recalls = Trace(), set[str](), set[str]()
    for each in commands:
        command = each.command
        own = who.said(command)
        found.known = found.known or own
        if own and each.logged_ms >= who.since:
            found.said.append(traced(each))
            out.add(command.id)
        elif (came := _came(command, out, recalls)) is not None:
            found.derived.append(traced(each, *came))
            out.add(command.id)
        if isinstance(command, RecordRecall) and not out.isdisjoint(command.body.returned):
            recalls.add(command.id)
    return found


def report(commands: Iterable[Accepted], refs: Container[str]) -> Report:
    """Return which recalls among ``commands`` returned what ``refs`` name, and what was done with that."""
    found, recalls, events = Report(), set[str](), set[str]()
    for each in commands:
        match each.command:
            case RecordRecall() as command:
                if ref := next((ref for ref in command.body.returned if ref in refs), None):
                    recalls.add(command.id)
                    found.recalls.append(traced(each, "returned", ref))
            case RecordEvent() as command:
                if recall := next((one for one in command.body.informed_by if one in recalls), None):
                    events.add(command.id)
                    found.events.append(traced(each, "informed_by", recall))
            case LogOutcome() as command:
                if command.body.event in events:
                    found.outcomes.append(traced(each, "outcome", command.body.event))
            case _:
                pass
    return found


def traced(each: Accepted, by: str = "", of: str = "") -> Traced:
    """Return what is told of an accepted command."""
    command = each.command
    return Traced(
        each.seq, command.id, command.type, command.at, each.logged_ms, command.source, key_in(command.process),
        command.session, command.origin, trust_of(command), words_of(command), by, of,
    )  # fmt: skip


def words_of(command: Command) -> str:
    """Return what a command says, in at most 120 characters; a text that is sealed is not read."""
    match command:
        case LogOutcome(body=body):
            said = f"{body.value:+g} {body.kind} of {body.event}"
        case AssertClaim(body=body):
            given = body.object.model_dump(exclude_none=True)
            text = _text(command, "object")
            said = f"{body.subject} {body.predicate} {text or ' '.join(str(value) for value in given.values())}"
        case AliasEntity(body=body):
            said = f"{body.name} is {body.canonical or 'itself'}"
        case Relate(body=body):
            said = f"{body.source} {body.relation} {body.target}"
        case ReportUse(body=body):
            said = f"{body.result} with {len(body.used)} of {body.recall}"
        case AttachVector(body=body):
            said = f"{body.model} of {body.node}"
        case CommitEpisode(body=body):
            said = f"{len(body.events)} events: {_text(command)}"
        case FormConcept(body=body):
            said = f"{len(body.members)} members: {_text(command)}"
        case Judge(body=body):
            said = f"{', '.join(sorted({item.verdict for item in body.items}))} {len(body.items)}: {body.reason}"
        case _:
            said = _text(command)
    said = " ".join(said.split())
    return said if len(said) <= _WORDS_CHARS_MAX else f"{said[: _WORDS_CHARS_MAX - 3]}..."


def _text(command: Command, name: str = "text") -> str:
    content = command.content
    return (getattr(content, name) or "") if isinstance(content, ClearContent) else ""


def _came(command: Command, out: Container[str], recalls: Container[str]) -> tuple[str, str] | None:
    """Return how a command came of what is ``out``, and of which; None if it did not."""
    if isinstance(command, RecordEvent):
        recall = next((each for each in command.body.informed_by if each in recalls), None)
        if recall is not None:
            return "informed_by", recall
    return next(((by, of) for by, of in _refers(command) if of in out), None)


def _refers(command: Command) -> Iterator[tuple[str, str]]:
    """Yield what a command is made of, each with how."""
    by, named = "", list[str]()
    match command:
        case RecordEvent(body=body):
            by, named = "caused_by", body.caused_by
        case LogOutcome(body=body):
            by, named = "outcome", [body.event]
        case CommitEpisode(body=body):
            by, named = "contains", body.events
        case FormConcept(body=body):
            by, named = "contains", body.members
        case AssertClaim(body=body):
            by, named = "evidence", body.evidence
        case AliasEntity(body=body):
            by, named = "evidence", body.evidence
        case Judge(body=body) if any(item.verdict == "verify" for item in body.items):
            by, named = "evidence", body.evidence
        case AttachVector(body=body):
            by, named = "vector", [body.node]
        case Relate(body=body):
            by, named = "relation", [body.source, body.target]
        case _:
            pass
    for each in named:
        yield by, each
