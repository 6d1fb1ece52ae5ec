"""Which reads are recorded, of whom, and what the record holds; by the table, in a directory and over HTTP."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, cast

import httpx2
import orjson
import pytest

from tests.contract.logs import everything
from tests.contract.memories import log_of, subject
from tests.faces.life import Known, lived
from yggdrasil import InvalidAskError, Memory, ServiceAwayError
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.remote import Remote
from yggdrasil.serving import Service, Serving
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.http.rates import Quota
from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.query import Read
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext
from yggdrasil_projections.retrieval.reads.operations.overview import AskOverview
from yggdrasil_projections.retrieval.table import READS
from yggdrasil_schemas.canonical import canonical_json

AS_READS: Final = [read for read in READS if read.recorded == "read"]
WITHOUT_THE_FIELDS: Final = ("stats", "became")  # whose method returns less than the answer


@pytest.fixture(params=["directory", "http"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path, request.getfixturevalue) as made:
        yield made


def said(memory: Memory[Any]) -> list[dict[str, Any]]:
    return [orjson.loads(record.value or b"") for record in everything(log_of(memory))]


def asked(memory: Memory[Any], read: Read[Any], known: Known) -> Any:
    return getattr(memory, read.called)(**known.filled(read.example))


def test_reads_are_recorded_where_the_policy_says_so_and_never_twice(memory: Memory[Any]) -> None:
    known = lived(memory)
    before = len(said(memory))
    for read in AS_READS:
        assert getattr(asked(memory, read, known), "recorded", False) is False
    assert len(said(memory)) == before
    memory.set_policy(reads_recorded=1)
    for read in AS_READS:
        as_of, answer = memory.engine.ask(memory.id, AskOverview()).as_of, asked(memory, read, known)
        latest = said(memory)[-1]
        assert (latest["type"], latest["body"]["read"], latest["body"]["as_of"]) == ("record_read", read.name, as_of)
        if read.name not in WITHOUT_THE_FIELDS:
            assert (answer.recorded, answer.read_id) == (True, latest["id"])
    assert len(said(memory)) == before + 1 + len(AS_READS)
    end = len(said(memory))
    memory.digest()
    assert len(said(memory)) == end, "to take a digest changes nothing"
    memory.set_policy(reads_recorded=0)
    assert memory.drift().recorded is False


def test_the_record_holds_what_was_asked_and_what_answer_it_had(memory: Memory[Any]) -> None:
    lived(memory)
    memory.set_policy(reads_recorded=1)
    answer = memory.history(key="ana/diet", standing=True)
    record = said(memory)[-1]
    assert record["content"] == {"payload": {"key": "ana/diet", "standing": True}}
    told = orjson.loads(orjson.dumps(answer))
    for name in ("recorded", "read_id", "past", "past_ms", "withheld"):
        del told[name]
    assert record["body"]["digest"] == sha256(canonical_json(told)).hexdigest()
    assert record["body"]["trust_least"] == min(each.trust for each in answer.memories)
    assert (record["source"], record["origin"]) == ("agent", "agent")
    memory.drift()
    assert "trust_least" not in said(memory)[-1]["body"], "it shows nothing that somebody said"
    memory.claims("person:ana")
    assert said(memory)[-1]["content"]["payload"]["valid_at"] > 1_700_000_000_000, "of which moment is said"


def test_a_recorded_read_is_no_recall_and_changes_no_answer(memory: Memory[Any]) -> None:
    known = lived(memory)
    memory.set_policy(reads_recorded=1)
    before = memory.overview()
    described = memory.describe(known.event)
    assert memory.describe(known.event).memory == described.memory
    after = memory.overview()
    assert (after.nodes, after.edges, after.tick) == (before.nodes, before.edges, before.tick)
    assert after.seq == before.seq + 3
    page = memory.happened(since=before.seq - 1, count=50)
    assert page.happened == [] and page.position == page.as_of, "it is in no page of what happened"


def test_to_explain_is_to_recall(memory: Memory[Any]) -> None:
    known = lived(memory)
    found = memory.explain_action(known.event)
    record = said(memory)[-1]
    assert found.recorded and record["id"] == found.recall_id
    assert (record["type"], record["body"]["purpose"]) == ("record_recall", "explanation")
    assert record["body"]["returned"] == found.refs and known.event in found.refs
    now = memory.describe(known.event).memory
    assert found.memory is not None and now.salience > found.memory.salience, "it is noticed"
    memory.report_use(found.recall_id or "", [known.event], result="success")


def test_thinkers_and_auditors_leave_no_trace(tmp_path: Path) -> None:
    with (
        Embedded(tmp_path / "data", partitions=1, sliced=True) as engine,
        Memory(engine, Drafter("me/agent", "boss", "test", "operator")) as boss,
    ):
        known = lived(boss)
        boss.set_policy(reads_recorded=1)
        end = engine.log.end_offset(0)
        thinker = Memory(engine, Drafter("me/agent", "chunker", "test", "thinker"))
        assert not thinker.timeline().recorded and not thinker.explain_action(known.event).recorded
        assert EngineMemories(engine).happened("me/agent", since=0, count=5).recorded is False
        keys = {role: new_key(tmp_path / "keys.json", "me", [role], role)[1] for role in ("audit", "read")}
        with Serving(engine, Service(("127.0.0.1", 0), Keys(tmp_path / "keys.json"))) as serving:
            at = f"{serving.url}/v1/memories/me/agent"
            auditor, reader = ({"Authorization": f"Bearer {keys[name]}"} for name in ("audit", "read"))
            for path in ("/history?key=ana/diet", f"/actions/{known.event}", "/drift", "/digest"):
                assert not httpx2.get(at + path, headers=auditor).json().get("recorded")
            assert not httpx2.get(f"{at}/drift?record=false", headers=reader).json()["recorded"]
            assert engine.log.end_offset(0) == end
            assert httpx2.get(f"{at}/drift", headers=reader).json()["recorded"]
            assert engine.log.end_offset(0) == end + 1


def test_a_host_that_cannot_append_says_so_and_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(tmp_path / "data", "me/agent") as memory:
        known = lived(memory)
        memory.set_policy(reads_recorded=1)

        def full(*_: Any) -> Any:
            raise LogError("the disk is full")

        monkeypatch.setattr(memory.engine, "submit_recall", full)
        assert (memory.drift().recorded, memory.explain_action(known.event).recorded) == (False, False)
        assert memory.history(key="ana/diet").memories


def test_recorded_reads_keep_the_last_tenth_of_a_quota_for_commands(tmp_path: Path) -> None:
    _, key = new_key(tmp_path / "keys.json", "me", ["append", "read", "operate"], "agent")
    service = Service(("127.0.0.1", 0), Keys(tmp_path / "keys.json"), rate=0, quota=Quota(total_bytes=40_000))
    with (
        Embedded(tmp_path / "data", partitions=1, sliced=True) as engine,
        Serving(engine, service) as serving,
        Memory.connect(serving.url, memory="me/agent", key=key) as memory,
    ):
        event = memory.record_event("Deployed", features=["deploy"])
        memory.set_policy(reads_recorded=1)
        recorded = [memory.describe(event).recorded for _ in range(200)]
        assert recorded[0] and not recorded[-1], "all of them are answered"
        end = engine.log.end_offset(0)
        assert not memory.timeline().recorded and engine.log.end_offset(0) == end
        assert memory.record_event("Deployed again"), "the last tenth is for commands"


def test_a_question_to_another_memory_is_refused_and_recorded_nowhere(memory: Memory[Any]) -> None:
    lived(memory)
    end = len(said(memory))
    with pytest.raises(InvalidAskError, match="asked of me/agent"):
        memory.ask(AskContext(Ask("other/victim", "private words")))
    assert len(said(memory)) == end
    with pytest.raises(TypeError, match="takes a query of the table"):
        memory.ask(cast(Any, "hello"))


def test_to_explain_brings_nothing_back_that_is_archived(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data", "me/agent", source="boss", origin="operator") as memory:
        faded = memory.record_event("Long ago", features=["old"], session="then")
        memory.set_policy(archive_salience=20.0, archive_permanence=10.0, archive_rest_ticks=0, sessions_open_max=1)
        memory.record_event("Now", features=["new"], session="now")
        memory.sleep()
        assert memory.describe(faded).memory.archived
        assert memory.explain_action(faded).recorded
        assert memory.describe(faded).memory.archived


def test_a_read_that_no_record_can_hold_is_answered_all_the_same(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "data", "me/agent") as memory:
        lived(memory)
        memory.set_policy(reads_recorded=1)
        assert memory.foretell("é" * 131_072).recorded is False
        assert memory.timeline(count=2_000).memories
        with pytest.raises(InvalidAskError, match="whole number"):
            memory.timeline(before=2**70)
        with pytest.raises(InvalidAskError, match="half of a character"):
            memory.timeline(session="\ud800")


def test_a_recorded_read_is_not_sent_twice_where_it_would_be_noticed_twice(tmp_path: Path) -> None:
    class Cut(httpx2.HTTPTransport):
        """Delivers each request, and loses the first answer."""

        lost = 0

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            answer = super().handle_request(request)
            if not self.lost and "/actions/" in request.url.path:
                self.lost += 1
                answer.close()
                raise httpx2.ReadError("cut")
            return answer

    with (
        Embedded(tmp_path / "data", partitions=1, sliced=True) as engine,
        Serving(engine, Service(("127.0.0.1", 0))) as serving,
        Memory(Remote(serving.url, transport=Cut()), Drafter("me/agent", "agent", "test"), owns_engine=True) as memory,
    ):
        event = memory.record_event("Deployed")
        with pytest.raises(ServiceAwayError):
            memory.explain_action(event)
        assert engine.log.end_offset(0) == 2
        assert memory.explain_action(event).recorded and engine.log.end_offset(0) == 3
