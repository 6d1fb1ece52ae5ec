"""A history that is told by hand, thing by thing, to a chunker."""

from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from pydantic import TypeAdapter

from yggdrasil_processors.thinkers.chunker import Chunker
from yggdrasil_processors.thinkers.chunker.state import ChunkerState
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

MINUTE = 60_000
HOUR = 60 * MINUTE
_STATE = TypeAdapter(ChunkerState)

GARDEN = (
    "The tomatoes need water twice a day in July", "Slugs ate the lettuce in the vegetable bed",
    "Compost for the tomatoes comes from the heap", "Water the lettuce bed before the sun is high",
    "The vegetable bed gets compost in spring", "Slugs leave tomatoes alone, and love lettuce",
    "In July the heap smells, so turn the compost", "The bed by the wall is dry: water the tomatoes there",
    "Lettuce in the shade of tomatoes needs less water", "Compost and water, that is all the bed wants",
    "The slugs come to the lettuce bed after the water", "Spring lettuce, July tomatoes, compost in between",
)  # fmt: skip
SERVER = (
    "The database server answers slowly since the upgrade", "A query on the orders table scans every row",
    "Add an index to the orders table on the server", "The upgrade of the database dropped the index",
    "Queries are quick again, the index is built", "The server log shows one slow query left",
    "That query joins the orders table with itself", "Rewrite the slow query, the database thanks you",
    "The replica server lags behind the database", "Lag is gone once the slow query was rewritten",
    "The orders table has an index on each server now", "Note the upgrade of the database in the server log",
)  # fmt: skip


class Told:
    """Tells a chunker what happens, and keeps what it decides."""

    def __init__(self) -> None:
        self.chunker = Chunker()
        self.state = ChunkerState()
        self.seq = 0
        self.at = 1_700_000_000_000
        self.decisions: list[Decision] = []

    def event(
        self,
        text: str | None = None,
        *,
        after: int = MINUTE,
        session: str = "s",
        features: Sequence[str] = (),
        causes: Sequence[str] = (),
    ) -> str:
        """Tell of an event, ``after`` so many ms; return its id."""
        self.at += after
        return self._told("event", session, text=text, features=list(features), causes=list(causes))

    def events(self, texts: Iterable[str], **more: Any) -> list[str]:
        return [self.event(text, **more) for text in texts]

    def outcome(
        self,
        of: str,
        value: float,
        *,
        session: str = "s",
        kind: str = "outcome",
        catastrophic: bool = False,
        origin: str = "agent",
    ) -> str:
        return self._told(
            "outcome", session, of=of, value=value, outcome=kind, catastrophic=catastrophic, origin=origin
        )

    def episode(self, members: Sequence[str], *, thinker: str | None = None) -> str:
        return self._told("episode", "s", members=list(members), thinker=thinker)

    def rest(self) -> list[Decision]:
        found = list(self.chunker.rest(self.state))
        self.decisions += found
        return found

    def taken(self) -> list[Decision]:
        """Return what was decided since this was asked last."""
        found, self.decisions = self.decisions, []
        return found

    def held(self, session: str = "s") -> list[str]:
        return [event.id for event in self.state.sessions[session].events]

    def _told(self, kind: str, session: str, origin: str = "agent", **more: Any) -> str:
        self.seq += 1
        made = Happening(self.seq, f"{kind[0]}{self.seq}", kind, session, self.at, "test", origin, **more)
        self.decisions += self.chunker.observe(self.state, made)
        return made.id


def members(decision: Decision) -> list[str]:
    events: list[str] = decision.body["events"]
    return events


def reloaded(state: ChunkerState) -> ChunkerState:
    """Return a state as it is after it was kept and loaded."""
    loaded = _STATE.validate_json(orjson.dumps(state))
    assert loaded == state
    return loaded
