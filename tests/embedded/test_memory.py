"""The facade: what an agent's author sees."""

import shutil
import threading
import tracemalloc
from pathlib import Path

import pytest

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded, LogElsewhereError, UnknownMemoryError
from yggdrasil.engines.upkeep.stats import stats
from yggdrasil.memory import CommandRefusedError
from yggdrasil_infra.log import LogError, LogInUseError
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_schemas.errors import InvalidCommandError


def test_an_event_can_be_recorded_judged_recalled_used_and_explained(memory: Memory) -> None:
    event = memory.record_event("Deployed on a Friday", features=["deploy", "friday"], payload={"sha": "abc"})
    outcome = memory.log_outcome(event, -3, kind="outage", text="Down for an hour")
    context = memory.get_context("deploy on friday?")
    action = memory.record_event("Waited", informed_by=[context.recall_id or ""])
    memory.report_use(context.recall_id or "", [event], result="success")

    found = context.found[0].memory
    assert (found.ref, found.text, found.payload, found.features) == (
        event,
        "Deployed on a Friday",
        {"sha": "abc"},
        ["deploy", "friday"],
    )
    assert [(seen.id, seen.value, seen.kind, seen.text) for seen in found.outcomes] == [
        (outcome, -3.0, "outage", "Down for an hour")
    ]
    assert (context.as_of, context.recorded) == (2, True)
    explanation = memory.explain_action(action)
    assert [step.ref for step in explanation.chain] == [event]
    assert explanation.informed_by[0].query == "deploy on friday?"
    assert explanation.informed_by[0].returned[0].ref == event
    assert explanation.informed_by[0].returned[0].salience == pytest.approx(found.salience)


def test_what_was_recorded_is_there_after_opening_again(tmp_path: Path) -> None:
    with Memory.open(tmp_path, memory="me/agent") as memory:
        event = memory.record_event("The key is under the mat")
        digest = memory.digest()
    with Memory.open(tmp_path, memory="me/agent") as memory:
        assert memory.digest() == digest
        assert memory.get_context("where is the key?", record=False).refs == [event]


def test_a_malformed_command_is_refused_before_anything_is_appended(memory: Memory[Embedded]) -> None:
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.record_event("x", features=["deploy", ""])
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.log_outcome("not an id", 1)
    with pytest.raises(InvalidCommandError, match="not_json"):
        memory.record_event("x", payload={"value": float("nan")})
    assert sum(memory.engine.log.end_offset(partition) for partition in range(memory.engine.log.partitions)) == 0


def test_a_memory_id_must_be_well_formed(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommandError, match="invalid_envelope"):
        Memory.open(tmp_path, memory="no tenant")
    with pytest.raises(InvalidCommandError, match="reserved_memory"):
        Memory.open(tmp_path, memory="_yggdrasil/partition-0")
    Memory.open(tmp_path, memory="a/tenant").close()  # the failed attempt has let go of the directory


def test_a_refusal_says_why_and_the_command_stays_in_the_log(memory: Memory[Embedded]) -> None:
    event = memory.record_event("x")
    context = memory.get_context("x")
    memory.report_use(context.recall_id or "", [event])
    with pytest.raises(CommandRefusedError) as refused:
        memory.report_use(context.recall_id or "", [event])
    assert refused.value.reason == "recall_reported"
    assert "reported once" in str(refused.value)
    assert memory.engine.store(memory.engine.partition(memory.id)).state.folded == 4


def test_an_unknown_memory_is_named_and_the_others_are_not(memory: Memory[Embedded]) -> None:
    memory.record_event("x")
    other = Memory(memory.engine, Drafter("you/other", "test", "test"))
    with pytest.raises(UnknownMemoryError, match="you/other") as unknown:
        other.digest()
    assert "me/agent" not in str(unknown.value)
    assert memory.engine.memories() == ["me/agent"]


def test_memories_do_not_see_each_other(memory: Memory[Embedded]) -> None:
    mine = memory.record_event("The secret is 42", features=["secret"])
    others = [Memory(memory.engine, Drafter(f"tenant{i}/agent", "test", "test")) for i in range(8)]
    for other in others:
        other.record_event("Nothing to see")
        assert other.get_context("secret 42").refs == []
        with pytest.raises(CommandRefusedError, match="unknown_event"):
            other.log_outcome(mine, 1)


def test_a_second_process_is_refused_and_told_why(tmp_path: Path) -> None:
    with Memory.open(tmp_path, memory="me/agent"), pytest.raises(LogInUseError, match="open"):
        Memory.open(tmp_path, memory="me/agent")


