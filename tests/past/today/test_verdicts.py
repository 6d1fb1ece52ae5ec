"""What is in quarantine today is in no past: whatever kind of command said it, and whichever read is asked."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.retrieval.test_seen import HIDDEN, arguments
from yggdrasil import Memory, UnknownNodeError, YggdrasilError
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.asks import Ask, QueryVector
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_projections.retrieval.table import READS
from yggdrasil_schemas.commands.vectors import Vector

MEMORY: Final = "tenant/agent"


class World:
    """A memory in which something was said by an agent, and what it was said of."""

    def __init__(self, engine: Embedded) -> None:
        self.agent = Memory(engine, Drafter(MEMORY, "stranger", "past", "agent"))
        self.user = Memory(engine, Drafter(MEMORY, "ana", "past", "user"))
        self.operator = Memory(engine, Drafter(MEMORY, "operator", "past", "operator"))
        self.events = [
            self.user.record_event(f"Deployed the router, {n}", features=["deploy", f"f{n}"]) for n in range(3)
        ]
        self.claim = self.user.assert_claim("person:bob", "lives_in", "city:rome")
        self.other = self.user.assert_claim("person:bob", "likes", "tea")
        self.user.record_event("Seen at work", features=["person:bob"])

    def outcome(self) -> str:
        return self.agent.log_outcome(self.events[0], -4, kind=f"{HIDDEN}-outage", text=f"{HIDDEN} was down")

    def event(self) -> str:
        return self.agent.record_event(f"The password is {HIDDEN}", features=["deploy"])

    def assertion(self) -> str:
        return self.agent.assert_claim("person:bob", "works_at", f"org:{HIDDEN}")

    def word(self) -> str:
        body = {"subject": "person:bob", "predicate": "lives_in", "object": {"entity": "city:rome"}}
        said = Memory(self.agent.engine, Drafter(MEMORY, f"{HIDDEN}-source", "past", "agent"))
        return said.say("assert_claim", body, content={"text": f"{HIDDEN} pin", "payload": {"pin": HIDDEN}})

    def episode(self) -> str:
        return self.agent.commit_episode(self.events, text=f"A bad day, {HIDDEN}")

    def concept(self) -> str:
        return self.operator.form_concept(self.events, text=f"Routers, {HIDDEN}")

    def alias(self) -> str:
        return self.agent.alias(f"nick:{HIDDEN}", "person:bob")

    def relation(self) -> str:
        return self.agent.relate(self.events[0], self.events[1], "supports", f"Because of {HIDDEN}")

    def verdict(self) -> str:
        other = Memory(self.user.engine, Drafter(MEMORY, "ben", "past", "user"))
        return other.verify(self.claim, f"As {HIDDEN} says")


SAID: Final[Mapping[str, tuple[Callable[[World], str], str]]] = {
    "record_event": (World.event, "timeline"),
    "log_outcome": (World.outcome, "happened"),
    "assert_claim": (World.assertion, "claims"),
    "a word for a claim": (World.word, "said"),
    "commit_episode": (World.episode, "episodes"),
    "form_concept": (World.concept, "happened"),
    "alias_entity": (World.alias, "entity"),
    "relate": (World.relation, "neighbourhood"),
    "judge": (World.verdict, "said"),
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with Embedded(tmp_path / "data", partitions=1) as engine:
        yield World(engine)


def asked(memory: Memory[Any], world: World, said: str) -> dict[str, str]:
    """What every read answers, asked in several ways."""
    rng = Random("asked")
    ids = {"any": [said, world.events[0]], "event": [*world.events, said], "episode": [said], "claim": [world.claim]}
    told: dict[str, str] = {}
    for read in READS:
        ways = [arguments(read, rng, ids) for _ in range(4)]
        more: dict[str, list[dict[str, Any]]] = {
            "entity": [{"name": "person:bob"}, {"name": f"nick:{HIDDEN}"}],
            "claims": [{"thing": f"nick:{HIDDEN}"}, {"thing": "person:bob", "history": True}],
            "neighbourhood": [{"ref": each, "depth": 2} for each in [*world.events, world.claim]],
            "lineage": [{"claim": each} for each in (world.claim, world.other)],
            "describe": [{"ref": each} for each in (said, world.claim, *world.events, f"feature:{HIDDEN}")],
            "mentions": [{"of": "person:bob"}, {"of": f"nick:{HIDDEN}"}],
            "get_context": [{"query": "Where does bob live?", "min_confidence": 0.0}],
            "explain_action": [{"event": each} for each in (said, *world.events)],
            "neighbours_of": [{"name": "person:bob", "depth": 2}],
            "graph": [{"query": f"What does bob do at {HIDDEN}?"}],
            "session_context": [],
        }
        for given in ways + more.get(read.called, []):
            try:
                answer = getattr(memory, read.called)(**given)
            except YggdrasilError:
                continue
            text = str(answer) + (answer.text() if read.called == "get_context" else "")
            for echoed in given.values():  # what was asked is no answer
                text = text.replace(repr(echoed), "") if isinstance(echoed, str) else text
            told[read.name] = told.get(read.name, "") + text
    return told


@pytest.mark.parametrize("kind", SAID)
def test_no_read_of_the_past_shows_what_is_in_quarantine_today(world: World, kind: str) -> None:
    say, told_by = SAID[kind]
    said = say(world)
    seq = world.user.moment().as_of
    item = {"node": said, "verdict": "quarantine", "word": kind == "a word for a claim"}
    world.operator.say("judge", {"items": [item], "reason": "poison", "evidence": []})
    whole = asked(world.user.as_of(seq, quarantined=True), world, said)
    assert HIDDEN in whole[told_by], "an auditor sees what it was"
    past = world.user.as_of(seq)
    shown = {name for name, text in asked(past, world, said).items() if HIDDEN in text}
    assert not shown
    assert past.moment().withheld == 1
    assert past.digest() == world.user.as_of(seq, quarantined=True).digest(), "which is that of the whole"
    world.operator.judge({said: "reject"}, reason="it is false")
    assert not {name for name, text in asked(world.user.as_of(seq), world, said).items() if HIDDEN in text}
    world.operator.judge({said: "release"}, reason="it was true")
    assert HIDDEN in asked(world.user.as_of(seq), world, said)[told_by], "only a release lifts a quarantine"


def quarantine(world: World, said: str) -> tuple[Memory[Any], Memory[Any]]:
    """Put something in quarantine; return the past before that, as a reader and as an auditor see it."""
    seq = world.user.moment().as_of
    world.operator.judge({said: "quarantine"}, reason="poison")
    return world.user.as_of(seq), world.user.as_of(seq, quarantined=True)


def test_a_vector_in_quarantine_finds_nothing(world: World) -> None:
    values = bytes([100, 10, 3])
    event = world.agent.record_event("Nothing of note")
    attached = world.agent.attach_vector(event, Vector.of("model", values))
    past, whole = quarantine(world, attached)
    ask = Ask(MEMORY, "quite another thing", 5, vector=QueryVector("model", values), min_confidence=0.0)
    found = [memory.ask(AskContext(ask, None, False)).refs for memory in (past, whole)]
    assert found == [[], [event]]


def test_a_report_of_use_in_quarantine_strengthens_nothing(world: World) -> None:
    recall = world.agent.get_context("Deployed the router")
    before = world.user.describe(recall.refs[0]).memory
    said = world.agent.say("report_use", {"recall": recall.recall_id, "used": recall.refs[:1], "result": "success"})
    past, whole = quarantine(world, said)
    reader, auditor = (memory.describe(recall.refs[0]).memory for memory in (past, whole))
    assert auditor.usage > reader.usage == before.usage and auditor.permanence > reader.permanence


def test_an_outcome_in_quarantine_foretells_nothing(world: World) -> None:
    past, whole = quarantine(world, world.outcome())
    told = [memory.foretell("deploy", features=["deploy"]).foretold for memory in (past, whole)]
    assert not told[0] and told[1] and told[1][0].valence < 0
    assert past.describe(world.events[0]).memory.impact == 0.0 > whole.describe(world.events[0]).memory.impact


def test_what_gave_way_to_it_stands_again(world: World) -> None:
    first = world.user.record_event("The router is in the cellar", key="router")
    second = world.user.record_event("The router is in the attic", key="router")
    past, whole = quarantine(world, second)
    standing = [memory.history(key="router", standing=True).memories for memory in (past, whole)]
    assert [[each.ref for each in memories] for memories in standing] == [[first], [second]]


def test_a_feature_that_others_have_too_stays(world: World) -> None:
    past, whole = quarantine(world, world.agent.record_event("Deployed", features=["deploy", "only:mine"]))
    assert past.describe("feature:deploy").memory.text == "deploy"
    assert whole.describe("feature:only:mine").memory.text == "only:mine"
    with pytest.raises(UnknownNodeError):
        past.describe("feature:only:mine")


def test_the_past_of_a_past_is_seen_alike(world: World) -> None:
    """What a comparison shows of its earlier moment has gone through the same verdicts."""
    alias = world.alias()
    first = world.user.moment().as_of
    world.user.record_event("Life goes on")
    second = world.user.moment().as_of
    world.operator.judge({alias: "quarantine", world.claim: "quarantine"}, reason="poison")
    changed = world.user.as_of(second).diff(first)
    assert [each.after.text for each in changed.learnt if each.after] == ["Life goes on"]
    assert not changed.changed and not changed.fell
