"""What it costs to have a memory and use it now and then, part by part.

What processes cost that wait (``idle``) is a part where it runs at length; `python -m benchmarks idle` is that alone.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from .. import idle
from ..measure import Report, Size
from . import commands, resting


def _idle(report: Report, size: Size, folder: Path) -> None:
    """Add what processes cost while nothing happens, where there is time for it: it starts a broker."""
    if size is Size.FULL:
        found = idle.run(size, folder)
        report.figures |= found.figures
        report.bars += found.bars


PARTS: Final[tuple[Callable[[Report, Size, Path], None], ...]] = (commands.measure, resting.measure, _idle)
"""What is measured, in this order: each adds figures and bars to the report, and has a folder of its own to work in."""


def run(size: Size, scratch: Path) -> Report:
    """Measure every part."""
    report = Report("everyday")
    for number, part in enumerate(PARTS):
        folder = scratch / f"{number}"
        folder.mkdir()
        part(report, size, folder)
    return report
