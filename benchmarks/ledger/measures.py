"""How far what is believed is from the truth, what is put away wrongly, and whether confidence means what it says."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from .rules import Belief
from .world import DAYS, Report, Slot, World

_BINS: Final = 10
_ASKED_FROM_DAY: Final = 30.0


class Hidden(NamedTuple):
    """Of slots whose true value was told: the shares where it is not among what is shown, by what hides it.

    ``wrongly``: something false or late, since without that it would be shown. ``taken_back``: so much of that as was
    told by nobody who has not said something else of a later time. ``held``: it would not be either; it waits behind
    what is out of date.
    """

    wrongly: float
    taken_back: float
    held: float


class Sorted(NamedTuple):
    """One thing that was told: whether it is false, and whether it is in quarantine, or put away at all."""

    false: bool
    quarantined: bool
    away: bool


def days_asked(world: World, count: int) -> dict[Slot, list[float]]:
    """Return ``count`` days for each slot on which to ask what was true, the same for everybody."""
    chance = random.Random(f"days of {world.name}")
    return {slot: [chance.uniform(_ASKED_FROM_DAY, DAYS) for _ in range(count)] for slot in world.truth}


def of_one_tier(world: World) -> frozenset[Slot]:
    """Return the slots of which everybody who tells is trusted as much; one that nobody tells of is none."""
    tiers = {slot: {each.source.trust for each in reports} for slot, reports in world.of_slots().items()}
    return frozenset(slot for slot, of in tiers.items() if len(of) == 1)


def current_right(world: World, beliefs: Mapping[Slot, Belief], among: Collection[Slot] | None = None) -> float:
    """Return the share of slots, in [0, 1], of which what is believed is true at the end; of ``among``, if given."""
    of = world.truth if among is None else among
    return _mean(beliefs[slot].value == world.truth[slot][-1].value for slot in of)


def shown_right(world: World, shown: Mapping[Slot, Collection[str]]) -> float:
    """Return the share of slots, in [0, 1], of which what is true at the end is shown, leading or beside what leads."""
    return _mean(history[-1].value in shown[slot] for slot, history in world.truth.items())


def right_at(world: World, beliefs: Mapping[tuple[Slot, float], Belief]) -> float:
    """Return the share of days, in [0, 1], of which what is believed was true then."""
    return _mean(belief.value == world.true_at(slot, day) for (slot, day), belief in beliefs.items())


def hidden(world: World, shown: Mapping[Slot, Collection[str]], honestly: Mapping[Slot, Collection[str]]) -> Hidden:
    """Return in how many slots the true value was told and is not shown; ``honestly``: what ``World.honest`` shows."""
    told = {each.slot: world.truth[each.slot][-1].value for each in world.reports if world.tells_now(each)}
    missing = [slot for slot, true in told.items() if true not in shown[slot]]
    wrongly = {slot for slot in missing if told[slot] in honestly[slot]}
    reports = world.of_slots()
    taken_back = sum(_is_taken_back(told[slot], reports[slot]) for slot in wrongly)
    counts = len(wrongly), taken_back, len(missing) - len(wrongly)
    return Hidden(*(count / max(1, len(told)) for count in counts))


def several(shown: Mapping[Slot, Collection[str]]) -> float:
    """Return the share of slots, in [0, 1], of which more than one value is shown."""
    return _mean(len(values) > 1 for values in shown.values())


def _is_taken_back(true: str, reports: Sequence[Report]) -> bool:
    """Whether everybody who told a value has told another one of a later time than the last at which they saw it."""
    last: dict[str, Report] = {}
    for each in sorted(reports, key=lambda report: report.since):
        last[each.source.name] = each
    return all(last[each.source.name].value != true for each in reports if each.value == true)


def quarantine(things: Sequence[Sorted]) -> dict[str, float]:
    """Return precision and recall of what is in quarantine, and how much of what is false is shown, in percent."""
    inside = [each for each in things if each.quarantined]
    false = [each for each in things if each.false]
    return {
        "precision of quarantine, percent": 100 * _mean(each.false for each in inside),
        "recall of quarantine, percent": 100 * _mean(each.quarantined for each in false),
        "of what is false still shown, percent": 100 * _mean(not each.away for each in false),
    }


def calibration(said: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    """Return the expected calibration error over ten bins of equal width (Guo and others, 2017), and Brier's score.

    ``said`` is how sure was said each time, in [0, 1], and whether it was right.
    """
    if not said:
        return 0.0, 0.0
    sure, right = np.array([each[0] for each in said]), np.array([each[1] for each in said], float)
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    error = sum(
        abs(float(sure[bins == number].mean() - right[bins == number].mean())) * float((bins == number).mean())
        for number in range(_BINS)
        if (bins == number).any()
    )
    return error, float(((sure - right) ** 2).mean())


def _mean(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
