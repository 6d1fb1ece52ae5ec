"""Nothing from below takes away: over random lives, what somebody says changes nothing of who is trusted more.

No law is asked. Each node is looked at just before a command and just after it: what is trusted more than the writer of
the command, by who said it or judged it, still stands, is not stale, and is not archived by a verdict; and a note of
more trust stays on its desk until the session ends. What the memory does by itself is left out: it forgets, it puts
away asleep (as a thinker does by a verdict), and it settles the notes of a session that nobody has ended.
"""

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from tests.graph.commands import MEMORY, Said
from tests.graph.oracle.trials.lives import Life
from tests.graph.world import World, live_nodes
from tests.size import turns
from yggdrasil_projections.graph.laws.knowledge.predicates import definition_of
from yggdrasil_projections.graph.laws.standing.ruling import authority
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import TIERS
from yggdrasil_schemas.graph.records import NOBODY, EdgeKind, NodeFlag, NodeKind, Status

LIVES: Final = turns(60, 1_000)
OFTEN: Final = 200  # that something of more trust was there to take, for each kind of command
STANDS: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)
FALLEN: Final = (Status.QUARANTINED, Status.SUPERSEDED, Status.REJECTED)
OWN: Final = (NodeKind.EVENT, NodeKind.CLAIM, NodeKind.OUTCOME)  # an episode, or a concept, is stale with any part


@dataclass(frozen=True)
class Seen:
    """What a node was before a command."""

    authority: int
    status: int
    flags: int
    kind: int


def seen(graph: Graph) -> dict[int, Seen]:
    nodes = live_nodes(graph)
    return {
        number: Seen(authority(graph, node), int(node.status), int(node.flags), int(node.kind))
        for number, node in nodes.items()
    }


def desks(graph: Graph) -> dict[str, list[int]]:
    return {name: list(session.desk) for name, session in graph.sessions.items()}


def stamped(graph: Graph, said: Said) -> int:
    """How far the writer of a command is trusted, for once at least: some know better of what a predicate says."""
    fields: dict[str, Any] = said.fields()
    tier = TIERS[fields["origin"]]
    trust: int = min(tier, fields.get("trust", tier))
    knows = said.type == "assert_claim" and definition_of(graph, said.body["predicate"]).authority == fields["origin"]
    return max(trust, 3) if knows and trust >= 2 else trust


def taken(graph: Graph, said: Said, before: dict[int, Seen]) -> str | None:
    """What a command has taken away of what is trusted more than its writer; None for nothing."""
    trust = stamped(graph, said)
    for number, node in live_nodes(graph).items():
        was = before.get(number)
        if was is None or was.authority <= trust:
            continue
        by_itself = node.status == Status.RESOLVED and graph.ruling(node).by == NOBODY
        if (
            was.status in STANDS
            and node.status not in STANDS
            and not by_itself
            and not _was_beaten(graph, before, number)
        ):
            return f"{number} stood, and is {Status(node.status).name} now"
        stale = node.flags & ~was.flags & NodeFlag.STALE
        if was.status in STANDS and was.kind in OWN and stale and not _was_left(graph, before, number):
            return f"{number} is stale now"
        if (
            said.type == "judge"
            and said.fields()["origin"] != "thinker"
            and node.flags & ~was.flags & NodeFlag.ARCHIVED
        ):
            return f"{number} is archived now"
    return None


def _was_beaten(graph: Graph, before: dict[int, Seen], number: int) -> bool:
    """Whether a node gave way to what stood, and is trusted as much: any word for that ends a contest."""
    instead = graph.ruling(graph.expect(number)).instead
    winner, stood = graph.node(instead), instead in before and before[instead].status in STANDS
    return stood and winner is not None and winner.trust >= before[number].authority


def _was_left(graph: Graph, before: dict[int, Seen], number: int) -> bool:
    """Whether something that a node rests on, or that rests on it, had fallen by enough trust, or was beaten."""
    ends = {end for key in graph.links(number) if key[1] == EdgeKind.EVIDENCE for end in (key[0], key[2])} - {number}
    known = {end: before[end] for end in ends if end in before}
    fallen = [was for was in known.values() if was.status in FALLEN]
    beaten = any(_was_beaten(graph, before, end) for end in known)
    return beaten or any(each.authority >= before[number].authority for each in fallen)


def pushed_off(graph: Graph, said: Said, before: dict[int, Seen], notes: dict[str, list[int]]) -> str | None:
    """Which note of more trust is no longer on the desk of a session that goes on; None for none."""
    for name, session in graph.sessions.items():
        for number in notes.get(name, ()):
            more = number in before and before[number].authority > stamped(graph, said)
            if more and number not in session.desk and not session.ended:
                return f"{number} is not on the desk of {name}"
    return None


def lived(start: int, counts: Counter[str]) -> None:
    rng, world = Random(f"from below {start}"), World()
    life = Life(rng)
    said = life.first(rng)
    for _ in range(rng.choice((60, 120, 240))):
        before, notes = seen(world.graph(MEMORY)), desks(world.graph(MEMORY))
        answer = world.say(said)
        life.heard(said, 0 if answer.refused else answer.seq)
        if not answer.refused and said.type != "set_policy":  # which an operator alone may send
            graph = world.graph(MEMORY)
            found = taken(graph, said, before) or pushed_off(graph, said, before, notes)
            assert found is None, f"life {start}: {said}: {found}"
            counts[said.type] += sum(each.authority > stamped(graph, said) for each in before.values())
        said = life.next(rng.getrandbits(32))


def test_nothing_from_below_takes_away_what_is_trusted_more() -> None:
    counts = Counter[str]()
    for start in range(LIVES):
        lived(start, counts)
    taking = ("record_event", "assert_claim", "judge", "log_outcome", "relate", "alias_entity", "report_use")
    assert {kind: counts[kind] for kind in taking if counts[kind] < OFTEN} == {}
