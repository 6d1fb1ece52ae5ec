"""Which scorer a memory ranks by, and what the ranker is called then, so that a recall can be proved by that name."""

from functools import lru_cache
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.commands import AdoptScorer
from yggdrasil_schemas.graph.records import Scorer

from .scorers import NETWORK, Network, network_in

JOINT: Final = "+"
"""Between the name of a ranker and that of the scorer that it ranks by: ``hybrid/7+mlp/1+0a1b2c3d4e5f``."""


def in_force(scorers: dict[int, Scorer]) -> int:
    """Return the seq of the command that proposed the scorer in force, 0 where none is: the one adopted last."""
    counting = [(each.adopted, seq) for seq, each in scorers.items() if each.adopted]
    return max(counting)[1] if counting else 0


def ranker_in(graph: Graph, base: str) -> str:
    """Return what ranks in a memory: the ranker ``base``, by the scorer in force where there is one."""
    scorers = graph.scorers
    seq = in_force(scorers)
    found = _network(scorers[seq].record) if seq else None
    return base if found is None else f"{base}{JOINT}{NETWORK}{JOINT}{found.digest}"


def network_for(graph: Graph, named: str) -> Network | None:
    """Return the network that a memory keeps under a name, ``mlp/1+0a1b2c3d4e5f``; None where it keeps no such."""
    name, _, digest = named.partition(JOINT)
    kept = (_network(each.record) for each in graph.scorers.values()) if name == NETWORK else ()
    return next((each for each in kept if each is not None and each.digest == digest), None)


@lru_cache(maxsize=64)
def _network(record: bytes) -> Network | None:
    command = command_of(record)
    weights = command.body.weights if isinstance(command, AdoptScorer) else None
    return None if weights is None else network_in(weights)
