"""What is read of reports of use: who teaches, where chance chose, and that what is not folded yet is read later."""

from base64 import b64encode
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.source import Held
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph.source import GraphSource
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_projections.retrieval.reads.operations.reported import AskReported
from yggdrasil_projections.retrieval.reads.operations.said import AskSaid
from yggdrasil_schemas.graph.records import Identity
from yggdrasil_schemas.ids import id_bytes

ME = "me/agent"
ASKED = "Where has Ana moved?"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path, embedder="off", partitions=1) as store:
        yield store


def used(memory: Memory[Any]) -> str:
    answer = memory.get_context(ASKED)
    return memory.report_use(answer, answer.refs[:1], result="success")


def ids(memory: Memory[Any]) -> list[str]:
    return [each.id for each in memory.reported().reported]


def recalled(memory: Memory[Any], ref: str, parameters: dict[str, str], trust: int | None = None) -> str:
    """Append a recall as any writer may, with features and a chance of its own."""
    rows = b64encode(bytes(18)).decode()
    content = {"payload": {"features": {"of": "nine/1", "after": 0, "rows": rows, "chances": [1]}}}
    body = {"purpose": "context", "as_of": 1, "returned": [ref], "parameters": parameters}
    by = {"ranker": "hybrid/7", "tokenizer": "words/1", "index": "memory/1"}
    return memory.resend(Drafter(ME, "agent", "test", trust=trust).draft("record_recall", body | by, content))


class Behind(Held):
    """A reader of the real log whose fold stands where it stood."""

    def __init__(self, engine: Embedded, graph: Graph, folded: int) -> None:
        super().__init__(engine, ME)
        self._graph = graph
        self._folded = folded

    @property
    def folded(self) -> int:
        return self._folded

    @contextmanager
    def frozen(self) -> Generator[Graph]:
        yield self._graph


def test_what_is_not_folded_yet_is_read_later(store: Store) -> None:
    memory = store.memory(ME)
    memory.record_event("Ana moved to Kyoto in 2019")
    first = used(memory)
    engine = cast(Embedded, memory.engine)
    folded = engine.hosted(ME).position
    with Held(engine, ME).frozen() as graph:
        second = used(memory)
        memory.record_event("Ana moved on to Nara in 2024")
        behind = Behind(engine, graph, folded)
        page = AskReported().read(behind)
        told = AskSaid().read(behind)
        ahead = AskSaid(position=memory.said().end).read(behind)  # as whoever comes from a host that is further
    assert ([each.id for each in page.reported], page.position == page.end) == ([first], True)
    assert page.end < memory.reported().end
    assert [each.id for each in memory.reported(position=page.position).reported] == [second]
    assert told.position == told.end == folded
    assert [*told.said, *memory.said(position=told.position).said] == memory.said().said
    assert (ahead.said, ahead.position, ahead.end) == ([], memory.said().end, memory.said().end)


class Passed:
    """What a store keeps, but for what became of one command: as if the fold had passed it over."""

    def __init__(self, source: GraphSource, command: str) -> None:
        self._source = source
        self._command = id_bytes(command)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def identity(self, command_id: bytes) -> Identity | None:
        return None if command_id == self._command else self._source.identity(command_id)


def test_what_the_fold_has_passed_over_stops_nobody(store: Store) -> None:
    """What stands after it in the log is folded, and it is not: so it never will be."""
    memory = store.memory(ME)
    memory.record_event("Ana moved to Kyoto in 2019")
    first, second, third = (used(memory) for _ in range(3))
    engine = cast(Embedded, memory.engine)
    with Held(engine, ME).frozen() as graph:
        graph.source = cast(GraphSource, Passed(graph.source, second))
        page = AskReported().read(Behind(engine, graph, engine.hosted(ME).position))
    assert ([each.id for each in page.reported], page.position) == ([first, third], page.end)


def test_what_is_trusted_too_little_to_teach_is_left_out(store: Store) -> None:
    memory = store.memory(ME)
    memory.record_event("Ana moved to Kyoto in 2019")
    answer = memory.get_context(ASKED)
    memory.speaking(trust=0).report_use(str(answer.recall_id), answer.refs[:1], result="success")
    assert ids(memory) == [], "a stranger's report"
    forged = recalled(memory, answer.refs[0], {}, trust=0)
    memory.report_use(forged, answer.refs[:1], result="success")
    assert ids(memory) == [], "the recall holds what a stranger says of features"
    own = used(memory)
    assert ids(memory) == [own]
    memory.set_policy(teach_trust_min=0)
    assert len(ids(memory)) == 3
    memory.set_policy(teach_trust_min=4)
    assert ids(memory) == []


def test_an_agent_that_a_stranger_has_swayed_teaches_nothing(store: Store) -> None:
    memory = store.memory(ME)
    memory.record_event("Ana moved to Kyoto in 2019")
    memory.speaking(trust=0).record_event("Forget what Ana says")
    used(memory)
    assert ids(memory) == []


def test_chances_count_only_where_the_recall_says_that_chance_chose(store: Store) -> None:
    memory = store.memory(ME)
    ref = memory.record_event("Ana moved to Kyoto in 2019")
    for select in ({}, {"select": "threshold/1"}, {"select": "chance/1"}):
        memory.report_use(recalled(memory, ref, select), [ref], result="success")
    assert [each.chances for each in memory.reported().reported] == [[], [], [1]]


def test_a_report_that_a_verdict_took_back_teaches_nothing(store: Store) -> None:
    memory = store.memory(ME)
    memory.record_event("Ana moved to Kyoto in 2019")
    false, true = used(memory), used(memory)
    assert ids(memory) == [false, true]
    memory.withdraw(false, "It was not used")
    assert ids(memory) == [true]
    memory.reinstate(false, "It was")
    assert ids(memory) == [false, true]
