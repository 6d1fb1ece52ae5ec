"""Curves of behaviour as PNG: what the figures say at the end, over the whole course."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from .scenarios import catastrophe as kept
from .scenarios import cause as blame
from .scenarios import forgetting as fading
from .scenarios import reversal as turning
from .scenarios import trap as company

# The palette of Okabe and Ito, which the colour-blind tell apart; the graph's own in strong colours, the rest lighter.
_GRAPH: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000")
_OTHERS: Final = ("#E69F00", "#56B4E9", "#999999", "#882255", "#7F5FA8", "#A0522D", "#66A61E")
_DPI: Final = 90
_COLOURS: Final = 255


def cause(folder: Path, lives: Mapping[str, Sequence[blame.Found]]) -> None:
    """Draw for each form in how many seeds the cause is first, outcome by outcome."""
    figure = Figure(figsize=(11, 7.2))
    panels: Any = figure.subplots(2, 2, sharex=True, sharey=True)
    for axes, (form, found) in zip(panels.flat, lives.items(), strict=True):
        for ranking, style in _styles(blame.GRAPH, (*blame.BLIND, *blame.COUNTING)).items():
            share = np.mean([[at.first for at in each.places[ranking]] for each in found], axis=0)
            axes.plot(np.arange(1, len(share) + 1), _smooth(share), label=ranking, **style)
        axes.set_title(f"{form}", fontsize=10)
    _label(panels, "events", "share of seeds with the cause first")
    _save(
        figure, folder, "cause", "Who is to blame: 1 cause among 20 features (mean of the last 10 events)", panels[0][0]
    )


def trap(folder: Path, lives: Mapping[str, Sequence[company.Found]]) -> None:
    """Draw for each form in how many seeds the useful memory is first, recall by recall."""
    figure = Figure(figsize=(12, 3.9))
    panels: Any = figure.subplots(1, len(lives), sharey=True)
    for axes, (form, found) in zip(panels.flat, lives.items(), strict=True):
        for ranking, style in _styles(company.GRAPH, (*company.BLIND, *company.SEEING)).items():
            share = np.mean([[at.first for at in each.places[ranking]] for each in found], axis=0)
            axes.plot(np.arange(1, len(share) + 1), share, label=ranking, **style)
        axes.set_title(form, fontsize=10)
        if form in company.CHANGING:
            axes.axvline(len(found[0].places["search"]) / 2 + 0.5, color="#bbbbbb", linewidth=0.8)
    _label(panels, "recalls", "share of seeds with the useful one first")
    _save(figure, folder, "trap", "Credit for company: 1 useful memory, 4 always returned with it", panels[0])


def reversal(folder: Path, lives: Sequence[turning.Found]) -> None:
    """Draw what is believed of A and B, mean and spread over the seeds, and how often the order is right."""
    figure = Figure(figsize=(11, 7.2))
    panels: Any = figure.subplots(2, 2, sharex=True)
    turn = lives[0].turn
    for axes, what in zip(panels.flat[:3], ("valence", "impact", "permanence"), strict=True):
        for name, colour in (("A", _GRAPH[0]), ("B", _GRAPH[1])):
            _band(axes, np.array([each.values[f"{what} of {name}"] for each in lives]), f"{what} of {name}", colour)
            if what == "valence":
                running = np.array([each.values[f"running mean of {name}"] for each in lives])
                axes.plot(running.mean(axis=0), color=colour, linestyle=":", label=f"running mean of {name}")
        axes.set_title(what, fontsize=10)
        axes.legend(fontsize=7, frameon=False)
    for ranking, style in _styles(turning.GRAPH, (*turning.BLIND, *turning.SEEING)).items():
        share = np.mean([each.right[ranking] for each in lives], axis=0)
        panels[1][1].plot(_smooth(share), label=ranking, **style)
    panels[1][1].set_title("share of seeds with the right order (mean of the last 10 outcomes)", fontsize=10)
    panels[1][1].set_ylim(-0.05, 1.35)
    panels[1][1].legend(fontsize=7, frameon=False, loc="upper center", ncols=4)
    for axes in panels.flat:
        axes.axvline(turn, color="#bbbbbb", linewidth=0.8)
    _label(panels, "outcomes", "")
    _save(figure, folder, "reversal", f"A is good and B is bad for {turn} outcomes, then the other way round")


def catastrophe(folder: Path, lives: Sequence[kept.Found]) -> None:
    """Draw what is kept by size, and how the salience of catastrophes fades among 10,000 events."""
    figure = Figure(figsize=(11, 4.2))
    panels: Any = figure.subplots(1, 2)
    values = [-10.0, *(-size for size in reversed(kept.SIZES)), *kept.SIZES]
    keepers = ("graph", *kept.BLIND)
    for turn, (keeper, colour) in enumerate(zip(keepers, (_GRAPH[0], *_OTHERS), strict=False)):
        shares = [_kept(lives, keeper, value) for value in values]
        panels[0].bar(np.arange(len(values)) + 0.2 * turn - 0.3, shares, 0.2, label=keeper, color=colour)
    panels[0].set_xticks(range(len(values)), [f"{value:+g}" for value in values])
    panels[0].set_xlabel("outcome (-10: catastrophes)")
    panels[0].set_ylabel("share that is still there at the end")
    panels[0].legend(fontsize=8, frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    names = {f"{depth} %": f"catastrophe after {depth} %" for depth in kept.DEPTHS} | {"median": "median of all events"}
    for (key, name), colour in zip(names.items(), (*_GRAPH[:3], _OTHERS[2]), strict=True):
        curve = np.mean([each.curves[key] for each in lives], axis=0)
        length = max(len(each.curves["median"]) for each in lives)
        panels[1].plot(np.arange(length - len(curve), length) * 100, np.maximum(curve, 1e-3), label=name, color=colour)
    panels[1].set_yscale("log")
    panels[1].set_xlabel("events")
    panels[1].set_ylabel("salience (below 0.001: drawn at 0.001)")
    panels[1].legend(fontsize=7, frameon=False)
    _save(figure, folder, "catastrophe", "What stays in 500 nodes")


def _kept(lives: Sequence[kept.Found], keeper: str, value: float) -> float:
    """Return the share of what was planted with ``value``, or of the catastrophes, that a keeper has at the end."""
    if value > -10:
        return fmean(each.share(keeper, value) for each in lives)
    return fmean(each.survives(keeper, depth) for each in lives for depth in kept.DEPTHS)


def forgetting(folder: Path, faded: Mapping[str, fading.Faded]) -> None:
    """Draw the salience that is left, and its share of the start."""
    figure = Figure(figsize=(12, 5))
    panels: Any = figure.subplots(1, 2)
    colours = (*_GRAPH, *_OTHERS)
    for turn, (kind, left) in enumerate(faded.items()):
        style: dict[str, Any] = {"color": colours[turn % len(colours)], "linewidth": 1.5}
        if kind.startswith("seed"):
            style |= {"color": "#000000", "linestyle": ":" if "straight" in kind else "--", "linewidth": 1.0}
        curve = np.array(left.left)
        panels[0].plot(np.maximum(curve, 1e-3), label=kind, **style)
        panels[1].plot(curve / left.start, label=kind, **style)
    panels[0].set_yscale("log")
    panels[0].set_ylabel("salience (below 0.001: drawn at 0.001)")
    panels[1].set_ylabel("share of the salience at first")
    for axes in panels:
        axes.set_xlabel("events since")
    _save(figure, folder, "forgetting", "How things fade", panels[0])


def _styles(graph: Sequence[str], others: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return how each ranking is drawn: the graph's own whole, its first above all, the baselines thin and dashed."""
    strong: dict[str, dict[str, Any]] = {
        name: {"color": colour, "linewidth": 1.6} for name, colour in zip(graph, _GRAPH, strict=False)
    }
    strong[graph[0]] |= {"linewidth": 2.8, "zorder": 3}
    light = {
        name: {"color": colour, "linewidth": 1.2, "linestyle": ("--", ":", "-.")[turn % 3]}
        for turn, (name, colour) in enumerate(zip(others, _OTHERS, strict=False))
    }
    return strong | light


