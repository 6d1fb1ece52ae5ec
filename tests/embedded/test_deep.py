"""What is archived is found by a deep look alone; that is recorded as such, brings it back, and can be proved."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_schemas.commands import RecordRecall

FADED = {"archive_salience": 1e6, "archive_permanence": 1e6, "archive_rest_ticks": 0}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "here", "me/agent", partitions=1) as opened:
        opened.set_policy(search_refusal=0.0, search_gap=-1.0, sessions_open_max=1)
        yield opened


def archived(memory: Memory[Embedded]) -> tuple[str, str]:
    """An event and its outcome, archived, and beside them one that is not."""
    event = memory.record_event("the database server burned down", features=["service:database"], session="old")
    memory.log_outcome(event, -3, kind="fire", text="all orders were lost", session="old")
    memory.set_policy(**FADED)
    other = memory.record_event("the database server was moved", session="new")  # held by its session
    memory.sleep()
    assert memory.describe(event).memory.archived and not memory.describe(other).memory.archived
    return event, other


def recalled(memory: Memory[Embedded], path: Path) -> list[RecordRecall]:
    with LocalLog.open_read_only(path / "here" / "log") as log:
        return [one.command for one in recalls_in(log, memory.id)]


def test_only_a_deep_look_finds_it_and_being_returned_brings_it_back(memory: Memory[Embedded]) -> None:
    event, other = archived(memory)
    assert memory.get_context("database server burned", record=False).refs == [other]
    assert memory.get_context("lost orders", record=False).refs == []
    assert memory.get_context("lost orders", deep=True, record=False).refs == [event]
    assert memory.describe(event).memory.archived  # what is not recorded brings nothing back
    found = memory.get_context("database server burned", deep=True)
    assert (found.refs, found.found[0].memory.archived) == ([event, other], True)
    assert not memory.describe(event).memory.archived
    assert memory.get_context("database server burned", k=10, record=False).refs == [event, other]


def test_what_a_deep_ask_brings_back_is_weaker_and_two_levels_lower(memory: Memory[Embedded]) -> None:
    """Fifteen uses make level 2. It is put away by sleeps after tasks, and asked for by a cue of its own words."""
    event = memory.record_event("the database server burned down", session="old")
    for _ in range(15):
        memory.report_use(memory.get_context("database server burned"), [event], result="unknown")
    memory.set_policy(**FADED, sleep_slice=1)
    memory.record_event("a clear day", session="new")
    away = [memory.sleep(scope="task") for _ in range(9)]
    kept = memory.describe(event).memory
    assert len(away) == 9 and kept.archived
    graph = memory.engine.graph(memory.id)
    (node,) = [graph.expect(each) for each in graph.node_table().keys.tolist() if graph.expect(each).usage == 15]
    assert node.level == 2
    memory.set_policy(archive_salience=0.1, archive_permanence=0.5)
    assert memory.get_context("database server burned", deep=True).refs == [event]
    graph = memory.engine.graph(memory.id)
    again = graph.expect(node.number)
    assert (again.level, memory.describe(event).memory.archived) == (0, False)
    assert memory.describe(event).memory.salience >= 0.5


def test_deep_cases_are_of_what_is_archived_too(memory: Memory[Embedded]) -> None:
    event, _ = archived(memory)
    assert memory.get_similar_cases("the database server burned down").refs == []
    found = memory.get_similar_cases("the database server burned down", deep=True)
    assert [(case.found.memory.ref, case.value) for case in found.bad] == [(event, -3.0)]
    assert not memory.describe(event).memory.archived


def test_what_is_hidden_sways_no_score(memory: Memory[Embedded], tmp_path: Path) -> None:
    with Memory.open(tmp_path / "bare", "me/agent") as bare:
        bare.set_policy(search_refusal=0.0, search_gap=-1.0)
        for number in range(20):
            memory.record_event(f"night watch {number} slept by the router", session="old")
        for one in (memory, bare):
            one.record_event("router number seven restarted", session="new")
            one.record_event("the router was restarted at night", session="new")
        memory.set_policy(**FADED)
        memory.sleep()
        question = "a router restarted at night"

        def scored(one: Memory[Embedded], *, deep: bool = False) -> list[tuple[str | None, float, float]]:
            found = one.get_context(question, k=10, deep=deep, record=False)
            said = [(each.memory.text, each.scores.lexical, each.scores.relevance) for each in found.found]
            return [*said, ("confidence", found.confidence, found.gap)]

        assert len(scored(bare)) == 3
        assert scored(memory) == scored(bare)
        deep = scored(memory, deep=True)
        assert deep[0][0] == "the router was restarted at night" and deep[:3] != scored(bare)
        assert scored(memory) == scored(bare)  # a deep look leaves nothing behind
        assert scored(bare, deep=True) == scored(bare)


def test_deep_recalls_say_so_and_are_proved(memory: Memory[Embedded], tmp_path: Path) -> None:
    event, other = archived(memory)
    asked: list[Context | SimilarCases] = [
        memory.get_context("database server burned"),
        memory.get_similar_cases("the database server burned down", deep=True),
    ]
    memory.sleep()  # once more
    asked.append(memory.get_context("database server burned", deep=True, k=3, tokens_max=100))
    assert [one.refs for one in asked] == [[other], [event], [event, other]]
    bodies = [command.body for command in recalled(memory, tmp_path)]
    assert [(body.purpose, body.parameters.get("cases")) for body in bodies] == [
        ("context", None),
        ("deep", True),
        ("deep", False),
    ]
    memory.record_event("and life goes on", session="later")
    with LocalLog.open_read_only(tmp_path / "here" / "log") as log:
        found = list(prove(log, tmp_path / "again", list(recalls_in(log, memory.id))))
    assert [(one.reason, one.returned_again) for one in found] == [(None, one.refs) for one in asked]


def test_a_shallow_recall_that_claims_what_is_archived_is_a_lie(memory: Memory[Embedded], tmp_path: Path) -> None:
    event, _ = archived(memory)
    deep = memory.get_context("lost orders", deep=True)
    assert deep.refs == [event]
    command = recalled(memory, tmp_path)[-1]
    lie = command.model_dump(mode="json")["body"] | {"purpose": "context", "parameters": {"k": 10}}
    assert memory.engine.submit(memory._drafter.draft("record_recall", lie, {"text": "lost orders"})).refused is None
    with LocalLog.open_read_only(tmp_path / "here" / "log") as log:
        found = list(prove(log, tmp_path / "again", list(recalls_in(log, memory.id))))
    assert [one.holds for one in found] == [True, False]
