"""Its claims in a real memory: candidates with their evidence, confirmed by another event, never decided twice."""

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.thinkers.told import decided, event, stored
from yggdrasil import CommandRefusedError, Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_processors.thinkers.reducer import Reducer
from yggdrasil_processors.thinkers.reducer.state import IN_HAND, KNOWN_MAX, SESSIONS_MAX, ReducerState
from yggdrasil_schemas.limits import DECISION_PARTS_MAX

MEMORY = "me/agent"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


def standing(memory: Memory[Embedded]) -> dict[str, str]:
    """Each claim by its text, without the sentence that follows, with its status."""
    return {str(each.text).partition(": ")[0]: each.status for each in memory.claims(history=True).claims}


def test_what_one_says_waits_until_another_says_so(store: Store) -> None:
    memory = store.memory(MEMORY)
    said = memory.record_event("Ana lives in Rome. The staging API listens on port 8080.", features=["person:ana"])
    (run,) = store.think("reducer")
    assert (run.decided, run.stopped) == (2, None)
    assert standing(memory) == {"ana lives in Rome": "candidate", "staging port 8080": "candidate"}
    assert memory.claims().claims == [], "what waits is in no answer"
    claim = memory.claims("person:ana", history=True).claims[0]
    assert claim.payload == {"sentence": "Ana lives in Rome."}
    assert [each.ref for each in memory.lineage(claim.ref).evidence] == [said]
    again = memory.record_event("Ana lives in Rome.")
    store.think("reducer")
    assert standing(memory)["ana lives in Rome"] == "candidate", "who says it again is no other source"
    assert [each.ref for each in memory.lineage(claim.ref).evidence] == [said, again]
    store.memory(MEMORY, source="another").record_event("Hello, I live in Rome!", features=["speaker:Ana"])
    store.think("reducer")
    assert standing(memory)["ana lives in Rome"] == "active"
    assert memory.claims("person:ana").claims[0].trust <= memory.history(said).memories[0].trust
    assert store.think("reducer")[0].decided == 0


def test_what_one_agent_repeats_does_not_displace_what_a_user_said(store: Store) -> None:
    memory = store.memory(MEMORY)
    for _ in range(6):
        memory.record_event("Ana lives in Rome.")
    store.memory(MEMORY, source="ana", origin="user").assert_claim("person:ana", "lives_in", "Oslo")
    store.think("reducer")
    assert standing(memory) == {"ana lives in Oslo": "active", "ana lives in Rome": "candidate"}


def test_the_law_refuses_a_claim_of_a_thinker_without_evidence_that_stands(store: Store) -> None:
    memory = store.memory(MEMORY)
    memory.record_event("Ana lives in Rome.")
    drafter = memory._drafter
    stamp = {"name": "reducer", "version": "1", "cursor_from": 0, "cursor_to": 1, "part": 0, "parts": 1}
    with pytest.raises(CommandRefusedError, match="evidence_missing"):
        memory._submit(drafter.assert_claim("person:ana", "lives_in", "Rome", thinker=stamp))


def test_without_its_own_store_nothing_is_decided_twice(store: Store, tmp_path: Path) -> None:
    memory = store.memory(MEMORY)
    for number in range(70):
        memory.record_event(f"The staging API listens on port {8_000 + number}.")
    store.think("reducer")
    digest = memory.digest()
    shutil.rmtree(store.path / "thoughts")
    assert store.think("reducer")[0].decided == 0 and memory.digest() == digest
    report = tmp_path / "shadow.jsonl"
    store.think("reducer", shadow=report)
    lines = [orjson.loads(line) for line in report.read_bytes().splitlines()]
    assert {tuple(each["about"]) for each in lines if each["by"] == "made"} == {
        tuple(each["about"]) for each in lines if each["by"] != "made"
    }


def test_a_hostile_writer_finds_bounds() -> None:
    """Claims in every sentence, of persons and sessions without end: so many at once, one an event in the end."""
    text = " ".join(
        f"Ana lives in Rome{chr(97 + n)}. X{n} lives in Oslo. Never delete the bucket {n} again." for n in range(12)
    )
    told = [
        replace(event(n, f"speaker:s{n}" + "x" * 119, session=f"s{n % 90}"), text=f"I live in Rome. {text} {n}")
        for n in range(1, 2_100)
    ]
    state = ReducerState()
    found = decided(Reducer(), told, state=state)
    assert len(found) <= len(told) + IN_HAND and len(state.known) == KNOWN_MAX and len(state.sessions) <= SESSIONS_MAX
    assert max(Counter(after for after, _ in found).values()) <= DECISION_PARTS_MAX
    assert len(Reducer().rest(state)) <= DECISION_PARTS_MAX
    assert stored(Reducer(), state) == state and len(orjson.dumps(state)) < 600_000
    assert decided(Reducer(), told[:40], page=7) == decided(Reducer(), told[:40], page=40)


def test_what_a_loop_says_makes_no_claim(store: Store) -> None:
    memory = store.memory(MEMORY)
    memory.record_event("Ana lives in Rome.", features=["person:ana"], note="utterance")
    (run,) = store.think("reducer")
    assert run.decided == 0 and standing(memory) == {}
    memory.record_event("Ana lives in Rome.", features=["person:ana"])
    assert store.think("reducer")[0].decided == 1
