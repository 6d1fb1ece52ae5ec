"""Steps and success over 200 tasks whose tools fail in ways that can be learnt, by what memory the agent has.

Two workflows share tools, so what one learns serves the other. Arms: no memory; plain notes with grep, with BM25, and
with BM25 and vectors; our ``get_context``; our sessions with digestion. The agent is one program, the same in all arms.
Four of the twelve kinds of task are left out while anything is tuned: the bar is theirs. docs/harness.md has the
figures; ``--world FILE --seed N`` plays a world of another hand.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from yggdrasil import Store
from yggdrasil_infra.embedders import Embedder, pair

from ..measure import Report, Size, say
from ..recall.embedding import Cached
from .agent import Account, Recollection, play
from .arms import Contexts, FusedNotes, Notes, Nothing, RankedNotes
from .reading import TASKS_MAX, WorldFileError, office, read
from .world import Task, World, drawn

UNTIMED: Final = True
_SEED: Final = 1
_BASELINE: Final = "notes and grep"

Arm = Callable[[Sequence[Task], World, Path, Embedder], list[Account]]
"""Does the tasks one after the other, with a memory that it makes in a folder."""


@dataclass(slots=True)
class Counted:
    """The accounts of one arm, of all worlds that were played."""

    accounts: list[Account] = field(default_factory=list[Account])

    def steps(self, of: Callable[[Account], bool]) -> float:
        """Return the mean steps of a task, of those that ``of`` admits."""
        some = [each.steps for each in self.accounts if of(each)]
        return sum(some) / max(1, len(some))

    def success(self, of: Callable[[Account], bool]) -> float:
        """Return how many percent of the tasks that ``of`` admits were done."""
        some = [each.done for each in self.accounts if of(each)]
        return 100 * sum(some) / max(1, len(some))


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = _SEED) -> Report:
    """Play so many draws of the world, or of that in the file ``world``; a bad file ends it."""
    try:
        given = office() if world is None else read(world)
    except WorldFileError as error:
        raise SystemExit(f"harness: {error}") from None
    report, counted = Report("harness"), {name: Counted() for name in ARMS}
    with closing(pair()) as pairs:
        model = Cached(pairs)
        for place in range(seed, seed + size.pick(1, 1, 5)):
            tasks = drawn(given, place)[: size.pick(12, TASKS_MAX, TASKS_MAX)]
            for name, arm in ARMS.items():
                folder = scratch / f"{name.replace(' ', '-')}-{place}"
                folder.mkdir(parents=True)
                counted[name].accounts += arm(tasks, given, folder, model)
                say(f"  draw {place}, {name}: {counted[name].steps(_every):.2f} steps by now")
    _tell(report, given, counted)
    return report


def _every(account: Account) -> bool:
    return True


def _left_out(account: Account) -> bool:
    return account.task.kind.left_out


def _noted(made: Callable[[Path, Embedder], Recollection]) -> Arm:
    def arm(tasks: Sequence[Task], world: World, folder: Path, model: Embedder) -> list[Account]:
        memory = made(folder, model)
        return [play(task, world.tools, memory) for task in tasks]

    return arm


def _contexts(tasks: Sequence[Task], world: World, folder: Path, model: Embedder) -> list[Account]:
    with Store.open(folder / "store", embedder=model, partitions=1) as store:
        memory = Contexts(store.memory("harness/contexts"))
        return [play(task, world.tools, memory) for task in tasks]


ARMS: Final[dict[str, Arm]] = {
    "no memory": _noted(lambda folder, model: Nothing()),
    _BASELINE: _noted(lambda folder, model: Notes(folder / "notes.txt")),
    "notes and BM25": _noted(lambda folder, model: RankedNotes(folder / "notes.txt")),
    "notes, BM25 and vectors": _noted(lambda folder, model: FusedNotes(folder / "notes.txt", model)),
    "get_context": _contexts,
}


def _tell(report: Report, world: World, counted: Mapping[str, Counted]) -> None:
    """Tell steps, success and tokens of each arm: of all tasks, of the kinds left out, and of each workflow."""
    kinds = {"": _every, ", left out": _left_out}
    for workflow in dict.fromkeys(kind.workflow for kind in world.kinds):
        kinds[f", {workflow}"] = partial(_of, workflow)
    for name, found in counted.items():
        for which, of in kinds.items():
            report.figures[f"{name}{which}: steps of a task, mean"] = found.steps(of)
            report.figures[f"{name}{which}: success, percent"] = found.success(of)
        tokens = [each.tokens for each in found.accounts]
        report.figures[f"{name}: tokens shown in a task, mean"] = sum(tokens) / max(1, len(tokens))


def _of(workflow: str, account: Account) -> bool:
    return account.task.kind.workflow == workflow
