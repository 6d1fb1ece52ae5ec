"""A map as a page: one file of HTML with a drawing in it, which needs no network and runs no script."""

from html import escape
from typing import Final

from yggdrasil_schemas.anchors import EARTH

from .world import Dot, Line, Map

_WIDE: Final = 1_000
_MARGIN: Final = 40
_RISKY: Final = 0.25
_NAMED_MAX: Final = 120  # with more places than that, names are shown where one points
_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1f2430; --faint: #6b7280; --ground: #fbfaf7; --water: #2f6f8f;
  --risk: #c0392b; --walk: #d98e04; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e5df; --faint: #9aa1ad; --ground: #16181d; --water: #7fb7d1;
  --risk: #ff7766; --walk: #f2b84b; } }
body { margin: 0 auto; padding: 1.5rem; max-width: 70rem; font: 16px/1.5 system-ui, sans-serif;
  background: var(--ground); color: var(--ink); }
h1 { font-size: 1.4rem; margin: 0 0 .25rem; } p { margin: 0 0 1rem; color: var(--faint); }
svg { width: 100%; height: auto; } text { fill: var(--ink); font-size: 13px; }
.path { stroke: var(--water); fill: none; } .dark { stroke-dasharray: 1 5; stroke-linecap: round; }
.blocked { stroke: var(--faint); stroke-dasharray: 8 6; } .risky { stroke: var(--risk); }
.walk { stroke: var(--walk); stroke-width: 7; opacity: .45; fill: none; stroke-linejoin: round; }
.sure { fill: var(--ink); } .candidate { fill: var(--ground); stroke: var(--ink); stroke-width: 2; }
ul { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; padding: 0; list-style: none; color: var(--faint); }
"""
_LEGEND: Final = (
    "a filled dot is sure, a ring waits to be seen again",
    "a thicker line costs less",
    "red is risky",
    "dotted is dark",
    "dashed is blocked",
    "the broad band is the last walk",
)


def page_of(world: Map) -> str:
    """Return the page of a map."""
    placed, high = _placed(world)
    cheap = min((each.cost for each in world.paths), default=1)
    named = len(world.places) <= _NAMED_MAX
    lines = "".join(_path(each, placed, cheap) for each in world.paths)
    dots = "".join(_dot(each, *placed[each.name], world.radius(each), named=named) for each in world.places)
    walk = " ".join(f"{x:.1f},{y:.1f}" for x, y in (placed[each.name] for each in world.walk))
    band = f'<polyline class="walk" points="{walk}"><title>The last walk</title></polyline>' if walk else ""
    rest = " There was no room for all places." if world.left_out else ""
    legend = "".join(f"<li>{each}</li>" for each in _LEGEND)
    title = f"Map of {escape(world.realm)}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n<p>{len(world.places):,} places, {len(world.paths):,} paths.{rest}</p>\n"
        f'<svg viewBox="0 0 {_WIDE} {high}" role="img" aria-label="{title}">\n{band}{lines}{dots}</svg>\n'
        f"<ul>{legend}</ul>\n</body>\n</html>\n"
    )


def _placed(world: Map) -> tuple[dict[str, tuple[float, float]], int]:
    """Return where each place is on the drawing, and how high that is. On the earth north is up."""
    xs, zs = [each.x for each in world.places], [each.z for each in world.places]
    left, top, broad, deep = min(xs), min(zs), max(1, max(xs) - min(xs)), max(1, max(zs) - min(zs))
    earth = world.realm == EARTH
    scale = (_WIDE - 2 * _MARGIN) / broad
    tall = scale * world.stretch
    high = min(2 * _WIDE, max(160, round(deep * tall) + 2 * _MARGIN))
    tall = (high - 2 * _MARGIN) / deep
    return {
        each.name: (
            _MARGIN + (each.x - left) * scale,
            high - _MARGIN - (each.z - top) * tall if earth else _MARGIN + (each.z - top) * tall,
        )
        for each in world.places
    }, high


def _path(line: Line, placed: dict[str, tuple[float, float]], cheap: int) -> str:
    (x, y), (to_x, to_y) = placed[line.start.name], placed[line.end.name]
    looks = (("risky", line.risk >= _RISKY), ("dark", not line.lit), ("blocked", line.blocked))
    kinds = [each for each, there in looks if there]
    width = 1 + 4 * min(1.0, cheap / line.cost) ** 0.5
    said = f"{_short(line.start)} to {_short(line.end)}: {line.cost:,}, risk {line.risk:.0%}"
    said += ", one way" if line.oneway else ""
    return (
        f'<line class="{" ".join(["path", *kinds])}" stroke-width="{width:.1f}" x1="{x:.1f}" y1="{y:.1f}" '
        f'x2="{to_x:.1f}" y2="{to_y:.1f}"><title>{escape(said)}</title></line>\n'
    )


def _dot(dot: Dot, x: float, y: float, radius: float, *, named: bool) -> str:
    types = ", ".join(each.partition(":")[2] or each for each in dot.types)
    said = f"{_short(dot)} ({types})" if types else _short(dot)
    text = f'<text x="{x + 8:.1f}" y="{y + 4:.1f}">{escape(_short(dot))}</text>' if named else ""
    kind = "sure" if dot.sure else "candidate"
    circle = f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
    return f"{circle}<title>{escape(said)}</title></circle>{text}\n"


def _short(dot: Dot) -> str:
    return dot.name.partition(":")[2] or dot.name
