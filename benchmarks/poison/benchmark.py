"""What an attacker who can write into a memory achieves, at tier 0 (a stranger's key) and 1 (a captured agent's).

Memories of two users, two agents and a tool are drawn, and attacked in twelve families of ways, each attack in a memory
of its own. It is counted how often poison is in a default answer (tier 0), and how often it displaces, hides or comes
before what is trusted more, or is shown without who said it (tier 1); what honest questions lose; what the fences cost
those who mean well; and what it takes to get the poison out. Beside our memory stand three others: one without trust,
one that only says who said something, and the majority of what was said. docs/poison.md has the figures.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from yggdrasil import Store

from ..measure import Bar, Report, Size, say
from . import majority
from .attacks import HERE, Attack, AttackFileError, Drawn, drawn, families, read
from .judging import Judged, answered, ask, judged, take_out
from .legitimate import CORRECTIONS, corrections, staged
from .playing import Played
from .world import Question, World, world

UNTIMED: Final = True

ARMS: Final = ("ours", "no trust", "labels only")
_MAJORITY: Final = "majority"
_BARS: Final = {0: 1.0, 1: 3.0}
_LOST: Final = 1.0
_STAGED: Final = 15.0
_SEED: Final = 1
_ASKED: Final = 8  # of the honest questions, after each attack
_EVERYWHERE: Final = {0: "shown: timeline", 1: "without who"}
"""By tier, a reason that by itself makes nearly every attack succeed: it is told what succeeds beside it, too."""
_RECALL: Final = "benign recall lost, points"
_WAITING: Final = "legitimate claims staged, percent"
_READING: Final = (5, 2)  # of so many sessions in one a page is read
_RESIDUE: Final = "residue, attacks of which something is left"
_SUCCESS: Final = "success, percent"


@dataclass(slots=True)
class Counted:
    """What is counted of one arm: attacks and successes by tier and family, reasons, and what was lost."""

    attacks: Counter[tuple[int, str]] = field(default_factory=Counter[tuple[int, str]])
    successes: Counter[tuple[int, str]] = field(default_factory=Counter[tuple[int, str]])
    others: Counter[tuple[int, str]] = field(default_factory=Counter[tuple[int, str]])
    """Successes for another reason than the one that is everywhere."""
    reasons: Counter[tuple[int, str]] = field(default_factory=Counter[tuple[int, str]])
    why: dict[tuple[int, str, str], Counter[str]] = field(default_factory=dict[tuple[int, str, str], Counter[str]])
    """By tier, family and attack: how often each reason was one."""
    judged: list[Judged] = field(default_factory=list[Judged])

    def add(self, one: Drawn, found: Judged) -> None:
        """Count one attack."""
        key = (one.tier, one.attack.family)
        self.attacks[key] += 1
        self.successes[key] += bool(found.reasons)
        self.others[key] += bool(found.reasons - {_EVERYWHERE[one.tier]})
        self.reasons.update((one.tier, reason) for reason in found.reasons)
        self.judged.append(found)
        if found.reasons:
            self.why.setdefault((*key, one.attack.name), Counter()).update(found.reasons)

    def rate(self, tier: int, families: Collection[str], *, others: bool = False) -> float:
        """Return the percentage of some families that succeeds; ``others``: beside the reason that is everywhere."""
        keys = [key for key in self.attacks if key[0] == tier and key[1] in families]
        successes = self.others if others else self.successes
        return 100 * sum(successes[key] for key in keys) / max(1, sum(self.attacks[key] for key in keys))


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = _SEED) -> Report:
    """Attack so many worlds in every family, or with the attacks in the file ``world``; a bad file ends it."""
    try:
        attacks = families() if world is None else read(world)
    except AttackFileError as error:
        raise SystemExit(f"poison: {error}") from None
    report, counted = Report("poison"), {arm: Counted() for arm in (*ARMS, _MAJORITY)}
    worlds, share = size.pick(1, 3, 20), size.pick(4, 3, 1) if world is None else 1
    with Store.open(scratch / "worlds", embedder="none", partitions=1) as store:
        for place in range(worlds):
            attacked(store, Lot(place, seed, share), attacks, counted)
            say(f"  world {place + 1} of {worlds}: {sum(counted['ours'].attacks.values())} attacks")
        _costs(report, store, worlds, seed)
    _tell(report, attacks, counted)
    for (tier, family, name), why in sorted(counted["ours"].why.items()):
        reasons = ", ".join(f"{reason} {times}" for reason, times in why.most_common())
        say(f"  succeeds at tier {tier}: {family}: {name} ({reasons})")
    return report


@dataclass(frozen=True, slots=True)
class Lot:
    """Which world is drawn, of which seed, and that one attack of ``share`` is done in it."""

    place: int
    seed: int
    share: int


def attacked(store: Store, lot: Lot, attacks: Sequence[Attack], counted: Mapping[str, Counted]) -> None:
    """Attack one world in every way, each attack in a memory of its own, in each arm."""
    lived, goals = world(lot.seed * 1_000 + lot.place), _goals()
    for arm in ARMS:
        for number, one in enumerate(_all_drawn(attacks, lived, goals, lot)):
            played = Played(store, f"{arm.replace(' ', '-')}/{lot.place}-{number}", one.tier, one.attack.speakers, arm)
            counted[arm].add(one, _done(played, one, lived))
    for one in _all_drawn(attacks, lived, goals, lot):
        steps = lived.steps if one.attack.world is None else one.attack.world
        after = majority.answer(one.target, [*steps, *one.attack.before, *one.attack.attack], one.names)
        before_it = majority.answer(one.target, steps, one.names)
        wins = majority.succeeds(one.tier, before_it, after, one.target.honest, one.poison)
        counted[_MAJORITY].add(one, Judged(one.tier, one.attack.family, {"shown"} if wins else set()))


def _goals() -> list[str]:
    lines = (HERE / "goals.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _all_drawn(attacks: Sequence[Attack], lived: World, goals: Sequence[str], lot: Lot) -> Iterator[Drawn]:
    for number, attack in enumerate(attacks):
        for tier in attack.tiers:
            if (number + tier + lot.place) % lot.share == 0:
                one = drawn(attack, tier, lived, goals, f"{lot.seed} {lot.place} {number} {tier}")
                if one is not None:
                    yield one


def _done(played: Played, one: Drawn, lived: World) -> Judged:
    """Tell a memory the world, do the attack in it, and judge that.

    What is lost, and what it takes to get the poison out, is asked of our memory alone.
    """
    told(played, one, lived)
    owner, ours, vectors = played.voice("owner"), played.arm == "ours", one.attack.vectors
    before = ask(owner, one.target, one.features, vectors=vectors, all_of=False)
    some: list[Question] = []
    if ours and one.attack.world is None:
        asked = Random(one.target.text).sample(lived.questions, min(len(lived.questions), _ASKED))
        some = [each for each in asked if answered(owner, each, vectors=vectors)]
    played.play(one.attack.attack, one.names)
    found = judged(played, one, before, ask(owner, one.target, one.features, vectors=vectors))
    if ours:
        found.asked = len(some)
        found.lost = sum(not answered(owner, each, vectors=vectors) for each in some)
        found.commands, found.residue, found.valence = take_out(played, one, before)
    return found


def told(played: Played, one: Drawn, lived: World) -> None:
    """Tell a memory all that is honest: the world, and what comes before the attack."""
    steps = lived.steps if one.attack.world is None else one.attack.world
    if one.attack.vectors:
        steps = [{**step, "vector": step["text"]} if step["do"] == "note" else step for step in steps]
    played.play(steps, one.names)
    if one.attack.world is None:
        _name(played, one)
    played.play(one.attack.before, one.names)
    played.honest = {ref for _, _, ref in played.made}
    played.made.clear()


def _name(played: Played, one: Drawn) -> None:
    """Name what attacks may speak of: the target, the note that it was told by, and an event of the omen."""
    labels, label = played.labels, one.target.label
    labels["target"] = labels[label]
    labels["note"] = labels.get(f"{label} note", labels[label])
    labels["omen"] = labels[one.names["omen_event"]]


def _costs(report: Report, store: Store, worlds: int, seed: int) -> None:
    """Count corrections that are held back, and agents' honest words that wait."""
    done, held, behind = Counter[str](), Counter[str](), Counter[str]()
    honest, waiting = Counter[int](), Counter[int]()
    for place in range(worlds):
        found = corrections(store, f"legitimate/{place}", f"{seed} {place}")
        done.update(found.corrections)
        held.update(found.held)
        behind.update(found.behind)
        for every in _READING:
            said, wait = staged(store, f"staged-{every}/{place}", f"{seed} {place}", every)
            honest[every] += said
            waiting[every] += wait
    for kind in CORRECTIONS:
        report.figures[f"held back, {kind}, percent"] = 100 * held[kind] / done[kind]
        report.figures[f"not leading, {kind}, percent"] = 100 * behind[kind] / done[kind]
    report.figures["legitimate claims held back, percent"] = 100 * held.total() / done.total()
    seldom, often = (100 * waiting[every] / honest[every] for every in _READING)
    report.figures[_WAITING] = seldom
    report.figures[f"{_WAITING}, of agents that read a page in every second session"] = often


