"""Curves of the worlds as PNG: how often each agent would choose right, episode by episode."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from PIL import Image

from .living import Lived

# The palette of Okabe and Ito, as for behaviour: strong and whole with reflection, dashed without, thin for the others.
_STYLES: Final[dict[str, dict[str, Any]]] = {
    "order": {"color": "#56B4E9", "linewidth": 1.6, "linestyle": "--"},
    "order, reflecting": {"color": "#0072B2", "linewidth": 2.6, "zorder": 3},
    "lasting": {"color": "#E69F00", "linewidth": 1.6, "linestyle": "--"},
    "lasting, reflecting": {"color": "#D55E00", "linewidth": 2.6, "zorder": 3},
    "recency": {"color": "#999999", "linewidth": 1.2, "linestyle": ":"},
    "frequency": {"color": "#882255", "linewidth": 1.2, "linestyle": ":"},
    "Q-learning": {"color": "#009E73", "linewidth": 1.2, "linestyle": "-."},
}
_DPI: Final = 90
_COLOURS: Final = 255
_SMOOTH: Final = 16


def worlds(folder: Path, lives: Mapping[tuple[str, str], Sequence[Lived]]) -> None:
    """Draw a panel for each world in which something is right."""
    names = [world for world in dict.fromkeys(world for world, _ in lives) if world != "nothing"]
    figure = Figure(figsize=(12, 6.6))
    panels: Any = figure.subplots(2, 3, sharex=True, sharey=True)
    for axes, world in zip(panels.flat, names, strict=False):
        for agent, style in _STYLES.items():
            if (world, agent) in lives:
                curve = np.mean([each.right for each in lives[world, agent]], axis=0)
                axes.plot(np.arange(1, len(curve) + 1), _smooth(curve), label=agent, **style)
        axes.set_title(world, fontsize=10)
        axes.set_ylim(-0.05, 1.05)
        axes.grid(color="#eeeeee", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    for axes in panels[-1]:
        axes.set_xlabel("episodes")
    for axes in panels[:, 0]:
        axes.set_ylabel("share of right choices")
    figure.suptitle(f"Worlds whose ends come late (mean of the last {_SMOOTH} episodes)", fontsize=12)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=7, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    drawn = BytesIO()
    figure.savefig(drawn, dpi=_DPI)
    folder.mkdir(exist_ok=True)
    Image.open(drawn).convert("RGB").quantize(_COLOURS).save(folder / "worlds.png", optimize=True)


def _smooth(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean of each value and those before it, of as many as there are."""
    sums = np.cumsum(np.insert(values, 0, 0.0))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - _SMOOTH, 0)
    smooth: npt.NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
    return smooth
