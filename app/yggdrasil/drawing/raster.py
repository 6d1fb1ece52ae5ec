"""A map as a picture: a PNG, drawn with Matplotlib, which is the extra ``map``."""

from pathlib import Path
from typing import Any

from .world import Map

_NAMED_MAX = 80  # with more places than that, names would lie over each other
_RISKY = 0.25


def write_png(world: Map, out: Path) -> None:
    """Write the picture of a map. Raises ModuleNotFoundError without Matplotlib, and OSError."""
    from matplotlib.figure import Figure

    figure: Any = Figure(figsize=(10, 8), dpi=150, layout="constrained")  # the types of its methods are not whole
    axes = figure.add_subplot()
    cheap = min((each.cost for each in world.paths), default=1)
    if world.walk:
        axes.plot([each.x for each in world.walk], [each.z for each in world.walk], color="#d98e04", lw=7, alpha=0.4)
    for path in world.paths:
        color = "#6b7280" if path.blocked else "#c0392b" if path.risk >= _RISKY else "#2f6f8f"
        style = "--" if path.blocked else "-" if path.lit else ":"
        width = 0.8 + 3 * min(1.0, cheap / path.cost) ** 0.5
        axes.plot([path.start.x, path.end.x], [path.start.z, path.end.z], color=color, ls=style, lw=width, zorder=2)
    for sure, face in ((True, "#1f2430"), (False, "white")):
        dots = [each for each in world.places if each.sure is sure]
        at = [each.x for each in dots], [each.z for each in dots]
        axes.scatter(
            *at, s=[1.2 * world.radius(each) ** 2 for each in dots], facecolor=face, edgecolor="#1f2430", zorder=3
        )
    if len(world.places) <= _NAMED_MAX:
        for dot in world.places:
            said = (dot.name.partition(":")[2] or dot.name).replace("$", r"\$")
            axes.annotate(said, (dot.x, dot.z), (5, 4), textcoords="offset points", fontsize=7)
    if world.realm != "earth":
        axes.invert_yaxis()
    axes.set_aspect(world.stretch)
    axes.set_axis_off()
    axes.set_title(f"Map of {world.realm}: {len(world.places):,} places, {len(world.paths):,} paths", fontsize=10)
    figure.savefig(out, format="png")
