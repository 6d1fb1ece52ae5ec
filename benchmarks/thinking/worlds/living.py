"""A life in a world: an agent chooses, episode after episode, and now and then tries something at random."""

import random
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .agents import Agent, Frequency, QLearner, Recency, Remembering
from .world import WORLDS, Choice

MEMORIES: Final = ("order", "lasting")
REFLECTING: Final = tuple(f"{by}, reflecting" for by in MEMORIES)
OTHERS: Final = ("recency", "frequency", "Q-learning")
AGENTS: Final = (*MEMORIES, *REFLECTING, *OTHERS)
_EXPLORES: Final = 0.15


@dataclass(frozen=True, slots=True)
class Lived:
    """``right``: for each episode the chance that the agent, left to itself, had chosen right (0.5 of two that seem
    equal). ``rewards``: what the episodes paid, exploration included. ``adjusted``: how much reflection changed.
    """

    right: list[float]
    rewards: list[float]
    adjusted: int

    def late(self) -> float:
        """Return the share of right choices in the last quarter."""
        last = self.right[-max(1, len(self.right) // 4) :]
        return sum(last) / len(last)


def live(world: str, agent: str, seed: int, episodes: int, scratch: Path | None = None) -> Lived:
    """Let an agent live in a world; what happens there by chance is the same for all agents."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder, _made(agent, seed, Path(folder)) as made:
        return _lived(world, made, seed, episodes)


def _made(agent: str, seed: int, folder: Path) -> "Remembering | nullcontext[Agent]":
    if agent in (*MEMORIES, *REFLECTING):
        return Remembering(folder, agent.split(",", maxsplit=1)[0], reflects=agent in REFLECTING)
    others: dict[str, Callable[[], Agent]] = {
        "recency": Recency,
        "frequency": Frequency,
        "Q-learning": lambda: QLearner(random.Random(seed)),
    }
    return nullcontext(others[agent]())


def _lived(world: str, agent: Agent, seed: int, episodes: int) -> Lived:
    explores = random.Random(f"{world} {seed} explores")
    right: list[float] = []
    rewards: list[float] = []
    for turn in range(episodes):
        made: list[tuple[Choice, str]] = []

        def choose(choice: Choice, made: list[tuple[Choice, str]] = made, turn: int = turn) -> str:
            scores = agent.scores(choice)
            best = [action for action in choice.actions if scores[action] == max(scores.values())]
            right.append(1.0 if choice.right is None else (choice.right in best) / len(best))
            tries, any_of, best_of = explores.random() < _EXPLORES, explores.random(), explores.random()
            action = _drawn(choice.actions, any_of) if tries else _drawn(best, best_of)
            if world == "lucky" and not turn:
                action = choice.actions[0]
            made.append((choice, action))
            return action

        chance = random.Random(f"{world} {seed} {turn}")
        steps = list(WORLDS[world](chance, choose, turn))
        rewards.append(sum(step.reward for step in steps))
        agent.learn(*made[0], steps)
    return Lived(right, rewards, agent.adjusted if isinstance(agent, Remembering) else 0)


def _drawn(among: Sequence[str], lot: float) -> str:
    return among[int(lot * len(among))]
