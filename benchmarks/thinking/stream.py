"""A stream: what happened, in order, and before which events something else is known to begin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import orjson

from yggdrasil_processors.thinkers.chunker import Chunker
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

HIDDEN: Final = "all"


@dataclass(frozen=True, slots=True)
class Stream:
    """``starts`` are the ids of the events with which something else begins; none of a session's first is among them.

    ``others`` is what else may segment it: texts, times and lengths are what they are given.
    """

    name: str
    happenings: list[Happening]
    starts: frozenset[str]

    @property
    def events(self) -> list[Happening]:
        """The events alone."""
        return [one for one in self.happenings if one.kind == "event"]

    def part(self, events_max: int) -> "Stream":
        """Return the beginning of this stream."""
        if len(self.events) <= events_max:
            return self
        last = self.events[events_max - 1].seq
        kept = [one for one in self.happenings if one.seq <= last]
        return Stream(self.name, kept, self.starts & {one.id for one in kept})

    def places(self) -> dict[str, int]:
        """Return the place of each event: session after session, far apart, so that none is near to another's."""
        sessions: dict[str, list[str]] = {}
        for event in self.events:
            sessions.setdefault(event.session, []).append(event.id)
        found: dict[str, int] = {}
        for ids in sessions.values():
            begin = len(found) and max(found.values()) + 1_000
            found.update((each, begin + at) for at, each in enumerate(ids))
        return found


@dataclass(slots=True)
class Writer:
    """Writes a stream by hand."""

    happenings: list[Happening] = field(default_factory=list[Happening])
    starts: set[str] = field(default_factory=set[str])

    def event(self, text: str, *, session: str = HIDDEN, at: int = 0, starts: bool = False, **more: Any) -> str:
        """Add an event and return its id; ``starts``: something else begins with it."""
        known = any(one.session == session for one in self.happenings)
        seq = len(self.happenings) + 1
        made = Happening(seq, f"e{seq}", "event", session, at, "benchmark", "agent", text, **more)
        self.happenings.append(made)
        if starts and known:
            self.starts.add(made.id)
        return made.id

    def outcome(self, of: str, value: float, *, session: str = HIDDEN, at: int = 0, kind: str = "outcome") -> None:
        """Add an outcome of an event."""
        seq = len(self.happenings) + 1
        self.happenings.append(
            Happening(seq, f"o{seq}", "outcome", session, at, "benchmark", "agent", of=of, value=value, outcome=kind)
        )

    def stream(self, name: str) -> Stream:
        """Return what was written."""
        return Stream(name, self.happenings, frozenset(self.starts))


def happenings(drafts: Iterable[Draft]) -> list[Happening]:
    """Return what an importer's drafts are once they are taken, all in one session."""
    found: list[Happening] = []
    for seq, draft in enumerate(drafts, start=1):
        record: dict[str, Any] = orjson.loads(draft.value)
        body: dict[str, Any] = record["body"]
        content: dict[str, Any] = record.get("content") or {}
        event = record["type"] == "record_event"
        found.append(
            Happening(
                seq, record["id"], "event" if event else "outcome", HIDDEN, record["at"], record["source"], "import",
                content.get("text"), content.get("payload"), body.get("features", []), body.get("caused_by", []),
                None if event else body["event"], body.get("value", 0.0), None if event else body.get("kind"),
            )
        )  # fmt: skip
    return found


def blinded(stream: Stream, name: str) -> Stream:
    """Return a stream of which no time is known."""
    return Stream(name, [replace(one, at=0) for one in stream.happenings], stream.starts)


def decided(stream: Stream, chunker: Chunker | None = None) -> list[Decision]:
    """Return the episodes that the chunker commits of a stream, and of what is left when it comes to rest."""
    chunker = chunker or Chunker()
    state = chunker.state()
    found = [decision for one in stream.happenings for decision in chunker.observe(state, one)]
    return [*found, *chunker.rest(state)]


def starts_of(stream: Stream, decisions: Sequence[Decision]) -> set[str]:
    """Return with which events something else begins, as the episodes have it.

    Where an event is in no episode, and the one before it is, something else begins as well; so does an episode after
    some of these.
    """
    episode = {event: number for number, one in enumerate(decisions) for event in one.body["events"]}
    before: dict[str, int | None] = {}
    found: set[str] = set()
    for event in stream.events:
        of = episode.get(event.id)
        if event.session in before and before[event.session] != of:
            found.add(event.id)
        before[event.session] = of
    return found
