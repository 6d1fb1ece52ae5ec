"""Whether what a memory holds true is true: facts that change, told by sources of which some are late and some wrong.

A world has 200 entities with eight attributes, whose true values change twice on the mean in two years. Of the reports
20 % come late, after what they tell of has ended, and 0, 10 or 20 % are false. In the *graded* mix trust tells how
reliable a source is; others are there so that nothing is fitted to it: *misleading*, where the most trusted are wrong
most often, *one liar* among equals, and *alone*, where one agent is all there is. What is believed at the end is held
against the truth of then, and of two days drawn for each slot. From below nothing is replaced, so whether claims are
ahead of the last write is asked of slots whose tellers are all trusted as much; and beside what leads it is counted
whether the true value is shown at all. It is kept as claims, and as notes with keys; beside
these stand rules without a memory (``rules``).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ..measure import Bar, Report, Size, say
from .claiming import anchored_claims, claims
from .keeping import Kept, anchored_notes, notes
from .measures import (
    calibration,
    current_right,
    days_asked,
    hidden,
    of_one_tier,
    quarantine,
    right_at,
    several,
    shown_right,
)
from .rules import RULES, Belief, Rule
from .world import DAYS, Slot, World, world

UNTIMED: Final = True

AHEAD: Final = 10.0  # points
WRONG: Final = 1.0  # percent
CALIBRATED: Final = 0.05
_BARRED: Final = ("graded", 0.1)
_WORLDS: Final = (_BARRED, ("graded", 0.0), ("graded", 0.2), ("misleading", 0.1), ("one liar", 0.1), ("alone", 0.1))
_DAYS: Final = 2  # asked of each slot
_SEED: Final = 1
_ANCHORS: Final = 20
_OURS: Final = "claims"
_LAST: Final = "last write"
_RIGHT: Final = "current value right, percent"
_AMONG_EQUALS: Final = "current value right where all tellers are of one tier, percent"
_SHOWN: Final = "true value shown, leading or not, percent"
_WRONGLY: Final = "true values hidden by what is false or late, percent"
_ERROR: Final = "calibration error"
Days = Mapping[Slot, Sequence[float]]
Keep = Callable[[World, Days], Kept]


def run(size: Size, scratch: Path) -> Report:
    """Let everybody live through all worlds; a quick run has a tenth of the entities, and fewer contradictions."""
    report = Report("ledger")
    ahead: dict[str, float] = {}
    for place, (mix, noise) in enumerate(_WORLDS[: size.pick(1, 6, 6)]):
        lived = world(mix, noise, size.pick(4, 20, 200), _SEED)
        say(f"  {lived.name}: {len(lived.reports)} reports of {len(lived.truth)} slots")
        for name, keep in _ways(scratch / str(place)).items():
            _tell(report, f"{lived.name}, {name}", lived, keep)
        right, last = (report.figures[f"{lived.name}, {name}: {_AMONG_EQUALS}"] for name in (_OURS, _LAST))
        ahead[lived.name] = right - last
        if (mix, noise) == _BARRED:
            report.bars += _bars(report, lived.name, ahead[lived.name])
    worst = min(ahead, key=lambda name: ahead[name])
    report.bars.append(
        Bar(f"points ahead of the last write among equals, the least of all worlds ({worst})", ahead[worst], AHEAD)
    )
    report.bars += _anchored(scratch, size.pick(80, 1_000, 10_000))
    return report


def _ways(scratch: Path) -> dict[str, Keep]:
    """Return all ways to keep a world, by name."""
    ways: dict[str, Keep] = {name: partial(_ruled, rule) for name, rule in RULES.items()}
    ways["notes with keys"] = lambda lived, _: notes(lived, _new(scratch))
    ways[_OURS] = lambda lived, days: claims(lived, _new(scratch), "confidence", days)
    ways["claims, by recency"] = lambda lived, days: claims(lived, _new(scratch), "recency", days)
    return ways


def _new(scratch: Path) -> Path:
    """Return a folder that is not there yet."""
    scratch.mkdir(exist_ok=True)
    return scratch / str(len(list(scratch.iterdir())))


def _bars(report: Report, lived: str, ahead: float) -> list[Bar]:
    wrongly, error = (report.figures[f"{lived}, {_OURS}: {what}"] for what in (_WRONGLY, _ERROR))
    return [
        Bar(f"{lived}: points ahead of the last write, where all tellers are of one tier", ahead, AHEAD),
        Bar(f"{lived}: {_WRONGLY}", wrongly, WRONG, at_most=True),
        Bar(f"{lived}: {_ERROR}", error, CALIBRATED, at_most=True),
    ]


def _anchored(scratch: Path, contradictions: int) -> list[Bar]:
    displaced = {
        "notes": anchored_notes(scratch / "anchored notes", _ANCHORS, contradictions),
        "claims": anchored_claims(scratch / "anchored claims", _ANCHORS, contradictions),
    }
    return [
        Bar(f"anchored {what} displaced by {contradictions:,} contradictions", count, 0, at_most=True)
        for what, count in displaced.items()
    ]


def _ruled(rule: Rule, lived: World, days: Days) -> Kept:
    kept = Kept()
    for slot, reports in lived.of_slots().items():
        kept.current[slot] = rule(reports, DAYS)
        kept.shown[slot] = {value} if (value := kept.current[slot].value) is not None else set()
        for day in days.get(slot, []):
            kept.at[slot, day] = rule(reports, day)
    return kept


def _tell(report: Report, name: str, lived: World, keep: Keep) -> None:
    """Keep a world in one way, and once more without its errors; put all that is measured into the report."""
    kept = keep(lived, days_asked(lived, _DAYS))
    away = hidden(lived, kept.shown, keep(lived.honest(), {}).shown)
    report.figures[f"{name}: {_RIGHT}"] = 100 * current_right(lived, kept.current)
    report.figures[f"{name}: {_AMONG_EQUALS}"] = 100 * current_right(lived, kept.current, of_one_tier(lived))
    report.figures[f"{name}: {_SHOWN}"] = 100 * shown_right(lived, kept.shown)
    if kept.at:
        report.figures[f"{name}: value on a day right, percent"] = 100 * right_at(lived, kept.at)
    report.figures[f"{name}: {_WRONGLY}"] = 100 * away.wrongly
    report.figures[f"{name}: of these taken back by whoever told them, percent"] = 100 * away.taken_back
    report.figures[f"{name}: slots of which several values are shown, percent"] = 100 * several(kept.shown)
    report.figures[f"{name}: true values held back, percent"] = 100 * away.held
    if kept.things:
        report.figures |= {f"{name}: {what}": value for what, value in quarantine(kept.things).items()}
    said = _said(lived, kept.current)
    if said:
        error, brier = calibration(said)
        report.figures |= {f"{name}: {_ERROR}": error, f"{name}: Brier score": brier}


def _said(lived: World, beliefs: dict[Slot, Belief]) -> list[tuple[float, bool]]:
    return [
        (belief.confidence, belief.value == lived.truth[slot][-1].value)
        for slot, belief in beliefs.items()
        if belief.confidence is not None and belief.value is not None
    ]
