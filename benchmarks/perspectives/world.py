"""Worlds of two specialists: one memory's events, and two streams of tasks of which each needs its own part of them.

``facets``: what happens has several sides, and each specialist needs some of them; words tell them apart, and half of
these are keywords of a role. ``habits``: no word tells anything, so that use alone can teach who needs what.
``alike``: both need the same, so that there is nothing to learn from who asks: nothing may be lost. ``asked``: a
question names what it needs, which is another matter each time: what one has used before must not push that aside.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

KINDS: Final = ("facets", "habits", "alike", "asked")
NOTHING_TO_LEARN: Final = ("alike", "asked")
ROLES: Final = ("buyer", "inspector")
_SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "Cost": ("price", "budget", "invoice", "discount", "fee", "expensive"),
    "Delivery": ("delay", "late", "shipment", "carrier", "deadline", "schedule"),
    "Defects": ("defect", "crack", "scratch", "rejected", "faulty", "broken"),
    "Standards": ("audit", "certificate", "norm", "tolerance", "gauge", "protocol"),
    "People": ("visit", "lunch", "call", "greeting", "holiday", "office"),
}
_OF: Final = {"buyer": ("Cost", "Delivery"), "inspector": ("Defects", "Standards")}
_PLACES: Final = ("Ardent", "Belmar", "Corvid", "Dunmore", "Elswick", "Farrow", "Gantry", "Holm", "Inver", "Jarrow")
_WORDS: Final = ("noted", "reported", "came up", "was discussed", "is known", "was written down", "was seen")
_ASKED: Final = (
    "What should I know about {}?",
    "Prepare the next step with {}.",
    "What do we have on {}?",
    "{}, please",
)
_KEYWORDS: Final = 3  # of the six words of a side are keywords of its role


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: its text, what it is of, and of which side."""

    text: str
    features: list[str]
    side: str


@dataclass(frozen=True, slots=True)
class Task:
    """A question of one role, and the places of the events that it needs."""

    role: str
    question: str
    needs: list[int]


@dataclass(frozen=True, slots=True)
class World:
    """Events, tasks, and what each role cares about: keywords by perspective."""

    kind: str
    events: list[Event]
    tasks: list[Task]
    roles: dict[str, dict[str, list[str]]] = field(default_factory=dict[str, dict[str, list[str]]])


def made(kind: str, seed: int, *, events: int = 2_000, tasks: int = 800) -> World:
    """Make a world: each thing has twenty events, four of each side, and is asked about the more often the earlier."""
    chance = Random(f"{kind}-{seed}")
    things = [f"{chance.choice(_PLACES)} {number}" for number in range(events // 20)]
    told: list[Event] = []
    of: dict[tuple[str, str], list[int]] = {}
    order = [(thing, side) for thing in things for side in _SIDES for _ in range(4)]
    chance.shuffle(order)
    for thing, side in order:
        of.setdefault((thing, side), []).append(len(told))
        words = _SIDES[side if kind in ("facets", "asked") else chance.choice(list(_SIDES))]
        text = f"{thing}: {chance.choice(words)} {chance.choice(_WORDS)}, {chance.choice(words)} on day {len(told)}"
        told.append(Event(text, [f"thing:{thing.lower().replace(' ', '-')}"], side))
    weights = [1.0 / (place + 4) for place in range(len(things))]
    asked: list[Task] = []
    for number in range(tasks):
        role, thing = ROLES[number % 2], chance.choices(things, weights)[0]
        sides = _OF["buyer"] + _OF["inspector"] if kind == "alike" else _OF[role]
        needs = [event for side in sides for event in of[thing, side]]
        question = chance.choice(_ASKED).format(thing)
        if kind == "asked":
            one = chance.choice([each for side in _SIDES.values() for each in side])
            named = [event for side in _SIDES for event in of[thing, side] if one in told[event].text]
            question, needs = (f"What of {thing} and the {one}?", named) if named else (question, needs)
        asked.append(Task(role, question, needs))
    keywords: dict[str, list[str]] = {
        side: list(given[:_KEYWORDS]) if kind in ("facets", "asked") else [] for side, given in _SIDES.items()
    }
    return World(kind, told, asked, {role: {side: keywords[side] for side in sides} for role, sides in _OF.items()})


def read(path: Path) -> World:
    """Return the world in a JSON file: ``{"kind", "events": [{"text", "features", "side"}], "tasks": [{"role",
    "question", "needs"}], "roles": {ROLE: {PERSPECTIVE: [KEYWORD]}}}``.
    """
    said: dict[str, Any] = orjson.loads(path.read_bytes())
    events = [Event(each["text"], each.get("features", []), each.get("side", "")) for each in said["events"]]
    tasks = [Task(each["role"], each["question"], each["needs"]) for each in said["tasks"]]
    return World(said.get("kind", path.stem), events, tasks, said["roles"])
