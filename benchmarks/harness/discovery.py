"""Planted connections of two hops: one session says how A has to do with B, another how B has to do with C.

The question is about A, and its answer is C: nothing that is said names both. Counted is how often what says C is
among the first ten found, with the chains told in texts alone, and with features that name what they are about.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from yggdrasil import Memory, Store

K: Final = 10
_FILLERS: Final = 5  # sentences about other things, for each chain
_SHAPES: Final = (
    ("pump", "valve", "workshop", "The pump {a} is fed by the valve {b}.", "The workshop {c} has made the valve {b}.",
     "Which workshop has made what feeds the pump {a}?"),
    ("report", "table", "station", "The report {a} is drawn from the table {b}.",
     "The station {c} fills the table {b}.", "Which station stands behind the report {a}?"),
    ("service", "library", "author", "The service {a} depends on the library {b}.",
     "The author {c} looks after the library {b}.", "Whom do I ask about what the service {a} depends on?"),
    ("parcel", "van", "driver", "The parcel {a} left with the van {b}.", "The driver {c} was in the van {b}.",
     "Who drove the parcel {a}?"),
)  # fmt: skip
_FILLER: Final = (
    "The {sort} {name} was painted in spring.",
    "Nobody has seen the {sort} {name} for weeks.",
    "The {sort} {name} costs more than last year.",
    "A new label is on the {sort} {name}.",
)


@dataclass(frozen=True, slots=True)
class Chain:
    """Two sentences with their features, and the question whose answer is in the second."""

    first: tuple[str, Sequence[str]]
    second: tuple[str, Sequence[str]]
    asked: str


def chains(count: int, seed: int) -> list[Chain]:
    """Draw so many chains, each of names of its own."""
    random = Random(f"discovery {seed}")
    found: list[Chain] = []
    for number in range(count):
        one, two, three, first, second, asked = _SHAPES[number % len(_SHAPES)]
        names = {"a": _name(random), "b": _name(random), "c": _name(random)}
        a, b, c = f"{one}:{names['a'].lower()}", f"{two}:{names['b'].lower()}", f"{three}:{names['c'].lower()}"
        found.append(Chain((first.format(**names), [a, b]), (second.format(**names), [c, b]), asked.format(**names)))
    return found


def told(memory: Memory[Any], drawn: Sequence[Chain], seed: int, *, features: bool) -> list[str]:
    """Tell a memory all chains, one sentence a session, in any order; return the ids of what the answers stand in."""
    random = Random(f"told {seed}")
    said = [(number, part, chain) for number, chain in enumerate(drawn) for part in (0, 1)]
    random.shuffle(said)
    answers: dict[int, str] = {}
    for place, (number, part, chain) in enumerate(said):
        text, about = chain.second if part else chain.first
        session = f"day {place}"
        event = memory.record_event(text, features=about if features else (), session=session)
        if part:
            answers[number] = event
        for _ in range(_FILLERS // 2):
            sort = random.choice([word for shape in _SHAPES for word in shape[:3]])
            memory.record_event(random.choice(_FILLER).format(sort=sort, name=_name(random)), session=session)
    return [answers[number] for number in range(len(drawn))]


def found(memory: Memory[Any], drawn: Sequence[Chain], answers: Sequence[str]) -> float:
    """Return how many percent of the answers are among the first ten."""
    hits = 0
    for chain, answer in zip(drawn, answers, strict=True):
        shown = memory.get_context(chain.asked, k=K, record=False)
        hits += any(each.memory.ref == answer for each in shown.found)
    return 100 * hits / max(1, len(drawn))


def discovery(store: Store, count: int, seed: int, thinkers: Sequence[str] = ()) -> dict[str, float]:
    """Return by how the chains were told how many percent are found; ``thinkers`` think about them before."""
    drawn, answers = chains(count, seed), dict[str, list[str]]()
    ways = {"by texts alone": False, "by texts and features": True}
    which = "-".join(thinkers) or "none"
    for way, features in ways.items():
        name = f"discovery/{which}-{'features' if features else 'texts'}"
        answers[way] = told(store.memory(name), drawn, seed, features=features)
    if thinkers:
        store.think(thinkers)
    return {
        way: found(store.memory(f"discovery/{which}-{'features' if features else 'texts'}"), drawn, answers[way])
        for way, features in ways.items()
    }


def _name(random: Random) -> str:
    return "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(3)).capitalize()
