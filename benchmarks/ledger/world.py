"""A world with a hidden truth: entities whose attributes change, and sources that report them, some late, some falsely.

Everything is drawn by a seed. What a memory is given is in ``Report``, but for ``false`` and ``late``, which are for
whoever measures. Times are days since the world began.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from yggdrasil_schemas.commands import Origin

DAYS: Final = 730.0
ATTRIBUTES: Final = ("owner", "city", "supplier", "phase", "contact", "colour", "carrier", "tariff")
LATE: Final = 0.2
_CHANGES: Final = 2  # of an attribute, on the mean
_INTERVAL_MIN_DAYS: Final = 20.0
_SEEN_DAYS: Final = 5.0  # after a change, on the mean, until the first has seen it
_TOLD_DAYS: Final = 1.0  # after that, on the mean, until it is told
_ENDED: Final = 0.5  # of what is told late, how much is told with its end
_VALUES: Final = 12  # that an attribute may have
_CONFIDENCE_SPREAD: Final = 0.05


class Slot(NamedTuple):
    """What has one true value at a time."""

    entity: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Source:
    """Who reports: its trust, its share of all reports, how much of it is false, and how sure it says it is."""

    name: str
    origin: Origin
    trust: int
    share: float
    false: float
    stated: float


@dataclass(frozen=True, slots=True)
class Interval:
    """A value that was true from ``begin`` to before ``end``."""

    value: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Report:
    """What a source says of a slot at the time ``told``: a value that it saw at ``since``, and maybe when it ended.

    ``false``: the value was not the true one then. ``late``: by the time it was told another value was true.
    """

    slot: Slot
    value: str
    source: Source
    told: float
    since: float
    until: float | None
    confidence: int
    false: bool
    late: bool


@dataclass(frozen=True, slots=True)
class World:
    """The truth of every slot, in order of time, and all reports in the order in which they were told."""

    name: str
    truth: dict[Slot, list[Interval]]
    reports: list[Report]
    sources: Sequence[Source]

    def true_at(self, slot: Slot, day: float) -> str:
        """Return the value that was true on a day."""
        return next(each.value for each in reversed(self.truth[slot]) if each.begin <= day)

    def tells_now(self, report: Report) -> bool:
        """Whether a report tells the value that is true at the end, and was when it was seen."""
        true = self.truth[report.slot][-1]
        return report.value == true.value and report.since >= true.begin

    def honest(self) -> "World":
        """Return this world without all reports that are false or late."""
        return replace(self, reports=[each for each in self.reports if not (each.false or each.late)])

    def of_slots(self) -> dict[Slot, list[Report]]:
        """Return the reports of every slot, in the order in which they were told."""
        found: dict[Slot, list[Report]] = {slot: [] for slot in self.truth}
        for report in self.reports:
            found[report.slot].append(report)
        return found


def sources(mix: str, noise: float) -> list[Source]:
    """Return the sources of a mix; of all reports the share ``noise`` is false.

    * *graded*: trust tells how reliable a source is, and all say how sure they are.
    * *misleading*: the most trusted are wrong most often, and are as sure as if they were not.
    * *one liar*: one of five users tells most of what is false, and is as sure as the others.
    * *alone*: one agent is all there is.
    """
    match mix:
        case "graded" | "misleading":
            wrong = (0.2, 0.8, 2.07) if mix == "graded" else (2.0, 0.8, 0.27)
            of: list[tuple[str, Origin, int, float]] = [
                ("meter", "tool", 3, 0.3),
                ("clerk", "user", 2, 0.4),
                ("crawler", "agent", 1, 0.3),
            ]
            sure = [1 - noise * share for share in (0.2, 0.8, 2.07)]
            return [
                Source(f"{name}-{number}", origin, trust, share / 2, min(0.95, noise * false), stated)
                for (name, origin, trust, share), false, stated in zip(of, wrong, sure, strict=True)
                for number in (1, 2)
            ]
        case "one liar":
            shares = (4.2, 0.2, 0.2, 0.2, 0.2)
            return [
                Source(f"clerk-{number}", "user", 2, 0.2, min(0.95, noise * share), 1 - 0.2 * noise)
                for number, share in enumerate(shares)
            ]
        case "alone":
            return [Source("crawler-1", "agent", 1, 1.0, noise, 1 - noise)]
    raise ValueError(f"there is no mix {mix}")


def world(mix: str, noise: float, entities: int, seed: int) -> World:
    """Return a world of so many entities, told of by the sources of a mix."""
    chance = random.Random(f"{mix}/{noise}/{entities}/{seed}")
    of = sources(mix, noise)
    truth: dict[Slot, list[Interval]] = {}
    reports: list[Report] = []
    for entity in _names(chance, entities):
        for attribute in ATTRIBUTES:
            slot = Slot(entity, attribute)
            truth[slot] = _history(chance, attribute)
            for place, interval in enumerate(truth[slot]):
                last = place == len(truth[slot]) - 1
                reports += _reports(chance, slot, interval, of, last=last)
    late = _late(chance, reports, truth)
    return World(f"{mix}, {round(100 * noise)} % false", truth, sorted(late, key=lambda each: each.told), of)


def _names(chance: random.Random, count: int) -> list[str]:
    syllables = [
        "ba",
        "cor",
        "del",
        "fi",
        "gan",
        "hol",
        "ju",
        "ka",
        "lem",
        "mor",
        "ni",
        "pra",
        "ro",
        "sten",
        "tu",
        "vel",
    ]
    names: dict[str, None] = {}
    while len(names) < count:
        names["".join(chance.sample(syllables, 3)).capitalize()] = None
    return list(names)


def _values(attribute: str) -> list[str]:
    return [f"{attribute}-{letter}" for letter in "ABCDEFGHIJKL"[:_VALUES]]


def _history(chance: random.Random, attribute: str) -> list[Interval]:
    """Draw the intervals of one slot: about two changes, none too soon after the one before it."""
    ends = sorted(chance.uniform(0.0, DAYS) for _ in range(chance.randint(0, 2 * _CHANGES)))
    begins = [0.0]
    for day in ends:
        if day - begins[-1] >= _INTERVAL_MIN_DAYS and DAYS - day >= _INTERVAL_MIN_DAYS:
            begins.append(day)
    history: list[Interval] = []
    for begin, end in zip(begins, [*begins[1:], DAYS], strict=True):
        before = history[-1].value if history else None
        value = chance.choice([value for value in _values(attribute) if value != before])
        history.append(Interval(value, begin, end))
    return history


def _reports(
    chance: random.Random, slot: Slot, interval: Interval, of: Sequence[Source], *, last: bool
) -> list[Report]:
    """Draw who tells of one interval: somebody soon after it began, and one more on the mean at any time of it."""
    found: list[Report] = []
    first = interval.begin + min(chance.expovariate(1 / _SEEN_DAYS), _INTERVAL_MIN_DAYS / 2)
    times = [first, *(chance.uniform(first, interval.end) for _ in range(chance.choice((0, 1, 1, 2))))]
    for since in times:
        source = chance.choices(of, [each.share for each in of])[0]
        false = chance.random() < source.false
        value = interval.value
        if false:
            value = chance.choice([other for other in _values(slot.attribute) if other != value])
        told = min(since + chance.expovariate(1 / _TOLD_DAYS), interval.end if not last else DAYS)
        sure = round(100 * min(0.99, max(0.05, chance.gauss(source.stated, _CONFIDENCE_SPREAD))))
        found.append(Report(slot, value, source, told, since, None, sure, false, late=False))
    return found


def _late(chance: random.Random, reports: list[Report], truth: dict[Slot, list[Interval]]) -> list[Report]:
    """Delay as many reports as are to be late until after what they tell of has ended; half of these say when."""
    past = [place for place, each in enumerate(reports) if _end(each, truth) < DAYS]
    delayed = set(chance.sample(past, min(len(past), round(LATE * len(reports)))))
    return [
        _delayed(chance, each, _end(each, truth)) if place in delayed else each for place, each in enumerate(reports)
    ]


def _end(report: Report, truth: dict[Slot, list[Interval]]) -> float:
    return next(each.end for each in truth[report.slot] if each.begin <= report.since < each.end)


def _delayed(chance: random.Random, report: Report, end: float) -> Report:
    until = end if chance.random() < _ENDED else None
    return replace(report, told=chance.uniform(end, DAYS), until=until, late=True)
