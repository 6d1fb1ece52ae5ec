"""Credit that flows back from an outcome, so that the last step does not get it all (000, section 4)."""

from collections import deque
from itertools import islice
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind, Node, NodeFlag, NodeKind

from ..edges import connect, strengthen
from ..half_life import steady
from ..reference import containers
from .account import Giving
from .appraisal import appraise, encourage, revive

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_TRAJECTORY: Final = int(EdgeKind.TRAJECTORY)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_OPENING: Final = int(NodeFlag.OPENING)
_EVENT, _EPISODE = NodeKind.EVENT, NodeKind.EPISODE
_EPISODES_MAX: Final = 16  # that contain one event and share in its outcomes


def credit_back(graph: Graph, target: Node, magnitude: float, value: float, giving: Giving) -> list[int]:
    """Credit the ``credit_events_max`` nearest steps that led to ``target``, each less than the one after it.

    Breadth first over temporal edges within a session, causal edges from events, and trajectory edges of episodes.
    Returns the steps.
    """
    steps: list[EdgeKey] = []
    steps_max = graph.header.policy.credit_events_max
    met = {target.number}
    waiting = deque([target])
    while waiting and len(steps) < steps_max:
        for key in _steps_to(graph, waiting.popleft()):
            if key[0] not in met and len(steps) < steps_max:
                met.add(key[0])
                steps.append(key)
                waiting.append(graph.expect(key[0]))
    _hand_out(graph, [(key[0], key) for key in steps], magnitude, value, giving)
    return [key[0] for key in steps]


def credit_steps(
    graph: Graph, steps: list[Node], outcome: Node, magnitude: float, value: float, giving: Giving
) -> None:
    """Credit the named ``steps``, the first most, and link each to the outcome that it led to."""
    policy = graph.header.policy
    credit = policy.credit_share * magnitude
    for step in steps:
        node = giving.to(graph.settle(step.number))
        encourage(policy, node, credit, value)
        connect(graph, node, _CAUSAL, outcome, credit)
        credit *= policy.credit_discount


def credit_members(graph: Graph, episode: Node, magnitude: float, value: float, giving: Giving) -> None:
    """Credit the last events of an episode, the youngest most (000, section 6: consequences come from trajectories)."""
    number = episode.number
    held = sorted(key for key in graph.links(number) if key[1] == _CONTAINS and key[0] == number)
    youngest = held[::-1][: graph.header.policy.credit_events_max]
    _hand_out(graph, [(key[2], key) for key in youngest], magnitude, value, giving)


def credit_episodes(graph: Graph, target: Node, outcome: Node, magnitude: float, value: float, giving: Giving) -> None:
    """Let the episodes that contain ``target`` share in its outcome, however late it comes (000, section 6).

    ``episode_share`` of it is divided among them, so that they have as much together, however many they are.
    """
    policy = graph.header.policy
    episodes = list(islice(containers(graph, target.number, _EPISODE), _EPISODES_MAX))
    share = policy.episode_share * magnitude / max(1, len(episodes))
    for episode in episodes:
        node = graph.settle(episode.number)
        revive(graph, node)
        giving.to(node)
        appraise(policy, node, share, value)
        steady(policy, node)
        connect(graph, node, _CAUSAL, outcome, share)


def _steps_to(graph: Graph, node: Node) -> list[EdgeKey]:
    """Return the edges over which credit flows back from ``node``, in key order."""
    number = node.number
    steps: list[EdgeKey] = []
    for key in sorted([key for key in graph.links(number) if key[2] == number]):
        source, kind, _ = key
        if kind == _TEMPORAL:
            within = node.kind == _EVENT and not node.flags & _OPENING
        elif kind == _CAUSAL:
            within = graph.expect(source).kind == _EVENT
        else:
            within = kind == _TRAJECTORY and node.kind == _EPISODE
        if within:
            steps.append(key)
    return steps


def _hand_out(graph: Graph, steps: list[tuple[int, EdgeKey]], magnitude: float, value: float, giving: Giving) -> None:
    """Credit the nodes of ``steps``, the first most, and the edge that each was reached over."""
    policy = graph.header.policy
    credit = policy.credit_share * magnitude
    for number, key in steps:
        node = giving.to(graph.settle(number))
        encourage(policy, node, credit, value)
        edge = graph.settled_edge(key)
        if edge is not None:
            strengthen(policy, edge, credit)
        credit *= policy.credit_discount
