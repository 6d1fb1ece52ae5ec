"""The world of the benchmark: facts that are said once and asked for late, and what else happens meanwhile."""

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import orjson

FILE_MAX: Final = 1 << 20
FACTS_MAX: Final = 200
TALK_MAX: Final = 1_000
_PLACES: Final = ("blue cupboard", "cellar", "second drawer", "glass cabinet", "locker by the stairs", "red folder")
_THINGS: Final = ("spare key", "signed contract", "old passport", "fuse box plan", "gift voucher", "boat licence")
_SYLLABLES: Final = ("ka", "lo", "mi", "ru", "ten", "vos", "bel", "dra", "fin", "gor", "hul", "jas", "nev", "pol")
_TALK: Final = (
    "Ran the checks of build {n}, most of the findings were old ones",
    "Asked in the channel who had changed page {n} last, and nobody answered",
    "Moved ticket {n} to the next week since the review took too long",
    "Had lunch at the corner, they were out of soup number {n} again",
    "Restarted worker {n} after it had waited for the queue all night",
    "Wrote {n} lines of notes about the meeting and sent them round",
)


@dataclass(frozen=True, slots=True)
class Fact:
    """What is said once, and the question to which it is the answer: its cue."""

    said: str
    question: str


@dataclass(frozen=True, slots=True)
class World:
    """Facts, and what is said between them; ``{n}`` in a sentence of ``talk`` becomes a number."""

    facts: tuple[Fact, ...]
    talk: tuple[str, ...]


class WorldFileError(ValueError):
    """A file is no world: the message says where, and what was expected."""


def drawn(seed: int, facts: int) -> World:
    """Return a world of so many facts, by its seed: things of people whose names nobody else has."""
    pick, found = Random(seed), dict[str, Fact]()
    while len(found) < facts:
        name = "".join(pick.choices(_SYLLABLES, k=3)).capitalize()
        thing = pick.choice(_THINGS)
        found[name] = Fact(
            f"The {thing} of {name} lies in the {pick.choice(_PLACES)}", f"Where is the {thing} of {name}?"
        )
    return World(tuple(found.values()), _TALK)


def read(path: Path) -> World:
    """Return the world in a file of JSON: an object with ``facts`` and ``talk``. Raises WorldFileError."""
    where = path.name
    if path.stat().st_size > FILE_MAX:
        raise WorldFileError(f"{where}: a world has at most {FILE_MAX} bytes; leave some facts out")
    try:
        said = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise WorldFileError(f"{where}: this is no JSON: {error}") from None
    if not isinstance(said, dict) or set(cast(dict[str, Any], said)) != {"facts", "talk"}:
        raise WorldFileError(f"{where}: a world is an object with facts and talk, and nothing else")
    facts = [_fact(f"{where}, fact {at}", each) for at, each in enumerate(_listed(where, said["facts"], FACTS_MAX), 1)]
    talk = [_text(f"{where}, talk {at}", each) for at, each in enumerate(_listed(where, said["talk"], TALK_MAX), 1)]
    return World(tuple(facts), tuple(talk))


def _listed(where: str, said: object, most: int) -> list[object]:
    if not isinstance(said, list) or not 1 <= len(cast(list[object], said)) <= most:
        raise WorldFileError(f"{where}: facts and talk are lists of 1 to {most}")
    return cast(list[object], said)


def _fact(where: str, said: object) -> Fact:
    if not isinstance(said, dict) or set(cast(dict[str, Any], said)) != {"said", "question"}:
        raise WorldFileError(f"{where}: a fact is an object with said and question, and nothing else")
    return Fact(_text(f"{where}, said", said["said"]), _text(f"{where}, question", said["question"]))


def _text(where: str, said: object) -> str:
    if not isinstance(said, str) or not 1 <= len(said) <= 1_000:
        raise WorldFileError(f"{where}: a text of 1 to 1,000 characters is due")
    return said
