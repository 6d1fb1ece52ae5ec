"""What it costs to have a memory and use it now and then, part by part."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ..measure import Report, Size
from . import commands

PARTS: Final[tuple[Callable[[Report, Size, Path], None], ...]] = (commands.measure,)
"""What is measured, in this order: each adds figures and bars to the report, and has a folder of its own to work in."""


def run(size: Size, scratch: Path) -> Report:
    """Measure every part."""
    report = Report("everyday")
    for part in PARTS:
        folder = scratch / part.__module__.rpartition(".")[2]
        folder.mkdir()
        part(report, size, folder)
    return report
