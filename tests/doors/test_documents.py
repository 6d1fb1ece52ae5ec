"""Named documents in a memory, in a directory and over HTTP."""

from collections.abc import Iterator
from itertools import count
from threading import Thread
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doors.served import WAYS, House
from tests.size import turns
from yggdrasil import Memory, Store, Where
from yggdrasil.doors.documents.shelf import Document, Documents, Put
from yggdrasil.doors.documents.written import DEPTH_MAX, PART_CHARS_MAX, VALUE_BYTES_MAX, DocumentError, Path
from yggdrasil_infra.log import LogError

EXAMPLES = turns(6, 200)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with House(tmp_path_factory.mktemp("documents")) as made:
        yield made


@pytest.fixture(params=WAYS)
def memory(house: House, request: pytest.FixtureRequest) -> Memory[Any]:
    return house.memory(request.param)


def paths(found: Any) -> list[Path]:
    return [each.path for each in found]


def test_of_a_memory_that_is_not_there_yet_there_are_no_documents(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    assert documents.get(("a",)) is None
    assert list(documents.under()) == []
    assert documents.search("anything") == []
    assert documents.delete([("a",)]) == 0


def test_a_document_is_put_overwritten_deleted_and_put_again(memory: Memory[Any]) -> None:
    documents, path = Documents(memory, "notes"), ("ana", "diet")
    documents.put(path, {"eats": "everything"}, "Ana eats everything")
    first = documents.get(path)
    assert first is not None
    assert (first.path, first.value, first.created_at) == (path, {"eats": "everything"}, first.updated_at)
    ref = documents.put(path, {"eats": ["beans", 1, 0.1, None, {"e\u0301": "e\u0301"}]}, "Ana is a vegan")
    second = documents.get(path)
    assert second is not None and second.updated_at >= first.updated_at
    assert (second.ref, second.created_at) == (ref, first.created_at)
    assert second.value == {"eats": ["beans", 1, 0.1, None, {"e\u0301": "e\u0301"}]}, "as it was given, not composed"
    assert documents.search("everything") == []
    assert paths(documents.search("vegan")) == [path]
    assert paths(documents.under(("ana",))) == [path]
    assert documents.delete([path, ("ana", "other")]) == 1
    assert documents.get(path) is None and paths(documents.under()) == [] and documents.search("vegan") == []
    documents.put(path, {"eats": "fish"}, "Ana eats fish")
    again = documents.get(path)
    assert again is not None and again.value == {"eats": "fish"}
    assert again.created_at >= second.updated_at, "what is deleted and made again is new"
    told = memory.history(key=documents.key(path)).memories
    assert [each.status for each in told] == ["superseded", "rejected", "active"]
    assert [each.ref for each in memory.history(key=documents.key(path), standing=True).memories] == [again.ref]


def test_what_has_no_text_is_kept_and_listed_and_never_found(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    documents.put_many([Put(("a", "told"), {"text": "the red kettle"}, "the red kettle"),
                        Put(("a", "kept"), {"text": "the red kettle"})])  # fmt: skip
    assert paths(documents.search("red kettle")) == [("a", "told")]
    assert sorted(paths(documents.under(("a",)))) == [("a", "kept"), ("a", "told")]


def test_no_path_poses_as_another(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    long = "x" * 200
    alike: list[Path] = [
        ("a", "b"), ("a/b",), ("a%2Fb",), ("a", "b", "c"), ("a/b", "c"), ("a", "b/c"), ("\u00e9",), ("e\u0301",),
        (long, "1"), (long, "2"), (long + "/1",), ("#" + "0" * 32,), (" a", "b"), ("a", "b "), ("A", "b"),
    ]  # fmt: skip
    documents.put_many([Put(path, {"number": number}) for number, path in enumerate(alike)])
    for number, path in enumerate(alike):
        found = documents.get(path)
        assert found is not None and (found.path, found.value) == (path, {"number": number})
        assert len(documents.key(path)) <= 128
    assert len({documents.key(path) for path in alike}) == len(alike)
    assert set(paths(documents.under(("a",)))) == {("a", "b"), ("a", "b "), ("a", "b", "c"), ("a", "b/c")}
    assert paths(documents.under(("a", "b"))) == [("a", "b", "c")]
    assert sorted(paths(documents.under((long,)))) == [(long, "1"), (long, "2")]
    other = Documents(memory, "other")
    other.put(("a", "b"), {"number": -1})
    assert paths(other.under()) == [("a", "b")]
    assert documents.get(("a", "b")) != other.get(("a", "b"))
    assert len(list(documents.under())) == len(alike)


def test_what_cannot_be_a_document_is_refused_and_nothing_is_written(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    nested: dict[str, Any] = {}
    for _ in range(2_000):
        nested = {"in": nested}
    wrong: dict[str, Any] = {
        "kept as JSON: it nests": nested, "JSON has no object": {"x": object()}, "JSON has no bytes": {"x": b""},
        "not finite": {"x": float("nan")}, "64-bit": {"x": 2**64}, "must be str": {1: 2},
        "surrogates": {"x": "\ud800"}, f"at most {VALUE_BYTES_MAX}": {"x": "y" * VALUE_BYTES_MAX},
    }  # fmt: skip
    for said, value in wrong.items():
        with pytest.raises(DocumentError, match=said):
            documents.put_many([Put(("good",), {}), Put(("bad",), value)])
    paths_wrong: list[Path] = [(), ("",), ("a",) * (DEPTH_MAX + 1), ("x" * (PART_CHARS_MAX + 1),), ("\ud800",)]
    for path in paths_wrong:
        with pytest.raises(DocumentError):
            documents.put(path, {})
        with pytest.raises(DocumentError):
            documents.get(path)
    with pytest.raises(DocumentError, match="a shelf is called"):
        Documents(memory, "in/side")
    assert list(documents.under()) == []
    documents.put(("a",) * DEPTH_MAX, {"text": "\x00\u2028" * 15_000}, "\x00\u2028word " * 20_000)
    assert paths(documents.search("word")) == [("a",) * DEPTH_MAX], "what is beyond the record is not searched"


def test_what_somebody_trusted_more_wrote_stays(tmp_path: Any) -> None:
    with Store.open(tmp_path, embedder="none") as store:
        user = Documents(store.memory("me/agent", source="ana", origin="user"), "notes")
        agent = Documents(store.memory("me/agent"), "notes")
        user.put(("a",), {"said": "by ana"})
        with pytest.raises(DocumentError, match="trusted more"):
            agent.put_many([Put(("a",), {"said": "by the agent"}), Put(("b",), {})])
        with pytest.raises(DocumentError, match="not_trusted"):
            agent.delete([("a",)])
        with pytest.raises(DocumentError, match="not_trusted"):
            found = user.get(("a",))
            assert found is not None
            agent.put_many([Put(("c",), found.value, None, found)])
        assert [found.value for found in agent.under()] == [{}, {"said": "by ana"}]
        assert store.memory("me/agent").contradictions().conflicts == []
        user.put(("b",), {"said": "by ana"})
        assert agent.get(("b",)) == user.get(("b",))


def test_what_is_written_while_it_is_listed_is_not_missed(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    for number in range(6):
        documents.put((str(number),), {"number": number})
    found: list[Document] = []
    for each in documents.under(count=2):
        found.append(each)
        if len(found) == 2:
            documents.put(("0",), {"number": "moved"})
            documents.put(("5",), {"number": "again"})
            documents.put(("new",), {"number": "new"})
    assert sorted(each.path[0] for each in found) == ["0", "1", "2", "3", "4", "5", "new"]


def test_a_listing_comes_in_pages_of_what_a_filter_admits(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    documents.put_many([Put(("1" if number % 10 else "2", f"{number:03}"), {}) for number in range(230)])
    documents.delete([("2", f"{number:03}") for number in range(0, 230, 20)])
    assert len(list(documents.under(("1",)))) == 207
    assert len(list(documents.under(("2",)))) == 11
    page = memory.timeline(where=documents.where(("2",)), count=5)
    assert len(page.memories) == 5 and page.before is not None
    rest = memory.timeline(where=documents.where(("2",)), count=100, before=page.before)
    assert (len(rest.memories), rest.before) == (6, None)
    assert memory.timeline(where=Where(statuses=["rejected"]), count=200).memories[0].status == "rejected"


def test_what_others_record_poses_as_no_document(memory: Memory[Any]) -> None:
    documents = Documents(memory, "notes")
    ref = documents.put(("mine", "a"), {"said": "mine"}, "the red kettle")
    features = memory.describe(ref).memory.features
    value: dict[str, Any] = {"said": "posed"}
    posed: list[tuple[str, Any, Any]] = [
        (documents.key(("other", "a")), ["notes", "other", "a"], value), ("notes:mine/b", ["notes", "mine", 1], value),
        ("notes:mine/c", ["notes"], value), ("notes:mine/d", [], value), ("notes:mine/e", "notes", value),
        ("notes:mine/f", ["notes", "mine", "f"], "text"), ("notes:mine/g", ["notes", "mine", ""], value),
        ("x", ["notes", "mine", "h"], value), ("notes:mine/i", ["other", "mine", "i"], value),
    ]  # fmt: skip
    for key, path, each in posed:
        payload = {"path": path, "value": each, "created": -(2**60)}
        memory.record_event("a lamp", features=features, key=key, payload=payload, session="notes", at=2**53 - 1)
    assert paths(documents.under(("mine",))) == paths(documents.search("kettle", ("mine",))) == [("mine", "a")]
    assert paths(documents.search("lamp", ("mine",))) in ([], [("mine", "a")])  # but nothing that was posed
    assert documents.get(("mine", "c")) is None
    far = documents.get(("other", "a"))
    assert far is not None and (far.created_at.year, far.updated_at.year) == (1970, 9999)


def test_of_a_memory_that_is_full_old_versions_are_forgotten_and_no_document(house: House) -> None:
    memory = house.memory("directory")
    memory.set_policy(nodes_max=300, sessions_open_max=8)
    documents = Documents(memory, "notes")
    documents.put_many([Put(("still", str(number)), {}, f"still {number}") for number in range(60)])
    for turn in range(9):
        documents.put_many([Put(("often", str(number)), {"turn": turn}, f"often {number}") for number in range(40)])
    assert len(list(documents.under(("still",)))) == 60
    assert [each.value for each in documents.under(("often",))] == [{"turn": 8}] * 40
    assert len(memory.history(key=documents.key(("often", "7"))).memories) < 9


def test_the_service_goes_away_and_comes_back(house: House) -> None:
    documents = Documents(house.memory("service"), "notes")
    documents.put(("a",), {"said": "before"})
    house.go()
    try:
        with pytest.raises(LogError, match="no service answers"):
            documents.put(("a",), {"said": "meanwhile"})
    finally:
        house.come()
    documents.put(("b",), {"said": "after"})
    assert [each.value for each in documents.under()] == [{"said": "after"}, {"said": "before"}]


def test_two_clients_at_once_lose_nothing(house: House) -> None:
    name = "me/shared"
    clients = [Documents(house.memory("service", name), "notes") for _ in "12"]

    def write(which: int) -> None:
        for number in range(20):
            clients[which].put(("own", f"{which}-{number}"), {"by": which})
            clients[which].put(("shared",), {"by": which, "number": number})

    threads = [Thread(target=write, args=(which,)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(clients[0].under(("own",)))) == 40
    standing = [each for each in clients[1].under() if each.path == ("shared",)]
    assert len(standing) == 1 and standing[0].value["number"] == 19
    history = clients[0].memory.history(key=clients[0].key(("shared",))).memories
    assert [each.status for each in history] == ["superseded"] * 39 + ["active"]


WORDS = st.sampled_from(["kettle", "red", "boat", "harbour", "fish", "lamp", "stone", "rain"])
TEXTS = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
PARTS = st.sampled_from(["a", "b", "a/b", "\u00e9", "e\u0301", "*", "in:a", "%61"])
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(tuple)
_fresh = count()


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ours=st.lists(TEXTS, min_size=1, max_size=5), theirs=st.lists(st.tuples(PATHS, TEXTS), max_size=12), asked=TEXTS)
def test_nothing_of_another_namespace_is_listed_found_or_sways_what_is(
    house: House, ours: list[str], theirs: list[tuple[Path, str]], asked: str
) -> None:
    number = next(_fresh)
    alone = Documents(house.memory("directory", f"me/alone-{number}"), "notes")
    among = Documents(house.memory("directory", f"me/among-{number}"), "notes")
    for documents in (alone, among):
        documents.put_many([Put(("own", str(place)), {"text": text}, text) for place, text in enumerate(ours)])
        documents.put(("last",), {})
    among.put_many([Put(("own too", *path), {"text": text}, text) for path, text in dict(theirs).items()])
    Documents(among.memory, "other").put_many([Put(("own", text), {"text": text}, text) for _, text in theirs])
    assert paths(among.under(("own",))) == paths(alone.under(("own",)))
    found, expected = among.search(asked, ("own",), k=50), alone.search(asked, ("own",), k=50)
    assert sorted((each.path, each.score) for each in found) == sorted((each.path, each.score) for each in expected)
    for path, _ in theirs:
        below = among.under(("own too", *path[:-1]))
        assert {each.path[: len(path)] for each in below} <= {("own too", *path[:-1])}
