"""Whether what a memory holds true is true: facts that change, told by sources of which some are late and some wrong.

A world has 200 entities with eight attributes, whose true values change twice on the mean in two years. Of the reports
20 % come late, after what they tell of has ended, and 0, 10 or 20 % are false. In the *graded* mix trust tells how
reliable a source is; others are there so that nothing is fitted to it: *misleading*, where the most trusted are wrong
most often, *one liar* among equals, and *alone*, where one agent is all there is. What is believed at the end is held
against the truth of then, and of two days drawn for each slot. It is kept as claims, and as notes with keys; beside
these stand rules without a memory (``rules``).
"""

from pathlib import Path
from typing import Final

from ..measure import Bar, Report, Size, say
from .claiming import anchored_claims, claims
from .keeping import Kept, anchored_notes, notes
from .measures import calibration, current_right, days_asked, invalidated, quarantine, right_at
from .rules import RULES, Belief, Rule
from .world import DAYS, Slot, World, world

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


def run(size: Size, scratch: Path) -> Report:
    """Let everybody live through all worlds; a quick run has an eighth of the entities, and fewer contradictions."""
    report = Report("ledger")
    ahead: dict[str, float] = {}
    for place, (mix, noise) in enumerate(_WORLDS[: size.pick(1, 6, 6)]):
        lived = world(mix, noise, size.pick(4, 25, 200), _SEED)
        say(f"  {lived.name}: {len(lived.reports)} reports of {len(lived.truth)} slots")
        kept = _kept(lived, scratch / str(place))
        for name, each in kept.items():
            _tell(report, f"{lived.name}, {name}", lived, each)
        ahead[lived.name] = 100 * (
            current_right(lived, kept[_OURS].current) - current_right(lived, kept[_LAST].current)
        )
        if (mix, noise) == _BARRED:
            report.bars += _bars(lived, kept[_OURS], ahead[lived.name])
    worst = min(ahead, key=lambda name: ahead[name])
    report.bars.append(Bar(f"points ahead of the last write, the least of all worlds ({worst})", ahead[worst], AHEAD))
    report.bars += _anchored(scratch, size.pick(80, 1_000, 10_000))
    return report


def _kept(lived: World, scratch: Path) -> dict[str, Kept]:
    """Return what everybody makes of a world, by name."""
    days = days_asked(lived, _DAYS)
    kept = {name: _ruled(lived, rule, days) for name, rule in RULES.items()}
    kept["notes with keys"] = notes(lived, scratch / "notes")
    kept[_OURS] = claims(lived, scratch / "claims", "confidence", days)
    kept["claims, by recency"] = claims(lived, scratch / "recency", "recency", days)
    return kept


def _bars(lived: World, kept: Kept, ahead: float) -> list[Bar]:
    hidden = 100 * invalidated(lived, kept.shown).wrong
    error, _ = calibration(_said(lived, kept.current))
    return [
        Bar(f"{lived.name}: points ahead of the last write", ahead, AHEAD),
        Bar(f"{lived.name}: true values hidden by what is false or late, percent", hidden, WRONG, at_most=True),
        Bar(f"{lived.name}: calibration error", error, CALIBRATED, at_most=True),
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


def _ruled(lived: World, rule: Rule, days: dict[Slot, list[float]]) -> Kept:
    kept = Kept()
    for slot, reports in lived.of_slots().items():
        kept.current[slot] = rule(reports, DAYS)
        kept.shown[slot] = {value} if (value := kept.current[slot].value) is not None else set()
        for day in days[slot]:
            kept.at[slot, day] = rule(reports, day)
    return kept


def _tell(report: Report, name: str, lived: World, kept: Kept) -> None:
    """Put everything that is measured of one way to keep a world into the report."""
    hidden = invalidated(lived, kept.shown)
    report.figures[f"{name}: current value right, percent"] = 100 * current_right(lived, kept.current)
    if kept.at:
        report.figures[f"{name}: value on a day right, percent"] = 100 * right_at(lived, kept.at)
    report.figures[f"{name}: true values hidden by what is false, percent"] = 100 * hidden.false
    report.figures[f"{name}: true values hidden by what is late, percent"] = 100 * hidden.late
    report.figures[f"{name}: true values held back, percent"] = 100 * hidden.held
    report.figures[f"{name}: nothing shown, percent"] = 100 * hidden.blank
    if kept.things:
        report.figures |= {f"{name}: {what}": value for what, value in quarantine(kept.things).items()}
    said = _said(lived, kept.current)
    if said:
        error, brier = calibration(said)
        report.figures |= {f"{name}: calibration error": error, f"{name}: Brier score": brier}


def _said(lived: World, beliefs: dict[Slot, Belief]) -> list[tuple[float, bool]]:
    return [
        (belief.confidence, belief.value == lived.truth[slot][-1].value)
        for slot, belief in beliefs.items()
        if belief.confidence is not None and belief.value is not None
    ]
