"""What was appended is seen by whoever has the receipt, however many append and read at once.

Long with YGGDRASIL_FAULTS=long: 10,000 appends and as many reads, from 32 connections.
"""

import threading
from collections.abc import Callable
from pathlib import Path

from tests.service.client import Client
from tests.service.conftest import LOOPBACK
from tests.size import turns
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

THREADS = turns(8, 32)
EACH = turns(40, 313)
MEMORIES = 5


def run_all(work: Callable[[int], None]) -> None:
    """Do ``work`` in as many threads as there are numbers; what one of them raises is raised here."""
    failed: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_every_append_is_seen_by_the_next_read(serving: Serving) -> None:
    seen: list[int] = []

    def work(number: int) -> None:
        with Client(serving.url, memory=f"crowd/agent-{number % MEMORIES}") as client:
            for step in range(EACH):
                word = f"w{number}x{step}"
                waits = step % 3 > 0
                said = {"type": "record_event", "body": {"features": [word]}, "content": {"text": f"Met {word} today"}}
                reply = client.post(f"/commands?wait={str(waits).lower()}", said)
                assert reply.status in ((200,) if waits else (200, 202)), reply.body
                event = reply.json
                match step % 4:
                    case 0:
                        found = client.ask(
                            f"Who met {word}?", after=event["receipt"], deadline_s=30, record=step % 8 == 0
                        )
                        assert event["id"] in [one["memory"]["ref"] for one in found["found"]], (word, found)
                        as_of = found["as_of"]
                    case 1:
                        as_of = client.get(f"/nodes/{event['id']}?after={event['receipt']}&deadline_s=30").json["as_of"]
                    case 2:
                        became = client.get(f"/commands/{event['id']}?after={event['receipt']}&deadline_s=30").json
                        assert became["accepted"] and became["receipt"] == event["receipt"]
                        as_of = became["as_of"]
                    case _:
                        near = client.get(
                            f"/nodes/feature:{word}/neighbours?after={event['receipt']}&deadline_s=30"
                        ).json
                        assert event["id"] in [one["ref"] for one in near["neighbours"]]
                        as_of = near["as_of"]
                if event["seq"] is not None:
                    assert as_of >= event["seq"]
                seen.append(as_of)

    run_all(work)
    assert len(seen) == THREADS * EACH
    with Client(serving.url) as client:
        recorded = [client.send("GET", f"/v1/memories/crowd/agent-{number}/stats").json for number in range(MEMORIES)]
    assert sum(one["overview"]["nodes"]["event"] for one in recorded) == THREADS * EACH


def test_the_same_command_many_times_takes_effect_once(serving: Serving) -> None:
    """Whoever had no answer sends again, under the same id: all of them are answered alike."""
    with Client(serving.url, memory="me/once") as client:
        first = client.event("First")
    command_id = first["id"][:-4] + "0000"
    said = {"type": "record_event", "id": command_id, "at": 1, "body": {}, "content": {"text": "Once"}}
    answers: list[tuple[bool, int]] = []

    def work(number: int) -> None:
        with Client(serving.url, memory="me/once") as client:
            for _ in range(5):
                answer = client.post("/commands", said).json
                answers.append((answer["accepted"], answer["seq"]))

    run_all(work)
    assert set(answers) == {(True, 2)}
    with Client(serving.url, memory="me/once") as client:
        changed = client.post("/commands", said | {"content": {"text": "Twice"}}).json
        assert (changed["accepted"], changed["reason"]) == (False, "id_reused")


def test_a_batch_is_answered_in_order_and_seen_at_once(client: Client) -> None:
    events = [{"type": "record_event", "body": {"features": [f"b{n}"]}} for n in range(100)]
    answers = client.post("/commands/batch", {"commands": events}).json["answers"]
    assert [one["seq"] for one in answers] == list(range(1, 101))
    assert client.get(f"/timeline?count=200&after={answers[-1]['receipt']}").json["as_of"] == 100
    judged = {"type": "log_outcome", "body": {"event": answers[-1]["id"], "value": 1}}
    unknown = {"type": "log_outcome", "body": {"event": answers[-1]["id"].replace("-7", "-8", 1), "value": 1}}
    mixed = client.post("/commands/batch", {"commands": [judged, unknown, events[0]]}).json["answers"]
    assert [one["accepted"] for one in mixed] == [True, False, True]
    assert [one["reason"] for one in mixed] == [None, "unknown_event", None]


def test_what_is_not_folded_yet_is_waited_for(tmp_path: Path) -> None:
    waiting: list[int] = []

    def wait(url: str, later: str) -> None:
        with Client(url) as other:
            waiting.append(other.get(f"/timeline?after={later}&deadline_s=30").json["as_of"])

    def say(url: str) -> None:
        with Client(url) as other:
            other.event("Second")

    with (
        Embedded(tmp_path, partitions=1, sliced=True) as engine,
        Serving(engine, Service(LOOPBACK, rate=0)) as it,
        Client(it.url) as client,
    ):
        client.event("First")
        hosted = engine.hosted(client.memory)
        with engine.turns.folding():
            threads = [threading.Thread(target=say, args=(it.url,))]
            threads[0].start()
            while engine.log.end_offset(0) < 2:
                pass
            threads.append(threading.Thread(target=wait, args=(it.url, "0-1")))
            threads[1].start()
            while not hosted._waiting:
                pass
            assert waiting == []
        for thread in threads:
            thread.join()
        assert waiting == [2]


def test_what_the_log_does_not_hold_is_not_waited_for(client: Client) -> None:
    """Or whoever makes receipts up would hold places for as long as they like."""
    event = client.event("First")
    partition, _, offset = event["receipt"].partition("-")
    reply = client.get(f"/timeline?after={partition}-{int(offset) + 1}&deadline_s=30")
    assert "no append has returned it" in reply.problem(409, "not_yet")["detail"]


def test_what_does_not_come_in_time_is_a_conflict_and_no_failure(client: Client) -> None:
    event = client.event("First")
    partition, _, offset = event["receipt"].partition("-")
    reply = client.get(f"/timeline?after={partition}-{int(offset) + 10}&deadline_s=0.05")
    reply.problem(409, "not_yet")
    assert reply.headers["retry-after"] == "1"
    asked = client.post("/context", {"query": "q", "after": f"{partition}-{int(offset) + 10}", "deadline_s": 0})
    asked.problem(409, "not_yet")
    client.get(f"/timeline?after={(int(partition) + 1) % 4}-0").problem(422, "invalid")
