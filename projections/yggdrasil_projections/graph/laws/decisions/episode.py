"""The law of episodes: a stretch of experience becomes one thing that can be remembered (000, section 6)."""

from itertools import islice
from typing import Final

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import CommitEpisode, RecordEvent
from yggdrasil_schemas.commands.decisions import CommitEpisodeBody
from yggdrasil_schemas.graph.records import EdgeKind, Node, NodeFlag, NodeKind, Parts, Session, node_number
from yggdrasil_schemas.refusals import Refusal, Refused

from ..derivation import trust_here
from ..edges import new_edge
from ..half_life import steady
from ..reference import containers, made_by
from ..standing.ruling import conclude
from .thinker import advance, refuse

_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_TRAJECTORY: Final = int(EdgeKind.TRAJECTORY)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_CATASTROPHIC: Final = int(NodeFlag.CATASTROPHIC)
_EVENTS: Final = (RecordEvent.number,)
_EPISODES: Final = (CommitEpisode.number,)
_OUTCOMES_MAX: Final = 16


def commit_episode(graph: Graph, command: CommitEpisode, seq: int, record: bytes) -> Refused | None:
    """Make an episode of the named events and earlier episodes that are left (000, section 6, how chunking works).

    It contains them, and takes half of their mean salience, of their greatest permanence and of their impact upward.
    It follows the memory's last episode in time and the last ones of its sessions as a trajectory; it is associated
    with what its events have in common, and linked to their outcomes. Then the buffers are cleared, by the policy that
    was named.
    """
    body = command.body
    events = _live(graph, body)
    if isinstance(events, Refused):
        return events
    stale = refuse(graph, body)
    if stale is not None:
        return stale

    header = graph.header
    policy = header.policy
    share = policy.upward_share
    salience = impact = permanence = 0.0
    marks = 0
    members = [graph.settle(number) for number in events]
    for event in members:
        salience += event.salience
        impact += event.impact
        permanence = max(permanence, event.permanence)
        marks |= event.marks
    episode = Node(node_number(seq), NodeKind.EPISODE, header.tick, 0.0, 0.0, marks=marks)
    episode.salience = min(policy.salience_initial + share * (salience / len(events)), policy.salience_max)
    episode.permanence = min(share * permanence, policy.permanence_max)
    episode.impact = max(-policy.impact_max, min(share * impact, policy.impact_max))
    conclude(policy, episode, trust_here(graph, command), members)
    graph.add_node(episode, record)
    sessions = _sessions(graph, command, events)
    _bind(graph, episode, events, sessions)
    steady(policy, episode)
    for name in sessions:
        _clear(graph, name, body, events)
    header.episode = episode.number
    advance(graph, body)
    return None


def _live(graph: Graph, body: CommitEpisodeBody) -> list[int] | Refused:
    """Return the numbers of the named members that are left, in order of number, or why there is no episode."""
    made: list[int] = []
    for named, kinds in ((body.events, _EVENTS), (body.episodes, _EPISODES)):
        for command_id in named:
            number = made_by(graph, command_id, kinds)
            if isinstance(number, Refused):
                return number
            if graph.node(number) is not None:
                made.append(number)
    return sorted(made) if made else Refused(Refusal.EVENT_FORGOTTEN)


def _sessions(graph: Graph, command: CommitEpisode, events: list[int]) -> dict[str, Session]:
    """Return the open sessions that the episode is of, by name: the one that the command names.

    When it names none, those whose buffers hold an event of it, in order of name; there are at most as many as it has
    events. When no buffer holds any, the one that a command without a session belongs to.
    """
    if "session" not in command.model_fields_set:
        held = set(events)
        holding = {
            name: graph.sessions[name]
            for name in sorted(graph.sessions)
            if not held.isdisjoint(graph.sessions[name].buffer)
        }
        if holding:
            return holding
    session = graph.sessions.get(command.session)
    return {} if session is None else {command.session: session}


def _bind(graph: Graph, episode: Node, events: list[int], sessions: dict[str, Session]) -> None:
    """Bind the episode into the long-term structure."""
    for number in events:
        new_edge(graph, episode, _CONTAINS, graph.expect(number))
    before = graph.node(graph.header.episode) if graph.header.episode else None
    if before is not None:
        new_edge(graph, before, _TEMPORAL, episode)
    for number in sorted({session.episode for session in sessions.values() if session.episode}):
        before = graph.node(number)
        if before is not None:
            new_edge(graph, before, _TRAJECTORY, episode)
    for session in sessions.values():
        session.episode = episode.number
    common = _common(graph, events)
    for number, times in common:
        new_edge(graph, episode, _ASSOCIATIVE, graph.expect(number), float(times))
    if common:
        graph.new_parts[episode.number] = Parts(tuple([number for number, _ in common]))
    outcomes = {key[2] for number in events for key in graph.links(number) if key[1] == _CAUSAL and key[0] == number}
    followed = map(graph.expect, sorted(outcomes))  # one by one: there may be thousands
    for outcome in islice((node for node in followed if node.kind == NodeKind.OUTCOME), _OUTCOMES_MAX):
        new_edge(graph, episode, _CAUSAL, outcome)


def _common(graph: Graph, events: list[int]) -> list[tuple[int, int]]:
    """Return what most of the events are made of or are absorbed in, with the number of events: most first."""
    times: dict[int, int] = {}
    for event in events:
        held = [number for number in graph.parts(event).carriers if graph.node(number) is not None]
        for number in held + [concept.number for concept in containers(graph, event, NodeKind.CONCEPT)]:
            times[number] = times.get(number, 0) + 1
    ranked = sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))
    return ranked[: graph.header.policy.features_paired_max]


def _clear(graph: Graph, name: str, body: CommitEpisodeBody, events: list[int]) -> None:
    """Let ``events``, the named ones, leave the session's buffer: only those, and as many as ``clear`` says."""
    session = graph.changed_sessions[name] = graph.sessions[name]
    buffered = [number for number in session.buffer if number in events]
    if body.clear == "window":
        leaving = set(buffered[: max(0, len(buffered) - body.keep)])
    elif body.clear == "key":
        leaving = {number for number in buffered if not _is_key(graph, number)}
    else:
        leaving = set(buffered)
    session.buffer = [number for number in session.buffer if number not in leaving]


def _is_key(graph: Graph, number: int) -> bool:
    event = graph.expect(number)
    salience = decayed(event.salience, graph.header.tick - event.tick, event.half_life)
    return salience >= graph.header.policy.key_salience or bool(event.flags & _CATASTROPHIC)
