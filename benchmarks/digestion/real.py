"""The talk of real people, of which nothing is in this project: how much is claimed, and claims drawn to be judged.

A folder has a folder for each set, with a ``dev.jsonl``: one memory a line, ``{"name", "turns": [{"speaker", "text",
"session"}]}``.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from yggdrasil_processors.thinkers.reducer import Reducer
from yggdrasil_processors.thinkers.reducer.sentences import sentences
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

SETS: Final = ("realtalk", "qmsum")


@dataclass(slots=True)
class Found:
    """How many ``sentences`` were read, how many ``claims`` made of them, and those drawn, each on a line."""

    sentences: int = 0
    claims: int = 0
    drawn: list[str] = field(default_factory=list[str])

    @property
    def dense(self) -> float:
        """Claims for 1,000 sentences."""
        return 1_000 * self.claims / self.sentences if self.sentences else 0.0


def talk(data: Path, chance: random.Random, draw: int) -> Iterator[tuple[str, Found]]:
    """Yield for each set that is there how much is claimed, with ``draw`` claims of it."""
    for name in SETS:
        file = data / name / "dev.jsonl"
        if file.exists():
            yield name, _of(file, name, chance, draw)


def _of(file: Path, name: str, chance: random.Random, draw: int) -> Found:
    found = Found()
    decided: list[Decision] = []
    for line in file.read_bytes().splitlines():
        memory: dict[str, Any] = orjson.loads(line)
        reducer, state = Reducer(), Reducer.state()
        for seq, turn in enumerate(memory["turns"], 1):
            found.sentences += sum(1 for _ in sentences(turn["text"]))
            features = [f"speaker:{turn['speaker']}"] if turn["speaker"] else []
            session = str(turn["session"])
            event = Happening(seq, f"e{seq}", "event", session, seq, "bench", "user", turn["text"], features=features)
            decided += reducer.observe(state, event)
        decided += reducer.rest(state)
    found.claims = len(decided)
    for one in chance.sample(decided, min(draw, len(decided))):
        said = (name, one.body["subject"], one.body["predicate"], one.object, one.payload["sentence"])
        found.drawn.append("\t".join(map(str, said)))
    return found
