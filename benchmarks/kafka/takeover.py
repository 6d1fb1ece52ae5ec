"""How soon partitions are folded again after the worker that had them was killed: by another, and by itself.

Each time runs from the kill until a record that was appended after it is folded in every partition of the worker that
was killed.
"""

from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from threading import Event as Flag
from time import monotonic
from typing import Final, Self

from yggdrasil_infra.kafka_log.log import KafkaLog

from .children import Child, ChildError
from .runs import worker
from .topic import PROFILE, Filled

_DEADLINE_S: Final = 120.0
_LOOK_S: Final = 0.002
_NEVER: Final = Flag()


def figures(filled: Filled, scratch: Path, session_timeout_s: float, *, group_restart: bool) -> dict[str, float]:
    """Kill a worker with fixed partitions and start it at once; then one of two in a group, which is not started again.

    With ``group_restart`` one in the group is then killed and started at once. A worker that is started again has its
    stores. A survivor has none of what it takes over, and no checkpoint: it folds from the log's first record on.
    """
    found: dict[str, float] = {"kill_session_timeout_s": session_timeout_s}
    fixed = ("--group", "fixed", "--partitions", "0-7")
    member = ("--group", "takeover", "--session-timeout-s", session_timeout_s)
    with _Fleet(filled, scratch) as group, _Fleet(filled, scratch) as alone:
        victim, _ = group.start("one", *member), group.start("other", *member)  # they settle while the first is killed
        killed = alone.kill(alone.start("fixed", *fixed), lambda: len(alone.owners) == 8)
        alone.start("fixed", *fixed)
        waited, again = alone.folded_again(*killed)
        found["kill_restarted_with_fixed_partitions_s"] = again
        found["kill_restarted_with_fixed_partitions_until_opening_s"] = waited
        killed = group.kill(victim, group.shared)
        found["kill_records_per_partition"] = filled.records / len(filled.ends)
        waited, again = group.folded_again(*killed)
        found["kill_taken_over_s"] = again
        found["kill_taken_over_until_opening_s"] = waited
        found["kill_taken_over_opening_and_folding_s"] = again - waited
        if group_restart:
            killed = group.kill(group.start("one", *member), group.shared)
            group.start("one", *member)
            _, found["kill_restarted_in_the_group_s"] = group.folded_again(*killed)
    return found


class _Fleet:
    """Workers on one topic, and who has folded how much of what; a context manager that ends them."""

    def __init__(self, filled: Filled, scratch: Path) -> None:
        self.owners: dict[int, Child] = {}
        self._filled = filled
        self._scratch = scratch
        self._workers: list[Child] = []
        self._positions: dict[int, int] = {}
        self._openings: dict[int, float] = {}
        self._folds: dict[int, float] = {}
        self._stack = ExitStack()
        self._log = self._stack.enter_context(KafkaLog(filled.settings, filled.name, PROFILE))

    def start(self, name: str, *more: object) -> Child:
        """Start a worker in the directory ``name``."""
        one = self._stack.enter_context(worker(self._filled, self._scratch / name, *more))
        one.go()
        self._workers.append(one)
        return one

    def kill(self, victim: Child, ready: Callable[[], bool]) -> tuple[float, set[int]]:
        """Kill it once ``ready`` and nothing is left to fold; return when, and which partitions it had."""
        self._until(lambda: ready() and self._at_end(self.owners))
        lost = {partition for partition, owner in self.owners.items() if owner is victim}
        at = victim.kill()
        self._workers.remove(victim)
        for partition in lost:
            del self.owners[partition]
        return at, lost

    def folded_again(self, killed_at: float, lost: set[int]) -> tuple[float, float]:
        """Return the seconds until one of ``lost`` began to be opened, and until all have folded one more record."""
        self._filled.one_each(self._log)
        self._until(lambda: lost <= self.owners.keys() and self._at_end(lost))
        waited = min(self._openings[partition] for partition in lost) - killed_at
        return waited, max(self._folds[partition] for partition in lost) - killed_at

    def shared(self) -> bool:
        """Whether all partitions are owned, by each worker as many."""
        shares = {sum(owner is one for owner in self.owners.values()) for one in self._workers}
        return len(self.owners) == len(self._filled.ends) and len(shares) == 1

    def _at_end(self, partitions: Collection[int]) -> bool:
        """Whether nothing of ``partitions`` is left to fold."""
        return all(self._positions[partition] >= self._filled.ends[partition] for partition in partitions)

    def _until(self, happened: Callable[[], bool]) -> None:
        """Listen until ``happened``. Raises ChildError."""
        deadline = monotonic() + _DEADLINE_S
        while not happened():
            if monotonic() > deadline:
                raise ChildError(f"the workers have not come so far within {_DEADLINE_S:g} s")
            _NEVER.wait(_LOOK_S)
            for one in self._workers:
                self._listen(one)

    def _listen(self, one: Child) -> None:
        for event in one.heard():
            partition = event.get("partition", -1)
            # Workers are heard one after the other: what another has opened since is told before, and still holds.
            if event["what"] == "opened" and event["start"] > self._openings.get(partition, 0.0):
                self.owners[partition] = one
                self._openings[partition] = event["start"]
            if self.owners.get(partition) is one:
                self._positions[partition] = event["position"]
                self._folds[partition] = event["end"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._workers:
            one.stop()
        self._stack.close()
