"""LangChain's retriever over a memory, in a directory and over HTTP."""

import asyncio
from collections.abc import Iterator

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from tests.doors.served import WAYS, House
from yggdrasil import AsyncMemory, Where
from yggdrasil.doors.langchain import YggdrasilRetriever
from yggdrasil_infra.log import LogError
from yggdrasil_projections.retrieval.errors import InvalidAskError


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("langchain")) as made:
        yield made


@pytest.mark.parametrize("way", WAYS)
def test_what_matters_comes_as_documents_with_their_evidence(house: House, way: str) -> None:
    memory = house.memory(way)
    event = memory.record_event("Deployed on a Friday evening", features=["deploy", "friday"], session="ops")
    memory.log_outcome(event, -3, kind="outage", text="The site was down")
    memory.record_event("Watered the plants", features=["plants"])
    chain = YggdrasilRetriever(memory=memory, k=3) | RunnableLambda(lambda found: found)
    found: list[Document] = chain.invoke("Should we deploy on Friday?")
    assert [each.page_content for each in found] == ["Deployed on a Friday evening"]
    told = found[0].metadata
    assert (found[0].id, told["ref"], told["status"], told["trust"], told["session"]) == (
        event,
        event,
        "active",
        1,
        "ops",
    )
    assert told["outcomes"] == [{"kind": "outage", "value": -3.0, "text": "The site was down"}]
    assert 0 < told["scores"]["relevance"] <= 1 and told["features"] == ["deploy", "friday"]
    at = memory.describe(event).memory.at
    assert told["at"] == at
    memory.report_use(told["recall_id"], [told["ref"]], result="success")
    assert memory.describe(event).memory.usage == 1, "its use can be reported"


@pytest.mark.parametrize("way", WAYS)
def test_it_does_what_langchain_s_own_tests_ask_of_a_retriever(house: House, way: str) -> None:
    """``RetrieversIntegrationTests`` of langchain-tests 1.1, told anew: that brings plugins, for every test here."""
    memory = house.memory(way)
    memory.record_many([{"text": f"Parcel {number} went to Oslo"} for number in range(5)])
    query = "Which parcels went to Oslo?"
    for k in (1, 3):
        retriever = YggdrasilRetriever(memory=memory, k=k)
        found = retriever.invoke(query)
        assert len(found) == k and all(isinstance(each, Document) for each in found)
        assert len(YggdrasilRetriever(memory=memory).invoke(query, k=k)) == k
        assert len(asyncio.run(YggdrasilRetriever(memory=memory).ainvoke(query, k=k))) == k
        assert len(asyncio.run(YggdrasilRetriever(memory=AsyncMemory(memory)).ainvoke(query, k=k))) == k
        assert len(asyncio.run(retriever.ainvoke(query))) == k


@pytest.mark.parametrize("way", WAYS)
def test_it_asks_a_part_of_the_memory_and_refuses_to_guess(house: House, way: str) -> None:
    memory = house.memory(way)
    memory.record_event("The key is under the mat", session="home")
    memory.record_event("The key is in the vault", session="work")
    at_work = YggdrasilRetriever(memory=memory, where=Where(sessions=["work"]), record=False)
    assert [each.page_content for each in at_work.invoke("Where is the key?")] == ["The key is in the vault"]
    assert at_work.invoke("Where is the key?")[0].metadata["recall_id"] is None
    assert YggdrasilRetriever(memory=memory).invoke("zeppelins over Lake Constance") == []
    with pytest.raises(InvalidAskError, match="k must lie between 1 and 50"):
        YggdrasilRetriever(memory=memory, k=51).invoke("key")


def test_it_is_awaited_over_a_memory_and_over_an_asynchronous_one(house: House) -> None:
    async def ask(retriever: YggdrasilRetriever) -> None:
        answers = await retriever.abatch(["Where is the key?"] * 4)
        assert [[each.page_content for each in found] for found in answers] == [["The key is under the mat"]] * 4

    for way in WAYS:
        memory = house.memory(way)
        memory.record_event("The key is under the mat")
        asyncio.run(ask(YggdrasilRetriever(memory=memory)))
        asyncio.run(ask(YggdrasilRetriever(memory=AsyncMemory(memory))))


def test_the_service_goes_away_and_comes_back(house: House) -> None:
    memory = house.memory("service")
    memory.record_event("The key is under the mat")
    retriever = YggdrasilRetriever(memory=memory)
    house.go()
    try:
        with pytest.raises(LogError, match="no service answers"):
            retriever.invoke("Where is the key?")
    finally:
        house.come()
    assert len(retriever.invoke("Where is the key?")) == 1
