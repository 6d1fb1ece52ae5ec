"""Five scenarios that each hold one law: late outcomes, what misleads, concepts from noise, attention, a strong past.

They have no baselines: what they show is a promise of docs/laws.md, kept in every seed or broken. Figures are means
over the seeds, as elsewhere; a bar looks at the worst of them where it says so.
"""

from collections.abc import Callable
from pathlib import Path
from statistics import fmean as mean
from typing import Final

from ..measure import Bar, Size
from .figures import Part, told
from .scenarios import attention, late, misled, noise, past

_FAILURES: Final = 8


def parts() -> list[Callable[[Size, Path], Part]]:
    """Return what measures each of the five, given a size and a folder for stores."""
    return [_late, _misled, _noise, _attention, _past]


def _late(size: Size, _scratch: Path) -> Part:
    seeds, events = range(size.pick(1, 1, 10)), size.pick(60, 600, 5_000)
    figures: dict[str, float] = {}
    for delay in late.DELAYS:
        lives = [late.live(seed, delay, events) for seed in seeds]
        name = f"outcomes {delay} events late"
        figures |= told(f"{name}: land on all features of the event", [mean(found.landed) for found in lives])
        figures |= told(f"{name}: land on the cause", [mean(found.learned) for found in lives])
        figures |= told(f"{name}: cause first by valence", [found.first for found in lives])
        for who in (late.CAUSE, late.COMPANION):
            figures |= told(f"{name}: valence of the {who}", [found.valence[who] for found in lives])
    land = min(figures[f"outcomes {delay} events late: land on all features of the event"] for delay in late.DELAYS)
    first = min(figures[f"outcomes {delay} events late: cause first by valence"] for delay in late.DELAYS)
    return Part(
        figures,
        [
            Bar("late outcomes: land on all features of their event, at the worst delay", land, 1.0),
            Bar("late outcomes: cause first by valence, share of seeds at the worst delay", first, 1.0),
        ],
    )


def _misled(size: Size, scratch: Path) -> Part:
    seeds, failures = range(size.pick(1, 1, 10)), size.pick(3, _FAILURES, _FAILURES)
    figures: dict[str, float] = {}
    for form in misled.FORMS:
        stores = scratch / f"misled-{form.replace(' ', '-')}"
        lives = {
            below: [misled.live(seed, form, failures, stores / f"{seed}-{below}", below=below) for seed in seeds]
            for below in (True, False)
        }
        figures |= told(f"misled, {form}: rises by a failure", [float(found.rose) for found in lives[True]])
        sunk = [float(found.sunk_after) for found in lives[False]]
        figures |= told(f"misled, {form}: failures until below its equal", sunk)
    rise = max(figures[f"misled, {form}: rises by a failure"] for form in misled.FORMS)
    sunk_after = max(figures[f"misled, {form}: failures until below its equal"] for form in misled.FORMS)
    return Part(
        figures,
        [
            Bar("misled: share that rises above its equal by a failure, in the worst form", rise, 0.0, True),
            Bar("misled: failures until it is below its equal, in the worst form", sunk_after, 3, True),
        ],
    )


def _noise(size: Size, _scratch: Path) -> Part:
    seeds, sessions = range(size.pick(1, 1, 10)), size.pick(10, noise.SESSIONS, noise.SESSIONS)
    figures: dict[str, float] = {}
    lives = {form: [noise.live(seed, form, sessions) for seed in seeds] for form in (*noise.NOISE, *noise.THEMES)}
    for form, found in lives.items():
        figures |= told(f"noise, {form}: concepts of 40 features", [float(len(each.noise)) for each in found])
    most = max(len(each.noise) for found in lives.values() for each in found)
    for form in noise.THEMES:
        figures |= told(f"{form}: found, of most features", [each.themes_found for each in lives[form]])
        figures |= told(f"{form}: features that are concepts", [each.theme_features for each in lives[form]])
        figures |= told(f"{form}: features of the one that is only used", [each.used_theme for each in lives[form]])
    return Part(
        figures,
        [
            Bar("concepts from noise, most in any form and seed", float(most), 0.0, True),
            Bar(
                "planted themes that become concepts, in the long form",
                figures["themes, long: found, of most features"],
                0.9,
            ),
        ],
    )


def _attention(size: Size, _scratch: Path) -> Part:
    seeds = range(size.pick(1, 3, 10))
    figures: dict[str, float] = {}
    kept: list[float] = []
    fades: list[float] = []
    for value in attention.VALUES:
        lives = [attention.live(seed, value) for seed in seeds]
        name = f"half-life after an outcome of {value:+g}"
        figures |= told(name, [found.judged for found in lives])
        figures |= told(f"{name}, then 8 neutral", [found.judged_then_neutral for found in lives])
        kept += [found.judged_then_neutral / found.judged for found in lives]
        fades += [found.unjudged_then_neutral / found.unjudged for found in lives]
        figures |= told("half-life after 8 neutral outcomes alone", [found.unjudged_then_neutral for found in lives])
    return Part(
        figures,
        [
            Bar("half-life after an outcome and 8 neutral ones / after it alone, the least", min(kept), 0.95),
            Bar("half-life after 8 neutral outcomes alone / never judged, the greatest", max(fades), 0.5, True),
        ],
    )


def _past(size: Size, scratch: Path) -> Part:
    lives = [past.live(seed, scratch / f"past-{seed}") for seed in range(size.pick(1, 1, 10))]
    figures = told("strong past: failures until the memory is behind its rival", [float(it.sunk_after) for it in lives])
    figures |= told(
        "strong past: contradictions at which permanence rises", [it.rises / it.contradictions for it in lives]
    )
    for name in lives[0].values:
        figures |= told(f"strong past: {name} in the end", [found.values[name] for found in lives])
    follow = [all(found.values[name] < 0 for name in past.FOLLOWING) for found in lives]
    rises = max(found.rises for found in lives)
    return Part(
        figures,
        [
            Bar("strong past: share of seeds in which what is read of all three is below 0", mean(follow), 1.0),
            Bar(
                "strong past: failures until the memory is behind its rival, the most",
                max(it.sunk_after for it in lives),
                8,
                True,
            ),
            Bar("strong past: contradictions at which a permanence rises, the most", rises, 0, True),
        ],
    )
