"""The trap of credit for company: one memory helps, four others are always returned with it.

A topic has five memories that say the same but for a word that no query holds. Every recall returns all five, in the
order of the search; other things happen in between. Five forms: *plain*, the one that helps is used and reported, and
the task succeeds; *mistaken*, in three tasks of ten another is used and reported, and the task fails; *changed*, as
plain, but from the middle on it is another that helps; *trusting*, as changed, but whoever asks uses what comes first,
and only when that fails asks again and uses the one that helps; *careless*, as plain, but the report names all five,
so that nothing says which one helped.

The graph ranks as ``get_context`` does: the search itself, at equal similarity, over a real store. Each part of its
sum is shown alone too. Baselines: *frequency* (times returned), *recency* (of return), *similarity* (of the text), and
*shared credit*, which gives the result of the task to all that was returned.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ..figures import Place, place, settles
from ..life import Life, Said, Stored

FORMS: Final = ("plain", "mistaken", "changed", "trusting", "careless")
CHANGING: Final = ("changed", "trusting")
GRAPH: Final = ("search", "permanence", "impact", "usage ratio", "salience")
BLIND: Final = ("frequency", "recency", "similarity")
SEEING: Final = ("shared credit",)
_TOPIC: Final = "invoices"
_WORDS: Final = ("amber", "birch", "coral", "delta", "ember")
_BETWEEN: Final = 3  # other events between two recalls
_MISTAKES: Final = 0.3


@dataclass(slots=True)
class Found:
    """Where the memory that helps stands after each recall."""

    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))

    def steady_after(self, ranking: str, start: int = 0) -> int:
        """Return after how many recalls from ``start`` on it is first and stays so."""
        return settles([at.first == 1.0 for at in self.places[ranking][start:]])


def live(seed: int, form: str, recalls: int, path: Path, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life with a store at ``path`` has shown."""
    with Stored(path) as host:
        trap = _Trap(host, Life(seed, host, policy))
        for number in range(recalls):
            if form in CHANGING and number == recalls // 2:
                trap.change()
            trap.recall(number, form)
        return trap.found


class _Trap:
    """Five memories of one topic, of which one helps."""

    def __init__(self, host: Stored, life: Life) -> None:
        """Tell the five memories, in an order by lot, among other things."""
        self._host = host
        self._life = life
        self._memories: dict[str, Said] = {}
        words = list(_WORDS)
        life.random.shuffle(words)
        for word in words:
            life.event(["other-0"], "before", "something else")
            said = life.event([_TOPIC], "before", f"{_TOPIC} {word}")
            self._memories[said.id] = said
        self._useful = life.random.choice(list(self._memories))
        self._returned, self._returned_at, self._credit = (dict.fromkeys(self._memories, 0.0) for _ in range(3))
        self.found = Found()

    def change(self) -> None:
        """Let another memory be the one that helps from now on."""
        self._useful = self._life.random.choice([ref for ref in self._memories if ref != self._useful])

    def recall(self, number: int, form: str) -> None:
        """Let other things happen, recall the topic, use what was recalled, and note where it leaves the useful one."""
        life = self._life
        for step in range(_BETWEEN):
            life.event([f"other-{(number + step) % 7}"], f"task-{number}", "something else")
        answer = self._search()
        used = self._useful
        if form == "mistaken" and life.random.random() < _MISTAKES:
            used = life.random.choice([ref for ref in self._memories if ref != self._useful])
        if form == "trusting" and number:
            used = answer[0]
        self._use(number, answer, answer if form == "careless" else [used], used == self._useful)
        if form == "trusting" and used != self._useful:
            self._use(number, self._search(), [self._useful], True)
        self._note()

    def _use(self, number: int, answer: list[str], used: list[str], success: bool) -> None:
        self._life.use(self._life.recall(answer), used, success=success)
        for ref in answer:
            self._returned[ref] += 1.0
            self._returned_at[ref] = float(number)
            self._credit[ref] += 1.0 if success else -1.0

    def _search(self) -> list[str]:
        """Return the order of the five in the search as it is now."""
        return [ref for ref in self._host.search(_TOPIC, 10) if ref in self._memories]

    def _note(self) -> None:
        memories = self._memories
        nodes = {ref: node for ref, said in memories.items() if (node := self._life.node(said.number))}
        ranked = self._search()
        similar = self._host.similarities(_TOPIC)
        scores: dict[str, Mapping[str, float]] = {
            "search": {ref: float(-ranked.index(ref)) for ref in memories},
            "permanence": {ref: node.permanence for ref, node in nodes.items()},
            "impact": {ref: node.impact for ref, node in nodes.items()},
            "usage ratio": {ref: node.usage / max(1, node.candidates) for ref, node in nodes.items()},
            "salience": {ref: self._life.salience(node.number) for ref, node in nodes.items()},
            "frequency": self._returned,
            "recency": self._returned_at,
            "similarity": {ref: similar[said.number] for ref, said in memories.items()},
            "shared credit": self._credit,
        }
        for ranking, score in scores.items():
            self.found.places[ranking].append(place(score, self._useful))
