"""A memory as large as wanted, made up but shaped like what agents keep: sessions about topics, speakers, vectors.

Words are drawn by Zipf's law, two of five say nothing, a session keeps to its topic; vectors lie around the centre of
the topic, as those of a sentence model do. All of it comes from a seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.ids import derived_id

MEMORY: Final = "latency/agent"
_START_MS: Final = 1_672_531_200_000  # the first of January 2023
_SESSION_MS: Final = 8 * 3_600_000
_SESSION_TURNS: Final = 25
_VOCABULARY: Final = 20_000
_TOPICS: Final = 200
_TOPIC_WORDS: Final = 80
_NAMES: Final = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hal")
_FILLER_WORDS: Final = "the a to and of in it is that we you for on was with have this be at so not as but they can"
_SYLLABLES: Final = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu bra cle dri flo gru ste tra spi"
_FILLERS: Final = _FILLER_WORDS.split()
_FILLER_SHARE, _TOPIC_SHARE = 0.42, 0.28
_NOISE: Final = 1.0  # of a turn beside the centre of its topic: a cosine of 0.7 to that, 0.5 to the topic's others
_ASKED_NOISE: Final = 0.6


@dataclass(frozen=True, slots=True)
class Turn:
    """What is said, who says it, about which topic, and its vector."""

    text: str
    speaker: str
    session: int
    vector: Vector


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its vector."""

    text: str
    vector: Vector


class World:
    """Turns and questions about them; the vectors are said to be those of ``model``."""

    def __init__(self, model: str, dimension: int, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)
        self._model = model
        syllables = np.array(_SYLLABLES.split())
        made = self._random.choice(syllables, (2 * _VOCABULARY, 3))
        self._words = list(dict.fromkeys("".join(word) for word in made.tolist()))[:_VOCABULARY]
        rank = np.arange(1, len(self._words) + 1)
        self._zipf = np.cumsum(1.0 / rank)
        self._topic_words = self._random.integers(200, len(self._words), (_TOPICS, _TOPIC_WORDS))
        self._centres = self._random.standard_normal((_TOPICS, dimension))
        self.turns: list[Turn] = []

    def more(self, count: int) -> list[Turn]:
        """Let ``count`` more turns be said, and return them."""
        begin = len(self.turns)
        for place in range(begin, begin + count):
            session = place // _SESSION_TURNS
            topic = session * 7 % _TOPICS
            pair = session % len(_NAMES), (session * 3 + 1) % len(_NAMES)
            speaker = _NAMES[pair[place % 2]]
            self.turns.append(Turn(self._text(topic), speaker, session, self._vector(self._centres[topic], _NOISE)))
        return self.turns[begin:]

    def questions(self, count: int) -> list[Asked]:
        """Return questions about turns drawn by lot, in some of their words."""
        found: list[Asked] = []
        for place in self._random.integers(0, len(self.turns), count).tolist():
            turn = self.turns[place]
            words = [word for word in turn.text.rstrip(".?").split() if word not in _FILLERS] or ["anything"]
            some = self._random.choice(words, int(self._random.integers(2, 7)))
            values = np.frombuffer(turn.vector.values, np.int8).astype(float)
            vector = self._vector(values * np.sqrt(len(values)) / np.sqrt(values @ values), _ASKED_NOISE)
            found.append(Asked(f"What did {turn.speaker} say about the {' '.join(some)}?", vector))
        return found

    def _text(self, topic: int) -> str:
        count = int(self._random.integers(6, 30))
        lot = self._random.random(count)
        fillers = self._random.integers(0, len(_FILLERS), count).tolist()
        topical = self._topic_words[topic, self._random.integers(0, _TOPIC_WORDS, count)].tolist()
        anything = np.searchsorted(self._zipf, self._random.random(count) * self._zipf[-1]).tolist()
        words = [
            _FILLERS[filler]
            if chance < _FILLER_SHARE
            else self._words[about if chance < _FILLER_SHARE + _TOPIC_SHARE else other]
            for chance, filler, about, other in zip(lot.tolist(), fillers, topical, anything, strict=True)
        ]
        return " ".join(words) + ("?" if lot[0] > 0.85 else ".")

    def _vector(self, centre: npt.NDArray[np.float64], noise: float) -> Vector:
        values = centre + noise * self._random.standard_normal(len(centre))
        quantised = np.rint(values * (127 / np.sqrt(values @ values))).clip(-127, 127).astype(np.int8)
        return Vector.of(self._model, quantised.tobytes())


def drafts(turns: Sequence[Turn], begin: int, memory: str = MEMORY) -> Iterator[Draft]:
    """Yield the commands that record ``turns``, of which the first is the one at ``begin``."""
    drafter = Drafter(memory, "agent", "benchmark")
    for place, turn in enumerate(turns, begin):
        yield drafter.record_event(
            turn.text,
            features=[f"speaker:{turn.speaker}"],
            session=f"session-{turn.session}",
            vector=turn.vector,
            stamp=Stamp(derived_id("latency", memory, str(place)), _START_MS + turn.session * _SESSION_MS),
        )


def matrix(turns: Sequence[Turn]) -> npt.NDArray[np.float32]:
    """Return the vectors of ``turns`` as unit vectors in float32, shape (turns, dimension)."""
    values = np.stack([np.frombuffer(turn.vector.values, np.int8) for turn in turns]).astype(np.float32)
    unit: npt.NDArray[np.float32] = values / np.sqrt((values * values).sum(axis=1, keepdims=True))
    return unit
