"""Two specialists who share one memory: do their answers part, and is each served better than by one view for both?

Arms: one memory that is asked alike for both, and the same memory asked by agents with a role. After each task what was
needed of the answer is reported as used, as use detection would. Scores are of the last quarter of the tasks: nDCG at
10. Rank-biased overlap (Webber, Moffat and Zobel, 2010; p = 0.9) says how alike the answers of both to the same
questions are. Where there is nothing to learn from who asks (``alike``, ``asked``), nothing may be lost. A quick run
plays two kinds of world of half the size. ``--world FILE --seed N`` plays another; docs/perspectives.md has figures.
"""

from collections.abc import Sequence
from math import log2
from pathlib import Path
from statistics import mean
from typing import Any, Final

from yggdrasil import Memory

from ..measure import Bar, Report, Size, say
from .world import KINDS, NOTHING_TO_LEARN, ROLES, Task, World, made, read

UNTIMED: Final = True
_SEED: Final = 1
_K: Final = 10
_P: Final = 0.9
_COMPARED: Final = 40  # questions that both ask at the end
_PART: Final = 0.7
_AHEAD: Final = 5.0
_LOST: Final = -0.5


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = _SEED) -> Report:
    """Play each kind of world, or that in the file ``world``, in so many draws."""
    report = Report("specialists")
    kinds = KINDS if size is Size.FULL else ("facets", "asked")
    for kind in kinds if world is None else (world.stem,):
        played: list[dict[str, float]] = []
        for draw in range(seed, seed + size.pick(1, 1, 2)):
            given = (
                made(kind, draw, events=size.pick(200, 1_000, 2_000), tasks=size.pick(40, 120, 600))
                if world is None
                else read(world)
            )
            folder = scratch / f"{kind}-{draw}"
            folder.mkdir(parents=True)
            played.append(play(given, folder))
        figures = {name: mean(each[name] for each in played) for name in played[0]}
        say("  " + ", ".join(f"{name} {value:.2f}" for name, value in figures.items()))
        report.figures |= {f"{kind}: {name}": value for name, value in figures.items()}
        _hold(report, kind, figures)
        if world is not None:
            break
    return report


def _hold(report: Report, kind: str, figures: dict[str, float]) -> None:
    for role in ROLES:
        gain = figures[f"{role}, nDCG with roles"] - figures[f"{role}, nDCG blind"]
        if kind in NOTHING_TO_LEARN:
            report.bars.append(Bar(f"{kind}: {role} loses nothing, points of nDCG", gain, _LOST))
        else:
            report.bars.append(Bar(f"{kind}: {role} beats the blind memory, points of nDCG", gain, _AHEAD))
    if kind not in NOTHING_TO_LEARN:
        report.bars.append(Bar(f"{kind}: rank-biased overlap", figures["overlap with roles"], _PART, at_most=True))


def play(world: World, folder: Path) -> dict[str, float]:
    """Return the figures of one world, of both arms."""
    figures: dict[str, float] = {}
    for arm in ("blind", "with roles"):
        with Memory.open(folder / arm.replace(" ", "-"), "bench/specialists", embedder="off", partitions=1) as memory:
            events = memory.record_many([{"text": each.text, "features": each.features} for each in world.events])
            for role, perspectives in world.roles.items():
                memory.define(role=role, perspectives=perspectives)
            seen = {role: memory if arm == "blind" else memory.as_agent(role) for role in ROLES}
            scores: dict[str, list[float]] = {role: [] for role in ROLES}
            for number, task in enumerate(world.tasks):
                score = _do(seen[task.role], task, events)
                if number >= 0.75 * len(world.tasks):
                    scores[task.role].append(score)
            figures |= {f"{role}, nDCG {arm}": 100 * mean(scores[role]) for role in ROLES}
            figures[f"overlap {arm}"] = mean(_overlap(world, seen))
    return figures


def _do(memory: Memory[Any], task: Task, events: Sequence[str]) -> float:
    """Do a task: ask, report what was needed of the answer, and return how good that was."""
    context = memory.get_context(task.question, k=_K)
    needed = {events[each] for each in task.needs}
    used = [each.memory.ref for each in context.found if each.memory.ref in needed]
    if context.recall_id is not None:
        memory.report_use(context, used, result="success" if used else "unknown")
    return ndcg([each.memory.ref in needed for each in context.found], len(needed))


def _overlap(world: World, seen: dict[str, Memory[Any]]) -> list[float]:
    questions = list(dict.fromkeys(task.question for task in world.tasks))[:_COMPARED]
    asked = (
        [[each.memory.ref for each in seen[role].get_context(question, k=_K, record=False).found] for role in ROLES]
        for question in questions
    )
    return [overlap(one, other) for one, other in asked]


def ndcg(found: Sequence[bool], needed: int) -> float:
    """Return the normalised discounted cumulative gain at 10, in [0, 1] (Jarvelin and Kekalainen, 2002)."""
    gained = sum(hit / log2(place + 2) for place, hit in enumerate(found[:_K]))
    return gained / sum(1 / log2(place + 2) for place in range(min(needed, _K)))


def overlap(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the rank-biased overlap of two lists, extrapolated from where they end, in [0, 1]."""
    depth = min(len(one), len(other))
    if not depth:
        return float(not one and not other)
    shared = [len(set(one[:at]) & set(other[:at])) / at for at in range(1, depth + 1)]
    return (1 - _P) * sum(_P**at * each for at, each in enumerate(shared)) + shared[-1] * _P**depth
