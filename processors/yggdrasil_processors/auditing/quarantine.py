"""What to judge so that all that was traced is out of every answer, and what to judge to bring exactly that back.

Each command that takes something out says in its content for which selection, which part of how many it is, and what
status each node had. So the log tells what is under way, and what a release has to bring back.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from yggdrasil_projections.graph.laws.reference import live_or_heir, made
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.commands import BY_NUMBER, ClearContent, Judge
from yggdrasil_schemas.graph.knowledge import Claim
from yggdrasil_schemas.graph.records import Act, Identity, Node, NodeFlag, Status, node_number, seq_of
from yggdrasil_schemas.ids import id_bytes, id_text, sourced_id
from yggdrasil_schemas.limits import JUDGED_MAX

from .tracing import Accepted, Traced

MARK: Final = b'"quarantine"'
"""What the record of each command holds that a quarantine consists of."""
_ACTIVE, _QUARANTINED = Status.ACTIVE, Status.QUARANTINED
_MAKERS: Final = ("record_event", "log_outcome", "commit_episode", "form_concept")
_ACTS: Final = ("alias_entity", "relate", "report_use", "attach_vector", "judge")
_READS: Final = ("record_recall", "record_read", "attest")
_NOTED: Final = frozenset(("selection", "verdict", "part", "parts", "was"))
_PINNED: Final = int(NodeFlag.PINNED)

Verdict = Literal["quarantine", "release"]


class Item(NamedTuple):
    """What is judged: the node of the command with id ``ref``, or what it did, which has no status; ``was``: before.

    ``seq`` is that of the command. ``word``: only its word for a claim.
    """

    seq: int
    ref: str
    word: bool
    was: int


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
    verdict: Verdict
    part: int
    parts: int
    items: list[Item]


class Step(NamedTuple):
    """A command to be appended: its id, body and content."""

    id: str
    body: dict[str, Any]
    content: dict[str, Any]


def plan(graph: Graph, found: Iterable[Traced], ids: Mapping[int, str]) -> Plan:
    """Return what to judge of what was ``found``, the youngest first, so that nothing that gave way to it is missed.

    ``ids`` are those of the memory's commands by seq. Of a claim that others say too only the words are judged, each by
    itself; of one that nobody else says the claim.
    """
    found = sorted(found, key=lambda each: each.seq, reverse=True)
    out = {each.seq for each in found}
    items: dict[tuple[str, bool], Item] = {}
    left: list[tuple[Traced, str]] = []
    for each in found:
        planned = _planned(graph, each, out, ids)
        if isinstance(planned, Item):
            items[planned.ref, planned.word] = planned
        else:
            left.append((each, planned))
    chosen, judged = list[Item](), set[int]()
    for item in sorted(items.values(), reverse=True):  # what superseded something is younger than that
        number = node_number(item.seq)
        if item.was == Status.SUPERSEDED and graph.ruling(graph.expect(number)).instead not in judged:
            left += [(each, "fallen already: superseded") for each in found if each.id == item.ref]
            continue
        judged.add(number)
        chosen.append(item)
    return Plan(chosen, sorted(left))


def back(graph: Graph, taken: Iterable[Part], identities: Mapping[bytes, Identity]) -> Plan:
    """Return what to release, the oldest first, so that all is as it was before ``taken``.

    What waited before waits again, and what was established is so again: the law of verdicts keeps that. What was
    judged since by somebody else stays as they say.
    """
    items: dict[tuple[str, bool], Item] = {}
    for part in taken:
        for item in part.items:
            identity = identities.get(id_bytes(item.ref))
            if identity is not None and _is_out_by(graph, identity, item, part.id):
                items[item.ref, item.word] = item._replace(seq=identity.seq)
    return Plan(sorted(items.values()), [])


def parts_in(commands: Iterable[Accepted]) -> Iterator[Part]:
    """Yield the parts of quarantines among ``commands``, those that an operator said."""
    for seq, _, command in commands:
        if not isinstance(command, Judge) or command.origin != "operator":
            continue
        content = command.content
        payload = (content.payload or {}) if isinstance(content, ClearContent) else {}
        noted: dict[str, Any] | None = payload.get("quarantine")
        if not isinstance(noted, dict) or not noted.keys() >= _NOTED:
            continue
        was: list[int] = noted["was"]
        items = [Item(0, each.node, each.word, status) for each, status in zip(command.body.items, was, strict=False)]
        yield Part(
            seq, command.id, command.at, noted["selection"], noted["verdict"], noted["part"], noted["parts"], items
        )  # fmt: skip


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
    memory: str, selection: dict[str, Any], verdict: Verdict, items: Sequence[Item], reason: str,
    begun: tuple[int, int],
) -> list[Step]:  # fmt: skip
    """Return the commands that judge items, at most 64 each, with ids that are derived from what they are part of.

    ``begun`` are the present seq of the memory, and how many parts are in the log already.
    """
    seq, done = begun
    cut = [items[at : at + JUDGED_MAX] for at in range(0, len(items), JUDGED_MAX)]
    total, made = done + len(cut), list[Step]()
    named = canonical_json(selection).decode()
    for part, some in enumerate(cut, start=done + 1):
        judged = [{"node": item.ref, "verdict": verdict} | ({"word": True} if item.word else {}) for item in some]
        noted = {"selection": selection, "verdict": verdict, "part": part, "parts": total}
        made.append(
            Step(
                sourced_id("cli", "quarantine", memory, named, verdict, str(seq), str(part)),
                {"items": judged, "reason": f"{verdict} {part}/{total}{reason}"},
                {"payload": {"quarantine": {**noted, "was": [item.was for item in some]}}},
            )
        )
    return made


def alone(memory: str, step: Step) -> list[Step]:
    """Return a step for each item of one that was refused as a whole: the others may be taken."""
    noted = step.content["payload"]["quarantine"]
    return [
        Step(
            sourced_id("cli", "quarantine", memory, step.id, item["node"]),
            {**step.body, "items": [item]},
            {"payload": {"quarantine": {**noted, "was": [was]}}},
        )
        for item, was in zip(step.body["items"], noted["was"], strict=True)
    ]


def _whole(parts: Sequence[Part]) -> bool:
    return parts[-1].part >= parts[-1].parts


def _planned(graph: Graph, each: Traced, out: set[int], ids: Mapping[int, str]) -> Item | str:
    """Return how something is judged, or why it is left out."""
    if each.type == "assert_claim":
        return _planned_claim(graph, each, out, ids)
    if each.type in _MAKERS:
        node = graph.node(node_number(each.seq))
        return "forgotten since" if node is None else _planned_node(node, each.seq, each.id)
    if each.type in _ACTS:
        act = graph.act(each.seq)
        if act is None:
            return "a verdict is undone by another one" if each.type == "judge" else "nothing is kept to undo it by"
        if each.type == "judge" and all(_all_out(_claim(graph, number), out) for number in act.about):
            return "goes with the claim"
        return "out already" if act.status != _ACTIVE else Item(each.seq, each.id, False, _ACTIVE)
    return "a reading changes nothing that stands" if each.type in _READS else f"{each.type} is undone by another one"


def _planned_claim(graph: Graph, each: Traced, out: set[int], ids: Mapping[int, str]) -> Item | str:
    node = live_or_heir(graph, node_number(each.seq))
    claim = None if node is None else graph.claim(node)
    if node is None or claim is None:
        return "forgotten since"
    act = graph.act(each.seq)
    if act is not None and act.status != _ACTIVE:
        return "out already"
    if _all_out(claim, out):
        return _planned_node(node, seq_of(node.number), ids[seq_of(node.number)])
    if all(line.seq != each.seq for line in claim.lines):
        return "a later word has taken the place of this one"
    return Item(each.seq, each.id, True, _ACTIVE)


def _planned_node(node: Node, seq: int, ref: str) -> Item | str:
    status = Status(node.status)
    if node.flags & _PINNED:
        return f"pinned: `yggdrasil pin {ref} --off` first"
    if status == _QUARANTINED:
        return "out already"
    if status in (Status.REJECTED, Status.RESOLVED):
        return f"fallen already: {status.name.lower()}"
    return Item(seq, ref, False, node.status)


def _claim(graph: Graph, number: int) -> Claim | None:
    node = live_or_heir(graph, number)
    return None if node is None else graph.claim(node)


def _all_out(claim: Claim | None, out: set[int]) -> bool:
    return claim is None or {line.seq for line in claim.lines} <= out


def _is_out_by(graph: Graph, identity: Identity, item: Item, by: str) -> bool:
    """Whether something is in quarantine by the verdict with the id ``by``."""
    if item.word or BY_NUMBER[identity.kind] in _ACTS:
        act: Act | None = graph.act(identity.seq)
        return act is not None and act.status == _QUARANTINED and act.by == id_bytes(by)
    node = made(graph, identity)
    return node is not None and node.status == _QUARANTINED and graph.ruling(node).by == id_bytes(by)


def ids_by_seq(identities: Mapping[bytes, Identity]) -> dict[int, str]:
    """Return the ids of accepted commands by their seqs."""
    return {each.seq: id_text(command) for command, each in identities.items() if not each.result}
