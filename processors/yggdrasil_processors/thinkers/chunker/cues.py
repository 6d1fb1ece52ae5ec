"""What may say that an episode ended before an event: a goal, the clock, a greeting; each as far as it is telling.

A cue that comes at many places says nothing about any of them. So each is counted in the memory itself, and one that
comes too often is not heeded: a goal that changes with each event, a greeting in each line, an outcome for each step.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import isqrt
from typing import Final

from .state import GAP_STEPS, ChunkerState
from .thresholds import Thresholds

GOALS: Final = ("goal:", "task:")
_HALVED_AT: Final = 128.0
_SELDOM: Final = 1 / 3
_SLACK: Final = 4.0
_STEADY_TOLD: Final = 1.5
_GAPS_MIN: Final = 8
_GAPS_HALVED_AT: Final = 1_024
_GAP_FLOOR_MS: Final = 1_000


def goal_of(features: Sequence[str]) -> str:
    """Return the first feature that names a goal or a task, empty for none."""
    return next((feature for feature in features if feature.startswith(GOALS)), "")


def another_place(state: ChunkerState) -> None:
    """Count a place before an event; what is long ago counts half as much, and half of that again."""
    if state.places >= _HALVED_AT:
        state.places /= 2
        state.told = {cue: told / 2 for cue, told in state.told.items()}
    state.places += 1


def heeded(state: ChunkerState, cue: str) -> bool:
    """Count that a cue is there; return whether it is worth heeding: there at no more than a third of the places."""
    told = state.told[cue] = state.told.get(cue, 0.0) + 1
    return told <= _SELDOM * state.places + _SLACK


def told_lately(state: ChunkerState, *cues: str) -> bool:
    """Return whether one of the cues has told where episodes end in this memory, again and again and not long ago."""
    return any(_STEADY_TOLD <= state.told.get(cue, 0.0) <= _SELDOM * state.places for cue in cues)


def telling_gap(state: ChunkerState, by: Thresholds) -> tuple[int, int] | None:
    """Return from how many ms on a gap is telling, and up to how many three quarters are; None while that is unknown.

    It is telling when it is far beyond what three quarters of the gaps of this memory are: about eight times, and by at
    least twice the distance (in doublings) between its quartiles. Where all gaps are alike none is, and where they are
    spread widely, as those between commits, hardly any.
    """
    up_to = list(accumulate(state.gaps))
    if up_to[-1] < _GAPS_MIN:
        return None
    lower, upper = max(_FLOOR, _quantile(up_to, 1)), max(_FLOOR, _quantile(up_to, 3))
    least = upper + max(by.gap_steps, 2 * (upper - lower))
    return isqrt((1 << (least - 1)) - 1) + 1, round(2 ** (upper / 2))


def count_gap(state: ChunkerState, gap_ms: int) -> None:
    """Count a gap between two events of a session."""
    if sum(state.gaps) >= _GAPS_HALVED_AT:
        state.gaps = [each // 2 for each in state.gaps]
    state.gaps[_step(gap_ms)] += 1


def _step(gap_ms: int) -> int:
    gap_ms = max(0, gap_ms)
    return min((gap_ms * gap_ms).bit_length(), GAP_STEPS - 1)


def _quantile(up_to: list[int], quarters: int) -> int:
    """Return the step at or below which so many quarters of the gaps are; ``up_to`` says how many are up to each."""
    return min(bisect_left(up_to, (up_to[-1] * quarters + 3) // 4), GAP_STEPS - 1)


_FLOOR: Final = _step(_GAP_FLOOR_MS)
