"""What a search returns: principles, no near-duplicates, what fits, what a hit leads to, and cases."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.retrieval.lives import anew
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask, QueryVector
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.reads.learning.cases import similar_cases
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searching import UnknownRankerError
from yggdrasil_schemas.commands.vectors import Vector


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent") as opened:
        opened.set_policy(search_refusal=0.0, search_gap=-1.0)
        yield opened


def context(memory: Memory[Embedded], query: str, **asked: object) -> Context:
    with memory.engine.reading_of(memory.id) as (graph, partition):
        return search_context(graph, anew(graph), Ask(memory.id, query, **asked), partition)  # type: ignore[arg-type]


def cases(memory: Memory[Embedded], query: str, k: int = 10) -> SimilarCases:
    with memory.engine.reading_of(memory.id) as (graph, partition):
        return similar_cases(graph, anew(graph), Ask(memory.id, query, k), partition)


def test_near_duplicates_are_passed_over_but_not_what_ended_otherwise(
    memory: Memory[Embedded], monkeypatch: pytest.MonkeyPatch
) -> None:
    same = [memory.record_event("the nightly backup ran and the disk was fine") for _ in range(6)]
    other = memory.record_event("the backup of the disk was lost")
    memory.log_outcome(same[3], -5, kind="loss")
    assert set(context(memory, "backup disk").refs) == {same[3], other}
    memory.log_outcome(same[1], 5)
    assert set(context(memory, "backup disk").refs) == {same[3], same[1], other}
    monkeypatch.setitem(RANKERS, RANKER, replace(RANKERS[RANKER], alike=1.0))
    assert len(context(memory, "backup disk").refs) == 3  # the same to the word


def test_of_a_claim_and_evidence_that_says_the_same_the_claim_is_shown(memory: Memory[Embedded]) -> None:
    told = memory.observe("Ana lives in Oslo", [("person:ana", "lives_in", "city:oslo")])
    more = memory.observe("Ben lives in Rome, near the old harbour", [("person:ben", "lives_in", "city:rome")])
    assert context(memory, "Where does Ana live?", k=1).refs == told.facts
    assert context(memory, "Where does Ana live?", tokens_max=8).refs == told.facts
    assert set(context(memory, "lives in", k=9).refs) == {*told.facts, more.event, *more.facts}
    denied = memory.observe("Ana does not live in Oslo", [("person:ana", "lives_in", "city:oslo")])
    assert denied.event in context(memory, "Where does Ana live?", k=9).refs, "the words alone do not tell"
    memory.log_outcome(told.event, -5, kind="loss")
    assert told.event in context(memory, "Where does Ana live?", k=9).refs


def test_a_budget_is_kept_and_what_fits_is_taken(memory: Memory[Embedded]) -> None:
    long = memory.record_event("router outage " + "of many other words that say little about it " * 40)
    short = [memory.record_event(f"router outage in building {number} on floor {number * 7}") for number in range(5)]
    found = context(memory, "router outage", tokens_max=60)
    assert found.tokens <= 60
    assert long not in found.refs and set(found.refs) <= set(short) and len(found.refs) >= 4
    assert found.tokens == sum(-(-len(entry.memory.text or "") // 4) for entry in found.found)
    assert context(memory, "router outage", tokens_max=3).refs == []
    assert long in context(memory, "router outage", k=10).refs


def test_principles_come_first_whatever_is_asked_and_take_of_the_budget(memory: Memory[Embedded]) -> None:
    rule = memory.record_event("Never deploy on a Friday")
    memory.pin(rule, principle=True)
    other = memory.record_event("lunch was soup")
    answer = context(memory, "soup for lunch?")
    assert [entry.memory.ref for entry in answer.principles] == [rule]
    assert answer.refs == [rule, other]
    assert context(memory, "deploy friday").refs == [rule]  # once, not twice
    nothing = context(memory, "quarterly revenue")
    assert (nothing.refs, nothing.nothing is not None) == ([rule], True)
    assert context(memory, "soup", tokens_max=6).refs == [rule]


def test_a_neighbour_in_time_is_reached_over_the_question_before_it(memory: Memory[Embedded]) -> None:
    for number, thing in enumerate(("tyre", "lamp", "bell", "chain", "brake", "pedal")):  # neighbours belong together
        memory.record_event(f"Did you mend the {thing}?", session=f"talk {number}")
        memory.record_event(f"The {thing} is done", session=f"talk {number}")
    asked = memory.record_event("Which router failed in the outage?", session="talk")
    answer = memory.record_event("It was number seven.", session="talk")
    found = {entry.memory.ref: entry for entry in context(memory, "router outage").found}
    assert set(found) == {asked, answer}
    assert (found[asked].lineage.via, found[answer].lineage.via) == ([], [asked])
    assert found[answer].scores.lexical == 0.0 < found[answer].scores.spread


def test_what_causes_a_hit_is_reached_over_it(memory: Memory[Embedded]) -> None:
    cause = memory.record_event("the certificate expired", session="alarms")
    effect = memory.record_event("customers could not log in", session="desk", caused_by=[cause])
    found = context(memory, "customers log in").found
    assert [entry.memory.ref for entry in found] == [effect, cause]
    assert found[1].lineage.via == [effect] and found[0].lineage.caused_by == [cause]


def test_vectors_of_another_model_are_never_compared(memory: Memory[Embedded]) -> None:
    near = memory.record_event("a feline", vector=Vector.of("small", bytes([100, 10, 3])))
    memory.record_event("a vehicle", vector=Vector.of("small", bytes([156, 10, 3])), session="other")
    memory.record_event("a feline too", vector=Vector.of("large", bytes([100, 10, 3])), session="third")
    for number in range(8):
        of = Vector.of("small", bytes([200, 30 + number, 9]))
        memory.record_event(f"nothing of note {number}", vector=of, session=f"s{number}")
    answer = context(memory, "kitten", vector=QueryVector("small", bytes([100, 10, 3])))
    assert answer.refs == [near] and answer.found[0].scores.vector == pytest.approx(1.0)
    assert answer.versions["model"] == "small"
    assert context(memory, "kitten", vector=QueryVector("small", bytes([100, 10]))).refs == []
    assert context(memory, "kitten", vector=QueryVector("unknown", bytes([100, 10, 3]))).refs == []
    assert context(memory, "kitten", vector=QueryVector("small", bytes(3))).refs == []


def test_a_feature_with_a_vector_is_no_document_and_stops_no_question(memory: Memory[Embedded]) -> None:
    near, far = (memory.record_event(f"a {what}", features=[what]) for what in ("feline", "vehicle"))
    operator = Drafter(memory.id, "host", "test", "operator")
    memory.engine.submit(operator.attach_vector("feature:feline", Vector.of("small", bytes([100, 10, 3]))))
    for event, values in ((near, [100, 10, 3]), (far, [156, 10, 3])):
        memory.attach_vector(event, Vector.of("small", bytes(values)))
    assert context(memory, "feline", vector=QueryVector("small", bytes([100, 10, 3]))).refs[0] == near


def test_cases_are_apart_by_how_they_ended_with_what_followed(memory: Memory[Embedded]) -> None:
    ended: dict[str, str] = {}
    for name, value in (("good", 3.0), ("bad", -4.0), ("neither", 0.0)):
        ended[name] = memory.record_event(f"deployed the release, it was {name}", session=name)
        for step in range(4):
            memory.record_event(f"then step {step}", session=name)
        memory.log_outcome(ended[name], value, session=name)
    memory.log_outcome(ended["good"], -1.0, session="good")
    part = memory.record_event("deployed the release at night", session="night")
    episode = memory.commit_episode([part], text="a night", session="night")
    memory.log_outcome(episode, -9.0, session="night")
    found = cases(memory, "deploy a release")
    assert [(case.found.memory.ref, case.value) for case in found.good] == [(ended["good"], 3.0)]
    assert {(case.found.memory.ref, case.value) for case in found.bad} >= {(ended["bad"], -4.0), (part, -9.0)}
    assert [one.text for one in found.good[0].followed_by] == ["then step 0", "then step 1", "then step 2"]
    assert found.as_of == context(memory, "x").as_of
    assert len(cases(memory, "deploy a release", 1).bad) == 1
    assert cases(memory, "quarterly revenue").nothing is not None


def test_a_ranker_that_is_not_known_is_refused(memory: Memory[Embedded]) -> None:
    memory.record_event("x")
    with memory.engine.reading_of(memory.id) as (graph, partition), pytest.raises(UnknownRankerError, match="hybrid/1"):
        search_context(graph, anew(graph), Ask(memory.id, "x"), partition, "hybrid/0")
