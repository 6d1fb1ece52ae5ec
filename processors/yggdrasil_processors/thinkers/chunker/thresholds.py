"""The numbers on which the chunker's decisions turn, chosen over many shapes of history with whole shapes left out."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much is enough; docs/thinkers.md says what came of other numbers."""

    meaningful: float = 3.0
    """The size of an outcome that ends an episode by itself."""
    shift: float = 0.35
    """The share of the usual likeness below which the topic has shifted."""
    scales: tuple[int, ...] = (3, 6, 9)
    """So many events at each side are compared, and the mean is taken, once as many as the last have come."""
    gap_steps: int = 6
    """How far beyond the usual a gap is telling, in steps of two for each doubling: about eight times."""
    greeting_every: int = 3
    """A greeting that comes at most so many events after another one answers it."""
    silent_ticks: int = 64
    """The events of other sessions after which a session that is silent has ended."""


DEFAULT: Final = Thresholds()
