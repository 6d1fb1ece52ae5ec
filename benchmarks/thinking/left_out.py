"""``python -m benchmarks.thinking.left_out --data ... --documents ... --repository ...``: thresholds from other shapes.

Each family of shapes is measured with those thresholds of a grid that are best, by the mean F1, on all other families.
Then what single thresholds do, and what is left of conversations without the greetings. Some minutes.
"""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Final

from yggdrasil_processors.thinkers.chunker import Chunker
from yggdrasil_processors.thinkers.chunker.thresholds import DEFAULT, Thresholds

from ..measure import Size
from .scores import agreement
from .segmentation import streams
from .stream import Stream, decided, starts_of

GRID: Final = [
    replace(DEFAULT, scales=scales, shift=shift)
    for scales, shift in product(((4, 8), (3, 6, 9), (4, 7, 10), (6, 10)), (0.25, 0.35, 0.45))
]
ALONE: Final = {
    **{f"gap_steps {steps}": replace(DEFAULT, gap_steps=steps) for steps in (4, 8, 12)},
    **{f"silent_ticks {ticks}": replace(DEFAULT, silent_ticks=ticks) for ticks in (32, 128)},
    **{f"greeting_every {every}": replace(DEFAULT, greeting_every=every) for every in (2, 5)},
    "no greetings": replace(DEFAULT, greeting_every=10**9),
    **{f"meaningful {size:g}": replace(DEFAULT, meaningful=size) for size in (1.0, 2.0, 5.0)},
    "no outcomes": replace(DEFAULT, meaningful=11.0),
}
_FAMILIES: Final = {
    "locomo_times": "locomo", "locomo_blind": "locomo", "git": "git", "git_unjudged": "git", "howto": "manuals",
    "faq": "manuals", "notes": "notes", "interleaved": "notes", "tasks": "tasks", "outcomes": "tasks",
}  # fmt: skip


def f1(found: Iterable[Stream], thresholds: Thresholds) -> dict[str, float]:
    """Return the mean F1 of each shape in percent."""
    by_shape: dict[str, list[float]] = {}
    for stream in found:
        places = stream.places()
        starts = starts_of(stream, decided(stream, Chunker(thresholds)))
        agreed = agreement([places[each] for each in stream.starts], [places[each] for each in starts], places.values())
        by_shape.setdefault(stream.name, []).append(agreed.f1)
    return {shape: mean(each) for shape, each in by_shape.items()}


def left_out(measured: dict[Thresholds, dict[str, float]], shape: str) -> tuple[Thresholds, float]:
    """Return the thresholds that are best on all families but that of a shape, and its F1 with them."""
    family = _FAMILIES.get(shape, shape)
    others = sorted({other for other in measured[DEFAULT] if _FAMILIES.get(other, other) != family})
    best = max(measured, key=lambda each: mean(measured[each][other] for other in others))
    return best, measured[best][shape]


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "documents", "repository"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    given = parser.parse_args()
    found = list(streams(Size.FULL, given.data, given.documents, given.repository))
    measured = {thresholds: f1(found, thresholds) for thresholds in GRID}
    own = measured[DEFAULT]
    means = sorted(mean(each.values()) for each in measured.values())
    print(f"mean F1 on all shapes: {mean(own.values()):.1f} as it is; {means[0]:.1f} to {means[-1]:.1f} over the grid")
    for shape in own:
        best, reached = left_out(measured, shape)
        print(f"{shape:<14} {own[shape]:6.1f} left out {reached:6.1f}  (scales {best.scales}, shift {best.shift})")
    for name, thresholds in ALONE.items():
        shapes = f1(found, thresholds)
        differ = " ".join(f"{shape} {each:.1f}" for shape, each in shapes.items() if abs(each - own[shape]) >= 0.1)
        print(f"{name}: mean {mean(shapes.values()):.1f}; {differ or 'the same'}")


if __name__ == "__main__":
    main()
