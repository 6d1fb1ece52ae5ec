"""What thinkers are told, made up; and what they decide of it, read in pages, with their state stored in between."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import orjson
from pydantic import TypeAdapter

from yggdrasil_processors.thinkers.thinker import Decision, Thinker
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

HOUR_MS = 3_600_000


def event(seq: int, *features: str, session: str = "default", at: int | None = None) -> Happening:
    when = seq * 1_000 if at is None else at
    return Happening(seq, f"e{seq}", "event", session, when, "test", "agent", features=list(features))


def outcome(seq: int, of: str, value: float, kind: str = "outcome") -> Happening:
    return Happening(seq, f"o{seq}", "outcome", "default", seq, "test", "agent", of=of, value=value, outcome=kind)


def episode(seq: int, *events: str) -> Happening:
    return Happening(seq, f"ep{seq}", "episode", "default", seq, "test", "thinker", members=list(events))


def concept(seq: int, *members: str, thinker: str | None = "concepts") -> Happening:
    return Happening(
        seq, f"c{seq}", "concept", "default", seq, "test", "thinker", members=list(members), thinker=thinker
    )


def stored(thinker: Thinker[Any], state: Any) -> Any:
    """The state as the frame writes and reads it."""
    return TypeAdapter(thinker.state).validate_json(orjson.dumps(state))


def decided(
    thinker: Thinker[Any], told: Iterable[Happening], page: int = 256, state: Any = None
) -> list[tuple[str, Decision]]:
    """What follows from a history, each with the id of what it follows from.

    With ``state`` that one is used, and never stored. A concept that is formed comes back at once, as it does from a
    log: with a seq that is not the next one, which no thinker minds.
    """
    now = thinker.state() if state is None else state
    found: list[tuple[str, Decision]] = []
    for place, happening in enumerate(told):
        if state is None and place % page == 0:
            now = stored(thinker, now)
        for decision in thinker.observe(now, happening):
            found.append((happening.id, decision))
            if decision.type == "form_concept":
                formed = replace(concept(happening.seq, *decision.body["members"]), id=f"formed{len(found)}")
                found += [(formed.id, also) for also in thinker.observe(now, formed)]
    return found
