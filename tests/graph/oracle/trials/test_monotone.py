"""Trust is monotone: over random lives nothing that is derived is trusted more than the least that it comes from.

No other law is asked: what a command says that it comes from is looked up as it was just before it, and what it made,
just after it. So it holds for the fold as it is, whatever the oracle says of it.
"""

from collections import Counter
from random import Random
from typing import Any, Final

from tests.graph.commands import MEMORY, Said
from tests.graph.oracle.trials.lives import Life
from tests.graph.world import World, live_claims
from tests.size import turns
from yggdrasil_projections.graph.laws.reference import accepted, live_or_heir, resolve
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import TIERS
from yggdrasil_schemas.graph.records import node_number

LIVES: Final = turns(60, 600)
OFTEN: Final = 20  # that something was trusted less than its writer, in each kind of command
CONCLUDING: Final = ("agent", "thinker", "import")  # what persons say, and tools measure, is no conclusion of theirs
NAMED: Final = {
    "record_event": "caused_by",
    "commit_episode": "events",
    "form_concept": "members",
    "assert_claim": "evidence",
    "record_recall": "returned",
}


def trusted(graph: Graph, references: list[str]) -> list[int]:
    """How far those of some nodes are trusted that are live; what confirmed a claim stands for that."""
    numbers = (resolve(graph, each) for each in references)
    return [graph.expect(number).trust for number in numbers if isinstance(number, int)]


def target(graph: Graph, command: str) -> list[int]:
    """How far that is trusted which an outcome is told of: an event or an episode, or what it went into."""
    identity = accepted(graph, command)
    node = None if identity is None else live_or_heir(graph, node_number(identity.seq))
    return [] if node is None else [node.trust]


def inputs(graph: Graph, said: Said, shown: dict[str, int]) -> list[int]:
    """How far each of what a command comes from is trusted; ``shown`` is the least that each recall has shown."""
    body: dict[str, Any] = said.body
    if said.type == "log_outcome":
        return target(graph, body["event"])
    if said.type == "record_event":
        if said.fields()["origin"] not in CONCLUDING:
            return []
        kept = [each for each in body["informed_by"] if _is_kept(graph, each)]
        said_again = trusted(graph, body.get("condenses", []))
        return [*trusted(graph, body.get("caused_by", [])), *[shown[each] for each in kept], *said_again]
    if said.type == "assert_claim" and said.fields()["origin"] in CONCLUDING:
        return trusted(graph, [*body.get("evidence", []), *body.get("condenses", [])])
    return trusted(graph, body.get(NAMED[said.type], [])) if said.type in NAMED else []


def _is_kept(graph: Graph, recall: str) -> bool:
    identity = accepted(graph, recall)
    return identity is not None and identity.seq in graph.recalls


def said_with(graph: Graph, said: Said, seq: int) -> int | None:
    """How far what a command has just said is trusted: its line of a claim, or else its node; None for neither."""
    if said.type == "assert_claim":
        found = [line.trust for claim in live_claims(graph).values() for line in claim.lines if line.seq == seq]
        return found[0] if found else None
    node = graph.node(node_number(seq)) if said.type in NAMED or said.type == "log_outcome" else None
    return None if node is None else node.trust


def lived(start: int, lowered: Counter[str]) -> None:
    """Tell one life, and hold after each command that what it has said is trusted no more than what it comes from."""
    rng, world, shown = Random(f"monotone {start}"), World(), dict[str, int]()
    life = Life(rng)
    said = life.first(rng)
    for _ in range(rng.choice((60, 120, 240))):
        graph = world.graph(MEMORY)
        of = inputs(graph, said, shown)
        answer = world.say(said)
        life.heard(said, 0 if answer.refused else answer.seq)
        if not answer.refused and not answer.duplicate:
            if said.type == "record_recall":
                shown[said.fields()["id"]] = min(of, default=4)
            found = said_with(graph, said, answer.seq)
            if found is not None and of:
                assert found <= min(of), f"life {start}: {said}: trusted {found}, and comes from {of}"
                lowered[said.type] += found < TIERS[said.fields()["origin"]]
        for number, claim in live_claims(graph).items():
            assert graph.expect(number).trust == max(line.trust for line in claim.lines), f"life {start}: {said}"
        said = life.next(rng.getrandbits(32))


def test_nothing_derived_is_trusted_more_than_the_least_that_it_comes_from() -> None:
    lowered = Counter[str]()
    for start in range(LIVES):
        lived(start, lowered)
    derived = ("record_event", "log_outcome", "commit_episode", "form_concept", "assert_claim")
    assert {kind: lowered[kind] for kind in derived if lowered[kind] < OFTEN} == {}
