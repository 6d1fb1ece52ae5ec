"""What takes the place of what: of all that was said in one slot, one stands.

A slot is what a key names, or, for what has none, the first thing that was superseded in it.
"""

from hashlib import blake2b
from typing import Final, NamedTuple

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Envelope, RecordEvent
from yggdrasil_schemas.graph.records import NOBODY, PROTECTED, SLOT_BYTES, Node, NodeFlag, Ruling, Status, node_number
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_operator
from ..reference import accepted
from .ruling import authority, corrigible, first_status, rule

_PINNED: Final = int(NodeFlag.PINNED)
_PROTECTED: Final = int(PROTECTED)
_ACTIVE: Final = Status.ACTIVE
_CONTESTED: Final = Status.CONTESTED
_QUARANTINED: Final = Status.QUARANTINED
_HELD: Final = (_ACTIVE, Status.CANDIDATE, Status.PRIOR, _CONTESTED, _QUARANTINED)
_WAITING: Final = (Status.CANDIDATE, _QUARANTINED)


class Succession(NamedTuple):
    """What a new event does to its slot: the status that it has there, and who gives way to it.

    ``by`` and ``trust`` are of the command; ``instead`` is what it could not displace.
    """

    slot: bytes
    status: Status
    by: bytes
    trust: int
    instead: int
    displaced: list[Node]


def slot_of_key(key: str) -> bytes:
    """Return the 16 bytes of the slot that a key names."""
    return blake2b(key.encode(), digest_size=SLOT_BYTES, person=b"yggdrasil-key").digest()


def succeed(graph: Graph, command: RecordEvent, trust: int) -> Succession | Refused:
    """Return what becomes of an event with a key, or of one that supersedes something, or why it is refused.

    It displaces what it names, which takes as much trust as that has, and what stands in its slot and is trusted no
    more. Against what is trusted one tier more, it is contested; against more than that, or what is pinned, it waits in
    quarantine: so nobody displaces what was said by somebody who is trusted more (knowledge, conflict). It displaces
    what stands no better than itself, and nothing else.
    """
    body = command.body
    old: Node | None = None
    slot = b""
    if body.supersedes is not None:
        found = corrigible(graph, body.supersedes)
        if isinstance(found, Refused):
            return found
        old = found
        refused = None if old is None else beyond(graph, command, trust, old)
        if refused is not None:
            return refused
        slot = _slot_of(graph, old, body.supersedes)
    if body.key is not None:
        slot = slot_of_key(body.key)
    members = [graph.expect(number) for number in graph.slot(slot)]
    rivals = [member for member in members if member is not old and member.status in _HELD]
    operator = is_operator(command)
    status, instead = _against(graph, rivals, trust, operator=operator)
    displaced = [
        each
        for each in rivals
        if each.status >= status and authority(graph, each) <= trust and (operator or not each.flags & _PINNED)
    ]
    if len(rivals) - len(displaced) >= SLOT_MAX:
        return Refused(Refusal.SLOT_FULL)
    if old is not None and old.status in _HELD:
        displaced.append(old)
    first = first_status(graph.header.policy, trust)
    if status == _ACTIVE or (status == _CONTESTED and first != _ACTIVE):
        status = first  # what waits is shown beside nothing
    return Succession(slot, status, id_bytes(command.id), trust, instead, displaced)


def take_place(graph: Graph, event: Node, succession: Succession) -> None:
    """Let a new event have the status that was found for it, and those that give way to it be superseded."""
    slot, status, by, trust, instead, displaced = succession
    rule(graph, event, status, Ruling(slot, by if instead else NOBODY, 0, instead))
    for each in displaced:
        supersede(graph, each, Ruling(slot, by, trust, event.number))


def supersede(graph: Graph, node: Node, ruling: Ruling) -> None:
    """Let a node give way to ``ruling.instead``; it stays in the slot that it was in, if it was in one."""
    kept = graph.ruling(node).slot
    rule(graph, node, Status.SUPERSEDED, ruling._replace(slot=kept or ruling.slot))


def beyond(graph: Graph, command: Envelope, trust: int, node: Node) -> Refused | None:
    """Return why a command may not change whether ``node`` stands: it is protected, or of somebody trusted more.

    That is whoever said it, and whoever judged it since.
    """
    if node.flags & _PROTECTED and not is_operator(command):
        return Refused(Refusal.NODE_PROTECTED)
    return Refused(Refusal.NOT_TRUSTED) if trust < authority(graph, node) else None


def _slot_of(graph: Graph, old: Node | None, command_id: str) -> bytes:
    """Return the slot of what is superseded: its own, or one that is named after it."""
    slot = b"" if old is None else graph.ruling(old).slot
    if slot:
        return slot
    identity = accepted(graph, command_id)
    number = node_number(identity.seq) if identity is not None else 0
    return number.to_bytes(SLOT_BYTES, "big")


def _against(graph: Graph, rivals: list[Node], trust: int, *, operator: bool) -> tuple[Status, int]:
    """Return the status of what comes into a slot with such a trust, and the number of what is above it, 0 for nothing.

    Of several that are above it the one of most authority counts, and of these the oldest.
    """
    status, most, instead = _ACTIVE, 0, 0
    for each in rivals:
        if each.status in _WAITING:
            continue
        pinned, counts = bool(each.flags & _PINNED) and not operator, authority(graph, each)
        if pinned or trust < counts:
            status = max(status, _QUARANTINED if pinned or trust < counts - 1 else _CONTESTED)
            if not instead or counts > most:
                most, instead = counts, each.number
    return Status(status), instead
