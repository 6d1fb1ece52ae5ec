"""Similar cases: how they ended, also both ways, also when what judged them is forgotten; and what is alike at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieval.lives import anew
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.graph.laws.reference import resolve
from yggdrasil_projections.retrieval.answers import Floor, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, RANKERS
from yggdrasil_projections.retrieval.reads.learning.cases import similar_cases
from yggdrasil_projections.retrieval.reads.learning.context import search_context

FLOOR = Floor(RANKERS[RANKER].case)
FORGET_JUDGEMENTS = {"archive_salience": 1e6, "archive_permanence": 1e6, "archive_rest_ticks": 0, "archived_max": 0}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent") as opened:
        opened.set_policy(search_refusal=0.0, search_gap=-1.0)
        yield opened


def cases(memory: Memory[Embedded], query: str, k: int = 10, tokens_max: int | None = None) -> SimilarCases:
    with memory.engine.reading_of(memory.id) as (graph, partition):
        return similar_cases(graph, anew(graph), Ask(memory.id, query, k, tokens_max), partition)


def ends(found: SimilarCases) -> tuple[list[tuple[str, float, bool]], list[tuple[str, float, bool]]]:
    good, bad = ([(case.found.memory.ref, case.value, case.mixed) for case in side] for side in (found.good, found.bad))
    return good, bad


def forget_outcomes(memory: Memory[Embedded], *ids: str) -> None:
    """Let a sleep forget all outcomes; the events are held by their sessions."""
    memory.set_policy(**FORGET_JUDGEMENTS)
    memory.sleep()
    with memory.engine.reading_of(memory.id) as (graph, _):
        assert [resolve(graph, each) for each in ids] == [None] * len(ids)


def test_a_mixed_case_stands_on_both_sides_whichever_outcome_came_first(memory: Memory[Embedded]) -> None:
    first = memory.record_event("released the billing service", session="one")
    memory.log_outcome(first, 3)
    memory.log_outcome(first, -3)
    second = memory.record_event("released the billing service again", session="two")
    memory.log_outcome(second, -2)
    memory.log_outcome(second, 1)
    memory.log_outcome(second, 2)
    plain = memory.record_event("released the billing service on monday", session="three")
    memory.log_outcome(plain, 1)
    found = cases(memory, "release the billing service")
    good, bad = ends(found)
    assert sorted(good) == sorted([(first, 3.0, True), (second, 2.0, True), (plain, 1.0, False)])
    assert sorted(bad) == sorted([(first, -3.0, True), (second, -2.0, True)])
    assert sorted(found.refs) == sorted([first, second, plain])  # each once


def test_a_judgement_outlives_its_outcomes(memory: Memory[Embedded]) -> None:
    memory.set_policy(first_outcome=1.0, impact_kept=0.5)
    bad = memory.record_event("changed the router config", session="one")
    mixed = memory.record_event("changed the router firmware", session="two")
    never = memory.record_event("changed the router cable", session="three")
    outcomes = [memory.log_outcome(bad, value, kind="outage") for value in (-4, -2)]
    outcomes += [memory.log_outcome(mixed, value) for value in (-1, 5)]
    before = cases(memory, "change the router")
    assert (ends(before)[0], sorted(ends(before)[1])) == (
        [(mixed, 5.0, True)],
        sorted([(bad, -4.0, False), (mixed, -1.0, True)]),
    )
    forget_outcomes(memory, *outcomes)
    found = cases(memory, "change the router")
    # The mean of what was said of each, the older counting half: (-4 / 2 - 2) / 1.5, and (-1 / 2 + 5) / 1.5, which says
    # nothing of the bad end.
    assert {ref: value for ref, value, _ in ends(found)[0]} == {mixed: pytest.approx(3.0)}
    assert {ref: value for ref, value, _ in ends(found)[1]} == {bad: pytest.approx(-4 / 1.5), mixed: 0.0}
    assert not any(case.remembered for case in (*found.good, *found.bad))
    assert never not in found.refs


def test_an_event_ends_as_the_episode_around_it_only_while_it_has_no_end_of_its_own(memory: Memory[Embedded]) -> None:
    parts = [memory.record_event(f"migrated the database of shop {number}", session="s") for number in range(2)]
    episode = memory.commit_episode(parts, text="the great move", session="s")
    memory.log_outcome(episode, -5, session="s")
    assert {ref for ref, _, _ in ends(cases(memory, "migrate the database of a shop"))[1]} >= set(parts)
    memory.log_outcome(parts[0], 2, session="s")
    good, bad = ends(cases(memory, "migrate the database of a shop"))
    assert (parts[0], 2.0, False) in good and parts[0] not in [ref for ref, _, _ in bad]


def test_what_is_not_alike_is_no_case_and_the_answer_says_which_floor_it_is_under(memory: Memory[Embedded]) -> None:
    alike = memory.record_event("deployed checkout on a friday evening", features=["service:checkout"], session="a")
    memory.log_outcome(alike, -3, kind="outage")
    linked = memory.record_event("ordered new chairs", features=["service:checkout"], session="b")
    memory.log_outcome(linked, -1)
    # What a hit leads to over a feature is far behind it in a context; a case has to be alike by itself.
    query = "deploy on a friday evening"
    with memory.engine.reading_of(memory.id) as (graph, partition):
        shown = search_context(graph, anew(graph), Ask(memory.id, query), partition)
    assert shown.refs == [alike] and not FLOOR.under(shown.found[0].scores)
    found = cases(memory, query)
    assert ([ref for ref, _, _ in ends(found)[1]], found.floor, found.below) == ([alike], FLOOR, 1)


def test_a_mixed_case_takes_its_tokens_once(memory: Memory[Embedded]) -> None:
    event = memory.record_event("restarted the queue")  # 19 characters: 5 tokens
    for value in (2, -2):
        memory.log_outcome(event, value)
    assert len(cases(memory, "restart the queue", tokens_max=5).bad) == 1
    assert cases(memory, "restart the queue", tokens_max=5).good[0].found.tokens == 5
    assert cases(memory, "restart the queue", tokens_max=4).refs == []
