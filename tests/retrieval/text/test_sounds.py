"""Names that are spelt in several ways sound alike, and other words do not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.retrieval.lives import anew
from yggdrasil import Event, Memory, Where
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.text.sounds import LETTERS_MAX, sound

ALIKE = [
    "Faheem Fahim",
    "Katherine Catherine Katerine",
    "Steven Stephen Stefen",
    "Sara Sarah",
    "Alexei Aleksei Alexey",
    "Philip Phillip Filip",
    "Sofia Sophia",
    "Mohamed Mohammed",
    "Meyer Meier Maier Mayer",
    "Erik Eric",
]


@pytest.mark.parametrize("names", ALIKE)
def test_spellings_of_one_name_sound_alike(names: str) -> None:
    assert len({sound(name) for name in names.split()}) == 1


@pytest.mark.parametrize("names", ["meter motor", "Hanna Hanne", "Dora Tora", "Lena Lona", "Paul Saul", "Ahmed Ahmad"])
def test_other_names_do_not(names: str) -> None:
    assert len({sound(name) for name in names.split()}) == len(names.split())


@given(st.text("ab1 \u00e9\u4e2d-", max_size=40))
def test_what_is_no_word_of_latin_letters_has_no_sound(text: str) -> None:
    word = text.isalpha() and "\u4e2d" not in text and 4 <= len(text) <= LETTERS_MAX
    assert word or sound(text) == ""


def test_a_name_is_found_by_how_it_sounds(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "sounds/alike", partitions=1, embedder="none") as memory:
        memory.record_many([Event(f"Boat {number} lay at anchor in the bay") for number in range(20)])
        own = memory.record_event("Runs the night shift", features=["person:Faheem Khan"])
        told = memory.record_event("Faheem asked for a lamp")
        context = memory.get_context("What did Fahim Khan ask for?", k=5)
        assert set(context.refs[:2]) == {own, told}
        with memory.engine.asking("sounds/alike") as (graph, _):
            assert graph is not None
            index = memory.engine.view.index(graph)
            ask = Ask("sounds/alike", "Fahim")
            rankers = ("hybrid/2", "hybrid/4", "hybrid/5")
            found = [set(search_context(graph, index, ask, 0, ranker).refs) for ranker in rankers]
        assert found == [set(), set(), {own, told}]


def test_names_that_are_gone_or_hidden_sway_nothing(tmp_path: Path) -> None:
    """More names sound alike than anybody could mean: those of another session, and then those that were forgotten."""
    with Memory.open(tmp_path, "sounds/alike", partitions=1, embedder="none") as memory:
        alike = [f"person:F{vowels}m" for vowels in _spellings()]
        memory.record_many([Event("Somebody", features=[name], session="b") for name in alike])
        own = memory.record_event("Runs the night shift", features=["person:Fahim"], session="a")
        assert memory.get_context("Faaheem", where=Where(sessions=["a"]), record=False).refs == [own]
        memory.set_policy(nodes_max=40, sessions_open_max=4, edges_max=200)
        memory.record_many([Event(f"Noise {number}", session="c") for number in range(200)])
        with memory.engine.asking("sounds/alike") as (graph, _):
            assert graph is not None
            ask = Ask("sounds/alike", "Faaheem")
            grown = search_context(graph, memory.engine.view.index(graph), ask, 0)
            assert grown.refs == search_context(graph, anew(graph), ask, 0).refs
        assert grown.refs


def _spellings() -> list[str]:
    return [f"{'a' * number}h{vowel}" for number in range(1, 9) for vowel in ("e", "ee", "y", "ie", "ei")]


def test_a_word_that_is_there_means_no_other_name(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "sounds/alike", partitions=1, embedder="none") as memory:
        memory.record_event("Paints boats", features=["person:Katherine"])
        own = memory.record_event("Catherine sings")
        assert memory.get_context("Catherine", k=5).refs == [own]


def test_a_name_that_is_there_as_it_is_spelt_means_no_other(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "sounds/alike", partitions=1, embedder="none") as memory:
        memory.record_event("Runs the night shift", features=["person:Faheem"])
        own = memory.record_event("Runs the day shift", features=["person:Fahim"])
        assert memory.get_context("Fahim").refs == [own]
