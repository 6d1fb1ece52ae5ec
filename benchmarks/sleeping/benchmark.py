"""Sleeping: whether strength fades by the seed's rates, what is put away, and whether a cue brings it back.

*Rates* are those of the seed's table (see rates). *Deep recall*: facts are said, then thousands of other events happen,
with the sleeper at work, until what was said is archived; each fact is asked for by its own question, by a usual ask
and by a deep one, and once more after that. *A usual life* is shorter than what the archive waits for, and the usual
thinkers are at work: of the same facts it is counted how many a usual ask still finds, without the sleeper, with the
default policy, and with an archive that does not ask how long a thing was let alone, with and without permanence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from yggdrasil import Event, Memory, Store
from yggdrasil.thinking.known import USUAL
from yggdrasil_processors.thinkers.sleeper import TASK_EVENTS
from yggdrasil_schemas.policy import DEFAULT

from ..measure import Bar, Report, Size, say
from .rates import RATES, TASKS, rates
from .world import World, WorldFileError, drawn, read

UNTIMED: Final = True
_FACTS: Final = 40
_NEAR: Final = 0.01
"""How far a strength may be from the seed's table."""
_CUED: Final = 0.9
_AMONG: Final = 10
"""A fact has to be among so many memories of an answer."""
_SESSION_EVENTS: Final = 30
_PAGE: Final = 500
_KINDS: Final = ("said", "judged", "used")
"""What becomes of facts, in turns: nothing, an outcome of -1, five uses."""
_BARE: Final[Mapping[str, float]] = {"archive_rest_ticks": 0}
_NOT_LASTING: Final[Mapping[str, float]] = {"archive_rest_ticks": 0, "archive_permanence": 1e6}
_OTHERS: Final = [name for name in USUAL if name != "sleeper"]
_OPEN: Final = 8
"""Sessions that may be open: what is in the buffer of one is not archived."""
_QUICKLY: Final = 600
"""Events after which what is archived at once is archived: about twice as many as its salience takes."""


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = 1) -> Report:
    """Measure all three, in a world that is drawn by the seed, or in that of a file."""
    try:
        given = drawn(seed, size.pick(6, 24, _FACTS)) if world is None else read(world)
    except WorldFileError as error:
        raise SystemExit(f"sleeping: {error}") from None
    report = Report("sleeping")
    tell_rates(report, rates(scratch / "rates", TASKS[: size.pick(1, 3, 3)], seed=seed))
    say("  rates are measured")
    _tell_deep(report, scratch / "deep", given, size)
    _tell_usual(report, scratch / "usual", given, size.pick(100, 800, 4_000))
    return report


def tell_rates(report: Report, found: Mapping[str, float]) -> None:
    """Add the figures of ``rates``, and the bar on the one that is farthest from the seed's table."""
    report.figures |= found
    farthest = max(abs(each - 1.0) for each in found.values())
    report.bars.append(Bar(f"strength by {len(RATES)} levels, farthest from the seed's table", farthest, _NEAR, True))


def _tell_deep(report: Report, scratch: Path, world: World, size: Size) -> None:
    """Let all facts be archived, by the default policy, or in a tiny run at once; then ask for each of them."""
    policy = {"archive_rest_ticks": 50} if size is Size.TINY else {}
    events = _QUICKLY if size is Size.TINY else DEFAULT.archive_rest_ticks + 600
    with Store.open(scratch, partitions=1, embedder="off") as store:
        memory = store.memory("bench/sleeping")
        memory.set_policy(search_refusal=0.0, search_gap=-1.0, sessions_open_max=_OPEN, **policy)
        said = _told(memory, world, kinds=_KINDS[:1])
        slept = _live(store, memory, world, events, "sleeper")
        commands = store.engine.graph(memory.id).header.seq
        away = [at for at, ref in enumerate(said) if memory.describe(ref).memory.archived]
        facts = replace(world, facts=tuple(world.facts[at] for at in away))
        refs = [said[at] for at in away]
        plain = _found(memory, facts, refs)
        deep = _found(memory, facts, refs, deep=True)
        again = _found(memory, facts, refs)
        left = [memory.describe(ref).memory for ref in refs]
    report.figures |= {
        "facts said": len(said),
        "facts archived, percent": 100.0 * len(away) / len(said),
        "found by a usual ask, percent of what is archived": 100.0 * plain,
        "found by a deep ask, percent of what is archived": 100.0 * deep,
        "found by a usual ask after the deep one, percent": 100.0 * again,
        "least salience of what has come back": min((each.salience for each in left if not each.archived), default=0.0),
        "sleeps, percent of all commands": 100.0 * slept / commands,
    }
    report.bars += [
        Bar("share of what was said that is archived in the end", len(away) / len(said), _CUED),
        Bar("share of what is archived that a usual ask finds", plain, 0.0, True),
        Bar("share of what is archived that a cue brings back, deep", deep, _CUED),
        Bar("share of it that a usual ask finds again", again, _CUED),
        Bar("sleeps for each command", slept / commands, 1 / TASK_EVENTS, True),
    ]


