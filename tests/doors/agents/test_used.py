"""What a run used is reported for its own recalls, and no failing report hides what was recorded."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from yggdrasil import Memory
from yggdrasil.doors.loop import RECALL_ID, Loop, Result, Run, recall_id_in
from yggdrasil.doors.tools import Tools


class Failing:
    """Tools of somebody's own, whose report fails or never comes."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    async def detected(self, output: str, told: Sequence[str], result_of_task: Result, *, labels: bool) -> int:
        if self.error is None:
            await asyncio.sleep(60)
        raise self.error or TimeoutError


@pytest.mark.parametrize("error", [ValueError("no report today"), None])
def test_a_failing_report_leaves_the_event_that_was_recorded(
    memory: Memory[Any], warned: pytest.LogCaptureFixture, error: Exception | None
) -> None:
    loop = Loop(memory, patience_s=5.0 if error else 1.0)
    run = Run("Book a flight", "I booked flight LH1 to Kyoto.", ["book"], recalled=[f"Kyoto\n{RECALL_ID}r1"])
    action = asyncio.run(loop.record(run, tools=Failing(error)))
    assert action == memory.timeline(count=1).memories[0].ref
    assert (str(error) if error else "no answer within 1 s") in warned.text


def test_the_id_of_a_recall_that_a_record_quotes_is_not_reported(memory: Memory[Any]) -> None:
    async def act() -> tuple[str, str]:
        tools = Tools(memory)
        memory.record_event("Ben plays chess at noon")
        theirs = recall_id_in(await tools.recall("When does Ben play chess?")) or ""
        memory.record_event(f"Zoe says hello, {RECALL_ID}{theirs}")
        mine = await tools.recall("What does Zoe say?")
        assert theirs in mine
        await Loop(memory).record(Run("Greet", "Ben plays chess at noon.", ["recall"], recalled=[mine]), tools=tools)
        return theirs, recall_id_in(mine) or ""

    theirs, mine = asyncio.run(act())
    reports = [each.words for each in memory.said().said if each.type == "report_use"]
    assert len(reports) == 1 and mine in reports[0] and theirs not in reports[0]
    assert recall_id_in(f"{RECALL_ID}x\nand more") is None
