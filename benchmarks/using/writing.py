"""What a writer is given and gives: a question, what was returned, and an answer of which it is known what it used."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from .worlds import Fact, World, facts


@dataclass(frozen=True, slots=True)
class Told:
    """An answer, with the places of the memories that it used. ``way`` says how it was written."""

    text: str
    used: frozenset[int]
    way: str


@dataclass(frozen=True, slots=True)
class Case:
    """A question, what was returned for it, and what a writer made of that."""

    world: str
    question: str
    memories: Sequence[str]
    told: Told


Writer = Callable[[Sequence[Fact], Sequence[int], Random, bool], Told]
"""Writes an answer of facts, the places of those that it is to use, chance, and whether it cites labels."""


def cases(world: World, writer: Writer, count: int, seed: int, *, cites: bool) -> list[Case]:
    """Return so many cases of a world by a writer, the same for the same seed.

    Of 6 to 12 memories none to three are used. Beside them stand others of the same kind, which share words, and some
    of the same thing.
    """
    rng = Random(f"{world.name} {seed}")
    made = facts(world, rng)
    found: list[Case] = []
    for _ in range(count):
        returned: list[Fact] = []
        while len(returned) < rng.randrange(6, 13):
            one = next(made)
            if all(one.text != each.text for each in returned):
                returned.append(one)
        twin = next(each for each in made if each.kind is returned[0].kind and each.filled != returned[0].filled)
        returned[-1] = twin
        places = list(range(len(returned)))
        rng.shuffle(places)
        returned = [returned[place] for place in places]
        used = rng.sample(range(len(returned)), rng.choice((0, 1, 1, 1, 2, 2, 3)))
        about = returned[used[0]] if used else next(made)
        question = about.said(about.kind.question, rng)
        found.append(Case(world.name, question, [each.text for each in returned], writer(returned, used, rng, cites)))
    return found