def _tell_usual(report: Report, scratch: Path, world: World, events: int) -> None:
    """Let the same facts be followed by a usual number of events, under three policies and without a sleep."""
    arms: dict[str, Mapping[str, float] | None] = {
        "no sleep": None,
        "default": {},
        "seed's archive, with permanence": _BARE,
        "seed's archive, without permanence": _NOT_LASTING,
    }
    shares: dict[str, float] = {}
    for place, (name, policy) in enumerate(arms.items()):
        with Store.open(scratch / str(place), partitions=1, embedder="off") as store:
            memory = store.memory("bench/usual")
            memory.set_policy(search_refusal=0.0, search_gap=-1.0, **(policy or {}))
            said = _told(memory, world, _KINDS)
            _live(store, memory, world, events, _OTHERS if policy is None else ("usual",))
            for at, kind in enumerate(_KINDS):
                facts, refs = replace(world, facts=world.facts[at :: len(_KINDS)]), said[at :: len(_KINDS)]
                if refs:
                    report.figures[f"{name}: {kind}, found after {events:,} events, percent"] = 100.0 * _found(
                        memory, facts, refs
                    )
            shares[name] = _found(memory, world, said)
        say(f"  {name}: {shares[name]:.0%} are found")
    lost = shares["no sleep"] - shares["default"]
    report.bars.append(Bar("share of facts that a usual life loses to the sleeper", lost, 0.0, True))


def _told(memory: Memory[Any], world: World, kinds: Sequence[str]) -> list[str]:
    """Say all facts, and do with each what its kind says; return their ids."""
    said: list[str] = []
    for at, fact in enumerate(world.facts):
        ref = memory.record_event(fact.said, session=f"facts {at // _SESSION_EVENTS}")
        said.append(ref)
        kind = kinds[at % len(kinds)]
        if kind == "judged":
            memory.log_outcome(ref, -1.0, kind="trouble")
        for _ in range(5 if kind == "used" else 0):
            context = memory.get_context(fact.question, k=_AMONG)
            memory.report_use(context, [ref] if ref in context.refs else [], result="success")
    return said


def _live(store: Store, memory: Memory[Any], world: World, events: int, thinkers: Sequence[str] | str) -> int:
    """Let other things happen, with thinkers at work after each page; return how often the sleeper slept."""
    slept = 0
    for start in range(0, events, _PAGE):
        page = range(start, min(start + _PAGE, events))
        talk = (world.talk[n % len(world.talk)].replace("{n}", str(n)) for n in page)
        said = [Event(text, session=f"s{n // _SESSION_EVENTS}") for n, text in zip(page, talk, strict=True)]
        for _ in memory.record_many(said):
            pass
        for one in store.think(thinkers, rest=False):
            if one.stopped:
                raise RuntimeError(one.stopped)
            slept += one.decided if one.thinker == "sleeper" else 0
    return slept


def _found(memory: Memory[Any], world: World, refs: Sequence[str], *, deep: bool = False) -> float:
    """Return the share of facts of which the question finds what was said; only a deep ask is recorded."""
    asked = zip(world.facts, refs, strict=True)
    found = [ref in memory.get_context(fact.question, k=_AMONG, deep=deep, record=deep).refs for fact, ref in asked]
    return fmean(found) if found else 0.0
