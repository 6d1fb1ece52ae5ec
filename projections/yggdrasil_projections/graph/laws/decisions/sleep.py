"""The law of sleep: consolidate what was used, dissolve what is not fed, archive what has faded (003, section 3.8)."""

from typing import Final

import numpy as np

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Sleep
from yggdrasil_schemas.graph.records import PROTECTED, NodeFlag, NodeKind
from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refused

from ..bounds.heirs import name_heirs
from ..bounds.nodes import forget, held, take_out
from ..bounds.rank import beyond_share, lowest_of, node_rank, permanence_array, salience_array
from ..density import density_array
from ..experience.session import end_idle_sessions
from ..half_life import consolidate, steady
from ..regard import faded, settle_regards
from .concept import make_ordinary
from .looking import Flags, Numbers, Rows, all_of, turn_of
from .thinker import advance, refuse

_PROTECTED: Final = int(PROTECTED)
_CONCEPTUAL: Final = int(NodeFlag.CONCEPTUAL)
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_EDGES_OF_A_CONCEPT: Final = 32  # they go with it, and take the time
_ARCHIVABLE: Final = (NodeKind.EVENT, NodeKind.OUTCOME, NodeKind.EPISODE)


def sleep(graph: Graph, command: Sleep, _seq: int, _record: bytes) -> Refused | None:
    """Look over a memory, and change at most ``removals_per_command_max`` nodes in each of five steps.

    Levels of consolidation rise with use; conceptual features and concepts that nothing feeds dissolve; what has faded
    is archived, so that it is found no longer, and beyond ``capacity_weight_max`` the least consolidated; of what is
    archived beyond ``archived_max`` the lowest is forgotten. Registered sessions that have long been idle end.

    After a task (``scope``) the first three steps look at part of the memory (003, section 3.8: asleep after every
    task). The last two rank all that there is, and so are left to a look at the whole.
    """
    stale = refuse(graph, command.body)
    if stale is not None:
        return stale
    end_idle_sessions(graph)
    if command.body.scope == "task":
        looked = turn_of(graph)
        numbers, rows = graph.node_rows(looked)
        risen = _consolidate(graph, numbers, rows)
        rows[risen] = graph.node_rows(numbers[risen].tolist())[1]
        _dissolve(graph, numbers, rows)
        _archive(graph, numbers, rows)  # what has dissolved is of no kind that is archived
        graph.wake({*numbers[rows["tick"] == graph.header.tick].tolist(), *graph.awake})
    else:
        _consolidate(graph, *all_of(graph))
        _dissolve(graph, *all_of(graph))
        _archive(graph, *all_of(graph))
        _make_room(graph)
        _forget_archived(graph)
        graph.awake_known = False
    graph.header.slept = graph.header.tick
    advance(graph, command.body)
    return None


def _consolidate(graph: Graph, numbers: Numbers, rows: Rows) -> list[int]:
    """Raise the levels of what has been used, and with each level its half-life (003, section 3.6); say which."""
    policy = graph.header.policy
    levels = np.zeros(len(rows), np.uint8)
    for level, (uses, _) in enumerate(policy.consolidation, 1):
        levels[rows["usage"] >= uses] = level
    rising = _first(policy, levels > rows["level"])
    for at in rising:
        node = graph.settle(int(numbers[at]))
        consolidate(policy, node, int(levels[at]))
        steady(policy, node)
        settle_regards(graph, node)
    return rising


def _dissolve(graph: Graph, numbers: Numbers, rows: Rows) -> None:
    """Let go of concepts that have faded: features that are dense no longer, formed ones that never grew lasting."""
    policy = graph.header.policy
    sparse = (rows["flags"] & _CONCEPTUAL != 0) & (density_array(rows) < policy.dissolve_density)
    passing = (rows["kind"] == NodeKind.CONCEPT) & _passing(graph, rows)
    most = policy.removals_per_command_max // _EDGES_OF_A_CONCEPT
    found = [graph.expect(int(numbers[at])) for at in _first(policy, (sparse | passing) & _faded(graph, rows))[:most]]
    name_heirs(graph, [node.number for node in found if node.kind == NodeKind.CONCEPT])
    for node in found:
        if node.kind == NodeKind.CONCEPT:
            take_out(graph, node.number)
        else:
            make_ordinary(graph, node)


