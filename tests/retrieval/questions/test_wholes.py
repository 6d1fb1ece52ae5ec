"""Answers that are a part of something: how much there is of what is named, and what comes next in a document."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Event, Memory, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_schemas.commands.vectors import Vector

BAY = [f"Boat {number} lay at anchor in the bay" for number in range(20)]
DAY_MS = 86_400_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "here", "whole/one", partitions=1, embedder="none") as opened:
        opened.set_policy(search_refusal=0.0, search_gap=-1.0)
        yield opened


@pytest.fixture
def rowing(memory: Memory[Embedded]) -> list[str]:
    """Ana rows three times; a fourth memory has her name in its text alone."""
    memory.record_many(map(Event, BAY))
    events = [Event(f"Rowed {number} km", features=["person:Ana"], at=(20 - number) * DAY_MS) for number in range(1, 4)]
    return [*memory.record_many(events), memory.record_event("Ben asked Ana about rowing", at=DAY_MS)]


@pytest.mark.parametrize(
    "query",
    ["How many times did Ana row?", "List all that Ana rowed", "When did Ana first row?", "What did Ana row last?",
     "In which order did Ana row?"],
)  # fmt: skip
def test_how_much_there_is_of_what_is_named_is_told(memory: Memory[Embedded], rowing: list[str], query: str) -> None:
    context = memory.get_context(query, record=False)
    found = next(each for each in context.mentioned if each.of == "person:Ana")
    assert (found.count, found.exact) == (4, False)
    assert (found.first, found.last) == (rowing[3], rowing[0])
    assert 'At most 4 memories mention "person:Ana" in all.' in context.text()
    assert memory.mentions("person:Ana").total == 4


def test_whoever_asks_for_one_thing_is_told_of_no_more(memory: Memory[Embedded], rowing: list[str]) -> None:
    context = memory.get_context("What did Ana row?", record=False)
    assert rowing and context.mentioned == [] and "in all" not in context.text()


def test_what_a_filter_hides_is_not_counted(memory: Memory[Embedded], rowing: list[str]) -> None:
    where = Where(since=18 * DAY_MS)
    found = memory.get_context("How many times did Ana row?", where=where, record=False).mentioned[0]
    assert (found.count, found.exact, found.first, found.last) == (2, True, rowing[1], rowing[0])


def test_a_thing_of_several_names_is_counted_by_all_of_them(memory: Memory[Embedded]) -> None:
    memory.record_many([Event("Rowed", features=["person:Ana"], at=at * DAY_MS) for at in range(1, 3)])
    memory.alias("person:Annie", "person:Ana")
    memory.record_event("Annie went rowing", at=9 * DAY_MS)
    last = memory.record_event("Rowed", features=["person:Annie"], at=10 * DAY_MS)
    found = memory.get_context("How many times did Ana row?", record=False).mentioned
    assert [(each.of, each.count, each.last) for each in found] == [("person:Ana", 4, last)]
    assert memory.mentions("person:Ana").total == 4


def paragraphs(memory: Memory[Embedded], end: str) -> list[str]:
    """Two paragraphs, the second with no word of the question, among notes that end so, and others with its words."""
    for number, text in enumerate(BAY):
        own = bytes(120 if at == number else 0 for at in range(20))
        memory.record_event(text + end, session="bay", vector=Vector.of("own/1", bytes([30, 0]) + own))
    for number in range(5):
        words = f"valve brass {number}"
        memory.record_event(words, session=words, vector=Vector.of("own/1", bytes([60, 0, *([20] * 20)])))
    told = {"The valve is made of brass": (90, 80), "It lasts ten winters": (40, 110)}
    return [
        memory.record_event(text, session="manual", vector=Vector.of("own/1", bytes([*near, *([0] * 20)])))
        for text, near in told.items()
    ]


@pytest.mark.parametrize(("end", "at"), [(".", 3), ("?", 6)], ids=["document", "dialogue"])
def test_what_comes_next_in_a_document_comes_with_it(memory: Memory[Embedded], end: str, at: int) -> None:
    first, after = paragraphs(memory, end)
    vector = Vector.of("own/1", bytes([100, *([0] * 21)]))
    found = memory.get_context("Is the valve made of brass?", k=10, vector=vector, record=False).refs
    assert found.index(first) < 3 and found.index(after) == at
    fewer = memory.get_context("Is the valve made of brass?", k=3, vector=vector, record=False).refs
    assert fewer == found[:3]
