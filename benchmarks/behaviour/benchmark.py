"""Behaviour: whether a memory learns what it should, against baselines on the same stream that look at no outcome.

Five scenarios, each told by its module in ``scenarios``: whom to blame (``cause``), credit for company (``trap``), what
was good turns bad (``reversal``), what stays (``catastrophe``), how things fade (``forgetting``). Five more hold one
law each (``laws``). A figure is the mean over the seeds, with the standard deviation beside it. Curves are drawn into
``benchmarks/results/behaviour-*.png``; docs/behaviour.md says what is seen in them. ``year`` is a program of its own.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean as mean
from typing import Final

from ..measure import Bar, Report, Size, say
from . import laws, pictures
from .figures import Part, told
from .scenarios import catastrophe, cause, forgetting, reversal, trap

UNTIMED: Final = True

POOLS: Final = (5, 10, 20)
RESULTS: Final = Path(__file__).parents[1] / "results"


def run(size: Size, scratch: Path) -> Report:
    """Let every scenario happen, for several seeds; draw what was seen."""
    images = scratch if size is Size.TINY else RESULTS
    images.mkdir(exist_ok=True)
    report = Report("behaviour")
    for measure in (_cause, _trap, _reversal, _catastrophe, _forgetting):
        _add(report, measure(size, scratch, images))
    for holds in laws.parts():
        _add(report, holds(size, scratch))
    if size is not Size.TINY:
        say(f"curves: {images}/behaviour-*.png")
    return report


def _add(report: Report, part: Part) -> None:
    report.figures |= part.figures
    report.bars += part.bars


def _cause(size: Size, _scratch: Path, images: Path) -> Part:
    seeds, events = range(size.pick(1, 3, 10)), size.pick(20, 200, 200)
    pools = POOLS[: size.pick(1, 3, 3)]
    lives = {
        (form, pool): [cause.live(seed, cause.World(pool, form, events)) for seed in seeds]
        for form in cause.FORMS
        for pool in pools
    }
    figures: dict[str, float] = {}
    firsts: dict[tuple[str, str], float] = {}
    for form in cause.FORMS:
        for ranking in (*cause.GRAPH, *cause.BLIND, *cause.COUNTING):
            of_seeds = [[lives[form, pool][seed] for pool in pools] for seed in seeds]
            first = told(f"cause, {form}: first by {ranking}", [_first(found, ranking) for found in of_seeds])
            figures |= first
            firsts[form, ranking] = next(iter(first.values()))
            reciprocal = [mean([each.last(ranking).reciprocal for each in found]) for found in of_seeds]
            figures[f"cause, {form}: reciprocal rank by {ranking}"] = mean(reciprocal)
            steady = [mean([each.steady_after(ranking) for each in found]) for found in of_seeds]
            figures |= told(f"cause, {form}: first for good after outcomes, by {ranking}", steady)
    for (form, pool), found in lives.items():
        figures[f"cause, {form}, {pool} features: first by valence"] = _first(found, "valence")
        figures[f"cause, {form}, {pool} features: first by causal edge"] = _first(found, "causal edge")
    pictures.cause(images, {form: lives[form, pools[-1]] for form in cause.FORMS})
    least = partial(_least, firsts, "valence")
    worst = [figures[f"cause, {form}, {pool} features: first by valence"] for form, pool in lives]
    return Part(
        figures,
        [
            Bar("cause first by valence, share of seeds in the worst of the forms and pools", min(worst), 0.9),
            Bar("cause first by valence, more than by the best blind baseline", least(cause.BLIND), 0.5),
            Bar("cause first by valence, more than by the best that counts outcomes", least(cause.COUNTING), -0.05),
        ],
    )


def _first(found: Sequence[cause.Found], ranking: str) -> float:
    return mean([each.last(ranking).first for each in found])


def _least(firsts: dict[tuple[str, str], float], ranking: str, others: Iterable[str]) -> float:
    """Return by how much ``ranking`` is better than the best of ``others``, in the form where that is least."""
    names = list(others)
    return min(firsts[form, ranking] - max(firsts[form, other] for other in names) for form in cause.FORMS)


def _trap(size: Size, scratch: Path, images: Path) -> Part:
    seeds, recalls = range(size.pick(1, 3, 10)), size.pick(4, 40, 40)
    figures: dict[str, float] = {}
    lives: dict[str, list[trap.Found]] = {}
    for form in trap.FORMS:
        lives[form] = [trap.live(seed, form, recalls, scratch / f"trap-{form}-{seed}") for seed in seeds]
        start = recalls // 2 if form in trap.CHANGING else 0
        for ranking in (*trap.GRAPH, *trap.BLIND, *trap.SEEING):
            figures |= told(
                f"trap, {form}: useful first by {ranking}", [found.places[ranking][-1].first for found in lives[form]]
            )
        steady = [float(found.steady_after("search", start)) for found in lives[form]]
        figures |= told(f"trap, {form}: useful first for good after recalls, by search", steady)
    pictures.trap(images, lives)
    told_right = [figures[f"trap, {form}: useful first by search"] for form in ("plain", "mistaken")]
    blind = [figures[f"trap, {form}: useful first by {name}"] for form in ("plain", "mistaken") for name in trap.BLIND]
    followed = figures["trap, trusting: useful first for good after recalls, by search"]
    return Part(
        figures,
        [
            Bar("trap: useful first in the search, where a report names it", min(told_right), 0.95),
            Bar(
                "trap: useful first in the search, more than by the best blind baseline",
                min(told_right) - max(blind),
                0.5,
            ),
            Bar("trap: recalls until the search turns from what misleads (trusting)", followed, 10, True),
        ],
    )


def _reversal(size: Size, _scratch: Path, images: Path) -> Part:
    seeds, events = range(size.pick(1, 5, 10)), size.pick(20, 100, 100)
    lives = [reversal.live(seed, events) for seed in seeds]
    figures: dict[str, float] = {}
    for ranking in (*reversal.GRAPH, *reversal.BLIND, *reversal.SEEING):
        follows = [float(found.follows_after(ranking)) for found in lives]
        figures |= told(f"reversal: follows after outcomes, by {ranking}", follows)
        figures |= told(f"reversal: right when settled, by {ranking}", [found.reliable(ranking) for found in lives])
    pictures.reversal(images, lives)
    valence, running = (figures[f"reversal: follows after outcomes, by {name}"] for name in ("valence", "running mean"))
    return Part(
        figures,
        [
            Bar("reversal: outcomes until the valences follow", valence, 20, True),
            Bar(
                "reversal: that, as a share of what the running mean takes",
                valence / running,
                0.3,
                True,
            ),
            Bar("reversal: right by valence when settled", figures["reversal: right when settled, by valence"], 0.95),
        ],
    )


def _catastrophe(size: Size, scratch: Path, images: Path) -> Part:
    seeds, events = range(size.pick(1, 2, 10)), size.pick(400, 4_000, 10_000)
    lives = [catastrophe.live(seed, events, scratch / f"catastrophe-{seed}") for seed in seeds]
    keepers = ("graph", *catastrophe.BLIND)
    figures: dict[str, float] = {}
    for depth in catastrophe.DEPTHS:
        for keeper in keepers:
            survives = [found.survives(keeper, depth) for found in lives]
            figures |= told(f"catastrophe at {depth} %: survives, {keeper}", survives)
        figures |= told(f"catastrophe at {depth} %: rank by salience", [found.rank[f"{depth} %"] for found in lives])
        first = [float(found.found[f"{depth} %"]) for found in lives]
        figures |= told(f"catastrophe at {depth} %: first in the search for its feature", first)
    for value in [sign * size for size in catastrophe.SIZES for sign in (-1, 1)]:
        for keeper in keepers:
            figures |= told(f"outcome of {value:+g}: kept, {keeper}", [found.share(keeper, value) for found in lives])
        for stretch in catastrophe.STRETCHES:
            kept = [found.share("graph", value, stretch) for found in lives]
            figures |= told(f"outcome of {value:+g}, {stretch}: kept, graph", kept)
    figures |= told("events left, graph", [float(found.events_left) for found in lives])
    figures |= told("events left of the last 500, graph", [float(found.fresh) for found in lives])
    pictures.catastrophe(images, lives)
    return Part(figures, _kept_bars(figures))


def _kept_bars(figures: dict[str, float]) -> list[Bar]:
    depths = [f"catastrophe at {depth} %" for depth in catastrophe.DEPTHS]
    survive = {
        keeper: mean([figures[f"{name}: survives, {keeper}"] for name in depths])
        for keeper in ("graph", *catastrophe.BLIND)
    }
    found = min(figures[f"{name}: first in the search for its feature"] for name in depths)
    large = min(figures[f"outcome of {-value:+g}: kept, graph"] for value in catastrophe.SIZES if value >= 3)
    best = max(survive[keeper] for keeper in catastrophe.BLIND)
    return [
        Bar("catastrophes that survive", survive["graph"], 1.0),
        Bar("catastrophes that survive, more than with the best blind baseline", survive["graph"] - best, 0.3),
        Bar("catastrophes first in the search for their feature", found, 1.0),
        Bar("failures of size 3 and more that are kept", large, 0.95),
    ]


def _forgetting(size: Size, _scratch: Path, images: Path) -> Part:
    ticks = size.pick(100, 1_000, 1_000)
    faded = {kind: forgetting.live(kind, ticks) for kind in forgetting.KINDS}
    baselines = {"seed, straight": forgetting.straight(ticks), "seed, exponential": forgetting.exponential(ticks)}
    faded |= {name: forgetting.Faded(left) for name, left in baselines.items()}
    figures: dict[str, float] = {}
    for kind, left in faded.items():
        figures[f"forgetting, {kind}: salience at first"] = left.start
        figures[f"forgetting, {kind}: half-life, ticks"] = left.half_life()
        for after in (100, 300, 1_000):
            if after <= ticks:
                figures[f"forgetting, {kind}: share left after {after}"] = left.after(after)
    pictures.forgetting(images, faded)
    lives = {kind: float(left.half_life()) for kind, left in faded.items()}
    trivial = lives["trivial event"]
    return Part(
        figures,
        [
            Bar("half-life: catastrophe / trivial event", lives["catastrophe (-10)"] / trivial, 10),
            Bar("half-life: failure / success of size 3", lives["bad outcome (-3)"] / lives["good outcome (+3)"], 1.1),
            Bar("half-life: neutral outcome / trivial event", lives["neutral outcome"] / trivial, 0.7, True),
            Bar("half-life: used 20 times / trivial event", lives["used 20 times"] / trivial, 3),
        ],
    )
