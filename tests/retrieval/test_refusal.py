"""When a memory says *nothing*: measured by the benchmark ``refusal``; here, that each reason is one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter, Stamp
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
    assert found.confidence == found.nothing.confidence < found.nothing.threshold
    assert found.nothing.nearest


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
    assert of_ben.confidence > of_ben.nothing.threshold
    assert of_ben.gap < 0


@pytest.mark.parametrize("query", ["What about Ana?", "Anything on 8 May 2023?"])
def test_a_name_or_a_day_is_known_wherever_it_is(memory: Memory[Embedded], query: str) -> None:
    assert memory.get_context(query, record=False).nothing is None


def test_what_a_small_memory_does_not_know_says_little(tmp_path: Path) -> None:
    with Memory.open(tmp_path, ME) as small:
        small.record_event("Deployed on a Friday")
        small.record_event("Deployed on a Monday")
        found = small.get_context("How did the latest production rollout go, the one deployed by Kim?", record=False)
    assert found.nothing is None
