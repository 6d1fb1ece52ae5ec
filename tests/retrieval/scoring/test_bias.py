"""What is offered again and again and never used, and how unevenly memories are offered."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.waiting import until
from yggdrasil import InvalidAskError, Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.upkeep.unused import Unused
from yggdrasil_infra.signals.metrics import ServiceMetrics
from yggdrasil_projections.retrieval.reads.operations.bias import gini

FRIDAY = "Who deployed on a Friday?"


def offered(memory: Memory[Embedded], used: str | None, times: int, k: int = 3) -> None:
    """Ask so often, each time after something else has happened: at one tick an offer counts once."""
    for at in range(times):
        memory.record_event(f"Bread of kind {at} was baked")
        found = memory.get_context(f"{FRIDAY} Time {at}.", k=k)
        if used in found.refs and found.recall_id:
            memory.report_use(found.recall_id, used=[used], result="success")


def test_what_is_offered_beyond_the_bound_and_never_used_is_told(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", "me/agent", partitions=1) as memory:
        memory.set_policy(bias_candidates=5)
        used, passed, third = (memory.record_event(f"Worker {name} deployed on a Friday") for name in ("a", "b", "c"))
        assert memory.bias().count == 0
        offered(memory, used, 5)
        assert memory.bias().count == 0, "more than the bound, not as many"
        offered(memory, used, 3)
        found = memory.bias()
        assert [each.memory.ref for each in found.never_used] == [passed, third] and found.count == 2
        assert {each.candidates for each in found.never_used} == {8} and found.bound == 5 and found.position is None
        assert (found.memories, found.offered, found.as_of) == (11, 3, memory.happened(count=1).as_of)
        assert sum(each.memories for each in found.deciles) == 11 and len(found.deciles) == 10
        assert sum(each.usage for each in found.deciles) == 8 and sum(each.candidates for each in found.deciles) == 24
        assert found.deciles[-1].use is not None
        assert found.gini == gini(np.array([8] * 3 + [0] * 8, np.int64)) == 727


def test_it_goes_on_where_it_left_off(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", "me/agent", partitions=1) as memory:
        memory.set_policy(bias_candidates=2)
        events = [memory.record_event(f"Worker {at} deployed on a Friday") for at in range(5)]
        for at in range(4):
            memory.record_event(f"Bread of kind {at} was baked")
            memory.get_context(f"{FRIDAY} {at}", k=5)
        told, since = list[str](), 0
        for _ in range(3):
            page = memory.bias(since=since, count=2)
            told += [each.memory.ref for each in page.never_used]
            assert page.count == 5
            if page.position is None:
                break
            since = page.position
        assert told == events
        assert memory.bias(since=2**53 - 1).never_used == []
        for count in (0, 201, True):
            with pytest.raises(InvalidAskError):
                memory.bias(count=count)


def test_what_no_search_shows_is_not_counted_and_nothing_changes_by_looking(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", partitions=1) as store:
        memory = store.memory("me/agent", source="ana", origin="user")
        memory.set_policy(bias_candidates=1)
        events = [memory.record_event(f"Worker {at} deployed on a Friday") for at in range(3)]
        offered(memory, None, 3)
        assert memory.bias().count == 3
        memory.withdraw(events[0], "it was a mistake")
        assert [each.memory.ref for each in memory.bias().never_used] == events[1:]
        before = memory.digest()
        assert memory.bias() == memory.bias() and memory.digest() == before
        other = store.memory("me/agent")
        stranger = other.record_event("Worker 9 deployed on a Friday")
        offered(memory, None, 3, k=4)
        assert stranger in [each.memory.ref for each in memory.bias().never_used]
        assert stranger not in [each.memory.ref for each in memory.seen(trust_min=2).bias().never_used]


def test_an_empty_memory_has_nothing_to_tell(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", "me/agent") as memory:
        memory.set_policy(bias_candidates=1)
        found = memory.bias()
        assert (found.count, found.memories, found.gini, found.deciles) == (0, 0, 0, [])


def test_a_service_tells_how_much_is_offered_in_vain(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", "me/agent", partitions=1) as memory:
        memory.set_policy(bias_candidates=2)
        for at in range(3):
            memory.record_event(f"Worker {at} deployed on a Friday")
        offered(memory, None, 4)
        metrics = ServiceMetrics()
        looking = Unused(memory.engine, metrics, look_every_s=0.01)
        with looking:
            until(lambda: metrics.registry.get_sample_value("yggdrasil_service_never_used") == 3.0, str)
        assert metrics.registry.get_sample_value("yggdrasil_service_offered") == 3.0


@given(st.lists(st.integers(0, 2**32 - 1), max_size=30))
def test_gini_is_the_mean_difference_by_its_definition(counts: list[int]) -> None:
    found = gini(np.array(counts, np.int64))
    total = sum(counts)
    if not total:
        assert found == 0
        return
    differences = sum(abs(one - other) for one in counts for other in counts)
    assert found == int(Fraction(differences, 2 * len(counts) * total) * 1_000)
