"""Eight threads on one engine: each answer belongs to its command, one sync serves many, the state is a replay's."""

import os
import threading
from pathlib import Path
from typing import Any

from tests.faults.local.load import MEMORIES, PARTITIONS, work
from tests.faults.local.oracle import Acknowledged, check_against_replay
from tests.size import turns
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.rocks.batch import Batch
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer

THREADS = 8
TURNS = turns(30, 60)


def test_eight_threads_on_mixed_memories(tmp_path: Path) -> None:
    """``work`` itself checks that each answer names the command that was sent."""
    acknowledged: Acknowledged = set()
    with Embedded(tmp_path / "home", partitions=PARTITIONS) as engine:
        assert work(engine, "eight", THREADS, TURNS, lambda *pair: acknowledged.add(pair)) == []
    assert len(acknowledged) > THREADS * TURNS / 2
    check_against_replay(tmp_path / "home", tmp_path / "replayed", acknowledged)


def test_seqs_are_given_in_log_order_and_once(tmp_path: Path) -> None:
    """Threads that submit to one memory get the numbers 1 to n, each its own, whoever of them did the folding."""
    answers: dict[str, tuple[Draft, Answer]] = {}
    with Embedded(tmp_path / "home", partitions=PARTITIONS) as engine:

        def run(number: int) -> None:
            drafter = Drafter(MEMORIES[0], "test", str(number))
            for turn in range(25):
                draft = drafter.record_event(f"{number} {turn}")
                answers[draft.id] = (draft, engine.submit(draft))

        together(run)
        for command, (draft, answer) in answers.items():
            assert (answer.command_id, answer.memory, answer.refused) == (command, draft.memory, None)
            assert engine.submit(draft).seq == answer.seq  # asked again, it is the same number
        assert sorted(answer.seq for _, answer in answers.values()) == list(range(1, THREADS * 25 + 1))


def test_commands_that_wait_share_a_sync(tmp_path: Path) -> None:
    """The first write is held until all other threads wait behind it: then they need one more, and only one."""
    with Embedded(tmp_path / "home", partitions=PARTITIONS) as engine:
        rocks, sizes = engine.log._rocks, list[int]()
        write = rocks.write

        def held(batch: Batch) -> None:
            sizes.append(batch.raw.len())
            while len(sizes) == 1 and engine.log._commit.queued < THREADS - 1:
                os.sched_yield()
            write(batch)

        engine.log._rocks.write = held  # type: ignore[method-assign]
        drafts = [Drafter(MEMORIES[number % 4], "test", "test").record_event("shared") for number in range(THREADS)]
        answers: dict[int, Any] = {}
        together(lambda number: answers.update({number: engine.submit(drafts[number])}))
        assert sizes == [1, THREADS - 1]
        assert [answers[number].command_id for number in range(THREADS)] == [draft.id for draft in drafts]


def together(run: Any) -> None:
    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
