"""Who chooses: by the memory's cases, with and without reflection, or by simpler ways of keeping what was lived."""

import random
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, Self

from yggdrasil import Memory
from yggdrasil.readings import check_taken
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.frame.kept import ThoughtStore
from yggdrasil_processors.thinkers.frame.thinking import Thinking
from yggdrasil_processors.thinkers.reflector.reflector import EPISODES, Reflector
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.memories import MemoryObject

from .world import Choice, Step

_MEMORY: Final = "bench/worlds"
_PLACES: Final = 10  # cases on each side


class Agent(Protocol):
    """Says how good each action seems in a situation, and is told how the episode went."""

    def scores(self, choice: Choice) -> dict[str, float]:
        """Return how good each action seems."""
        ...

    def learn(self, choice: Choice, action: str, steps: Sequence[Step]) -> None:
        """Take in an episode, in which ``action`` was chosen at its second step."""
        ...


class Remembering:
    """Asks a real memory, in a directory of its own, for similar cases. A context manager.

    For an action speaks the first good case in which it was taken, against it the first bad one; what ended both ways
    stands among the good. With *order* each counts as much as its priority. With *lasting* it counts its value, by how
    lasting the memory is: p / (p + 1) of its permanence p, as the ranker takes it.
    """

    def __init__(self, path: Path, by: str, *, reflects: bool) -> None:
        self._by = by
        self._drafter = Drafter(_MEMORY, "agent", "benchmark", "agent")
        self.memory = Memory.open(path, _MEMORY, embedder="none", partitions=1)
        self._thoughts = ThoughtStore(path / "thoughts") if reflects else None
        self._thinking = (
            Thinking(Reflector(), EngineMemories(self.memory.engine), self._thoughts) if self._thoughts else None
        )
        self._episodes = 0
        self.adjusted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thoughts is not None:
            self._thoughts.close()
        self.memory.close()

    def scores(self, choice: Choice) -> dict[str, float]:
        """Return what the cases say for and against each action."""
        told = dict.fromkeys(choice.actions, 0.0)
        if not self._episodes:
            return told
        cases = self.memory.get_similar_cases(choice.situation, k=_PLACES, record=False)
        for side, sign in ((cases.good, 1.0), (cases.bad, -1.0)):
            seen: set[str] = set()
            for case in side:
                action = _action(choice, case.found.memory)
                if action is None or (case.mixed and sign < 0) or action in seen:
                    continue
                seen.add(action)
                lasting = case.found.memory.permanence / (case.found.memory.permanence + 1.0)
                told[action] += sign * case.found.scores.priority if self._by == "order" else case.value * lasting
        return told

    def learn(self, choice: Choice, action: str, steps: Sequence[Step]) -> None:
        """Record an episode with its outcomes, and let the reflector think when it is time."""
        del choice, action
        session = f"trial-{self._episodes}"
        drafter = self._drafter
        events = [drafter.record_event(step.text, features=step.features, session=session) for step in steps]
        ends = [
            drafter.log_outcome(event.id, step.reward, session=session)
            for event, step in zip(events, steps, strict=True)
            if step.reward
        ]
        episode = drafter.commit_episode([event.id for event in events], session=session)
        for _, answer in self.memory.engine.submit_many([*events, *ends, episode]):
            check_taken(answer)
        self._episodes += 1
        if self._thinking is not None and self._episodes % EPISODES == 0:
            while not (done := self._thinking.advance(_MEMORY)).whole:
                self.adjusted += done.taken
            self.adjusted += done.taken


def _action(choice: Choice, memory: MemoryObject) -> str | None:
    said = memory.text or ""
    return next((action for action in choice.actions if said == f"{choice.situation} {action}"), None)


class Recency:
    """Does again what ended well the last time: at once, or else when the episode was over."""

    def __init__(self) -> None:
        self._ended: dict[str, dict[str, int]] = {}
        self._turn = 0

    def scores(self, choice: Choice) -> dict[str, float]:
        """Return when each action last ended well."""
        known = self._ended.get(choice.state, {})
        return {action: float(known.get(action, 0)) for action in choice.actions}

    def learn(self, choice: Choice, action: str, steps: Sequence[Step]) -> None:
        """Note that an action ended well now."""
        self._turn += 1
        if shown(steps) > 0:
            self._ended.setdefault(choice.state, {})[action] = self._turn


class Frequency:
    """Does what ended well most often, and badly least."""

    def __init__(self) -> None:
        self._counted: dict[str, dict[str, int]] = {}

    def scores(self, choice: Choice) -> dict[str, float]:
        """Return how often each action ended well more than badly."""
        known = self._counted.get(choice.state, {})
        return {action: float(known.get(action, 0)) for action in choice.actions}

    def learn(self, choice: Choice, action: str, steps: Sequence[Step]) -> None:
        """Count how it ended."""
        known = self._counted.setdefault(choice.state, {})
        known[action] = known.get(action, 0) + (1 if shown(steps) > 0 else -1)


def shown(steps: Sequence[Step]) -> float:
    """Return how a choice, the second step, ended as far as it shows: at once, or else at the end of the episode."""
    return steps[1].reward or next((step.reward for step in reversed(steps) if step.reward), 0.0)


class QLearner:
    """Tabular Q-learning with replay; its states say all that matters, so nothing is hidden from it."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._values: dict[tuple[str, str], float] = {}
        self._best: dict[str, list[str]] = {}
        self._seen: list[tuple[str, str, float, str]] = []

    def scores(self, choice: Choice) -> dict[str, float]:
        """Return the value of each action."""
        return {action: self._values.get((choice.state, action), 0.0) for action in choice.actions}

    def learn(self, choice: Choice, action: str, steps: Sequence[Step]) -> None:
        """Update along the episode, then along as many steps drawn from all that was seen, four times."""
        state = choice.state
        new: list[tuple[str, str, float, str]] = []
        for place, step in enumerate(steps[1:]):
            last = place == len(steps) - 2
            new.append((state, action if not place else "", step.reward, "" if last else f"{step.state} {place}"))
            state = f"{step.state} {place}"
        for seen in new:
            self._update(*seen)
        self._seen = (self._seen + new)[-_REPLAYED_OF:]
        for seen in self._rng.choices(self._seen, k=_REPLAYS * len(new)):
            self._update(*seen)

    def _update(self, state: str, action: str, reward: float, after: str) -> None:
        following = max((self._values.get((after, known), 0.0) for known in self._best.get(after, ())), default=0.0)
        value = self._values.get((state, action), 0.0)
        self._values[state, action] = value + _RATE * (reward + following - value)
        if action not in (known := self._best.setdefault(state, [])):
            known.append(action)


_RATE: Final = 0.1
_REPLAYS: Final = 4
_REPLAYED_OF: Final = 10_000
