"""What is found comes in the order that the documents say, and one number says how much of it at most."""

import inspect
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.models import OptionInfo

from tests.retrieval.lives import anew
from yggdrasil import AsyncMemory, Event, Memory
from yggdrasil.cli.agent.asking import context as typed
from yggdrasil.cli.options import K_DEFAULT as K_TYPED
from yggdrasil_projections.retrieval.asks import K_DEFAULT, Ask
from yggdrasil_projections.retrieval.ranking.ending import falls_off
from yggdrasil_projections.retrieval.ranking.rankers import RANKERS, Fused
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.service.shapes import AskSent

WORDS = ["deploy", "rollback", "friday", "outage", "database", "index", "cache", "login", "invoice", "refund", "queue"]


def test_found_is_in_order_of_priority_with_and_without_a_budget(tmp_path: Path) -> None:
    chance = random.Random(7)
    with Memory.open(tmp_path, "me/agent", partitions=1) as memory:
        memory.record_many(
            Event(" ".join(chance.sample(WORDS, 5)), chance.sample(WORDS, 2), session=f"s{number % 5}")
            for number in range(120)
        )
        for event in chance.sample([one.ref for one in memory.timeline(count=100).memories], 20):
            memory.log_outcome(event, chance.choice([-4, 3]))
            memory.pin(event, permanence=9.0)
        for _ in range(60):
            asked = " ".join(chance.sample(WORDS, chance.randint(1, 3)))
            found = memory.get_context(asked, k=50, tokens_max=chance.choice([None, 60, 300]), record=False).found
            assert found == sorted(found, key=lambda one: (-one.scores.priority, one.place.seq)), asked


def test_what_a_second_search_brings_takes_its_place_in_the_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path, "me/agent", partitions=1) as memory:
        memory.record_many(Event(f"filler number {number} of no account", session=str(number)) for number in range(60))
        named = memory.record_event("The kitten purrs softly on the velvet sofa by the lamp", session="a")
        alike = memory.record_event("It purrs softly on the velvet sofa by the lamp", session="b")
        memory.log_outcome(alike, 5, session="c")
        memory.pin(alike, permanence=10.0)
        monkeypatch.setitem(RANKERS, "hybrid/1", replace(RANKERS["hybrid/1"], permanence=1.0, impact=0.5))
        with memory.engine.reading_of(memory.id) as (graph, partition):
            found = search_context(
                graph, anew(graph, "english/1"), Ask(memory.id, "kitten"), partition, "hybrid/1"
            ).found
    assert [one.memory.ref for one in found] == [alike, named]
    assert found[0].lineage.via == [named], "the question does not name it"
    assert found[0].scores.priority > found[1].scores.priority


def test_k_has_one_default_everywhere() -> None:
    defaults = [
        inspect.signature(method).parameters["k"].default
        for facade in (Memory, AsyncMemory)
        for method in (facade.get_context, facade.get_similar_cases)
    ]
    assert {*defaults, AskSent(query="x").k, Ask("me/agent", "x").k} == {None}
    assert Ask("me/agent", "x").places == K_TYPED == K_DEFAULT
    parameter = inspect.signature(typed).parameters["k"]
    assert parameter.default is None
    assert isinstance(parameter.annotation.__metadata__[0], OptionInfo)


def test_an_answer_is_close_in_a_small_memory_unless_one_says_how_much_is_wanted(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", partitions=1) as memory:
        first = memory.record_event("the boiler in the cellar is serviced in November")
        for number in range(3):
            memory.record_event(f"the boiler in the cellar of number {number} is new")
        asked = "When is the boiler in the cellar serviced?"
        assert memory.get_context(asked, record=False).refs == [first]
        more: list[dict[str, Any]] = [{"k": 10}, {"tokens_max": 1_000}, {"history": True}, {"deep": True}]
        for given in more:
            assert set(memory.get_context(asked, min_confidence=0.0, record=False, **given).refs) > {first}


def test_relevance_falls_off_later_the_larger_a_memory_is() -> None:
    recipe = Fused()
    close, late = (recipe.close_falls, recipe.close_clearly), (recipe.close_falls_late, recipe.falls_clearly)
    sizes = [falls_off(recipe, count, 1.0, closely=True) for count in (0, 1, 64, 256, 50_000)]
    assert sizes == [close] * 3 + [late] * 2
    between = falls_off(recipe, 160, 1.0, closely=True)
    assert late[0] < between[0] < close[0] and close[1] < between[1] < late[1]


def test_where_one_says_how_much_is_wanted_relevance_falls_off_later_the_less_cosines_tell() -> None:
    recipe = Fused()
    falls = [falls_off(recipe, count, reliable, closely=False)[0] for count in (1, 50_000) for reliable in (0, 0.5, 1)]
    assert falls[:3] == falls[3:] == pytest.approx([recipe.falls_untold, 0.36, recipe.falls])
    assert recipe.falls < recipe.close_falls_late