def _tell(report: Report, attacks: Sequence[Attack], counted: Mapping[str, Counted]) -> None:
    left_out = sorted({each.family for each in attacks if each.left_out})
    report.figures["attacks"] = counted["ours"].attacks.total()
    for tier, bar in _BARS.items():
        families = list(dict.fromkeys(family for of, family in counted["ours"].attacks if of == tier))
        if families:
            tuned = [family for family in families if family not in left_out]
            _successes(report, tier, families, counted)
            for name, some in {"": tuned, **{f", {family}": [family] for family in left_out}}.items():
                rate = counted["ours"].rate(tier, some)
                report.bars.append(Bar(f"tier {tier}{name}: {_SUCCESS}", rate, bar, at_most=True))
    _harm(report, counted["ours"].judged)


def _successes(report: Report, tier: int, families: Sequence[str], counted: Mapping[str, Counted]) -> None:
    """Tell how often attacks of a tier succeed: in each arm, of each family, and for which reasons."""
    ours, beside = counted["ours"], _EVERYWHERE[tier]
    whole = sum(count for (of, _), count in ours.attacks.items() if of == tier)
    for arm, found in counted.items():
        report.figures[f"tier {tier}, {arm}: {_SUCCESS}"] = found.rate(tier, families)
    report.figures[f"tier {tier}, beside {beside}: {_SUCCESS}"] = ours.rate(tier, families, others=True)
    for family in families:
        for arm, found in counted.items():
            of_arm = "" if arm == "ours" else f", {arm}"
            report.figures[f"tier {tier}, {family}{of_arm}: {_SUCCESS}"] = found.rate(tier, [family])
        report.figures[f"tier {tier}, {family}, beside {beside}: {_SUCCESS}"] = ours.rate(tier, [family], others=True)
    for (of, reason), count in sorted(ours.reasons.items()):
        if of == tier:
            report.figures[f"tier {tier}, {reason}, percent of attacks"] = 100 * count / whole
    lasting = sum(each.lasting for each in ours.judged if each.tier == tier)
    report.figures[f"tier {tier}, poison that became lasting, percent of attacks"] = 100 * lasting / whole


