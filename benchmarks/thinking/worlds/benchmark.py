"""Worlds: whether reflection lets an agent that asks its memory for similar cases choose better in the long run.

Seven worlds (``world``), lived in by a policy that asks a real memory, with and without the reflector, and by three
that keep what they lived in simpler ways (``agents``). What happens by chance is the same for all of one seed. A figure
is the mean over the seeds: *right*, the share of right choices in all episodes, so that it counts how soon they come,
and in the last quarter of them, without what is tried at random; *reward* is what an episode paid. Curves are drawn
into ``benchmarks/results/worlds.png``; docs/thinkers.md says what is seen in them.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean
from typing import Final

from ...measure import Bar, Report, Size, say
from . import pictures
from .living import AGENTS, MEMORIES, OTHERS, REFLECTING, Lived, live
from .world import WORLDS

UNTIMED: Final = True

_QUICK: Final = ("delayed cost", "umbrella", "nothing")
_LONG: Final = tuple(world for world in WORLDS if world not in ("plain", "nothing"))
_RESULTS: Final = Path(__file__).parents[2] / "results"
Lives = dict[tuple[str, str], list[Lived]]


def run(size: Size, scratch: Path) -> Report:
    """Let all agents live in all worlds; draw what they learned."""
    worlds = tuple(WORLDS) if size is Size.FULL else _QUICK
    agents = AGENTS if size is Size.FULL else ("order", "order, reflecting", *OTHERS)
    seeds, episodes = size.pick(1, 1, 2), size.pick(4, 96, 128)
    lives = _lives(worlds, agents, range(seeds), episodes, scratch)
    report = Report("worlds")
    for (world, agent), lived in lives.items():
        if world != "nothing":
            report.figures[f"{world}: right, {agent}"] = _right(lived)
            report.figures[f"{world}: right in the last quarter, {agent}"] = fmean(each.late() for each in lived)
        report.figures[f"{world}: reward, {agent}"] = fmean(fmean(each.rewards) for each in lived)
        if agent in REFLECTING:
            report.figures[f"{world}: adjustments, {agent}"] = fmean(each.adjusted for each in lived)
    report.bars += _bars(lives, worlds, agents)
    if size is Size.FULL:
        pictures.worlds(_RESULTS, lives)
        say(f"curves: {_RESULTS}/worlds.png")
    return report


def _lives(worlds: Sequence[str], agents: Sequence[str], seeds: range, episodes: int, scratch: Path) -> Lives:
    """Return the lives by world and agent, lived in as many processes as there are cores, but at most two."""
    asked = [(world, agent, seed) for world in worlds for agent in agents for seed in seeds]
    lives: Lives = {}
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), get_context("spawn")) as pool:
        lived = [pool.submit(live, *each, episodes, scratch) for each in asked]
        for (world, agent, _), done in zip(asked, lived, strict=True):
            lives.setdefault((world, agent), []).append(done.result())
    return lives


def _right(lived: Sequence[Lived]) -> float:
    return fmean(fmean(each.right) for each in lived)


def _bars(lives: Lives, worlds: Sequence[str], agents: Sequence[str]) -> list[Bar]:
    """Return that reflection gains where there is something to find, and costs nothing where there is not."""
    bars: list[Bar] = []
    for by in (by for by in MEMORIES if f"{by}, reflecting" in agents):
        gains = {
            world: _right(lives[world, f"{by}, reflecting"]) - _right(lives[world, by])
            for world in worlds
            if world != "nothing"
        }
        far = [gain for world, gain in gains.items() if world in _LONG]
        bars.append(Bar(f"reflection's gain in right choices, mean of the long worlds, {by}", fmean(far), 0.1))
        bars.append(
            Bar(f"reflection's gain in right choices, the least of all worlds, {by}", min(gains.values()), -0.05)
        )
        idle = fmean(each.adjusted for each in lives["nothing", f"{by}, reflecting"])
        bars.append(Bar(f"adjustments where there is nothing to find, {by}", idle, 0, True))
    return bars