def _smooth(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean of each value and the nine before it, of as many as there are."""
    sums = np.cumsum(np.insert(values, 0, 0.0))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - 10, 0)
    smooth: npt.NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
    return smooth


def _band(axes: Axes, curves: npt.NDArray[np.float64], label: str, colour: str) -> None:
    """Draw the mean of some curves, and one standard deviation to both sides."""
    middle, spread = curves.mean(axis=0), curves.std(axis=0)
    axes.plot(middle, color=colour, linewidth=2.0, label=label)
    axes.fill_between(np.arange(len(middle)), middle - spread, middle + spread, color=colour, alpha=0.15, linewidth=0)


def _label(panels: Any, below: str, beside: str) -> None:
    grid = np.atleast_2d(panels)
    for axes in grid[-1]:
        axes.set_xlabel(below)
    for axes in grid[:, 0]:
        axes.set_ylabel(beside)


def _save(figure: Figure, folder: Path, name: str, title: str, legend_of: Axes | None = None) -> None:
    """Write the picture; one legend below it when ``legend_of`` stands for all panels."""
    for axes in figure.axes:
        axes.grid(color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    figure.suptitle(title, fontsize=12)
    rows = 0.0
    if legend_of is not None:
        handles, labels = legend_of.get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=7, fontsize=8, frameon=False)
        rows = 0.5 / figure.get_figheight()
    figure.tight_layout(rect=(0, rows, 1, 1))
    drawn = BytesIO()
    figure.savefig(drawn, dpi=_DPI)
    # A palette takes a third of the bytes of full colours; curves on white have few.
    Image.open(drawn).convert("RGB").quantize(_COLOURS).save(folder / f"behaviour-{name}.png", optimize=True)
