"""Who stands behind a command: what an agent claims, what a tool has seen, and what an operator takes back."""

from pathlib import Path

import pytest

from yggdrasil.memory import CommandRefusedError, Memory


def test_an_agent_s_own_catastrophe_is_a_large_outcome(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        event = memory.record_event("Deleted the table", features=["delete"])
        memory.log_outcome(event, -1, catastrophic=True)
        assert not memory.describe(event).memory.protected
        memory.log_outcome(event, -1, catastrophic=True, origin="tool")
        seen = memory.describe(event).memory
        assert seen.protected
        assert [outcome.catastrophic for outcome in seen.outcomes] == [False, True]


@pytest.mark.parametrize("origin", ["user", "tool", "operator"])
def test_who_opens_a_memory_as_somebody_with_authority_declares_one(tmp_path: Path, origin: str) -> None:
    with Memory.open(tmp_path, "me/agent", origin=origin) as memory:  # type: ignore[arg-type]
        event = memory.record_event("Deleted the table")
        memory.log_outcome(event, -1, catastrophic=True)
        assert memory.describe(event).memory.protected


def test_an_operator_lifts_it_with_a_reason(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        event = memory.record_event("Deleted the table", features=["delete"])
        outcome = memory.log_outcome(event, -1, catastrophic=True, origin="tool")
        memory.lift_catastrophe(event, reason="It was the table of the drill")
        seen = memory.describe(event).memory
        assert (seen.protected, [outcome.catastrophic for outcome in seen.outcomes]) == (False, [False])
        assert not memory.describe(outcome).memory.protected
        with pytest.raises(CommandRefusedError, match="not_catastrophic"):
            memory.lift_catastrophe(outcome, reason="It was the table of the drill")


def test_a_decision_in_parts_and_a_thinker_that_retires(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        events = [memory.record_event(f"Deployed {number}", features=["deploy", "friday"]) for number in range(4)]
        by = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 4, "parts": 2}
        memory.commit_episode(events[2:], thinker={**by, "part": 1})
        with pytest.raises(CommandRefusedError, match="part_stale"):
            memory.commit_episode(events[2:], thinker={**by, "part": 1})
        with pytest.raises(CommandRefusedError, match="of the decision up to 4 part 0 of 2 still to come"):
            memory.sleep(thinker={**by, "cursor_from": 0, "cursor_to": 5, "parts": 1})
        memory.commit_episode(events[:2], thinker={**by, "part": 0})
        assert memory.engine.graph("me/agent").header.cursors == {"chunker": 4}
        memory.retire_thinker("chunker")
        assert memory.engine.graph("me/agent").header.cursors == {}
        with pytest.raises(CommandRefusedError, match="unknown_thinker"):
            memory.retire_thinker("chunker")


def test_what_is_awaited_and_what_was_used_up_survive_a_restart(tmp_path: Path) -> None:
    by = {"name": "muse", "version": "1", "cursor_from": 0, "cursor_to": 1, "parts": 2}
    with Memory.open(tmp_path, "me/agent") as memory:
        event = memory.record_event("Deployed", features=["deploy"])
        memory.adjust([event], permanence=0.2, evidence=[event], thinker={**by, "part": 1})
        before = memory.digest()
    with Memory.open(tmp_path, "me/agent") as memory:
        assert memory.digest() == before
        with pytest.raises(CommandRefusedError, match="part_stale"):
            memory.adjust([event], permanence=0.2, evidence=[event], thinker={**by, "part": 1})
        memory.adjust([event], permanence=0.2, evidence=[event], thinker={**by, "part": 0})
        assert memory.describe(event).memory.permanence == pytest.approx(0.25)
        assert memory.engine.graph("me/agent").header.windows == {}
