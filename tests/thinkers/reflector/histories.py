"""Histories as lists of what happened, made by hand: trials of a few steps, each with an episode at its end."""

from collections.abc import Sequence
from dataclasses import asdict

import orjson
from pydantic import TypeAdapter

from yggdrasil_processors.thinkers.reflector.reflector import Reflector
from yggdrasil_processors.thinkers.reflector.remembered import Reflections
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_schemas.ids import uuid7

Told = tuple[str, float]
"""A step: its features, separated by blanks, and what was said of it (0 for nothing)."""


class History:
    """Numbers what happens as a memory does."""

    def __init__(self) -> None:
        self.happened: list[Happening] = []
        self.episodes = 0

    def tell(self, kind: str, session: str = "default", **what: object) -> str:
        seq = len(self.happened) + 1
        id_ = uuid7(seq, seq.to_bytes(10, "big"))
        self.happened.append(Happening(seq, id_, kind, session, seq, "test", "agent", **what))  # type: ignore[arg-type]
        return id_

    def trial(self, *steps: Told, session: str | None = None) -> tuple[str, list[str]]:
        """Tell of the steps, then of their outcomes, then of the episode; return its id, and those of the steps."""
        session = session or f"session-{self.episodes}"
        events = [self.tell("event", session, features=features.split()) for features, _ in steps]
        for event, (_, value) in zip(events, steps, strict=True):
            if value:
                self.judge(event, value)
        self.episodes += 1
        return self.tell("episode", session, members=events), events

    def judge(self, of: str, value: float) -> str:
        return self.tell("outcome", of=of, value=value, outcome="outcome")


def observed(happened: Sequence[Happening], page: int = 0) -> list[Decision]:
    """Return what the reflector decides; with ``page`` its state is written and read again after so many."""
    reflector, state = Reflector(), Reflections()
    made: list[Decision] = []
    for place, happening in enumerate(happened, 1):
        made += reflector.observe(state, happening)
        if page and place % page == 0:
            state = TypeAdapter(Reflections).validate_json(orjson.dumps(asdict(state), option=orjson.OPT_SORT_KEYS))
    return made


def rules(decisions: Sequence[Decision]) -> set[tuple[str, str]]:
    """Return the rules that were applied, each with its feature."""
    return {(decision.payload["rule"], decision.payload["feature"]) for decision in decisions}
