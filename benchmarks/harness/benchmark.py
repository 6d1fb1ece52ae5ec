"""Steps and success over 200 tasks whose tools fail in ways that can be learnt, by what memory the agent has.

Two workflows share tools, so what one learns serves the other. Arms: no memory; plain notes with grep, with BM25, and
with BM25 and vectors; our ``get_context``; our sessions with digestion. The agent is one program, the same in all arms.
Four of the twelve kinds of task are left out while anything is tuned: the bar is theirs. docs/harness.md has the
figures; ``--world FILE --seed N`` plays a world of another hand.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from yggdrasil import Store
from yggdrasil.thinking.known import THINKERS
from yggdrasil_infra.embedders import Embedder, pair

from ..measure import Bar, Report, Size, say
from ..recall.embedding import Cached
from .agent import Account, Recollection, play
from .arms import Contexts, FusedNotes, Hindsight, Notes, Nothing, RankedNotes, Sessions
from .discovery import K, discovery
from .failures import ranks
from .reading import TASKS_MAX, WorldFileError, office, read
from .world import Task, World, drawn

UNTIMED: Final = True
_SEED: Final = 1
_BASELINE: Final = "notes and grep"
_OURS: Final = "sessions"
_FEWER: Final = 20.0
DIGESTION: Final = ("reducer", "connector", "reweaver", "verifier", "archivist")
_DIGESTED_EVERY: Final = 10  # tasks
_FIRST: Final = "failures: the recovery that works comes first after ten tries"
_PLACE: Final = "failures: its place"
_CHANCE: Final = 0.2

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
    """Play so many draws of the world, or of that in the file ``world``: a quick one, with 100 tasks, or three."""
    try:
        given = office() if world is None else read(world)
    except WorldFileError as error:
        raise SystemExit(f"harness: {error}") from None
    given = replace(given, tasks=min(given.tasks, size.pick(12, 100, TASKS_MAX)))
    report, counted = Report("harness"), {name: Counted() for name in ARMS}
    with closing(pair()) as pairs:
        model = Cached(pairs)
        for place in range(seed, seed + size.pick(1, 1, 3)):
            tasks = drawn(given, place)
            for name, arm in ARMS.items():
                folder = scratch / f"{name.replace(' ', '-')}-{place}"
                folder.mkdir(parents=True)
                counted[name].accounts += arm(tasks, given, folder, model)
                say(f"  draw {place}, {name}: {counted[name].steps(_every):.2f} steps by now")
        _tell(report, given, counted)
        _compare(report, counted)
        _beside(report, size, scratch, model, seed)
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


def _sessions(tasks: Sequence[Task], world: World, folder: Path, model: Embedder) -> list[Account]:
    """Each task is a session, and what sessions left is digested after every tenth."""
    digest = [name for name in DIGESTION if name in THINKERS]
    accounts: list[Account] = []
    with Store.open(folder / "store", embedder=model, partitions=1) as store:
        memory = Sessions(store.memory("harness/sessions"))
        for number, task in enumerate(tasks, 1):
            accounts.append(play(task, world.tools, memory))
            if digest and number % _DIGESTED_EVERY == 0:
                store.think(digest)
    return accounts


ARMS: Final[dict[str, Arm]] = {
    "no memory": _noted(lambda folder, model: Nothing()),
    _BASELINE: _noted(lambda folder, model: Notes(folder / "notes.txt")),
    "notes and BM25": _noted(lambda folder, model: RankedNotes(folder / "notes.txt")),
    "notes, BM25 and vectors": _noted(lambda folder, model: FusedNotes(folder / "notes.txt", model)),
    "get_context": _contexts,
    _OURS: _sessions,
    "hindsight": _noted(lambda folder, model: Hindsight()),
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


def _compare(report: Report, counted: Mapping[str, Counted]) -> None:
    """Tell by how many percent sessions take fewer steps than notes and grep, and hold it to the bar."""
    for which, of in {"": _every, " on kinds left out": _left_out}.items():
        base = counted[_BASELINE].steps(of)
        for name in ("get_context", _OURS, "hindsight"):
            fewer = 100 * (1 - counted[name].steps(of) / base) if base else 0.0
            report.figures[f"{name}: fewer steps than {_BASELINE}{which}, percent"] = fewer
            if name == _OURS and which and base:
                report.bars.append(Bar(f"{name}: fewer steps than {_BASELINE}{which}, percent", fewer, _FEWER))


def _beside(report: Report, size: Size, scratch: Path, model: Embedder, seed: int) -> None:
    """Tell what is found over two hops, and where the recovery that works stands."""
    with Store.open(scratch / "beside", embedder=model, partitions=1) as store:
        connector = [name for name in ("connector",) if name in THINKERS]
        for which, thinkers in {"without": [], "with": connector}.items():
            if which == "with" and not thinkers:
                continue
            for way, share in discovery(store, size.pick(4, 20, 80), seed, thinkers).items():
                report.figures[f"discovery, {which} the connector, {way}: found at {K}, percent"] = share
        for how, chance in {"": 0.0, " where one try in five misleads": _CHANCE}.items():
            memories = [store.memory(f"failures/{n}-{chance}") for n in range(size.pick(2, 8, 40))]
            places = [ranks(memory, seed + n, chance) for n, memory in enumerate(memories)]
            report.figures[f"{_PLACE}{how}: before, mean"] = sum(p[0] for p in places) / len(places)
            report.figures[f"{_PLACE}{how}: after ten tries, mean"] = sum(p[-1] for p in places) / len(places)
            first = 100 * sum(p[-1] == 1 for p in places) / len(places)
            report.figures[f"{_FIRST}{how}, percent"] = first
            if not chance:
                report.bars.append(Bar(f"{_FIRST}, percent", first, 100.0))
