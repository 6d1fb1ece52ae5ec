"""Lifelong: one memory that lives through 200,000 events and more, with the usual thinkers, beside one without them.

Both take in the same, stretch by stretch in turns; the one thinks after each stretch, and of the other the fold alone
is timed. Measured is whether bounds hold, whether what was planted at the beginning and in the middle is still found,
whether a command costs the same at the end as when the bounds were reached, and how fast thinkers take in what the fold
has taken, from reading it to the fold's answer to their decisions, as a share of the fold's own speed.
"""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean, median
from typing import Final

from ...measure import Bar, Report, Size, gc_of_hosts, say
from .life import Fact, Life
from .living import Living

KEEP_UP: Final = 0.5
"""How fast thinkers are at least, as a share of the fold's speed."""
_FLAT: Final = 1.5
_FULL: Final = 0.95  # of nodes_max, to which pruning goes back
_BEHIND: Final = -0.05
_MATTERED: Final = ("judged", "used")
_TOLD_EVERY: Final = 5
_USES: Final = 20


def run(size: Size, scratch: Path) -> Report:
    """Let two memories live; a quick life is of 10,000 events, and in memories of 2,000 nodes."""
    events = size.pick(400, 10_000, 200_000)
    nodes_max = size.pick(250, 2_000, 0) or None
    stretch = size.pick(200, 2_000, 5_000)
    life = Life(events, facts=size.pick(2, 10, 20))
    report = Report("lifelong")
    with (
        gc_of_hosts(),
        Living(scratch / "thinking", thinks=True, nodes_max=nodes_max) as thinking,
        Living(scratch / "plain", thinks=False, nodes_max=nodes_max) as plain,
    ):
        commands = _live(report, life, stretch, (thinking, plain), expected=events + events // 8)
        thinking.rest()
        _tell_recalled(report, "at the end", life.early + life.middle, thinking, plain)
        _tell_bounds(report, thinking, events)
        _tell_speed(report, thinking, plain, commands)
    return report


def _live(report: Report, life: Life, stretch: int, both: Sequence[Living], expected: int) -> list[int]:
    """Live, and return how many commands each stretch had. ``expected`` is about how many there will be."""
    commands: list[int] = []
    drafts = life.drafts()
    asked = False
    used = full = 0
    fullest: dict[str, float] = {}
    while taken := list(islice(drafts, stretch)):
        for living in both if len(commands) % 2 else both[::-1]:
            living.live(taken)
        commands.append(len(taken))
        told = sum(commands)
        if told * _USES // expected > used:
            used = told * _USES // expected
            for living in both:
                living.use([fact for fact in life.early + life.middle if fact.kind == "used"])
        if not asked and told >= expected // 10:
            asked = True
            _tell_recalled(report, "after a tenth", life.early, *both)
        now = both[0].fullness()
        fullest = {name: max(share, fullest.get(name, 0.0)) for name, share in now.items()}
        if not full and now["nodes"] >= _FULL:
            full = len(commands)
        if len(commands) % _TOLD_EVERY == 0:
            say(f"  {told:,} commands, {now['nodes']:.0%} of the nodes, {sum(both[0].decided.values()):,} decisions")
    report.figures["commands"] = sum(commands)
    report.figures["commands_until_full"] = sum(commands[:full])
    report.figures |= {f"{name}_most, share of the bound": share for name, share in fullest.items()}
    report.bars += [Bar(f"{name}, the most of the bound", share, 1.0, True) for name, share in fullest.items()]
    _tell_flat(report, both[0], commands, full)
    return commands


def _tell_recalled(report: Report, when: str, facts: Sequence[Fact], thinking: Living, plain: Living) -> None:
    """Add what share of the facts is found, by what became of them."""
    shares: dict[str, list[float]] = {"thinking": [], "plain": []}
    for kind in ("said", *_MATTERED):
        of_kind = [fact for fact in facts if fact.kind == kind]
        for name, living in (("thinking", thinking), ("plain", plain)):
            share = fmean(living.finds(fact) for fact in of_kind) if of_kind else 0.0
            report.figures[f"found {when}, {kind}, {name}"] = share
            if kind in _MATTERED:
                shares[name].append(share)
    mattered = {name: fmean(each) for name, each in shares.items()}
    report.bars.append(Bar(f"facts that mattered, found {when}", mattered["thinking"], 0.9))
    gained = mattered["thinking"] - mattered["plain"]
    report.bars.append(Bar(f"facts that mattered, found {when}, more than without thinkers", gained, _BEHIND))


def _tell_flat(report: Report, living: Living, commands: Sequence[int], full: int) -> None:
    """Add whether what a command costs stays the same, from where the bounds were reached to the end."""
    tenth = max(1, (len(commands) - full) // 10)
    first, last = slice(full, full + tenth), slice(-tenth - 1, -1)  # the last stretch of all may be short
    for name, spent in (("take in", living.spent.telling), ("think about", living.spent.thinking)):
        costs = [sum(spent[part]) / sum(commands[part]) * 1e6 for part in (first, last)]
        report.figures[f"us_to_{name.replace(' ', '_')}_a_command, first tenth when full"] = costs[0]
        report.figures[f"us_to_{name.replace(' ', '_')}_a_command, last tenth"] = costs[1]
        report.bars.append(
            Bar(f"time to {name} a command, last tenth / first when full", costs[1] / costs[0], _FLAT, True)
        )
    report.figures["ms_for_a_question, median of the last tenth"] = median(living.spent.asking[last]) * 1e3


def _tell_bounds(report: Report, living: Living, events: int) -> None:
    report.figures["index_mb"] = living.index_bytes / (1 << 20)
    report.figures["thinkers_kept_mb, the most on the disk"] = living.thoughts_bytes / (1 << 20)
    for thinker, decided in living.decided.items():
        report.figures[f"decisions_for_1000_events, {thinker}"] = decided / events * 1_000


def _tell_speed(report: Report, thinking: Living, plain: Living, commands: Sequence[int]) -> None:
    """Add how fast thinkers are beside the fold, over the whole life."""
    told = sum(commands)
    folding, thought = sum(plain.spent.telling), sum(thinking.spent.thinking)
    report.figures["commands_per_s, the fold alone"] = told / folding
    report.figures["commands_per_s, the usual thinkers"] = told / thought
    report.figures["us_a_command, the fold alone"] = folding / told * 1e6
    report.figures["us_a_command, the usual thinkers"] = thought / told * 1e6
    report.bars.append(Bar("commands a second, the usual thinkers / the fold alone", folding / thought, KEEP_UP))
