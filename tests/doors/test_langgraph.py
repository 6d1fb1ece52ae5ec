"""LangGraph's store over a memory, beside the store that LangGraph itself keeps in this process."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from threading import Thread
from time import sleep
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    NamespaceMatchType,
    Op,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from tests.doors.served import WAYS, House
from tests.size import turns
from yggdrasil import AsyncMemory
from yggdrasil.doors.documents.written import DocumentError
from yggdrasil.doors.langgraph import YggdrasilStore
from yggdrasil_infra.log import LogError

EXAMPLES = turns(10, 300)
CALLS = turns(100, 1_000)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("langgraph")) as made:
        yield made


@pytest.fixture(params=WAYS)
def store(house: House, request: pytest.FixtureRequest) -> YggdrasilStore:
    return YggdrasilStore(house.memory(request.param))


def keys(found: list[SearchItem]) -> list[str]:
    return [each.key for each in found]


def test_an_item_is_put_got_changed_and_deleted(store: YggdrasilStore) -> None:
    space = ("users", "1")
    before = datetime.now(UTC)
    assert store.get(space, "prefs") is None
    store.put(space, "prefs", {"food": "pizza", "tags": ["a", 1, None]})
    first = store.get(space, "prefs")
    assert first is not None
    assert (first.namespace, first.key, first.value) == (space, "prefs", {"food": "pizza", "tags": ["a", 1, None]})
    assert first.created_at == first.updated_at
    assert abs((first.created_at - before).total_seconds()) < 30
    sleep(0.005)
    store.put(space, "prefs", {"food": "sushi"})
    second = store.get(space, "prefs")
    assert second is not None and second.value == {"food": "sushi"}
    assert second.created_at == first.created_at and second.updated_at > first.updated_at
    store.delete(space, "prefs")
    store.delete(space, "prefs")
    assert store.get(space, "prefs") is None and store.search(("users",)) == []
    told = store.documents.memory.history(key=store.key(space, "prefs")).memories
    assert [each.status for each in told] == ["superseded", "rejected"], "it is in the history"


def test_namespaces_are_listed_by_pattern_depth_and_page(store: YggdrasilStore) -> None:
    spaces = [("x", "y", "z"), ("x", "y", "w", "v"), ("x", "u", "z"), ("t", "x", "z"), ("users", "1"), ("a", "users")]
    for number, space in enumerate(spaces):
        store.put(space, str(number), {})
    assert store.list_namespaces() == sorted(spaces)
    assert store.list_namespaces(prefix=("x", "y")) == [("x", "y", "w", "v"), ("x", "y", "z")]
    assert store.list_namespaces(suffix=("z",)) == [("t", "x", "z"), ("x", "u", "z"), ("x", "y", "z")]
    assert store.list_namespaces(prefix=("x",), suffix=("z",)) == [("x", "u", "z"), ("x", "y", "z")]
    assert store.list_namespaces(prefix=("x", "*", "z")) == [("x", "u", "z"), ("x", "y", "z")]
    assert store.list_namespaces(suffix=("*", "z")) == [("t", "x", "z"), ("x", "u", "z"), ("x", "y", "z")]
    assert store.list_namespaces(prefix=("x",), max_depth=2) == [("x", "u"), ("x", "y")]
    assert store.list_namespaces(limit=2, offset=1) == sorted(spaces)[1:3]
    assert store.list_namespaces(prefix=("nobody",)) == []
    store.delete(("users", "1"), "4")
    assert ("users", "1") not in store.list_namespaces()


def test_what_is_no_namespace_is_refused_as_langgraph_does(store: YggdrasilStore) -> None:
    wrong: list[Any] = [(), ("a.b",), ("a", ""), ("langgraph", "x"), ("a", 1)]
    for space in wrong:
        with pytest.raises(InvalidNamespaceError):
            store.put(space, "key", {})
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "key", {})])
    store.put(("the", "langgraph"), "key", {"x": 1})
    store.batch([PutOp(("langgraph", "own"), "key", {"x": 2})])
    assert len(store.search(())) == 2


def test_a_search_filters_by_value_and_goes_on_by_page(store: YggdrasilStore) -> None:
    for number in range(12):
        value = {"number": number, "even": number % 2 == 0, "in": {"deep": {"number": number}}, "list": [number, "x"]}
        store.put(("docs", str(number % 3)), f"d{number}", value)
    filters: list[tuple[dict[str, Any], set[int]]] = [
        ({"number": 3}, {3}),
        ({"number": {"$gte": 9, "$ne": 10}}, {9, 11}),
        ({"number": {"$lt": 4}, "even": True}, {0, 2}),
        ({"in": {"deep": {"number": {"$gt": 10}}}}, {11}),
        ({"list": [4, "x"]}, {4}),
        ({"list": [{"$lte": 1}, "x"]}, {0, 1}),
        ({"nothing": {"$gt": 1}}, set()),
        ({"nothing": {"$eq": None}, "number": 1}, {1}),
    ]
    for wanted, numbers in filters:
        found = store.search(("docs",), filter=wanted)
        assert {each.value["number"] for each in found} == numbers, wanted
    assert keys(store.search(("docs",), limit=3)) == ["d11", "d10", "d9"], "the latest first"
    assert keys(store.search(("docs",), limit=3, offset=10)) == ["d1", "d0"]
    assert keys(store.search(("docs", "1"), limit=10)) == ["d10", "d7", "d4", "d1"]
    assert keys(store.search(("docs",), filter={"even": True}, limit=2, offset=1)) == ["d8", "d6"]
    assert store.search(("docs",), offset=2**70) == []
    with pytest.raises(ValueError, match="0 or more"):
        store.search(("docs",), offset=-1)
    with pytest.raises(ValueError, match="compares by"):
        store.search(("docs",), filter={"number": {"$in": [1]}})


def test_a_search_with_a_query_ranks_what_is_to_be_searched(store: YggdrasilStore) -> None:
    store.put(("m",), "cat", {"text": "The cat sleeps on the warm oven", "of": "pets"})
    store.put(("m",), "oven", {"text": "The oven is broken", "of": "kitchen"})
    store.put(("m",), "unsearched", {"text": "The cat is a secret"}, index=False)
    store.put(("m",), "title", {"text": "The cat is elsewhere", "titles": [{"is": "A storm"}]}, index=["titles[*].is"])
    store.put(("other",), "cat", {"text": "The cat of another"})
    found = store.search(("m",), query="Where is the cat?")
    assert keys(found)[0] == "cat" and "unsearched" not in keys(found)  # a store answers with as many as are wanted
    assert found[0].score is not None and 0 < found[0].score <= 1
    assert keys(store.search(("m",), query="storm"))[0] == "title"
    assert set(keys(store.search(("m",), query="oven", limit=2))) == {"cat", "oven"}
    assert keys(store.search(("m",), query="oven", filter={"of": "kitchen"})) == ["oven"]
    ovens = keys(store.search(("m",), query="oven"))
    assert keys(store.search(("m",), query="oven", limit=1)) == ovens[:1]
    assert keys(store.search(("m",), query="oven", offset=1)) == ovens[1:]
    assert store.search(("m",), query="zeppelin") == []
    assert {each.namespace for each in store.search((), query="cat")} == {("m",), ("other",)}
    some = store.get(("m",), "unsearched")
    assert some is not None and some.value == {"text": "The cat is a secret"}
    named = YggdrasilStore(store.documents.memory, fields=["of"], record=False)
    named.put(("n",), "one", {"text": "hidden", "of": "shown"})
    assert keys(named.search(("n",), query="shown")) == ["one"] and named.search(("n",), query="hidden") == []


def test_a_batch_reads_what_was_before_and_writes_the_last_of_each(store: YggdrasilStore) -> None:
    store.put(("a",), "x", {"n": 0})
    ops: list[Op] = [
        PutOp(("a",), "x", {"n": 1}), GetOp(("a",), "x"), PutOp(("a",), "x", {"n": 2}), PutOp(("a",), "y", {"n": 3}),
        SearchOp(("a",)), ListNamespacesOp(), PutOp(("b",), "z", {"n": 4}), PutOp(("b",), "z", None),
    ]  # fmt: skip
    results = store.batch(ops)
    assert results[1].value == {"n": 0}  # type: ignore[union-attr]
    assert [each.value for each in results[4]] == [{"n": 0}]  # type: ignore[union-attr]
    assert (results[5], [results[place] for place in (0, 2, 3, 6, 7)]) == ([("a",)], [None] * 5)
    assert {each.key: each.value for each in store.search(())} == {"x": {"n": 2}, "y": {"n": 3}}
    assert len(store.documents.memory.history(key=store.key(("a",), "x")).memories) == 2, "the last of a batch alone"
    assert store.batch([]) == []
    with pytest.raises(ValueError, match="a store answers"):
        store.batch(["nonsense"])  # type: ignore[list-item]


def test_what_it_cannot_keep_is_refused_with_what_to_do(store: YggdrasilStore) -> None:
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("a",), "x", {}, ttl=5)
    with pytest.raises(NotImplementedError, match="leave ttl out"):
        store.batch([PutOp(("a",), "x", {}, None, 5.0)])
    with pytest.raises(DocumentError, match="split it"):
        store.put(("a",), "x", {"text": "y" * 200_000})
    with pytest.raises(ValueError, match="JSON has no datetime"):
        store.put(("a",), "x", {"at": datetime.now(UTC)})
    for value in ("text", 3, ["list"]):  # of those nothing would come back
        with pytest.raises(DocumentError, match=f"an object with names .* of type {type(value).__name__}"):
            store.put(("a",), "x", value)  # type: ignore[arg-type]
    assert store.search(()) == []


def test_it_is_awaited_over_a_memory_and_over_an_asynchronous_one(house: House) -> None:
    async def use(store: YggdrasilStore) -> None:
        await asyncio.gather(*(store.aput(("a", str(number % 2)), f"k{number}", {"n": number}) for number in range(8)))
        found = await store.aget(("a", "1"), "k3")
        assert found is not None and found.value == {"n": 3}
        assert await store.alist_namespaces(prefix=("a",)) == [("a", "0"), ("a", "1")]
        assert len(await store.asearch(("a", "0"))) == 4
        assert keys(await store.asearch(("a",), query="n 5"))[0] == "k5"
        await store.adelete(("a", "1"), "k3")
        assert await store.aget(("a", "1"), "k3") is None

    for way in WAYS:
        asyncio.run(use(YggdrasilStore(house.memory(way))))
        asyncio.run(use(YggdrasilStore(AsyncMemory(house.memory(way)))))


def test_the_service_goes_away_and_comes_back(house: House) -> None:
    store = YggdrasilStore(house.memory("service"))
    store.put(("a",), "x", {"n": 1})
    house.go()
    try:
        with pytest.raises(LogError, match="no service answers"):
            store.put(("a",), "x", {"n": 2})
    finally:
        house.come()
    assert [each.value for each in store.search(("a",))] == [{"n": 1}]


def test_hundreds_of_calls_of_two_clients_at_once(house: House) -> None:
    stores = [YggdrasilStore(house.memory("directory", "me/busy")) for _ in "12"]
    errors: list[BaseException] = []

    def use(which: int) -> None:
        try:
            for number in range(CALLS // 2):
                stores[which].put((str(which), str(number % 5)), str(number), {"n": number})
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=use, args=(which,)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(stores[0].search((), limit=10_000)) == 2 * (CALLS // 2)
    assert len(stores[1].search(("0", "3"), limit=10_000)) == CALLS // 10


LABELS = st.sampled_from(["a", "b", "a/b", "\u00e9", "e\u0301", "A"])
SPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["k", "a", "b/c", "\u00e9"])
VALUES = st.none() | st.fixed_dictionaries(
    {"n": st.integers(0, 5)}, optional={"text": st.text(max_size=8), "in": st.fixed_dictionaries({"x": st.booleans()})}
)
PUTS = st.tuples(SPACES, KEYS, VALUES).map(lambda given: PutOp(*given))
FILTERS = st.none() | st.one_of(
    st.fixed_dictionaries({"n": st.integers(0, 5)}),
    st.fixed_dictionaries({"n": st.dictionaries(st.sampled_from(["$gt", "$lte", "$ne", "$eq"]), st.integers(0, 5))}),
    st.fixed_dictionaries({"in": st.fixed_dictionaries({"x": st.booleans()})}),
)
PATTERNS = st.lists(LABELS | st.just("*"), min_size=1, max_size=3).map(tuple)
ENDS: list[NamespaceMatchType] = ["prefix", "suffix"]
CONDITIONS = st.tuples(st.sampled_from(ENDS), PATTERNS).map(lambda given: MatchCondition(*given))
READS = st.one_of(
    st.tuples(SPACES, KEYS).map(lambda given: GetOp(*given)),
    st.tuples(st.just(()) | SPACES, FILTERS).map(lambda given: SearchOp(*given, limit=100)),
    st.tuples(st.lists(CONDITIONS, max_size=2).map(tuple), st.none() | st.integers(1, 3)).map(
        lambda given: ListNamespacesOp(*given)
    ),
)
_fresh = count()


def seen(result: Any) -> Any:
    """What a result says, but for when and in what order."""
    if isinstance(result, list):
        return sorted((seen(each) for each in result), key=repr)
    return (result.namespace, result.key, result.value) if hasattr(result, "namespace") else result


def held(store: InMemoryStore) -> InMemoryStore:
    """The same items in a store that was never asked: the one in this process lists what is empty, or was asked for."""
    fresh = InMemoryStore()
    items = store.search((), limit=10_000)
    fresh.batch([PutOp(each.namespace, each.key, each.value) for each in items])
    return fresh


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(PUTS | READS, max_size=6), max_size=5), last=st.lists(READS, min_size=1, max_size=8))
def test_it_is_as_the_store_of_langgraph(house: House, batches: list[list[Op]], last: list[Op]) -> None:
    ours = YggdrasilStore(house.memory("directory", f"me/same-{next(_fresh)}"))
    theirs = InMemoryStore()
    for ops in [*batches, last]:
        expected = [seen(held(theirs).batch([op])[0]) for op in ops]
        theirs.batch(ops)
        assert [seen(result) for result in ours.batch(ops)] == expected


def test_namespaces_are_given_as_lists_too(store: YggdrasilStore) -> None:
    """As the interface's own tests give them: ``list_namespaces(prefix=["users"])``."""
    for space in (("users", "a"), ("users", "b", "old"), ("usersX", "a"), ("star*", "a"), ("starX", "a")):
        store.put(space, "k", {"v": 1})
    listed: Any = ["users"]
    assert store.list_namespaces(prefix=listed) == [("users", "a"), ("users", "b", "old")]
    assert store.list_namespaces(suffix=["a"], prefix=listed) == [("users", "a")]  # type: ignore[arg-type]
    assert store.list_namespaces(prefix=["users", "*", "old"]) == [("users", "b", "old")]  # type: ignore[arg-type]
    assert store.list_namespaces(prefix=["star*"]) == [("star*", "a")]  # type: ignore[arg-type]
    assert {each.namespace for each in store.search(listed)} == {("users", "a"), ("users", "b", "old")}
    store.put(["users", "c"], "k", {"v": 2})  # type: ignore[arg-type]
    found = store.get(["users", "c"], "k")  # type: ignore[arg-type]
    assert found is not None and (found.namespace, found.value) == (("users", "c"), {"v": 2})
    store.delete(["users", "c"], "k")  # type: ignore[arg-type]
    assert store.get(("users", "c"), "k") is None


def test_a_filter_names_what_is_within_by_a_path_too(store: YggdrasilStore) -> None:
    store.put(("docs",), "one", {"user": {"access-level": "nested"}, "a.b": 1})
    store.put(("docs",), "two", {"user": {"access-level": "open"}, "a": {"b": 2}})
    assert keys(store.search(("docs",), filter={"user.access-level": "nested"})) == ["one"]
    assert keys(store.search(("docs",), filter={"a.b": 1})) == ["one"]
    assert keys(store.search(("docs",), filter={"a.b": {"$gt": 1}})) == ["two"]
    assert store.search(("docs",), filter={"user.nothing.more": 1}) == []
