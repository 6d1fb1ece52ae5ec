"""Rates: what is left of a strength after so many tasks, by level of consolidation, beside the seed's table.

A task is ten events with a sleep after them. A memory whose half-life is ``HALF_LIFE_TICKS`` fades at level 0 by the
seed's 0.995 a task (003, section 3.6); the higher levels follow, since each lengthens the half-life by a factor.
"""

from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from typing import Final

from yggdrasil_schemas.policy import DEFAULT

from ..behaviour.life import Life, Stored

TASK_EVENTS: Final = 10
RATES: Final = (0.995, 0.997, 0.998, 0.999, 0.9995, 0.9998)
"""What a strength is multiplied by with each task, by level (003, section 3.6)."""
TASKS: Final = (10, 100, 1_000)
HALF_LIFE_TICKS: Final = TASK_EVENTS * log(2) / -log(RATES[0])
"""1,382.8 ticks: after ten of them 0.995 is left."""
POLICY: Final[Mapping[str, float]] = {
    "node_half_life_ticks": HALF_LIFE_TICKS,
    "half_life_per_density": 0.0,
    "half_life_per_permanence": 0.0,
    "use_half_life": 1.0,
    "competitors_max": 0,
}
"""A memory that fades by the seed's rates: the half-life, and nothing else that lengthens or lowers a strength."""


def rates(
    scratch: Path, tasks: Sequence[int] = TASKS, policy: Mapping[str, float] = POLICY, seed: int = 1
) -> dict[str, float]:
    """Return by level and number of tasks what share of a strength is left, over what the seed's table says: 1.

    ``scratch`` is a folder that is not there yet; ``tasks`` ascend. One memory has an event for each level, which is
    used until the level is reached. It lives through the tasks, with other events, and sleeps after each of them.
    """
    with Stored(scratch) as store:
        life = Life(seed, store, policy)
        used = [life.event(["used"]) for _ in RATES]
        for event, (times, _) in zip(used[1:], DEFAULT.consolidation, strict=True):
            for _ in range(times):
                life.use(life.recall([event.id]), [event.id], success=True)
        life.tell("sleep", {"scope": "task"})
        begun = [life.salience(event.number) for event in used]
        found: dict[str, float] = {}
        lived = 0
        for at in tasks:
            for _ in range(at - lived):
                for _ in range(TASK_EVENTS):
                    life.event(["other"])
                life.tell("sleep", {"scope": "task"})
            lived = at
            for level, (event, before, rate) in enumerate(zip(used, begun, RATES, strict=True)):
                left = life.salience(event.number) / before
                found[f"level {level}, left after {at:,} tasks / by the seed's rate"] = left / rate**at
    return found
