"""Curves of refusal as a PNG: how many of the others' questions are refused, for how many of one's own."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from yggdrasil_schemas.policy import Policy

_DPI: Final = 90
_COLOURS: Final = 255
_OWN_MAX: Final = 0.3  # nobody would give up more of the answers
# The palette of Okabe and Ito, which the colour-blind tell apart.
_KINDS: Final = (
    ("foreign", "#0072B2", "another's questions"),
    ("foreign_renamed", "#D55E00", "another's, with the names of this memory"),
    ("unanswerable", "#009E73", "unanswerable (category 5)"),
)


def draw(path: Path, found: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
    """Draw for each way of searching what confidence refuses, and what the gap refuses; dots are the defaults."""
    figure = Figure(figsize=(10, 7.6))
    panels: Any = figure.subplots(2, 2, sharex=True, sharey=True)
    policy = Policy()
    for row, (way, asked) in zip(panels, found.items(), strict=True):
        for axes, signal, threshold in zip(
            row, ("confidence", "gap"), (policy.search_refusal, policy.search_gap), strict=True
        ):
            for kind, colour, label in _KINDS:
                _curve(axes, asked, kind, signal, threshold, (colour, label))
            axes.plot((0, 1), (0, 1), color="#bbbbbb", linewidth=0.8)
            axes.set_title(f"{way.replace('_', ' ')}: refused by {signal}", fontsize=10)
            axes.set_xlim(0, _OWN_MAX)
            axes.set_ylim(0, 1)
            axes.grid(color="#eeeeee", linewidth=0.6)
            axes.spines[["top", "right"]].set_visible(False)
    for axes in panels[-1]:
        axes.set_xlabel("share of own questions refused (wrong)")
    for axes in panels[:, 0]:
        axes.set_ylabel("share of the others refused (right)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=3, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    drawn = BytesIO()
    figure.savefig(drawn, dpi=_DPI)
    Image.open(drawn).convert("RGB").quantize(_COLOURS).save(path, optimize=True)  # a third of the bytes


def _curve(
    axes: Axes, asked: Mapping[str, Sequence[Any]], kind: str, signal: str, threshold: float, style: tuple[str, str]
) -> None:
    own = np.array([getattr(each, signal) for each in asked["own"]])
    others = np.array([getattr(each, signal) for each in asked[kind]])
    at = np.unique(np.concatenate((own, others, [np.inf])))
    if signal == "gap":
        at = at[at <= 0.0]  # a gap of nothing says that nobody is named
    wrong = np.searchsorted(np.sort(own), at) / len(own)
    right = np.searchsorted(np.sort(others), at) / len(others)
    axes.plot(wrong, right, linewidth=1.8, color=style[0], label=style[1])
    axes.plot((own < threshold).mean(), (others < threshold).mean(), "o", color=style[0])
