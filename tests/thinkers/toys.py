"""Thinkers of which everybody sees at once what they must decide, and memories that fail when they are told to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.frame.ports import Part
from yggdrasil_processors.thinkers.thinker import Decision, Thinker
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_schemas.errors import YggdrasilError


@dataclass
class Seen:
    events: list[str] = field(default_factory=list[str])
    total: int = 0


class Pairs(Thinker[Seen]):
    """Every two events are an episode; a single one is left over, and forgotten, when nothing more happens."""

    name = "pairs"
    version = "1"
    wakes = frozenset({"record_event"})
    state = Seen

    def observe(self, state: Seen, happening: Happening) -> Sequence[Decision]:
        if happening.kind != "event":
            return ()
        state.total += 1
        state.events.append(happening.id)
        return self._made(state) if len(state.events) == 2 else ()

    def rest(self, state: Seen) -> Sequence[Decision]:
        return self._made(state) if state.events else ()

    def _made(self, state: Seen) -> Sequence[Decision]:
        events, state.events = state.events, []
        return [Decision("commit_episode", {"events": events}, f"{len(events)} events", {"why": "they are two"})]


class Triples(Pairs):
    """Another version of the same thinker."""

    version = "2"

    def observe(self, state: Seen, happening: Happening) -> Sequence[Decision]:
        if happening.kind != "event":
            return ()
        state.events.append(happening.id)
        return self._made(state) if len(state.events) == 3 else ()


class Praising(Thinker[Seen]):
    """Lifts the first two members of each episode that it sees, each by a part of its own, and the first once more."""

    name = "praising"
    version = "1"
    wakes = frozenset({"log_outcome"})
    follows = frozenset({"pairs"})
    state = Seen

    def __init__(self, wrong: str | None = None) -> None:
        self._wrong = wrong  # what it wants lifted beside, which is refused

    def observe(self, state: Seen, happening: Happening) -> Sequence[Decision]:
        if happening.kind != "episode":
            return ()
        state.total += 1
        lifted = [*happening.members[:2], self._wrong or happening.members[0]]
        return [
            Decision("adjust", {"trajectory": [one], "salience": 0.01, "evidence": [happening.id]}, None, {"why": "so"})
            for one in lifted
        ]


class Away(YggdrasilError):
    """The memories are away."""


class Failing(EngineMemories):
    """Memories that can be away before or after a part is appended, and at each reading; counts what was appended."""

    def __init__(self, engine: Any, plan: Sequence[str] = ()) -> None:
        super().__init__(engine)
        self.plan = list(plan)  # of each call: "", "before", "after"
        self.sent: list[Part] = []

    def happened(self, memory: str, *, since: int, count: int) -> Any:
        if self._turn() == "before":
            raise Away("before a reading")
        return super().happened(memory, since=since, count=count)

    def decide(self, memory: str, parts: Sequence[Part]) -> list[Answer]:
        answers: list[Answer] = []
        for part in parts:
            turn = self._turn()
            if turn == "before":
                raise Away("before an append")
            answers += super().decide(memory, [part])
            self.sent.append(part)
            if turn == "after":
                raise Away("after an append")
        return answers

    def _turn(self) -> str:
        return self.plan.pop(0) if self.plan else ""
