"""What somebody said, what came of it, and which answers it was in: read from what the log says, and nothing else.

What a command names stands before it in the log, so one pass finds all that came of something.
"""

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from yggdrasil_projections.retrieval.reads.operations.said import Said


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

    def said(self, each: Said) -> bool:
        """Whether a command is of whoever is meant, whenever that was."""
        return (
            self.source in (None, each.source)
            and (self.key is None or self.key == each.key or (each.key is not None and self.key == each.source))
            and self.session in (None, each.session)
            and self.command in (None, each.id)
        )


class Traced(NamedTuple):
    """A command that was found, as ``Said`` has it, and how (``by``) it came ``of`` which other."""

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

    who: Who
    said: list[Traced] = field(default_factory=list[Traced])
    derived: list[Traced] = field(default_factory=list[Traced])
    known: bool = False
    _out: set[str] = field(default_factory=set[str])
    _recalls: set[str] = field(default_factory=set[str])

    def add(self, commands: Iterable[Said]) -> None:
        """Take notice of what the log says next.

        Something came of another by its causes, by a recall that returned that, by evidence, as an episode or a
        concept of it, as its outcome, its vector, or a relation to it. Whoever supersedes or judges something does not
        repeat it.
        """
        for each in commands:
            own = self.who.said(each)
            self.known = self.known or own
            if own and each.logged_ms >= self.who.since:
                self.said.append(traced(each))
                self._out.add(each.id)
            elif (came := self._came(each)) is not None:
                self.derived.append(traced(each, *came))
                self._out.add(each.id)
            if not self._out.isdisjoint(each.returned):
                self._recalls.add(each.id)

    def _came(self, each: Said) -> tuple[str, str] | None:
        """Return how a command came of what was found, and of which; None if it did not."""
        for named in each.names:
            if named.of in (self._recalls if named.by == "informed_by" else self._out):
                return named.by, named.of
        return None


@dataclass(slots=True)
class Report:
    """The recalls that returned a memory, the events that these informed, and how those ended, in order of seq.

    ``refs`` are the ids by which an answer may name the memory.
    """

    refs: Container[str]
    recalls: list[Traced] = field(default_factory=list[Traced])
    events: list[Traced] = field(default_factory=list[Traced])
    outcomes: list[Traced] = field(default_factory=list[Traced])
    _recalls: set[str] = field(default_factory=set[str])
    _events: set[str] = field(default_factory=set[str])

    def add(self, commands: Iterable[Said]) -> None:
        """Take notice of what the log says next."""
        for each in commands:
            if ref := next((ref for ref in each.returned if ref in self.refs), None):
                self._recalls.add(each.id)
                self.recalls.append(traced(each, "returned", ref))
            for named in each.names:
                if named.by == "informed_by" and named.of in self._recalls:
                    self._events.add(each.id)
                    self.events.append(traced(each, named.by, named.of))
                    break
                if named.by == "outcome" and named.of in self._events:
                    self.outcomes.append(traced(each, named.by, named.of))


def traced(each: Said, by: str = "", of: str = "") -> Traced:
    """Return what is told of a command that was found."""
    return Traced(
        each.seq, each.id, each.type, each.at_ms, each.logged_ms, each.source, each.key, each.session, each.origin,
        each.trust, each.words, by, of,
    )  # fmt: skip