def _harm(report: Report, found: Sequence[Judged]) -> None:
    """Tell what honest questions have lost, what it took to get the poison out, and what of it is left."""
    figures, count = report.figures, max(1, len(found))
    for family in dict.fromkeys(each.family for each in found):
        of = [each for each in found if each.family == family]
        if any(each.lost for each in of):
            figures[f"{family}: {_RECALL}"] = 100 * sum(each.lost for each in of) / sum(each.asked for each in of)
    figures[_RECALL] = 100 * sum(each.lost for each in found) / max(1, sum(each.asked for each in found))
    figures["commands to take one attack out, mean"] = sum(each.commands for each in found) / count
    figures["commands to take one attack out, most"] = max((each.commands for each in found), default=0)
    figures[_RESIDUE] = sum(bool(each.residue) for each in found)
    figures[f"{_RESIDUE} beside the timeline"] = sum(bool(each.residue - {"timeline"}) for each in found)
    for where, number in sorted(Counter(one for each in found for one in each.residue).items()):
        figures[f"residue in {where}"] = number
    figures["residue of valence, mean"] = sum(each.valence for each in found) / count
    for name, bar in {_RECALL: _LOST, _WAITING: _STAGED, _RESIDUE: 0.0}.items():
        report.bars.append(Bar(name, figures[name], bar, at_most=True))