@pytest.mark.parametrize("left", ["worker.lock", "graph/0000"])
def test_the_directory_of_a_worker_is_refused_before_anything_is_made_in_it(tmp_path: Path, left: str) -> None:
    (tmp_path / left).mkdir(parents=True)
    with pytest.raises(LogElsewhereError, match="their log is on Kafka"):
        Memory.open(tmp_path, memory="me/agent")
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.iterdir()] == [Path(left).parts[0]]


def test_the_partition_count_is_fixed_when_the_directory_is_made(tmp_path: Path) -> None:
    Memory.open(tmp_path, memory="me/agent", partitions=2).close()
    with Memory.open(tmp_path, memory="me/agent") as memory:
        assert memory.engine.log.partitions == 2
    with pytest.raises(LogError, match="2 partitions"):
        Memory.open(tmp_path, memory="me/agent", partitions=3)


def test_attest_returns_the_digest_at_its_seq_and_not_twice_in_a_row(memory: Memory[Embedded]) -> None:
    memory.record_event("x")
    attestation = memory.attest()
    assert (attestation.seq, attestation.digest) == (2, memory.digest())
    with pytest.raises(CommandRefusedError, match="attest_too_soon"):
        memory.attest()
    assert memory.engine.attested(memory.id, 2) == attestation.digest


def test_a_policy_acts_from_its_command_on(memory: Memory) -> None:
    memory.set_policy(salience_initial=3.0)
    event = memory.record_event("x y")
    assert memory.get_context("x y", record=False).found[0].memory.salience == 3.5
    with pytest.raises(InvalidCommandError, match="invalid_body"):
        memory.set_policy(no_such_constant=1.0)
    assert event


def test_threads_get_their_own_answers_and_the_same_memory(tmp_path: Path) -> None:
    with Embedded(tmp_path / "live") as engine:
        failures: list[str] = []

        def work(name: str) -> None:
            memory = Memory(engine, Drafter(f"{name}/agent", name, "test"))
            events = [memory.record_event(f"{name} step {i}", features=[name]) for i in range(30)]
            draft = memory._drafter.record_event(f"{name} the end")
            events.append(draft.id)
            answers = [engine.submit(draft), engine.submit(draft)]
            if [(answer.seq, answer.duplicate) for answer in answers] != [(31, False), (31, True)]:
                failures.append(f"{name}: {answers}")
            found = memory.get_context(f"{name} step 29")
            if set(found.refs) - set(events) or found.refs[0] != events[29]:
                failures.append(f"{name}: {found}")

        threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert engine.memories() == [f"t{i}/agent" for i in range(8)]


def test_a_store_is_rebuilt_without_holding_the_log_in_memory(tmp_path: Path) -> None:
    drafts = [Drafter("me/agent", "test", "test").record_event("x" * 20_000) for _ in range(2_500)]
    with Embedded(tmp_path, partitions=1) as engine:
        assert all(answer.seq for _, answer in engine.submit_many(drafts))
    shutil.rmtree(tmp_path / "graph")
    tracemalloc.start()
    try:
        with Embedded(tmp_path) as engine:
            assert engine.ask("me/agent", AskContext(Ask("me/agent", "y"))).as_of == len(drafts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 45e6, peak  # the log has 50 MB, a batch 10


def test_what_was_answered_before_is_not_appended_again(memory: Memory[Embedded]) -> None:
    drafts = [memory._drafter.record_event(f"step {i}", features=["step"]) for i in range(1_200)]
    unknown = memory._drafter.log_outcome(memory._drafter.record_event().id, 1)
    first = list(memory.engine.submit_many([*drafts[:700], unknown]))
    again = list(memory.engine.submit_many([*drafts, unknown, drafts[0]]))
    assert [draft for draft, _ in again] == [*drafts, unknown, drafts[0]]
    assert [answer.seq for _, answer in again] == [*range(1, 1_201), 0, 1]
    assert [answer.duplicate for _, answer in again] == [True] * 700 + [False] * 500 + [True, True]
    assert first[-1][1].refused == again[-2][1].refused is not None
    assert memory.engine.log.end_offset(memory.engine.partition(memory.id)) == 1_201


def test_the_numbers_of_stats_are_to_be_had_in_python(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", embedder="none") as memory:
        memory.record_event("Deployed", features=["deploy"])
        assert memory.stats() == memory.overview() == stats(memory.engine, "me/agent").memories[0]
