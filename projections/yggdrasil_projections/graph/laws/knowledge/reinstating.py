"""What gave way to something that is out now stands again, if nothing else has taken its place; what waited, waits."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AssertClaim, RecordEvent
from yggdrasil_schemas.graph.knowledge import OPEN_TO
from yggdrasil_schemas.graph.records import Node, Ruling, Status
from yggdrasil_schemas.limits import SLOT_MAX
from yggdrasil_schemas.refusals import Refused

from ..standing.condensing import condense_late, condensed_by, is_spoken_for
from ..standing.ruling import first_status, rule
from .confirming import contend_again, takes_person
from .predicates import definition_of

_CANDIDATE: Final = Status.CANDIDATE
_GAVE_WAY: Final = (Status.SUPERSEDED, Status.CONTESTED, Status.QUARANTINED)
_ESTABLISHED: Final = (Status.ACTIVE, Status.PRIOR)
_WAITING: Final = (Status.CANDIDATE, Status.QUARANTINED)
_LOOKED_AT: Final = 64  # of what a slot has ever held, the youngest


def reinstate(graph: Graph, node: Node, by: bytes, word: bytes | None = None) -> None:
    """Let what gave way to a node, or was contested for it, contend anew; the youngest first.

    With ``word``, only what did so by the command of that id. ``by`` are the 16 bytes of the id of the verdict.
    """
    slot = graph.ruling(node).slot
    if not slot:
        return
    for number in reversed(graph.ruled(slot)[-_LOOKED_AT:]):
        each = graph.expect(number)
        ruling = graph.ruling(each)
        for_it = ruling.instead == node.number if word is None else ruling.by == word
        if each is not node and each.status in _GAVE_WAY and for_it:
            _stand_again(graph, each, node, by)


def wait_again(graph: Graph, node: Node, status: Status, by: bytes) -> None:
    """Let a node be a candidate again, or what its slot lets it be if it was contested or in quarantine for another.

    ``by`` are the 16 bytes of the id of the verdict.
    """
    slot = graph.ruling(node).slot
    instead = 0
    if status != _CANDIDATE and graph.claim(node) is None:
        others = [number for number in graph.slot(slot) if number != node.number]
        instead = next((number for number in others if graph.expect(number).status in _ESTABLISHED), 0)
        status = status if instead else first_status(graph.header.policy, node.trust)
    rule(graph, node, status, Ruling(slot, by, 0, instead))
    if status != _CANDIDATE:
        contend_again(graph, node, by)


def weigh_digest(graph: Graph, node: Node, by: bytes) -> None:
    """Let a digest take the place of what it condenses, or give it back, by what it is now, and who still says so."""
    if node.status in _WAITING or not is_spoken_for(graph, node):
        uncondense(graph, node, by)
    elif node.status < Status.SUPERSEDED:
        condense_late(graph, node, by)


def uncondense(graph: Graph, node: Node, by: bytes) -> None:
    """Let what gave way to a digest stand again, since the digest is out."""
    maker = graph.maker(node.number)
    if not isinstance(maker, RecordEvent | AssertClaim) or not maker.body.condenses:
        return
    condensed = condensed_by(graph, maker.body.condenses)
    for each in () if isinstance(condensed, Refused) else condensed:
        if each.status == Status.SUPERSEDED and graph.ruling(each).instead == node.number:
            _stand_again(graph, each, node, by)


def _stand_again(graph: Graph, each: Node, gone: Node, by: bytes) -> None:
    slot = graph.ruling(each).slot
    rivals = [graph.expect(number) for number in graph.slot(slot) if number not in (each.number, gone.number)]
    held = [number for number in graph.slot(slot) if graph.expect(number).status < Status.SUPERSEDED]
    if each.status == Status.SUPERSEDED and len(held) >= SLOT_MAX:
        return
    claim, over = graph.claim(each), graph.claim(gone)
    if claim is None:
        if not any(rival.status in _ESTABLISHED for rival in rivals):
            rule(graph, each, first_status(graph.header.policy, each.trust), Ruling(slot, by, 0, 0))
        return
    if over is not None and claim.closed == over.begins:
        claim = claim._replace(closed=OPEN_TO)
        graph.note_claim(each, claim)
    waited = graph.ruling(each).was == _CANDIDATE
    if waited or not each.trust or takes_person(definition_of(graph, claim.predicate), claim):
        rule(graph, each, _CANDIDATE, Ruling(slot, by, 0, 0))
    else:
        contend_again(graph, each, by, without=gone)
