"""What is forgotten first: one rank for nodes and one for edges, over rows of scalars.

A scan ranks the rows of a whole memory; for the edges of one node their rows are made on the way.
"""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.policy import Policy

from ...arithmetic import decayed_array
from ..density import density_array

_SUPERSEDED: Final = int(Status.SUPERSEDED)
_REJECTED: Final = int(Status.REJECTED)
_FOREIGN: Final = 0
_AGENTS: Final = 1
_HALF: Final = 8.0  # usage reaches half of its share at 8: the fifth use says more than the fiftieth

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


def node_rank(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the rank of every node in ``rows`` (layout NODE_ROWS) at ``tick``; the lowest is forgotten first.

    ``rank = 4 p + 2 s + u / (u + 8) + density + 0.5 |i|`` with permanence p and salience s as they are now, usage u and
    impact i; the factors are the policy's ``rank_*`` (000, section 4: low salience, low permanence, low usage, weak
    connectivity, minimal contribution to trajectories). What was superseded or rejected goes before all that stands,
    in its own order: its rank is ``-1 / (1 + rank)``, which is below 0, where no other is.
    """
    usage = rows["usage"].astype(np.float64)
    rank: Floats = policy.rank_permanence * permanence_array(policy, rows, tick)
    rank = rank + policy.rank_salience * salience_array(rows, tick)
    rank = rank + policy.rank_usage * (usage / (usage + _HALF))
    rank = rank + policy.rank_connectivity * density_array(rows)
    rank = rank + policy.rank_impact * np.abs(rows["impact"].astype(np.float64))
    fallen = (rows["status"] == _SUPERSEDED) | (rows["status"] == _REJECTED)
    return np.where(fallen, -1.0 / (1.0 + rank), rank)


def edge_rank(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the rank of every edge in ``rows`` (layout EDGE_ROWS): ``2 w + 4 p + u / (u + 8)``, as they are now."""
    usage = rows["usage"].astype(np.float64)
    elapsed = tick - rows["tick"].astype(np.float64)
    weight = decayed_array(rows["weight"].astype(np.float64), elapsed, rows["half_life"].astype(np.float64))
    rank: Floats = policy.rank_salience * weight + policy.rank_permanence * _eroded(policy, rows, tick)
    return rank + policy.rank_usage * (usage / (usage + _HALF))


def beyond_share(policy: Policy, trust: npt.NDArray[Any], rank: Floats, cap: float) -> npt.NDArray[np.bool_]:
    """Return which are more than those who are trusted so little may have of ``cap``: of them those of lowest rank.

    What strangers said has ``foreign_share`` of it, and what they and agents said ``agents_share``; the least trusted
    is beyond it first. So nobody pushes out what is trusted more by saying much.
    """
    beyond = np.zeros(len(trust), np.bool_)
    for tier, share in ((_FOREIGN, policy.foreign_share), (_AGENTS, policy.agents_share)):
        of_these = np.flatnonzero(trust <= tier)
        count = len(of_these) - int(cap * share)
        if count > 0 and len(of_these) < len(trust):  # where all are, it makes no difference
            beyond[of_these[np.lexsort((rank[of_these], trust[of_these]))[:count]]] = True
    return beyond


def salience_array(rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the salience of every node in ``rows`` as it is at ``tick``."""
    elapsed = tick - rows["tick"].astype(np.float64)
    return decayed_array(rows["salience"].astype(np.float64), elapsed, rows["half_life"].astype(np.float64))


def permanence_array(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return the permanence of every node in ``rows`` as it counts at ``tick``: what a pin gives at least."""
    return np.maximum(_eroded(policy, rows, tick), rows["pin_permanence"].astype(np.float64))


def _eroded(policy: Policy, rows: npt.NDArray[np.void], tick: int) -> Floats:
    """Return what is left at ``tick`` of the permanence of every node, or edge, in ``rows``: few have any."""
    permanence: Floats = rows["permanence"].astype(np.float64)
    lasting = np.flatnonzero(permanence)
    elapsed = tick - rows["tick"][lasting].astype(np.float64)
    half_life = np.array([policy.permanence_half_life_ticks])
    permanence[lasting] = decayed_array(permanence[lasting], elapsed, half_life)
    return permanence


def lowest(rank: Floats, candidates: Indices, count: int) -> Indices:
    """Return the ``count`` candidates of the lowest rank, lowest first; candidates are in key order, which breaks ties.

    The few are set apart before they are sorted: to sort 250,000 ranks for the lowest 5,000 takes five times as long.
    """
    count = max(count, 0)
    if 0 < count < len(candidates):
        ranks = rank[candidates]
        candidates = candidates[ranks <= np.partition(ranks, count - 1)[count - 1]]
    return candidates[np.argsort(rank[candidates], kind="stable")][:count]


def lowest_of(rank: Floats, groups: Iterable[Indices], count: int) -> Indices:
    """Return the ``count`` candidates of the lowest rank, of each group only when those before it are used up."""
    going: list[Indices] = []
    for group in groups:
        going.append(lowest(rank, group, count))
        count -= len(going[-1])
    return np.concatenate(going)
