"""Cases made from the templates of one writer: the notes of a memory, a question, and the places of what answers it.

A file has a template on each line, whose ``shape`` says what else it has (``Template``); ``{slots}`` in its texts are
filled with the values that it lists. The same file always makes the same cases.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

from .spelling import spelled

SHAPES: Final = ("date", "chatter", "clauses", "list", "update")
LANGUAGES: Final = ("en", "de", "fr", "es")

_FIRST_DAY: Final = date(2024, 1, 1)
_DAYS: Final = 1035  # to the end of October 2026
_NOTES: Final = 40
_LISTED: Final = (3, 15)
_TRIES: Final = 2000

Values = dict[str, str]


@dataclass(frozen=True, slots=True)
class Note:
    """What was jotted down, and when (Unix ms)."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Case:
    """A memory's notes in order, a question, the places of those that answer it, and of what one of them replaced."""

    shape: str
    language: str
    notes: tuple[Note, ...]
    question: str
    answers: tuple[int, ...]
    old: int | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """Texts of notes and questions with slots, the values of these, and what the shape has beside them."""

    shape: str
    language: str
    texts: tuple[str, ...]
    asks: tuple[str, ...]
    slots: dict[str, list[str]]
    more: dict[str, Any]

    def drawn(self, rng: Random) -> Values:
        """Return a value for each slot, no two of them alike."""
        for _ in range(_TRIES):
            values = {name: rng.choice(of) for name, of in self.slots.items()}
            if len(set(values.values())) == len(values):
                return values
        raise ValueError(f"the slots of {self.texts} have too few values")

    def about(self, ask: int, values: Values) -> tuple[object, ...]:
        """Return what a question is about: no two notes of a memory are about the same, unless they are a list."""
        named = sorted(set(re.findall(r"{(\w+)}", self.asks[ask])).intersection(values))
        return (self.asks[ask], *(values[name] for name in named))


def read(path: Path) -> list[Template]:
    """Read the templates of a file."""
    return [_template(orjson.loads(line)) for line in path.read_bytes().splitlines() if line.strip()]


def made(templates: Sequence[Template], name: str, count: int) -> list[Case]:
    """Make ``count`` cases for each shape and language, of each template as many; ``name`` is the seed."""
    cases: list[Case] = []
    for shape in SHAPES:
        for language in LANGUAGES:
            own = [one for one in templates if one.language == language]
            of_shape = [one for one in own if one.shape == shape]
            rng = Random(f"{name}/{shape}/{language}")
            for number in range(count if of_shape else 0):
                cases.append(_MAKERS[shape](of_shape[number % len(of_shape)], own, rng))
    return cases


def _template(line: dict[str, Any]) -> Template:
    texts = line["notes"] if "notes" in line else [line[name] for name in ("note", "old", "new") if name in line]
    asks = line["asks"] if "asks" in line else [line["ask"]]
    return Template(line["shape"], line["language"], tuple(texts), tuple(asks), line["slots"], line)


def _on_a_day(template: Template, own: Sequence[Template], rng: Random) -> Case:
    """A note a day, all of them alike, and the question names a day."""
    several: dict[str, Values] = {}
    for _ in range(_TRIES):
        values = template.drawn(rng)
        several.setdefault(template.texts[0].format(**values), values)
        if len(several) == _NOTES:
            break
    times = _times(len(several), rng)
    notes = tuple(Note(text, at) for text, at in zip(several, times, strict=True))
    place = rng.randrange(len(notes))
    day = datetime.fromtimestamp(times[place] / 1000, UTC).date()
    asked = spelled(rng.choice(template.more["dates"]), day, template.language)
    question = template.asks[0].format(**several[notes[place].text], date=asked)
    return Case(template.shape, template.language, notes, question, (place,))


def _beside_chatter(template: Template, own: Sequence[Template], rng: Random) -> Case:
    """The question stands behind three sentences that have nothing to do with it, or before two."""
    values = template.drawn(rng)
    question = template.asks[0].format(**values)
    if rng.random() < 0.5:
        question = " ".join([*rng.sample(template.more["before"], 3), question])
    else:
        question = " ".join([question, *rng.sample(template.more["after"], 2)])
    others = _others(own, ("chatter", "clauses"), {template.about(0, values)}, rng)
    texts = [template.texts[0].format(**values)]
    return _mixed(template, question, texts, list(islice(others, _NOTES - 1)), rng)