def _archive(graph: Graph, numbers: Numbers, rows: Rows) -> None:
    """Put away what has faded; it can still be named, and an outcome or a recall brings it back.

    What ended well and badly stays: good and bad take back each other's permanence, and such an experience is the one
    that a later decision needs most. What is strong under a perspective stays too (003, section 3.8: in all strengths).
    """
    policy = graph.header.policy
    contested = (rows["good"] > 0) & (rows["bad"] > 0)
    weak = np.isin(rows["kind"], _ARCHIVABLE) & ~contested & _weak(graph, rows)
    if not weak.any():  # as after most tasks
        return
    free = ~np.isin(numbers, held(graph)) & (rows["flags"] & _ARCHIVED == 0)
    for at in _first(policy, weak & free):
        number = int(numbers[at])
        if faded(graph, graph.expect(number), policy.archive_salience):
            node = graph.settle(number)
            node.flags |= _ARCHIVED


def _make_room(graph: Graph) -> None:
    """Put away what strangers said, then the least consolidated, of these what was touched longest ago, until the rest
    is not too heavy.

    What is consolidated takes more room, and yields last; nothing but a protecting flag keeps it for ever (003, 3.8).
    """
    policy = graph.header.policy
    numbers, rows = all_of(graph)
    active = np.flatnonzero(np.isin(rows["kind"], _ARCHIVABLE) & (rows["flags"] & _ARCHIVED == 0))
    weights, levels = policy.capacity_weights, rows["level"][active]
    excess = -policy.capacity_weight_max
    for level, weight in enumerate(weights):
        excess += weight * len(np.flatnonzero(levels == level))
    if excess <= 0:
        return
    free = (rows["flags"][active] & _PROTECTED == 0) & ~np.isin(numbers[active], held(graph))
    trusted = rows["trust"][active] > 0  # strangers first
    order = np.lexsort((rows["tick"][active], levels, trusted))  # stable: of equals the older goes first
    for at in order[free[order]][: policy.removals_per_command_max].tolist():
        if excess <= 0:
            break
        node = graph.settle(int(numbers[active[at]]))
        node.flags |= _ARCHIVED
        excess -= weights[node.level]


def _forget_archived(graph: Graph) -> None:
    """Forget the lowest of what is archived, above the archive's own cap."""
    policy = graph.header.policy
    numbers, rows = all_of(graph)
    archived = np.flatnonzero((rows["flags"] & _ARCHIVED != 0) & ~np.isin(numbers, held(graph)))
    excess = min(len(archived) - policy.archived_max, policy.removals_per_command_max)
    if excess <= 0:
        return
    rank = node_rank(policy, rows[archived], graph.header.tick)
    beyond = beyond_share(policy, rows["trust"][archived], rank, policy.archived_max)
    going = archived[lowest_of(rank, (np.flatnonzero(beyond), np.flatnonzero(~beyond)), excess)]
    forget(graph, np.sort(numbers[going]).tolist())


def _weak(graph: Graph, rows: Rows) -> Flags:
    """Return which rows are weak in all that keeps a node from the archive (003, section 3.8).

    Salience is below ``archive_salience``, permanence below ``archive_permanence``, and nothing has touched it for so
    long that at the seed's rate, by its level, a strength of 1 would be 0.1 (003, section 3.6).
    """
    return _faded(graph, rows) & _passing(graph, rows) & _rested(graph, rows)


def _rested(graph: Graph, rows: Rows) -> Flags:
    """Return which rows nothing has touched for ``archive_rest_ticks``, times the factor of their level."""
    policy = graph.header.policy
    factors = np.array([1.0, *[factor for _, factor in policy.consolidation]])
    elapsed = graph.header.tick - rows["tick"].astype(np.float64)
    rested: Flags = elapsed >= policy.archive_rest_ticks * factors[rows["level"]]
    return rested


def _faded(graph: Graph, rows: Rows) -> Flags:
    """Return which rows are not protected by a flag and have little salience left."""
    salience = salience_array(rows, graph.header.tick)
    faded: Flags = (salience < graph.header.policy.archive_salience) & (rows["flags"] & _PROTECTED == 0)
    return faded


def _passing(graph: Graph, rows: Rows) -> Flags:
    """Return which rows have never grown lasting."""
    policy = graph.header.policy
    passing: Flags = permanence_array(policy, rows, graph.header.tick) < policy.archive_permanence
    return passing


def _first(policy: Policy, chosen: Flags) -> list[int]:
    """Return where ``chosen`` holds, the lowest numbers first, as many as one command may change."""
    found: list[int] = np.flatnonzero(chosen)[: policy.removals_per_command_max].tolist()
    return found
