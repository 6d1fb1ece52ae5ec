"""What to judge so that all that was traced is out of every answer, and what to judge to bring exactly that back.

Each command that takes something out says in its content for which selection, which part of how many it is, and what
status each node had. So the log tells what is under way, and what a release has to bring back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from yggdrasil_projections.retrieval.reads.operations.said import PartVerdict, Said
from yggdrasil_projections.retrieval.reads.operations.standing import StandingCommand, StandingNode
from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.ids import sourced_id
from yggdrasil_schemas.limits import JUDGED_MAX

from .tracing import Traced

_MAKERS: Final = ("record_event", "log_outcome", "commit_episode", "form_concept")
_ACTS: Final = ("alias_entity", "relate", "report_use", "attach_vector", "judge")
READINGS: Final = ("record_recall", "record_read", "attest")
Stands = Mapping[str, StandingCommand]
"""How commands stand, by id."""


class Item(NamedTuple):
    """What is judged: the node of the command with id ``ref``, or what it did, which has no status; ``was``: before.

    ``seq`` is that of the command. ``word``: only its word for a claim.
    """

    seq: int
    ref: str
    word: bool
    was: str


class Plan(NamedTuple):
    """What to judge, in that order, and what is left out, each with the reason."""

    items: list[Item]
    left: list[tuple[Traced, str]]


class Part(NamedTuple):
    """A command of a quarantine or of a release, as the log has it, at ``seq``."""

    seq: int
    id: str
    at_ms: int
    selection: dict[str, Any]
    verdict: PartVerdict
    part: int
    parts: int
    items: list[Item]


class Step(NamedTuple):
    """A command to be appended: its id, body and content, and the ``part`` that it is once it stands at a seq."""

    id: str
    body: dict[str, Any]
    content: dict[str, Any]
    part: Part


def plan(found: Iterable[Traced], stands: Stands) -> Plan:
    """Return what to judge of what was ``found``, the youngest first, so that nothing that gave way to it is missed.

    Of a claim that others say too only the words are judged, each by itself; of one that nobody else says the claim.
    """
    found = sorted(found, key=lambda each: each.seq, reverse=True)
    out = {each.seq for each in found}
    items: dict[tuple[str, bool], Item] = {}
    left: list[tuple[Traced, str]] = []
    for each in found:
        planned = _planned(stands.get(each.id), each, out)
        if isinstance(planned, Item):
            items[planned.ref, planned.word] = planned
        else:
            left.append((each, planned))
    instead = {one.node.id: one.node.instead for one in stands.values() if one.node is not None}
    chosen, judged = list[Item](), set[int]()
    for item in sorted(items.values(), reverse=True):  # what superseded something is younger than that
        if item.was == "superseded" and instead[item.ref] not in judged:
            left += [(each, "fallen already: superseded") for each in found if each.id == item.ref]
            continue
        judged.add(item.seq)
        chosen.append(item)
    return Plan(chosen, sorted(left))


def back(taken: Iterable[Part], stands: Stands) -> Plan:
    """Return what to release, the oldest first, so that all is as it was before ``taken``.

    What waited before waits again, and what was established is so again: the law of verdicts keeps that. What was
    judged since by somebody else stays as they say.
    """
    items: dict[tuple[str, bool], Item] = {}
    for part in taken:
        for item in part.items:
            one = stands.get(item.ref)
            if one is not None and _is_out_by(one, item, part.id):
                items[item.ref, item.word] = item._replace(seq=one.seq)
    return Plan(sorted(items.values()), [])


def parts_in(commands: Iterable[Said]) -> Iterator[Part]:
    """Yield the parts of quarantines among ``commands``."""
    for each in commands:
        if (it := each.quarantine) is not None:
            items = [Item(0, item.ref, item.word, item.was) for item in it.items]
            yield Part(each.seq, each.id, each.at_ms, it.selection, it.verdict, it.part, it.parts, items)


def of_selection(parts: Iterable[Part], selection: dict[str, Any]) -> tuple[list[Part], list[Part]]:
    """Return the parts of the quarantine of ``selection`` that counts, and those of its release, if that has begun.

    A quarantine after a whole release is another one.
    """
    taken, released = list[Part](), list[Part]()
    for part in parts:
        if part.selection != selection:
            continue
        if part.verdict == "quarantine":
            if released:
                taken, released = [each for each in taken if not _whole(released)], []
            taken.append(part)
        else:
            released.append(part)
    return taken, released


def under_way(parts: Sequence[Part]) -> bool:
    """Whether the last of some parts says that more were to come."""
    return bool(parts) and not _whole(parts)


def steps(
    memory: str, source: str, selection: dict[str, Any], verdict: PartVerdict, items: Sequence[Item], reason: str,
    begun: tuple[int, int],
) -> list[Step]:  # fmt: skip
    """Return the commands that judge items, at most 64 each, with ids that are derived from what they are part of.

    ``source`` is who says so, of whom the ids are. ``begun`` are the present seq of the memory, and how many parts are
    in the log already.
    """
    seq, done = begun
    cut = [items[at : at + JUDGED_MAX] for at in range(0, len(items), JUDGED_MAX)]
    total, made = done + len(cut), list[Step]()
    named = canonical_json(selection).decode()
    for part, some in enumerate(cut, start=done + 1):
        step_id = sourced_id(source, "quarantine", memory, named, verdict, str(seq), str(part))
        told = f"{verdict} {part}/{total}{reason}"
        made.append(_step(Part(0, step_id, 0, selection, verdict, part, total, list(some)), told))
    return made


def alone(memory: str, source: str, step: Step) -> list[Step]:
    """Return a step for each item of one that was refused as a whole: the others may be taken."""
    reason: str = step.body["reason"]
    return [
        _step(step.part._replace(id=sourced_id(source, "quarantine", memory, step.id, item.ref), items=[item]), reason)
        for item in step.part.items
    ]


def _step(part: Part, reason: str) -> Step:
    judged = [_judged(item, part.verdict) for item in part.items]
    noted = {"selection": part.selection, "verdict": part.verdict, "part": part.part, "parts": part.parts}
    was = [int(Status[item.was.upper()]) for item in part.items]
    body = {"items": judged, "reason": reason}
    return Step(part.id, body, {"payload": {"quarantine": {**noted, "was": was}}}, part)


def _judged(item: Item, verdict: PartVerdict) -> dict[str, Any]:
    judged: dict[str, Any] = {"node": item.ref, "verdict": verdict}
    return judged | {"word": True} if item.word else judged


def _whole(parts: Sequence[Part]) -> bool:
    return parts[-1].part >= parts[-1].parts


def _planned(one: StandingCommand | None, each: Traced, out: set[int]) -> Item | str:
    """Return how something is judged, or why it is left out."""
    if each.type in READINGS:
        return "a reading changes nothing that stands"
    if each.type not in (*_MAKERS, *_ACTS, "assert_claim"):
        return f"{each.type} is undone by another one"
    if one is None:
        return "forgotten since"
    if each.type == "assert_claim":
        return _planned_claim(one, out)
    if each.type in _MAKERS:
        return "forgotten since" if one.node is None else _planned_node(one.node)
    act = one.act
    if act is None:
        return "a verdict is undone by another one" if each.type == "judge" else "nothing is kept to undo it by"
    if each.type == "judge" and all(out.issuperset(lines) for lines in act.about):
        return "goes with the claim"
    return "out already" if act.status != "active" else Item(one.seq, one.id, False, "active")


def _planned_claim(one: StandingCommand, out: set[int]) -> Item | str:
    node, act = one.node, one.act
    if node is None or node.lines is None:
        return "forgotten since"
    if act is not None and act.status != "active":
        return "out already"
    if out.issuperset(node.lines):
        return _planned_node(node)
    if one.seq not in node.lines:
        return "a later word has taken the place of this one"
    return Item(one.seq, one.id, True, "active")


def _planned_node(node: StandingNode) -> Item | str:
    if node.pinned:
        return f"pinned: `yggdrasil pin {node.id} --off` first"
    if node.status == "quarantined":
        return "out already"
    if node.status in ("rejected", "resolved"):
        return f"fallen already: {node.status}"
    return Item(node.seq, node.id, False, node.status)


def _is_out_by(one: StandingCommand, item: Item, by: str) -> bool:
    """Whether something is in quarantine by the verdict with the id ``by``."""
    it = one.act if item.word or one.type in _ACTS else one.node
    return it is not None and it.status == "quarantined" and it.by == by
