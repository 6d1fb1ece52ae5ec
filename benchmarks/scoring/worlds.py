"""Made worlds: memories of topics, of which it is known by a rule which notes are needed.

Each topic has notes that share its word. A note is old (what has happened since is some two thousand events) or recent,
strong (it was recalled twenty times lately) or weak, and says both words of the topic's question or one of them. The
``rule`` of a world says which of them are needed:

* ``together``: those that are strong and old, and those that are weak and recent; strength alone tells nothing, and
  neither does recency, but the two together tell all;
* ``product``: those that are strong and recent;
* ``similarity``: those that say both words;
* ``noise``: a quarter of them, by lot.

In each a share of ``noise`` is otherwise than the rule says.
"""

import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_projections.retrieval.reads.learning.context import VERSIONS
from yggdrasil_schemas.limits import RETURNED_MAX

RULES: Final = ("together", "product", "similarity", "noise")
_FILLERS: Final = 1_000
_SINCE: Final = 150
_RECALLS: Final = 20
_AT_MS: Final = 1_700_000_000_000
_SYLLABLES: Final = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo")


class World(NamedTuple):
    """What is made: so many topics of so many notes each, by a rule."""

    name: str
    rule: str
    topics: int
    notes: int
    noise: float


class Topic(NamedTuple):
    """A question, and the references of the notes that are needed for it."""

    question: str
    needed: frozenset[str]


def worlds(path: Path | None, topics: int) -> list[World]:
    """Return the worlds of a file, ``{"worlds": [{"name", "rule", "topics", "notes", "noise"}]}``, or one of each rule.

    Raises ValueError for a rule that is none.
    """
    if path is None:
        return [World(rule, rule, topics, 20, 0.05) for rule in RULES]
    said: list[dict[str, Any]] = orjson.loads(path.read_bytes())["worlds"]
    found = [
        World(str(each["name"]), str(each["rule"]), int(each["topics"]), int(each["notes"]), float(each["noise"]))
        for each in said
    ]
    if unknown := {each.rule for each in found} - set(RULES):
        raise ValueError(f"{path}: there is no rule {', '.join(sorted(unknown))}; there are {', '.join(RULES)}")
    return found


def told(engine: Embedded, drafter: Drafter, world: World, seed: int) -> list[Topic]:
    """Tell a memory of a world, and return its topics. The same seed makes the same commands, ids and all."""
    chance = random.Random(f"{world.name} {seed}")
    words = _words(chance)
    kinds = [(place % 2 == 0, place // 2 % 2 == 0, place // 4 % 2 == 0) for place in range(world.notes)]
    topics = [(next(words), next(words)) for _ in range(world.topics)]
    notes = [(topic, kind) for topic in range(world.topics) for kind in kinds]
    chance.shuffle(notes)
    made = count()
    drafts: list[Draft] = []
    kept: list[tuple[int, tuple[bool, bool, bool], str]] = []

    def say(kind: str, body: dict[str, Any], text: str | None = None) -> str:
        content = None if text is None else {"text": text}
        stamp = Stamp(drafter.derived_id("scoring", world.name, f"{seed} {next(made)}"), _AT_MS)
        drafts.append(drafter.draft(kind, body, content, stamp=stamp))
        return drafts[-1].id

    for recent in (False, True):
        for topic, kind in notes:
            if kind[0] is recent:
                both = " ".join(topics[topic][: 1 + kind[2]])
                ref = say("record_event", {"features": []}, f"{both} {next(words)} {next(words)} {next(words)}")
                kept.append((topic, kind, ref))
        for _ in range(_SINCE if recent else _FILLERS):
            say("record_event", {"features": []}, f"{next(words)} {next(words)}")
    strong = [ref for _, kind, ref in kept if kind[1]]
    for begin in range(0, _RECALLS * len(strong), RETURNED_MAX):
        refs = [strong[at % len(strong)] for at in range(begin, begin + min(RETURNED_MAX, len(strong)))]
        parameters = {"k": len(refs)}
        say("record_recall", {"purpose": "context", "as_of": 0, "returned": refs, "parameters": parameters, **VERSIONS})
    for _, answer in engine.submit_many(drafts):
        if answer.refused is not None:
            raise ValueError(f"a world tells what is refused: {answer.refused}")
    needed = [(topic, ref) for topic, kind, ref in kept if _needed(world, kind, chance)]
    return [
        Topic(" ".join(said), frozenset(ref for each, ref in needed if each == topic))
        for topic, said in enumerate(topics)
    ]


def _needed(world: World, kind: tuple[bool, bool, bool], chance: random.Random) -> bool:
    recent, strong, both = kind
    by_lot = chance.random() < 1 / 4
    needed = {
        "together": recent is not strong,
        "product": recent and strong,
        "similarity": both,
        "noise": by_lot,
    }[world.rule]
    return needed if chance.random() >= world.noise else not needed


def _words(chance: random.Random) -> Iterator[str]:
    """Yield words of made syllables, each once."""
    seen: set[str] = set()
    while True:
        word = "".join(chance.choice(_SYLLABLES) for _ in range(4))
        if word not in seen:
            seen.add(word)
            yield word
