"""A world of cells, walked through by an agent that sees little of it: does its memory know what is where, and the way?

Figures are of what the agent has seen: its book holds exactly that (``agent``), and ``asking`` says what is asked.
Baselines: the last 32 places seen, nearest as the crow flies (dictionary), and the words of a question
(``get_context``). *Map* says how often the answer is what a perfect map says. ``halls`` and ``warehouse`` were left
out while anything was chosen; the latter is by another writer. *Crowded* is the first world again, in a memory that has
room for half of its nodes. ``--world FILE --seed N`` plays another; docs/places.md has figures.
"""

from pathlib import Path
from statistics import mean
from typing import Final

from yggdrasil import Memory

from ..measure import Bar, Report, Size, say
from .agent import Agent
from .asking import Asking
from .warehouse import warehouse
from .world import GENERATORS, Grid, made, read

UNTIMED: Final = True
_SEED: Final = 1
_WAREHOUSE: Final = "warehouse"
_SESSIONS: Final = 4  # that may be open where there is room for few nodes
_BARS: Final = (
    ("nearest of a type, right first, %", "nearest, %", 95.0, False),
    ("promoted after one glance", "promoted after one glance", 0.0, True),
    ("facts over several claims, F1 in %", "facts, F1 %", 90.0, False),
    ("all facts, with what is stale, F1 in %", "facts with what is stale, F1 %", 90.0, False),
    ("answers that use what has perished, or is closed", "answers that use stale edges", 0.0, True),
    ("cost of a way beside the least over known paths", "way, x least", 1.15, True),
    ("reads of the same that agree, %", "answers that agree, %", 100.0, False),
)


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = _SEED) -> Report:
    """Play a world of each generator, or that in the file ``world``, in so many draws."""
    report = Report("grid")
    kinds = (*GENERATORS, _WAREHOUSE) if world is None else (world.stem,)
    for kind in kinds:
        played: list[dict[str, float]] = []
        for draw in range(seed, seed + size.pick(1, 1, 3)):
            played.append(play(_grid(kind, draw, size, world), scratch / f"{kind}-{draw}", draw, size))
        figures = {name: mean(each[name] for each in played) for name in played[0]}
        _told(report, kind, figures)
        report.bars += [
            Bar(f"{kind}: {what}", figures[name], bar, at_most=at_most) for what, name, bar, at_most in _BARS
        ]
        if kind == kinds[0]:
            half = max(_SESSIONS * 10, int(played[0]["nodes"]) // 2)
            crowded = play(_grid(kind, seed, size, world), scratch / "crowded", seed, size, nodes_max=half)
            _told(report, f"{kind}, crowded", crowded)
    return report


def _told(report: Report, kind: str, figures: dict[str, float]) -> None:
    say(f"  {kind}: " + ", ".join(f"{name} {value:.2f}" for name, value in figures.items()))
    report.figures |= {f"{kind}: {name}": value for name, value in figures.items()}


def play(grid: Grid, folder: Path, seed: int, size: Size, *, nodes_max: int | None = None) -> dict[str, float]:
    """Let an agent live in a world, then ask its memory, which may have room for so many nodes; return the figures."""
    folder.mkdir(parents=True)
    with Memory.open(folder / "memory", "bench/grid", embedder="off", partitions=1) as memory:
        if nodes_max is not None:
            memory.set_policy(nodes_max=nodes_max, sessions_open_max=_SESSIONS)
        agent = Agent(grid, memory, seed)
        agent.live(size.pick(300, 1_200, 6_000))
        figures = Asking(agent, seed).figures(size.pick(40, 80, 200))
        return figures | {"places": len(agent.book.types), "paths": len(agent.book.ticks)}


def _grid(kind: str, draw: int, size: Size, world: Path | None) -> Grid:
    if world is not None:
        return read(world)
    cells = size.pick(32, 40, 64)
    return warehouse(draw, cells) if kind == _WAREHOUSE else made(kind, draw, cells)
