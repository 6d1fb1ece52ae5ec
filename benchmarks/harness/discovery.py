"""Planted connections of two hops: one session says how A has to do with B, another how B has to do with C.

The question is about A, and its answer is C: nothing that is said names both. Counted is how often what says C is
among the first ten, of an answer and of what a session is given. The chains are told in texts alone, with features that
name what they are about, and as claims: of these a connector can say how they hang together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple

from yggdrasil import Memory, Store

K: Final = 10
WAYS: Final = ("texts", "features", "claims")
_GROUPS: Final = ("rules", "warnings", "lessons", "recoveries", "memories")
_FILLERS: Final = 5  # sentences about other things, for each chain
_SHAPES: Final = (
    ("pump", "valve", "workshop", "fed_by", "made", "The pump {a} is fed by the valve {b}.",
     "The workshop {c} has made the valve {b}.", "Which workshop has made what feeds the pump {a}?"),
    ("report", "table", "station", "drawn_from", "fills", "The report {a} is drawn from the table {b}.",
     "The station {c} fills the table {b}.", "Which station stands behind the report {a}?"),
    ("service", "library", "author", "depends_on", "looks_after", "The service {a} depends on the library {b}.",
     "The author {c} looks after the library {b}.", "Whom do I ask about what the service {a} depends on?"),
    ("parcel", "van", "driver", "left_with", "drove", "The parcel {a} left with the van {b}.",
     "The driver {c} was in the van {b}.", "Who drove the parcel {a}?"),
)  # fmt: skip
_FILLER: Final = (
    "The {sort} {name} was painted in spring.",
    "Nobody has seen the {sort} {name} for weeks.",
    "The {sort} {name} costs more than last year.",
    "A new label is on the {sort} {name}.",
)


class Said(NamedTuple):
    """A sentence, and what it says of what."""

    text: str
    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Chain:
    """Two sentences, each with its subject, predicate and object; the question's answer is in the second."""

    first: Said
    second: Said
    asked: str


def chains(count: int, seed: int) -> list[Chain]:
    """Draw so many chains, each of names of its own."""
    random = Random(f"discovery {seed}")
    found: list[Chain] = []
    for number in range(count):
        one, two, three, leads, ends, first, second, asked = _SHAPES[number % len(_SHAPES)]
        names = {"a": _name(random), "b": _name(random), "c": _name(random)}
        a, b, c = f"{one}:{names['a'].lower()}", f"{two}:{names['b'].lower()}", f"{three}:{names['c'].lower()}"
        begins, answers = Said(first.format(**names), a, leads, b), Said(second.format(**names), c, ends, b)
        found.append(Chain(begins, answers, asked.format(**names)))
    return found


def told(memory: Memory[Any], drawn: Sequence[Chain], seed: int, way: str) -> list[str]:
    """Tell a memory all chains, one sentence a session, in any order; return the ids of what the answers stand in."""
    random = Random(f"told {seed}")
    parts = [(number, part, chain) for number, chain in enumerate(drawn) for part in (0, 1)]
    random.shuffle(parts)
    answers: dict[int, str] = {}
    for place, (number, part, chain) in enumerate(parts):
        said = chain.second if part else chain.first
        session = f"day {place}"
        if way == "claims":
            ref = memory.assert_claim(said.subject, said.predicate, said.object, text=said.text)
        else:
            about = (said.subject, said.object) if way == "features" else ()
            ref = memory.record_event(said.text, features=about, session=session)
        if part:
            answers[number] = ref
        for _ in range(_FILLERS // 2):
            sort = random.choice([word for shape in _SHAPES for word in shape[:3]])
            memory.record_event(random.choice(_FILLER).format(sort=sort, name=_name(random)), session=session)
    return [answers[number] for number in range(len(drawn))]


def found(memory: Memory[Any], drawn: Sequence[Chain], answers: Sequence[str]) -> float:
    """Return how many percent of the answers are among the first ten of what is found for their questions."""
    hits = 0
    for chain, answer in zip(drawn, answers, strict=True):
        shown = memory.get_context(chain.asked, k=K, record=False)
        hits += any(each.memory.ref == answer for each in shown.found)
    return 100 * hits / max(1, len(drawn))


def given(memory: Memory[Any], drawn: Sequence[Chain], answers: Sequence[str]) -> float:
    """Return how many percent of the answers are among the first ten that a session is given for their questions."""
    hits = 0
    with memory.session(goal="Find out", name="discovery") as session:
        for chain, answer in zip(drawn, answers, strict=True):
            context = memory.session_context(session.name, chain.asked)
            refs = [each.ref for group in _GROUPS for each in getattr(context, group)]
            hits += answer in refs[:K]
    return 100 * hits / max(1, len(drawn))


def discovery(store: Store, count: int, seed: int, thinkers: Sequence[str] = ()) -> dict[str, float]:
    """Return by how the chains were told and asked how many percent are found; ``thinkers`` think about them before."""
    drawn, shares = chains(count, seed), dict[str, float]()
    memories = {way: store.memory(f"discovery/{'-'.join(thinkers) or 'none'}-{way}") for way in WAYS}
    answers = {way: told(memory, drawn, seed, way) for way, memory in memories.items()}
    if thinkers:
        store.think(thinkers)
    for way, memory in memories.items():
        shares[f"told as {way}"] = found(memory, drawn, answers[way])
        shares[f"told as {way}, by a session"] = given(memory, drawn, answers[way])
    return shares


def _name(random: Random) -> str:
    return "".join(random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(3)).capitalize()
