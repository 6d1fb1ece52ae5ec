"""A writer, and the transcripts that one writes from facts: turns of two or three people, with small talk and traps."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .facts import CITIES, LESSONS, PEOPLE, SYSTEMS, THINGS, Fact, Lesson, facts

_BY_SUBJECT: Final = "me:"
_TALK_EVERY: Final = 2
_TRAP_EVERY: Final = 4
_AGAIN_EVERY: Final = 9


@dataclass(frozen=True, slots=True)
class Writer:
    """How somebody writes: ``facts`` by relation, ``lessons`` by sort, small talk, and ``traps`` that say nothing."""

    name: str
    facts: Mapping[str, Sequence[str]]
    lessons: Mapping[str, Sequence[str]]
    talk: Sequence[str]
    traps: Sequence[str]


@dataclass(frozen=True, slots=True)
class Turn:
    """What somebody says, and what of it is so; ``facts`` are empty for talk and traps."""

    speaker: str
    text: str
    facts: tuple[Fact | Lesson, ...] = ()


@dataclass(slots=True)
class Transcript:
    """A session: its name, its turns, and all that is so in it."""

    name: str
    turns: list[Turn] = field(default_factory=list[Turn])

    @property
    def facts(self) -> list[Fact | Lesson]:
        """Each thing that is so, once."""
        return list(dict.fromkeys(one for turn in self.turns for one in turn.facts))


def transcripts(writer: Writer, sessions: int, seed: int, *, facts_each: int = 16) -> list[Transcript]:
    """Return so many sessions of a writer, no fact in two of them; the same for the same seed."""
    chance = random.Random(f"{writer.name} {seed}")
    drawn = iter(facts(chance, min(sessions * facts_each, _MOST)))
    lessons = list(LESSONS)
    chance.shuffle(lessons)
    found: list[Transcript] = []
    for number in range(sessions):
        one = Transcript(f"session-{number}")
        for fact in (fact for _, fact in zip(range(facts_each), drawn, strict=False)):
            one.turns.append(_told(writer, fact, chance))
        for lesson in lessons[2 * number % len(lessons) :][:2] if number * 2 < len(lessons) else ():
            one.turns.append(_taught(writer, lesson, chance))
        _fill(writer, one, chance)
        found.append(one)
    return found


_MOST: Final = 360


def _told(writer: Writer, fact: Fact, chance: random.Random) -> Turn:
    wording = chance.choice(writer.facts[fact.relation.name])
    speaker = fact.subject if wording.startswith(_BY_SUBJECT) else _another(chance, fact.subject, fact.value)
    said = wording.removeprefix(_BY_SUBJECT).format(
        s=fact.subject, v=fact.value, o=fact.former, p=_another(chance, fact.subject, fact.value)
    )
    return Turn(speaker, said.replace("a old", "an old").replace(" a a ", " a "), (fact,))


def _taught(writer: Writer, lesson: Lesson, chance: random.Random) -> Turn:
    said = chance.choice(writer.lessons[lesson.sort]).format(l=lesson.words, g=_gerund(lesson.words))
    return Turn(chance.choice(PEOPLE), said, (lesson,))


def _gerund(words: str) -> str:
    verb, _, rest = words.partition(" ")
    stem = (
        verb[:-1]
        if verb.endswith("e") and not verb.endswith("ee")
        else verb + (verb[-1] if verb in {"run", "pin"} else "")
    )
    return f"{stem}ing {rest}"


def _fill(writer: Writer, one: Transcript, chance: random.Random) -> None:
    """Put talk and traps between what is so, and say some of it twice."""
    for turn in one.turns[::_AGAIN_EVERY]:
        (fact,) = turn.facts
        again = _told(writer, fact, chance) if isinstance(fact, Fact) else _taught(writer, fact, chance)
        one.turns.append(again)
    for at in range(len(one.turns)):
        if at % _TALK_EVERY == 0:
            one.turns.append(Turn(chance.choice(PEOPLE), chance.choice(writer.talk)))
        if at % _TRAP_EVERY == 0:
            trap = chance.choice(writer.traps)
            names = chance.sample(PEOPLE, 2)
            filled = trap.format(
                s=names[0],
                p=names[1],
                v=chance.choice(CITIES),
                c=chance.choice(CITIES),
                y=chance.choice(SYSTEMS),
                t=chance.choice(THINGS),
            )
            one.turns.append(Turn(chance.choice(PEOPLE), filled))
    chance.shuffle(one.turns)


def _another(chance: random.Random, *but: str) -> str:
    return chance.choice([name for name in PEOPLE if name not in but])