def _of_clauses(template: Template, own: Sequence[Template], rng: Random) -> Case:
    """Two questions in one, each with a note of its own."""
    values = template.drawn(rng)
    question = _joined(rng.choice(template.more["join"]), [one.format(**values) for one in template.asks])
    others = _others(own, ("chatter", "clauses"), {template.about(at, values) for at in (0, 1)}, rng)
    texts = [one.format(**values) for one in template.texts]
    return _mixed(template, question, texts, list(islice(others, _NOTES - 2)), rng)


def _of_a_list(template: Template, own: Sequence[Template], rng: Random) -> Case:
    """All notes about one, among as many of the same kind about others as of other kinds."""
    slot = template.more["about"]
    whom = template.drawn(rng)[slot]
    walks = {name: rng.sample(of, len(of)) for name, of in template.slots.items() if name != slot}
    count = min(rng.randint(*_LISTED), max(map(len, walks.values())))  # so that nothing is there twice
    rows = [{name: of[at % len(of)] for name, of in walks.items()} | {slot: whom} for at in range(count)]
    of_others: dict[str, None] = {}
    for _ in range(_TRIES):
        values = template.drawn(rng)
        if values[slot] != whom:
            of_others[template.texts[0].format(**values)] = None
        if len(of_others) == _NOTES // 2:
            break
    kinds = [one for one in own if one is not template]
    others = _others(kinds, ("chatter", "clauses", "list"), set(), rng)
    rest = [*of_others, *islice(others, _NOTES - len(of_others))]
    return _mixed(
        template, template.asks[0].format(**rows[0]), [template.texts[0].format(**row) for row in rows], rest, rng
    )


def _of_an_update(template: Template, own: Sequence[Template], rng: Random) -> Case:
    """What was said first is taken back later; the question is what holds."""
    values = template.drawn(rng)
    others = _others(own, ("chatter", "clauses", "update"), {template.about(0, values)}, rng)
    texts = [one.format(**values) for one in template.texts]
    rest = list(islice(others, _NOTES - 2))
    case = _mixed(template, template.asks[0].format(**values), texts, rest, rng)
    old, new = case.answers
    return Case(case.shape, case.language, case.notes, case.question, (new,), old)


_MAKERS: Final = {
    "date": _on_a_day,
    "chatter": _beside_chatter,
    "clauses": _of_clauses,
    "list": _of_a_list,
    "update": _of_an_update,
}


def _mixed(template: Template, question: str, answers: Sequence[str], others: Sequence[str], rng: Random) -> Case:
    """Spread notes over days; those that answer stay in their order."""
    count = len(answers) + len(others)
    places = sorted(rng.sample(range(count), len(answers)))
    told = dict(zip(places, answers, strict=True))
    rest = iter(others)
    texts = [told[place] if place in told else next(rest) for place in range(count)]
    notes = tuple(Note(text, at) for text, at in zip(texts, _times(count, rng), strict=True))
    return Case(template.shape, template.language, notes, question, tuple(places))


def _others(
    own: Sequence[Template], shapes: Sequence[str], taken: set[tuple[object, ...]], rng: Random
) -> Iterator[str]:
    """Yield notes of some shapes, each about something else than all others and than what is ``taken``."""
    kinds = [(one, at) for one in own if one.shape in shapes for at in range(len(one.texts))]
    seen = set(taken)
    for _ in range(_TRIES):
        template, at = rng.choice(kinds)
        values = template.drawn(rng)
        about = template.about(at if len(template.asks) > at else 0, values)
        if about not in seen:
            seen.add(about)
            yield template.texts[at].format(**values)


def _times(count: int, rng: Random) -> list[int]:
    """Return times in order, no two of them on the same day of a year: some spellings leave the year out."""
    days: dict[tuple[int, int], date] = {}
    for offset in rng.sample(range(_DAYS), _DAYS):
        day = _FIRST_DAY + timedelta(days=offset)
        days.setdefault((day.month, day.day), day)
        if len(days) == count:
            break
    minutes = (timedelta(minutes=rng.randrange(7 * 60, 21 * 60)) for _ in range(count))
    starts = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in days.values())
    return sorted(int((start + within).timestamp() * 1000) for start, within in zip(starts, minutes, strict=True))


def _joined(join: str, asks: Sequence[str]) -> str:
    """Join two questions as people write: no mark within a sentence, and no capital there."""
    before, between = join.split("{1}", maxsplit=1)[0].split("{0}")
    first, second = asks
    if re.match(r"[,;]|\s+[a-zà-ÿ]", between):  # the sentence goes on
        first = first.rstrip(" ?")
    if re.search(r"[\w,]\s*$", between) and not second.startswith("¿"):
        second = second[0].lower() + second[1:]
    return f"{before}{first}{between}{second}{join.split('{1}')[1]}"
