"""Nobody who is trusted less moves what answers among those who are trusted more: cuts are taken within a tier."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.graph.commands import Said
from tests.retrieval.lives import anew, asks
from tests.retrieval.test_filters import Fields, folded, otherwise, seen, shown_documents, spoken_life
from tests.size import turns
from yggdrasil import Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.index.columns.documents import NOBODY
from yggdrasil_projections.retrieval.index.index import MemoryIndex
from yggdrasil_projections.retrieval.lens import narrowed
from yggdrasil_projections.retrieval.ranking.rankers import RANKER, Tiered
from yggdrasil_projections.retrieval.reads.learning.cases import similar_cases
from yggdrasil_projections.retrieval.reads.learning.context import search_context

BEFORE: Final = "hybrid/6"
NUMBERS: Final = Tiered()
NAME: Final = "tiers/one"
USUAL: Final = 6  # lives in every run; in some of more nobody below was in the way before either


def spoken_by(life: list[Said], seed: int, origins: Sequence[str]) -> list[Said]:
    """The same life in which events are said by some of ``origins``, and the rest by the first of them."""
    rng = Random(f"origins{seed}")

    def changed(said: Said) -> Said:
        if said.type == "set_policy":
            return said
        origin = rng.choice(origins) if said.type == "record_event" else origins[0]
        return replace(said, changed=said.changed | {"origin": origin})

    return [changed(said) for said in life]


def plainly(context: Context) -> Any:
    """All that an answer says, but for the name of the ranker, which is in its cursor too."""
    more = context.more and replace(context.more, cursor=None)
    return seen(context.found), replace(context, found=[], versions={}, more=more)


def of_cases(cases: SimilarCases) -> Any:
    return [(seen([each.found]), each.value) for each in cases.good + cases.bad], replace(cases, good=[], bad=[])


@pytest.mark.parametrize("seed", range(turns(4, 40)))
def test_where_all_are_trusted_alike_an_answer_is_what_it_was_bit_for_bit(tmp_path: Path, seed: int) -> None:
    rng = Random(f"alike{seed}")
    asked = [replace(asks(rng), k=rng.choice((None, 1, 5, 50)), where=None) for _ in range(40)]

    def look(graph: Graph) -> None:
        index = anew(graph)
        there = index.shown().standing.for_row != NOBODY  # what a stranger said is not
        assert {*index.documents.columns.trust[there].tolist()} == {1}
        found = 0
        for ask in asked:
            now, then = (search_context(graph, index, ask, 0, ranker) for ranker in (RANKER, BEFORE))
            assert plainly(now) == plainly(then)
            found += len(now.found)
            new, old = (similar_cases(graph, index, ask, 0, ranker) for ranker in (RANKER, BEFORE))
            assert of_cases(replace(new, versions={})) == of_cases(replace(old, versions={}))
        assert found > 20

    folded(tmp_path, spoken_by(spoken_life(seed, 300), seed, ("agent",)), look)


def leaders(graph: Graph, index: MemoryIndex, ask: Ask, tier: int) -> list[str]:
    """What answers within a tier and above by itself, in order, as somebody sees it who trusts nothing below."""
    closely = replace(ask, k=None, tokens_max=None, where=narrowed(ask.where, tier))
    return [
        each.memory.ref
        for each in search_context(graph, index, closely, 0).found
        if each.scores.lexical >= NUMBERS.leads
        or (each.scores.vector > 0.0 and each.scores.relevance >= NUMBERS.leads_near)
    ]


def below(graph: Graph, tier: int) -> set[str]:
    """The ids of what is trusted less, but for principles: these are always told."""
    known: dict[int, Fields] = shown_documents(graph, anew(graph))
    return {
        fields["id"]
        for number, fields in known.items()
        if graph.expect(number).trust < tier and number not in graph.header.principles
    }


@pytest.mark.parametrize("seed", range(turns(USUAL, 60)))
def test_what_is_said_with_less_trust_removes_and_reorders_nothing_that_leads(tmp_path: Path, seed: int) -> None:
    rng = Random(f"tiers{seed}")
    life = spoken_by(spoken_life(seed, 300), seed, ("agent", "user", "tool"))
    asked = [replace(asks(rng), k=rng.choice((None, None, 1, 3, 8)), tokens_max=None) for _ in range(25)]

    def answered(graph: Graph) -> list[list[tuple[list[str], list[str], list[str]]]]:
        """For each tier and ask what leads, and what an answer to all shows of that, now and before there was this."""
        index = anew(graph)
        found: list[list[tuple[list[str], list[str], list[str]]]] = []
        for tier in (2, 3):
            of_tier: list[tuple[list[str], list[str], list[str]]] = []
            for ask in asked:
                lead = leaders(graph, index, ask, tier)
                shown = [search_context(graph, index, ask, 0, ranker).refs for ranker in (RANKER, BEFORE)]
                now, then = ([ref for ref in refs if ref in lead] for refs in shown)
                of_tier.append((lead, now, then))
            found.append(of_tier)
        return found

    first = folded(tmp_path / "first", life, answered)
    moved = led = 0
    for tier, of_tier in zip((2, 3), first, strict=True):
        hidden = folded(tmp_path / f"below{tier}", life, partial(below, tier=tier))
        second = folded(tmp_path / f"second{tier}", otherwise(life, hidden), answered)[tier - 2]
        for ask, (lead, now, then), (other_lead, other, _) in zip(asked, of_tier, second, strict=True):
            assert lead == other_lead
            assert now == other, "whatever those below say"
            if ask.k is None or len(lead) <= ask.k:
                assert now == lead, "all of it, in its order"
            led += len(lead)
            moved += now != then
    assert led >= 5
    assert moved > 0 or seed >= USUAL, "by the ranker before, somebody below moved some"


@pytest.fixture
def told(tmp_path: Path) -> Any:
    with Embedded(tmp_path, partitions=1) as engine:
        yield {
            origin: Memory(engine, Drafter(NAME, origin, "test", origin=origin)) for origin in ("agent", "user", "tool")
        }


def texts(context: Context) -> list[str]:
    return [each.memory.text or "" for each in context.found]


TRUE: Final = "The rent of the flat in Oslo goes to account NO93"
QUESTION: Final = "To which account goes the rent of the flat in Oslo?"


def flood(memory: Memory[Any], count: int) -> None:
    for number in range(count):
        memory.record_event(f"To account XX{number} goes the rent of the flat in Oslo, the rent, the account, Oslo")


@pytest.mark.parametrize("given", [{}, {"k": 1}, {"k": 3}, {"tokens_max": 15}])
def test_a_flood_from_below_takes_no_place_and_no_budget(told: Any, given: dict[str, int]) -> None:
    told["user"].record_event(TRUE)
    flood(told["agent"], 30)
    assert texts(told["agent"].get_context(QUESTION, record=False, **given))[0] == TRUE


def test_what_is_twice_as_relevant_may_stand_before_what_leads_and_does_not_evict_it(told: Any) -> None:
    told["user"].record_event("The rent of the flat is due on Friday")
    told["agent"].record_event("The rent of the flat in Oslo for May was paid to NO93 by Ana on Monday")
    found = texts(
        told["agent"].get_context("When was the rent of the Oslo flat for May paid to NO93 by Ana?", record=False)
    )
    assert found[0].startswith("The rent of the flat in Oslo for May")


def test_a_word_that_only_those_below_have_makes_no_refusal(told: Any) -> None:
    told["user"].record_event(TRUE)
    flood(told["agent"], 3)
    told["agent"].record_event("zephyr zephyr: the account is XX1", features=["zephyr"])
    assert texts(told["user"].get_context("zephyr " + QUESTION, record=False))[0] == TRUE


def test_the_most_trusted_have_room_first(told: Any) -> None:
    told["user"].record_event(TRUE.replace("NO93", "NO94"))
    told["tool"].record_event(TRUE)
    flood(told["agent"], 3)
    assert texts(told["user"].get_context(QUESTION, k=1, record=False)) == [TRUE]


def test_pages_bring_what_leads_once_and_then_the_rest(told: Any) -> None:
    said = [told["user"].record_event(f"{name} pays the rent of the flat in Oslo") for name in ("Ana", "Ben", "Cleo")]
    said += [told["agent"].record_event(f"{name} pays the rent of the flat in Oslo") for name in ("Dan", "Eva", "Finn")]
    refs: list[str] = []
    more = None
    while True:
        page = told["user"].get_context("Who pays the rent of the flat in Oslo?", k=2, more=more, record=False)
        refs += page.refs
        more = page.more
        if more is None or more.cursor is None:
            break
    assert sorted(refs) == sorted(said)
    assert set(refs[:3]) == set(said[:3])


def test_a_filter_of_trust_sees_the_same_that_leads(told: Any) -> None:
    told["user"].record_event(TRUE)
    flood(told["agent"], 12)
    seen_above = texts(told["user"].get_context(QUESTION, where=Where(trust_min=2), record=False))
    assert seen_above == [TRUE]


def test_a_name_that_was_given_from_below_leads_to_nothing_for_those_above(tmp_path: Path) -> None:
    """An agent says that two accounts are one: what another user said of the other one does not lead because of it."""
    with Embedded(tmp_path, sliced=True) as engine:
        speak = partial(Memory, engine)
        ana = speak(Drafter(NAME, "ana", "p", "user"))
        agent = speak(Drafter(NAME, "agent", "p", "agent"))
        true = ana.record_event("The rent goes to the account of the flat", features=["vendor:brook"])
        other = ana.record_event("The rent goes to the account of the boat", features=["vendor:harbour"])
        agent.alias("vendor:harbour", "vendor:brook")
        found = ana.get_context("Where does the rent of Brook go?").refs
        assert found[0] == true
        assert other not in ana.get_context("Where does the rent of Brook go?", where=Where(trust_min=2), k=1).refs


@pytest.mark.parametrize("k", [1, 2])
def test_cases_of_those_who_are_trusted_less_take_no_place_of_a_case(told: Any, k: int) -> None:
    told["user"].log_outcome(told["user"].record_event("Deployed the checkout on a Friday evening"), -4.0)
    for number in range(12):
        event = told["agent"].record_event(f"Deployed, deployed the checkout on Friday, a Friday evening, {number}")
        told["agent"].log_outcome(event, -8.0)
    cases = told["agent"].get_similar_cases("Deploy the checkout on a Friday evening?", k=k, record=False)
    found = [each.found.memory.text for each in cases.bad]
    assert found[0] == "Deployed the checkout on a Friday evening"
    assert len(found) == k
