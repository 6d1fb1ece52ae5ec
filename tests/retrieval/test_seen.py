"""A memory as one sees it who trusts nothing below a tier: every read answers, and shows nothing of the rest."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson
import pytest

from tests.graph.commands import policy
from tests.retrieval.lives import spoken
from yggdrasil import InvalidAskError, Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.laws.authority import trust_in
from yggdrasil_projections.graph.laws.reference import accepted, resolve
from yggdrasil_projections.graph.lensed import lensed, shows
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.errors import (
    UnknownActionError,
    UnknownCommandError,
    UnknownNodeError,
    UnknownSessionError,
)
from yggdrasil_projections.retrieval.query import Read
from yggdrasil_projections.retrieval.reads.learning.cases import similar_cases
from yggdrasil_projections.retrieval.records import command_in
from yggdrasil_projections.retrieval.table import READS
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.graph.predicates import KNOWN
from yggdrasil_schemas.refusals import Refused

MEMORY: Final = "tenant/agent"
HIDDEN: Final = "qqhidden"
SEEN: Final = "qqseen"
LARGE: Final = policy(
    "large",
    nodes_max=250,
    edges_max=1_500,
    degree_max=64,
    sessions_open_max=8,
    archived_max=100,
    search_refusal=0.0,
    search_gap=-1.0,
    bias_candidates=1,
)
RAISE: Final = ("verify", "promote", "release")
"""Whoever gives these verdicts says it again, and an authority is trusted as what is measured: that shows it."""
TELLS_NO_WORDS: Final = {
    "became",
    "stats",
    "moment",
    "snapshots",
    "digest",
    "drift",
    "rulings",
    "standing",
    "reported",
    "scorers",
}
_UNKNOWN: Final = (UnknownNodeError, UnknownActionError, UnknownCommandError, UnknownSessionError, InvalidAskError)


def marked(fields: dict[str, Any], trust_min: int) -> dict[str, Any]:
    """A command whose words, features and values say whether it is to be seen."""
    body, trust = fields["body"], trust_in(fields["origin"], fields.get("trust"))
    known = KNOWN.get(body.get("predicate", ""))
    hidden = (max(3, trust) if known is not None and known.authority == fields["origin"] else trust) < trust_min
    word = HIDDEN if hidden else SEEN
    content = fields.get("content") or {}
    if "text" in content:
        content = content | {"text": f"{content['text']} {word}"}
    if "name" in content:
        content = content | {"name": f"{content['name']} {word}", "aliases": []}
    if "payload" in content:
        content = content | {"payload": {"caption": word}}
    fields = fields | {"content": content} if content else fields
    if fields["type"] == "record_event":
        body = body | {"features": [*body["features"][:8], f"{word}:{len(body['features'])}"]}
        if len(body["features"]) % 2:  # the others are in the sessions of everybody
            fields |= {"session": f"{word}-{fields.get('session', 'none')}"}
    if fields["type"] == "log_outcome":
        body = body | {"kind": f"{word}-{body['kind']}"}
    if fields["type"] == "judge" and body.get("reason"):
        body = body | {"reason": word}
    if fields["type"] == "assert_claim" and hidden:
        body = body | {"object": {"entity": f"{HIDDEN}:thing"}}
    if fields["type"] == "alias_entity":
        body = body | {"name": f"{word}:{body['name']}"}
    return fields | {"body": body}


def lived(engine: Embedded, seed: int, trust_min: int, count: int = 1_000) -> list[str]:
    """Live a random life of commands of all tiers, and return their ids."""
    rng = Random(f"seen{seed}")
    ids: list[str] = []
    for said in (LARGE, *(spoken(rng.randrange(10**9)) for _ in range(count))):
        fields = said.fields(MEMORY)
        if rng.random() < 0.5 and said.type in ("record_event", "log_outcome", "commit_episode", "form_concept"):
            fields |= {"origin": "operator", "trust": 4}
        if isinstance(command_of(orjson.dumps(fields)), Refused) or (said.type == "set_policy" and ids):
            continue
        if fields["body"].get("authority") or any(each["verdict"] in RAISE for each in fields["body"].get("items", [])):
            continue
        value = orjson.dumps(fields if said.type == "set_policy" else marked(fields, trust_min))
        answer = engine.submit(Draft(fields["id"], MEMORY, value))
        assert ids or answer.refused is None, answer.refused
        ids.append(fields["id"])
    Memory(engine, Drafter(MEMORY, "worker", "seen", "operator")).define(
        role="buyer", perspectives={"Cost": ["deploy"]}
    )
    for word, origin in ((HIDDEN, "agent"), (SEEN, "operator")):
        _work(Memory(engine, Drafter(MEMORY, "worker", "seen", origin)), word)
    return ids


def _settle(memory: Memory[Any], word: str) -> None:
    """Know of a place that only this one knows of, on the way from one that all know to another."""
    ticks = {"ticks": "1" if word == HIDDEN else "2"}
    memory.assert_claim("place:home", "path", f"place:{word}", qualifiers=ticks)
    memory.assert_claim(f"place:{word}", "path", "place:goal", qualifiers=ticks)
    memory.assert_claim(f"place:{word}", "is_a", "chest")
    memory.assert_claim("npc:smith", "last_seen_at" if word == HIDDEN else "located_in", f"place:{word}")
    memory.assert_claim(f"npc:{word}", "offers", "item:emerald")


def _work(memory: Memory[Any], word: str) -> None:
    """Open a session and leave a trace of everything in it: a note, a decision, what was learnt."""
    _settle(memory, word)
    touches = ["service:checkout", "resource:staging"]
    of_it = {"workflow": "release", "task": "T-1", "agent": word, "goal": f"Deploy the {word}"}
    session = memory.session(**of_it, touches=touches, holds=touches[1:], name=f"{word}-work")
    for number in range(2):
        text = f"Deployed for {number} crowns, {word}"
        memory.record_event(text, features=[f"{word}:price{number}"], perspectives=["Cost"])
    asked = f"Deployed for how many crowns {word}?"
    first, _, _ = (memory.get_context(asked, k=8) for _ in range(3))  # offered more than once, and one of it is used
    memory.report_use(first, first.refs[:1])
    session.note(goal=f"Out with {word}", threat=f"An outage of {word}", progress=word)
    session.promise(f"Tell {word}", due="2026-01-01")
    decision = session.decide(f"Go on with {word}", f"For {word}", alternatives=[word], about=touches[:1])
    session.log_outcome(decision, -2, kind=f"{word}-failure")
    lesson = {"text": f"The router is {word}", "about": "service:checkout"}
    failed = {"text": f"Ask {word}", "failure": "loop"}
    session.reflect(lessons=[lesson], warnings=[f"No deploy of {word}"], recoveries=[failed])


def arguments(read: Read[Any], rng: Random, ids: Mapping[str, list[str]]) -> dict[str, Any]:
    """Arguments of a read that find something, most of the time."""
    ref, event, episode, claim = (rng.choice(ids[kind]) for kind in ("any", "event", "episode", "claim"))
    known: Mapping[str, dict[str, Any]] = {
        "get_context": {"query": f"deploy friday outage {HIDDEN}", "k": 20, "record": False},
        "get_similar_cases": {"query": f"router lost {HIDDEN}", "record": False},
        "describe": {"ref": rng.choice((ref, f"feature:f{rng.randrange(40)}", f"feature:{HIDDEN}:3"))},
        "neighbourhood": {"ref": rng.choice((ref, f"feature:f{rng.randrange(40)}")), "depth": 2, "count": 200},
        "timeline": rng.choice(({"count": 200}, {"count": 200, "where": Where(history=True)})),
        "happened": {"count": 500},
        "mentions": {"of": rng.choice((f"f{rng.randrange(5)}", "deploy", HIDDEN, "outage friday")), "count": 200},
        "working_memory": {"count": 20},
        "episodes": {"count": 100},
        "episode": {"ref": episode},
        "what_next": rng.choice(({}, {"episode": episode}, {"text": "deploy", "features": ["f1", f"{HIDDEN}:3"]})),
        "foretell": {"text": "deploy", "features": [f"f{n}" for n in range(25)] + [f"{HIDDEN}:3"]},
        "explain_action": {"event": event},
        "became": {"command_id": ref},
        "claims": rng.choice(({"history": True, "count": 100}, {"count": 100})),
        "lineage": {"claim": claim},
        "dependents": {"ref": rng.choice((ref, event, claim))},
        "entity": {"name": f"f{rng.randrange(5)}"},
        "history": rng.choice(({"ref": ref}, {"key": "key0"}, {"key": "key1", "standing": True})),
        "contradictions": {"count": 100},
        "said": {"count": 500},
        "diff": {"a": rng.choice((1, 60, 150)), "count": 1_000, "questions": 3},
        "standing": {"commands": list(dict.fromkeys((ref, event, claim, episode)))},
        "sessions": {},
        "session_context": {
            "session": f"{SEEN}-work",
            "query": rng.choice(("deploy friday outage", f"router {HIDDEN}", None)),
            "tokens_max": 4_000,
            "show": rng.choice(("index", "claims", "full")),
        },
        "desk": rng.choice(({}, {"task": "T-1"}, {"session": f"{SEEN}-work"})),
        "decisions": {"workflow": "release"},
        "sayers": {"about": "service:checkout"},
        "recoveries": {"kind": "loop"},
        "profile": {"name": rng.choice(("buyer", "Cost"))},
        "places": {"count": 200},
        "nearest": {"type": "chest", "from_": "place:home", "k": 50},
        "route": {"from_": "place:home", "to": "place:goal"},
        "last_seen": {"name": "npc:smith"},
        "trades": {"want": "item:emerald", "from_": "place:home", "count": 50},
        "neighbours_of": {"name": "place:home", "depth": 2, "count": 200},
        "graph": {"query": "Which chest is on the path from home to the goal?", "tokens_max": 4_000},
        "digestion": {"session": rng.choice(("default", f"{SEEN}-work"))},
    }
    return known.get(read.called, {})


def test_no_read_of_any_life_fails_or_shows_what_is_trusted_less(tmp_path: Path) -> None:
    answered, shown = Counter[str](), Counter[str]()
    for seed in range(3):
        trust_min = 2 + seed
        with Embedded(tmp_path / f"data{seed}", sliced=True) as engine:
            ids = lived(engine, seed, trust_min)
            memory = Memory(engine, Drafter(MEMORY, "me", "seen", "thinker"))  # who records nothing
            there: dict[str, list[str]] = {}
            for each in memory.happened(count=1_000).happened:
                there.setdefault(each.kind, []).append(each.id)
            seen, rng = memory.seen(trust_min=trust_min), Random(seed)
            for read in READS:
                for _ in range(15):
                    given = arguments(read, rng, there | {"any": rng.choice([ids, *there.values()])})
                    shown[read.name] += HIDDEN in _told(memory, read, given)
                    told = _told(seen, read, given)
                    answered[read.name] += bool(told)
                    assert HIDDEN not in told, (seed, read.name, given)
    assert answered.keys() == {read.name for read in READS} and all(answered.values()), answered
    assert {name for name, times in shown.items() if not times} == TELLS_NO_WORDS, "without the lens it is there"


Three = tuple[Memory[Any], Memory[Any], Memory[Any]]


@pytest.fixture
def three(tmp_path: Path) -> Iterator[Three]:
    """One memory, as an operator, a user and an agent have it."""
    with Embedded(tmp_path / "data", partitions=1, sliced=True) as engine:
        operator, user, agent = (
            Memory(engine, Drafter(MEMORY, who, "seen", who)) for who in ("operator", "user", "agent")
        )
        yield operator, user, agent


def test_recalls_are_proved_with_the_lens_and_those_from_before_it_without(three: Three, tmp_path: Path) -> None:
    _, user, agent = three
    steps = [user.record_event("Deployed the router on a friday"), user.record_event("Packets were lost")]
    for number in range(8):
        user.record_event(f"Lunch {number}, soup")
    agent.log_outcome(agent.commit_episode(steps, text="A bad friday"), -5, kind="outage", text="down")
    question, where = "deploy router friday", Where(trust_min=2)
    assert not user.get_similar_cases(question, where=where, k=5).bad
    assert not user.seen(trust_min=2).get_similar_cases(question, k=5).bad
    with user.engine.asking(MEMORY) as (graph, _):
        before = similar_cases(
            graph, user.engine.view.index(graph), Ask(MEMORY, question, 5, where=where), 0, lens=False
        )
    assert before.bad, "the agent's outcome counted"
    versions = {name: before.versions[name] for name in ("ranker", "tokenizer", "index")}
    body = {"purpose": "similar_cases", "as_of": before.as_of, "returned": before.refs, "parameters": {"k": 5}}
    content = {"text": question, "payload": {"where": {"trust_min": 2}}}
    user.engine.submit(Drafter(MEMORY, "user", "seen", "user").draft("record_recall", body | versions, content))
    log = user.engine.log
    proofs = list(prove(log, tmp_path / "again", list(recalls_in(log, MEMORY))))
    assert [proof.reason for proof in proofs] == [None] * 3


def test_what_is_gone_is_hidden_where_nobody_can_tell_what_it_was_made_of(three: Three) -> None:
    operator, user, agent = three
    members = [agent.record_event(f"Step {number}") for number in range(3)]
    concept = operator.form_concept(members, text=f"{HIDDEN} sums it up")
    recall = user.get_context(f"{HIDDEN} sums it up", k=8).recall_id
    assert recall is not None
    act = user.record_event("Acted", informed_by=[recall])
    seen = user.seen(trust_min=2)
    for gone in (False, True):
        if gone:
            operator.dissolve_concept(concept)
        assert HIDDEN in str(user.explain_action(act).informed_by[0].returned)
        assert HIDDEN not in str(seen.explain_action(act).informed_by[0].returned)


def test_what_was_written_beside_a_confirmed_claim_was_confirmed_by_nobody(three: Three) -> None:
    operator, user, agent = three
    said = {"subject": "person:ana", "predicate": "lives_in", "object": {"entity": "city:oslo"}}
    event = agent.record_event("She said so")
    content = {"text": f"{HIDDEN} pin", "payload": {"pin": HIDDEN}}
    claim = agent.say("assert_claim", said | {"evidence": [event]}, content=content)
    user.assert_claim("person:ana", "lives_in", "city:oslo")
    shown = user.describe(claim).memory
    assert (shown.trust, shown.text, shown.payload) == (2, "ana lives in oslo", None)
    happened = next(each for each in user.seen(trust_min=2).happened().happened if each.id == claim)
    assert (happened.text, happened.payload) == (None, None)
    assert happened.asserted is not None and happened.asserted.evidence == []
    operator.record_event("Nothing of this is theirs")


def test_hidden_names_name_nothing(three: Three) -> None:
    _, user, agent = three
    agent.alias("nick:bo", "person:bob")
    user.assert_claim("person:bob", "lives_in", "city:rome")
    seen = user.seen(trust_min=2)
    assert (user.entity("nick:bo").name, seen.entity("nick:bo").name) == ("person:bob", "nick:bo")
    assert (user.entity("person:bob").aliases, seen.entity("person:bob").aliases) == (["nick:bo"], [])
    assert user.claims(thing="nick:bo").claims == [], "an agent's name joins nothing to what a user said"
    agent.assert_claim("person:bob", "likes", "tea")
    assert user.claims(thing="nick:bo").claims
    assert seen.claims(thing="nick:bo").claims == user.claims(thing="nick:bo", trust_min=2).claims == []


@pytest.mark.parametrize(("share", "left"), [(1.0, 0), (0.7, 1)])  # of the edges, for agents
def test_a_flood_from_below_hides_no_feature_of_others(three: Three, share: float, left: int) -> None:
    _, user, agent = three
    user.set_policy(degree_max=16, agents_share=share)
    first = user.record_event("Deployed", features=["deploy"])
    for number in range(40):
        agent.record_event(f"Deployed {number}", features=["deploy"])
    seen = user.seen(trust_min=2)
    neighbours = [each.ref for each in user.neighbourhood("feature:deploy").neighbours]
    assert neighbours.count(first) == left, "its edge is cut where agents may have all"
    assert seen.describe("feature:deploy").memory.text == "deploy"
    assert first in seen.get_context("deploy", record=False, min_confidence=0.0).refs


def test_a_session_stands_where_what_is_seen_of_it_does(three: Three) -> None:
    _, user, agent = three
    user.record_event("Begun", session="both")
    other = user.record_event("Later", session="ours")
    agent.record_event("Gone on", session="both")
    assert [each.session for each in user.working_memory().sessions] == ["both", "ours"]
    seen = user.seen(trust_min=2).working_memory().sessions
    assert [(each.session, each.touched) for each in seen] == [("ours", 2), ("both", 1)]
    assert user.became(other) is not None


def test_what_is_hidden_is_in_no_recall_no_session_and_no_record(tmp_path: Path) -> None:
    with Embedded(tmp_path / "data", partitions=1, sliced=True) as engine:
        ours, theirs = (Memory(engine, Drafter(MEMORY, who, "seen", who)) for who in ("user", "agent"))
        kept = ours.record_event("Deployed on a Friday", session="ours")
        hidden = theirs.record_event("Deployed on a Friday as well", session="ours")
        theirs.record_event("Deployed", session="theirs")
        ours.get_context("Deployed on a Friday", k=5)
        with engine.reading_of(MEMORY) as (graph, _):
            seen = lensed(graph, 2)
            assert lensed(seen, 1) is seen and lensed(graph, 0) is graph
            number, other = (resolve(graph, each) for each in (kept, hidden))
            (all_of_it,), (of_it,) = (each.recalls.values() for each in (graph, seen))
            assert {each.number for each in all_of_it.returned} >= {number, other}
            assert [each.number for each in of_it.returned] == [number]
            assert graph.sessions.keys() == {"ours", "theirs"} and seen.sessions.keys() == {"ours"}
            assert seen.sessions["ours"].buffer == [number]
            assert accepted(seen, hidden) is None and accepted(seen, kept) is not None
        for record, shown in zip(engine.records.read(0, 0, 3), (True, False, False), strict=True):
            command = command_in(record.value)
            assert (shows(graph, command), shows(seen, command)) == (True, shown)


def _told(memory: Memory[Any], read: Read[Any], given: dict[str, Any]) -> str:
    """An answer without what was asked; empty where there is nothing of that name."""
    try:
        found = orjson.loads(orjson.dumps(getattr(memory, read.called)(**given)))
    except _UNKNOWN:
        return ""
    if isinstance(found, dict) and "of" in found:
        found["names"] = found["names"][1:]  # the first is what was asked
    asked = ("query", "text", "ref", "of", "about", "failure") if isinstance(found, dict) else ()
    return orjson.dumps(found if not asked else {name: found[name] for name in found if name not in asked}).decode()
