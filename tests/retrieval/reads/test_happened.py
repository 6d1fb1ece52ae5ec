"""What a memory has taken comes in its order, in pages that lose nothing and that say where to go on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_projections.retrieval.memories import PAGE_BYTES
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_schemas.limits import SEQ_MAX

SEALED = {"alg": "A256GCM", "key_id": "k1", "nonce": "n", "ciphertext": "c2VhbGVk"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent", embedder="off") as opened:
        yield opened


def lived(memory: Memory[Embedded]) -> list[str]:
    """Record events of two sessions with outcomes, and what was decided; return the ids of what makes nodes."""
    made: list[str] = []
    for number in range(6):
        cause = [made[-1]] if number % 3 == 1 else []
        made.append(
            memory.record_event(f"step {number}", features=["step", f"n{number}"], session="ab"[number % 2],
                                caused_by=cause)
        )  # fmt: skip
    made.append(memory.log_outcome(made[4], -3, kind="outage", session="a"))
    memory.get_context("step")  # a record that makes nothing
    made.append(memory.commit_episode([made[0], made[2]], text="Two steps", session="a"))
    made.append(memory.form_concept([made[1], made[3], "feature:step"], text="Steps"))
    return made


def to_the_end(memory: Memory[Embedded], count: int) -> list[Happening]:
    found: list[Happening] = []
    since = 0
    while True:
        page = memory.happened(since=since, count=count)
        assert len(page.happened) <= count
        assert all(since < one.seq <= page.position for one in page.happened)
        found += page.happened
        if page.position == page.as_of:
            return found
        assert page.position > since, "or it would never end"
        since = page.position


@pytest.mark.parametrize("count", [1, 2, 3, 8, 9, 10, 1_000])
def test_every_size_of_page_leads_to_the_same_end(memory: Memory[Embedded], count: int) -> None:
    made = lived(memory)
    found = to_the_end(memory, count)
    assert [one.id for one in found] == made
    assert found == memory.happened(count=1_000).happened
    assert [one.seq for one in found] == [1, 2, 3, 4, 5, 6, 7, 9, 10]


def test_a_full_page_at_the_end_is_the_end(memory: Memory[Embedded]) -> None:
    made = lived(memory)
    page = memory.happened(count=len(made))
    assert (len(page.happened), page.position) == (len(made), page.as_of)
    for since in (page.as_of, page.as_of + 1, SEQ_MAX):
        rest = memory.happened(since=since)
        assert (rest.happened, rest.position, rest.as_of) == ([], page.as_of, page.as_of)


def test_each_says_what_its_command_said(memory: Memory[Embedded]) -> None:
    made = lived(memory)
    found = {one.id: one for one in memory.happened().happened}
    event, outcome, episode, concept = (found[made[number]] for number in (4, 6, 7, 8))
    assert (event.kind, event.text, event.session) == ("event", "step 4", "a")
    assert (event.features, event.causes, event.of) == (["step", "n4"], [made[3]], None)
    assert (outcome.kind, outcome.of, outcome.value, outcome.outcome) == ("outcome", made[4], -3.0, "outage")
    assert (outcome.features, outcome.causes, outcome.catastrophic) == ([], [], False)
    assert (episode.kind, episode.text, episode.members, episode.thinker) == ("episode", "Two steps", made[0:4:2], None)
    assert (concept.kind, concept.members) == ("concept", [made[1], made[3], "feature:step"])
    assert {one.origin for one in found.values()} == {"agent"}


def test_sealed_content_is_told_of_and_not_told(memory: Memory[Embedded]) -> None:
    memory.record_event("before", payload={"n": 1})
    draft = memory._drafter.draft("record_event", {"features": ["open"]}, SEALED)
    memory.engine.submit(draft)
    memory.record_event(features=["bare"])
    first, sealed, bare = memory.happened().happened
    assert (first.text, first.payload) == ("before", {"n": 1})
    assert (sealed.id, sealed.features, sealed.text, sealed.payload) == (draft.id, ["open"], None, None)
    assert (bare.text, bare.payload) == (None, None)


def test_how_far_each_thinker_has_decided_is_told(memory: Memory[Embedded]) -> None:
    made = lived(memory)
    assert memory.happened().cursors == {}
    thinker = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 5}
    episode = memory.commit_episode([made[1]], thinker=thinker)
    memory.sleep(thinker=thinker | {"name": "sleeper", "cursor_to": 7})
    page = memory.happened(since=10)
    assert page.cursors == {"chunker": 5, "sleeper": 7}
    assert [(one.id, one.thinker) for one in page.happened] == [(episode, "chunker")]
    assert page.position == page.as_of == 12, "beyond what made nothing"


def test_what_is_archived_is_among_it_and_what_is_forgotten_is_not(memory: Memory[Embedded]) -> None:
    memory.set_policy(nodes_max=64, sessions_open_max=1)
    events = [memory.record_event(f"number {number}", session=f"s{number}") for number in range(100)]
    left = [one.id for one in to_the_end(memory, 7)]
    assert 0 < len(left) < len(events) and left == [event for event in events if event in set(left)]
    memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0)
    memory.sleep()
    assert memory.describe(left[0]).memory.archived
    assert [one.id for one in to_the_end(memory, 7)] == left


def test_long_contents_come_in_pages_of_about_a_megabyte(memory: Memory[Embedded]) -> None:
    events = [memory.record_event("a" * 100_000) for _ in range(25)]
    page = memory.happened(count=200)
    assert sum(len(one.text or "") for one in page.happened) in range(PAGE_BYTES - 1_000, PAGE_BYTES + 200_000)
    assert page.position == page.happened[-1].seq < page.as_of == 25
    assert [one.id for one in to_the_end(memory, 200)] == events


def test_each_thing_says_how_far_it_is_trusted(memory: Memory[Embedded]) -> None:
    memory.record_event("mine")
    memory.speaking(trust=0).record_event("a letter", session="mail")
    assert [each.trust for each in memory.happened().happened] == [1, 0]
