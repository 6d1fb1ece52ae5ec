"""Whether a learned scorer is worth adopting: where strength and recency matter together, and where they do not.

*Made worlds*, whose rule is known, with a third of the topics left out; *real recalls* of the shapes, and of LoCoMo and
realtalk where ``--data`` has them, with whole sets left out; reporters who name everything; good memories that nobody
has seen; and the same answers by the compiled laws and by those of the checkout. docs/scorer.md has the figures.
"""

import os
import subprocess
import sys
from pathlib import Path
from statistics import mean
from typing import Any, Final

import orjson

from ..measure import Bar, Report, Size, say
from . import lying, made, real
from .recalls import Recall, tells
from .worlds import worlds

UNTIMED: Final = True

AHEAD: Final = 5.0
"""Points of nDCG at ten, where strength and recency matter together."""
LOST: Final = 3.0
"""Points, at most, to a reporter who names everything in two of five reports."""
BEHIND: Final = -0.5
"""Points, anywhere else."""
TELLING: Final = 50
"""Recalls that tell of an order: of a set with fewer, each of which moves the mean by points, the figures are given."""
_ROOT: Final = Path(__file__).parent.parent.parent


def run(
    size: Size, scratch: Path, data: Path | None = None, world: Path | None = None, seed: int | None = None
) -> Report:
    """Measure all of it; ``data`` names a folder of sets, ``world`` a file of made worlds, ``seed`` what is drawn."""
    report = Report("scorer", {"seed": seed or 1})
    _made(report, size, scratch, world, seed or 1)
    _real(report, size, data)
    _lying(report, size, seed or 1)
    if size is not Size.TINY:
        _twins(report)
    return report


def _made(report: Report, size: Size, scratch: Path, path: Path | None, seed: int) -> None:
    seeds = range(seed, seed + size.pick(1, 1, 5))
    for one in worlds(path, size.pick(3, 30, 72)):
        if size is Size.QUICK and path is None and one.rule == "product":
            continue
        say(f"  world {one.name}: {one.topics} topics of {one.notes} notes, by the rule {one.rule}")
        found = [made.figures(one, each, scratch / f"{one.name}-{each}") for each in seeds]
        names = {name for each in found for name in each}
        figures = {name: mean(each[name] for each in found if name in each) for name in sorted(names)}
        report.figures |= {f"{one.name}_{name}": value for name, value in figures.items()}
        ahead = figures["network"] - figures["linear"]
        least = AHEAD if one.rule == "together" else BEHIND
        report.bars.append(Bar(f"world {one.name}: nDCG at 10 of the network over the linear form", ahead, least))
        if one.rule == "noise":
            report.bars.append(Bar(f"world {one.name}: proposals of a trainer", figures["proposed"], 0.0, at_most=True))


def _real(report: Report, size: Size, data: Path | None) -> None:
    recalls: dict[str, list[Recall]] = {}
    for name, found in real.shapes(size.pick(1, 4, 100_000)):
        recalls.setdefault(name, []).extend(found)
    for name, found in real.talks(data, size.pick(5, 40, 400)) if data else ():
        recalls.setdefault(name, []).extend(found)
    telling = {name: sum(map(tells, found)) for name, found in recalls.items()}
    apart: list[tuple[int, float, float]] = []
    for name, served, linear, network in real.left_out(recalls):
        if not telling[name]:
            continue
        report.figures |= {f"{name}_recalls": telling[name], f"{name}_served": served}
        report.figures |= {f"{name}_linear": linear, f"{name}_network": network}
        apart.append((telling[name], network - linear, network - served))
        if telling[name] >= TELLING:
            what = f"{name}, left out: nDCG at 10 of the network over the linear form"
            report.bars.append(Bar(what, network - linear, BEHIND))
    recalls_all = sum(count for count, _, _ in apart)
    if recalls_all:
        behind, over = (sum(each[0] * each[at] for each in apart) / recalls_all for at in (1, 2))
        report.bars.append(Bar("all left out: nDCG at 10 of the network over the linear form", behind, BEHIND))
        report.figures["left_out_network_over_served"] = over
    for name, judged in real.in_time(recalls):
        report.figures |= {
            f"{name}_own_proposed": float(judged.better),
            f"{name}_own_first_served": 100.0 * judged.served_first,
            f"{name}_own_first_network": 100.0 * judged.first,
        }


def _lying(report: Report, size: Size, seed: int) -> None:
    count = size.pick(20, 40, 200)
    found = lying.poisoned(seed, count)
    report.figures |= {f"poisoned_{name}": value for name, value in found.items()}
    report.bars.append(Bar("weight of a reporter who names everything", found["weight"], 0.2, at_most=True))
    lost = found["true"] - found["weighed"]
    report.bars.append(Bar("nDCG at 10 lost to a reporter who names everything", lost, LOST, at_most=True))
    begun, stays = lying.loop(seed, count, by_chance=False)
    _, recovers = lying.loop(seed, count, by_chance=True)
    report.figures |= {"unseen_rank_before": begun, "unseen_rank_fixed": stays, "unseen_rank_by_chance": recovers}
    report.bars.append(Bar("rank of good unseen memories, with chance selection", recovers, 10.0, at_most=True))


def _twins(report: Report) -> None:
    """Compare what two processes make of the same commands: one as this one is, one of the checkout."""
    here = _told(dict(os.environ))
    there = _told({name: value for name, value in os.environ.items() if name != "PYTHONPATH"})
    report.figures["forms_of_the_laws"] = len({here.pop("laws"), there.pop("laws")})
    report.bars.append(Bar("answers by a scorer that are the same in both forms", float(here == there), 1.0))
    report.bars.append(Bar("a scorer changes answers", float(here["moved"]), 1.0))


def _told(variables: dict[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.scoring.twins"]
    done = subprocess.run(command, cwd=_ROOT, env=variables, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = orjson.loads(done.stdout.splitlines()[-1])
    return found
