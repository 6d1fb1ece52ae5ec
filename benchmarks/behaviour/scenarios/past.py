"""A strong past: 37 early successes, then 8 late failures. What is ranked must follow the failures.

Three things live through it, each among other events. A *memory* that is used 37 times with success and then 8 times
with failure, against an equal, always returned with it, that was used as often as it takes to be an honest rival: five
times, with success, in the early time. A *feature*, in 37 events that end at +3 and then in 8 that end at -3. And an
*event*, told 37 outcomes of +2 and then 8 of -2. Of the memory it is asked after how many failures ``get_context`` has
its rival first; of the others, whether what is read of them, valence or impact, is below 0 in the end.

A failure *contradicts* what has a valence (where it has none: an impact) above 0. Permanence is what anchors a belief:
at no contradiction may it rise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from yggdrasil_schemas.graph.records import Node

from ..life import Life, Said, Stored

SUCCESSES: Final = 37
FAILURES: Final = 8
FOLLOWING: Final = ("valence of the memory", "valence of the feature", "impact of the event")
"""What is read of the three, and must be below 0 in the end.

Only use gives an event a valence. The impacts of the others are no fair sign: a use that helped weighs 3.5 and one that
failed 1.5, and a feature that is expected to succeed takes a smaller share of a failure than it took of a success.
"""
_TOPIC: Final = "invoices"
_RIVAL_USES: Final = 5
_BETWEEN: Final = 3


@dataclass(slots=True)
class Found:
    """What one life has shown. ``rises`` counts the contradictions at which a permanence rose, of so many."""

    sunk: list[bool] = field(default_factory=list[bool])  # after each failure: is the memory behind its rival?
    values: dict[str, float] = field(default_factory=dict[str, float])
    contradictions: int = 0
    rises: int = 0

    @property
    def sunk_after(self) -> int:
        """After how many failures the memory is behind its rival for good; all of them and one more if it never is."""
        ahead = [turn for turn, behind in enumerate(self.sunk, 1) if not behind]
        return ahead[-1] + 1 if ahead else 1


def live(seed: int, path: Path, policy: Mapping[str, int | float] | None = None) -> Found:
    """Return what one life with a store at ``path`` has shown."""
    with Stored(path) as host:
        past = _Past(host, Life(seed, host, policy))
        for turn in range(SUCCESSES):
            past.turn(turn, good=True)
        for turn in range(FAILURES):
            past.turn(SUCCESSES + turn, good=False)
        return past.found()


class _Past:
    """The memory and its rival, the feature, and the event."""

    def __init__(self, host: Stored, life: Life) -> None:
        self._host = host
        self._life = life
        words = life.random.sample(["amber", "birch", "coral", "delta"], 2)
        self._memory, self._rival = (life.event([_TOPIC], "before", f"{_TOPIC} {word}") for word in words)
        self._event = life.event(["trial"], "before", "a long trial")
        self._found = Found()

    def turn(self, number: int, *, good: bool) -> None:
        """Let the memory be used, the feature occur, and the event be judged once."""
        life = self._life
        self._other_things(number)
        self._watched(lambda: life.node(self._memory.number), good, lambda: self._use([self._memory.id], good))
        if good and number < _RIVAL_USES:
            self._use([self._rival.id], True)
        said = life.event(["subject", f"other-{life.random.randrange(7)}"], f"task-{number // 5}")
        self._watched(lambda: life.feature("subject"), good, lambda: self._judge(said, 3.0 if good else -3.0))
        self._watched(
            lambda: life.node(self._event.number), good, lambda: self._judge(self._event, 2.0 if good else -2.0)
        )
        if not good:
            self._found.sunk.append(self._order().index(self._memory.id) > self._order().index(self._rival.id))

    def found(self) -> Found:
        """Return what has been shown, with the values in the end."""
        life, found = self._life, self._found
        nodes = {
            "memory": life.node(self._memory.number),
            "feature": life.feature("subject"),
            "event": life.node(self._event.number),
        }
        for name, node in nodes.items():
            found.values[f"valence of the {name}"] = node.valence if node else 0.0
            found.values[f"impact of the {name}"] = node.impact if node else 0.0
            found.values[f"permanence of the {name}"] = node.permanence if node else 0.0
        return found

    def _watched(self, read: Callable[[], Node | None], good: bool, tell: Callable[[], None]) -> None:
        """Tell something, and note whether permanence rose although it spoke against what was believed."""
        before = read()
        stood, permanence = (before.valence or before.impact, before.permanence) if before else (0.0, 0.0)
        tell()
        after = read()
        if not good and stood > 0 and after:
            self._found.contradictions += 1
            self._found.rises += after.permanence > permanence

    def _use(self, used: list[str], good: bool) -> None:
        self._life.use(self._life.recall([self._memory.id, self._rival.id]), used, success=good)

    def _judge(self, said: Said, value: float) -> None:
        self._life.outcome(said, value, "good" if value > 0 else "bad")

    def _order(self) -> list[str]:
        mine = {self._memory.id, self._rival.id}
        return [ref for ref in self._host.search(_TOPIC, 10) if ref in mine]

    def _other_things(self, number: int) -> None:
        for step in range(_BETWEEN):
            self._life.event([f"other-{(number + step) % 7}"], f"task-{number // 5}", "something else")
