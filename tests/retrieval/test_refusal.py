"""When a memory says *nothing*: measured by the benchmark ``refusal``; here, that each reason is one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import InvalidAskError, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.ids import derived_id

ME = "me/agent"
MAY_2023 = 1_683_500_000_000  # the 7th, in the evening
DAY_MS = 86_400_000
TOPICS = ("garden", "kitchen", "office", "harbour", "museum")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory[Embedded]]:
    """A memory of 400 days, on which Ana and Ben take turns; only Ana has ever sailed."""
    drafter = Drafter(ME, "agent", "test")
    with Memory.open(tmp_path_factory.mktemp("memory"), ME) as it:
        drafts = []
        for day in range(400):
            who, text = ("ana", "ben")[day % 2], f"I walked to the {TOPICS[day % len(TOPICS)]} again"
            if day == 200:
                text = "I sailed a yacht across the channel to Guernsey"
            stamp = Stamp(derived_id("test", str(day)), MAY_2023 + day * DAY_MS)
            drafts.append(drafter.record_event(text, features=[f"speaker:{who}"], session=f"s{day // 8}", stamp=stamp))
        assert all(answer.refused is None for _, answer in it.engine.submit_many(drafts))
        yield it


def test_what_was_never_spoken_of_is_refused_with_what_was_nearest(memory: Memory[Embedded]) -> None:
    query = "Which telescope, cathedral, quasar, violin or umbrella broke on the yacht?"
    found = memory.get_context(query, record=False)
    assert found.nothing is not None
    assert not found.found
    assert found.nothing.acted == "confidence"
    assert found.confidence == found.nothing.confidence == found.nothing.value < found.nothing.threshold == 0.2
    near = found.nothing.nearest
    assert 1 <= len(near) <= 3
    assert near[0].memory.text == "I sailed a yacht across the channel to Guernsey"
    assert all(each.uncertain and each.tokens > 0 and each.place.seq > 0 for each in near)
    assert [each.scores.relevance for each in near] == sorted((each.scores.relevance for each in near), reverse=True)
    assert found.refs == []  # what is uncertain was not returned


def test_what_is_known_is_answered(memory: Memory[Embedded]) -> None:
    found = memory.get_context("Who sailed a yacht to Guernsey?", record=False)
    assert found.nothing is None
    assert found.confidence > 0.9
    assert found.gap == 0.0
    assert found.found[0].memory.text == "I sailed a yacht across the channel to Guernsey"


def test_what_only_somebody_else_is_known_to_have_done_is_refused(memory: Memory[Embedded]) -> None:
    of_ana = memory.get_context("When did Ana sail a yacht across the channel?", record=False)
    of_ben = memory.get_context("When did Ben sail a yacht across the channel?", record=False)
    assert of_ana.nothing is None
    assert of_ana.gap > 0
    assert of_ben.nothing is not None
    assert "somebody else" in of_ben.nothing.reason
    assert (of_ben.nothing.acted, of_ben.nothing.value) == ("gap", of_ben.gap)
    assert of_ben.gap < of_ben.nothing.threshold == -0.2
    assert of_ben.confidence == of_ben.nothing.confidence > 0.2


def test_what_is_relevant_to_nothing_is_refused_for_that(memory: Memory[Embedded]) -> None:
    found = memory.get_context("Zebras?", record=False).nothing
    assert found is not None
    assert (found.acted, found.value, found.nearest) == ("relevance", 0.0, [])
    memory.set_policy(search_relevance=1.0)
    try:
        found = memory.get_context(ASKED[0][0], record=False).nothing
        assert found is not None
        assert found.acted == "relevance"
        assert 0.0 < found.value == found.nearest[0].scores.relevance < found.threshold == 1.0
    finally:
        memory.set_policy(search_relevance=0.05)


ASKED = [
    ("Which telescope, cathedral, quasar, violin or umbrella broke on the yacht?", 0.0),  # refused for the confidence
    ("When did Ben sail a yacht across the channel?", 0.0),  # ... and for the gap
    ("Which telescope, cathedral, quasar, violin or umbrella broke on the yacht?", 0.01),
]


@pytest.mark.parametrize(("query", "least"), ASKED)
def test_whoever_asks_for_less_confidence_is_answered(memory: Memory[Embedded], query: str, least: float) -> None:
    assert memory.get_context(query, record=False).nothing is not None
    found = memory.get_context(query, min_confidence=least, record=False)
    assert found.nothing is None
    assert found.found and not any(each.uncertain for each in found.found)
    assert memory.get_similar_cases(query, min_confidence=least, record=False).nothing is None


def test_whoever_asks_for_more_confidence_is_refused(memory: Memory[Embedded]) -> None:
    query = "Who sailed a yacht to Guernsey in a storm?"
    sure = memory.get_context(query, record=False).confidence
    assert 0.2 < sure < 1.0
    assert memory.get_context(query, min_confidence=sure, record=False).nothing is None
    for read in (memory.get_context, memory.get_similar_cases):
        found = read(query, min_confidence=1.0, record=False).nothing
        assert found is not None
        assert (found.acted, found.value, found.threshold) == ("confidence", sure, 1.0)
        assert found.nearest[0].memory.text == "I sailed a yacht across the channel to Guernsey"


def test_what_is_nearest_keeps_to_the_budget(memory: Memory[Embedded]) -> None:
    query = "Who sailed a yacht to Guernsey in a storm?"
    found = memory.get_context(query, min_confidence=1.0, tokens_max=20, record=False).nothing
    assert found is not None
    assert 1 <= len(found.nearest) < 3
    assert sum(each.tokens for each in found.nearest) <= 20
    nothing = memory.get_context(query, min_confidence=1.0, tokens_max=1, record=False).nothing
    assert nothing is not None and nothing.nearest == []


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_confidence_lies_between_0_and_1(memory: Memory[Embedded], least: float) -> None:
    with pytest.raises(InvalidAskError, match="min_confidence must lie between 0 and 1"):
        memory.get_context("yacht", min_confidence=least, record=False)


def test_scores_say_which_name_matched(memory: Memory[Embedded]) -> None:
    of_ana = memory.get_context("Where did Ana walk?", record=False).found
    assert {tuple(each.scores.named) for each in of_ana if "speaker:ana" in each.memory.features} == {("speaker:ana",)}
    of_both = memory.get_context("Where did Ana and Ben walk?", record=False).found
    assert {each.scores.named[0] for each in of_both} == {"speaker:ana", "speaker:ben"}
    assert all(not each.scores.named for each in memory.get_context("Who walked?", record=False).found)


@pytest.mark.parametrize("query", ["What about Ana?", "Anything on 8 May 2023?"])
def test_a_name_or_a_day_is_known_wherever_it_is(memory: Memory[Embedded], query: str) -> None:
    assert memory.get_context(query, record=False).nothing is None


def test_what_a_small_memory_does_not_know_says_little(tmp_path: Path) -> None:
    with Memory.open(tmp_path, ME) as small:
        small.record_event("Deployed on a Friday")
        small.record_event("Deployed on a Monday")
        found = small.get_context("How did the latest production rollout go, the one deployed by Kim?", record=False)
    assert found.nothing is None
