"""The thinkers of a life: how far each has decided, and which parts of a decision it still owes."""

from random import Random
from typing import Any

from tests.graph.commands import thinker


class Thinkers:
    """They decide whole, or in parts; now and then too early, too late, or what was decided before."""

    def __init__(self) -> None:
        self.cursors: dict[str, int] = {}
        self.parts: dict[str, tuple[int, int, list[int]]] = {}  # of open decisions: the end, how many, which are left

    def taken(self, decided: dict[str, Any] | None) -> None:
        """A command was accepted: perhaps a decision, or a part of one."""
        if not decided or decided["cursor_from"] != self.cursors.get(decided["name"], 0):
            return
        name, end, parts = decided["name"], decided["cursor_to"], decided.get("parts", 1)
        left = self.parts.setdefault(name, (end, parts, list(range(parts))))[2]
        if decided.get("part", 0) in left:
            left.remove(decided.get("part", 0))
        if not left:
            self.cursors[name] = end
            del self.parts[name]

    def retired(self, name: str) -> None:
        self.cursors.pop(name, None)
        self.parts.pop(name, None)

    def anyone(self, rng: Random) -> str:
        """Somebody whose name is kept, mostly."""
        known = sorted({*self.cursors, *self.parts})
        return rng.choice(known) if known and rng.random() < 0.9 else "nobody"

    def next(self, rng: Random, seq: int, *, crowd: bool) -> dict[str, Any]:
        """Who decides now, ``seq`` being that of the memory; a crowd has more names than there is room for."""
        name = f"thinker{rng.randrange(50 if crowd else 3)}"
        known = self.cursors.get(name, 0)
        if name in self.parts and rng.random() < 0.9:
            end, parts, left = self.parts[name]
            part = rng.choice(left) if rng.random() < 0.8 else rng.randrange(parts)
            return thinker(name, known, end, part=part, parts=parts)
        start = known if rng.random() < 0.85 else rng.randrange(known + 2)
        end = rng.randint(start + 1, max(start + 1, seq)) if rng.random() < 0.92 else rng.choice((start, 10_000))
        parts = rng.choice((1, 1, 1, 2, 3))
        return thinker(name, start, end, str(rng.randrange(3)), rng.randrange(parts), parts)
