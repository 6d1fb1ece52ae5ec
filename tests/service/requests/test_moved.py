"""Which memories have moved, over HTTP: those that a key opens, page by page, and by the client that thinkers use."""

from contextlib import closing
from pathlib import Path

from tests.service.client import Client
from tests.service.conftest import ring_of
from yggdrasil.engines.remote import Remote
from yggdrasil_infra.http.keys import new_key


def test_a_key_sees_what_it_opens(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = {
        "all": new_key(file, "*", ["append", "read"], "all")[1],
        "acme": new_key(file, "acme", ["append", "read", "operate"], "acme")[1],
        "one": new_key(file, "acme", ["append", "read"], "one", agents="ana")[1],
        "writer": new_key(file, "acme", ["append"], "writer")[1],
    }
    with ring_of(tmp_path / "data", file, keys) as clients:
        url = clients["all"].url
        for memory in ("acme/ana", "acme/ben", "other/cat"):
            with Client(url, keys["all"], memory) as client:
                client.event("Something is there")
        seen: dict[str, set[str]] = {}
        for name in ("all", "acme", "one"):
            with closing(Remote(url, keys[name])) as remote:
                seen[name] = {each.memory for each in remote.moved(None, "", 100).moved}
        assert seen == {
            "all": {"acme/ana", "acme/ben", "other/cat"},
            "acme": {"acme/ana", "acme/ben"},
            "one": {"acme/ana"},
        }
        clients["writer"].send("GET", "/v1/moved").problem(403, "forbidden")
        assert clients["acme"].send("GET", "/v1/moved?since=x").problem(422, "invalid")["detail"].startswith("since: ")
        assert clients["acme"].send("GET", "/v1/moved?count=0").status == 422
        with closing(Remote(url, keys["acme"])) as remote:
            pages, place, more = [], None, True
            while more:
                found = remote.moved(place, "", 1)
                pages += [(each.memory, each.seq) for each in found.moved]
                place, more = found.place, found.more
            assert sorted(pages) == [("acme/ana", 1), ("acme/ben", 1)]
            with Client(url, keys["all"], "other/cat") as client:
                client.event("Another tenant's")
            assert remote.moved(place, "", 100).moved == []
            with Client(url, keys["all"], "acme/ben") as client:
                client.event("Ours")
            (moved,) = remote.moved(place, "", 100).moved
            assert (moved.memory, moved.seq) == ("acme/ben", 2)


def test_a_place_names_no_memory_that_the_key_does_not_open(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    keys = {
        "all": new_key(file, "*", ["append", "read", "operate"], "all")[1],
        "reader": new_key(file, "acme", ["read"], "reader")[1],
        "one": new_key(file, "acme", ["read"], "one", agents="d")[1],
    }
    with ring_of(tmp_path / "data", file, keys, partitions=1) as clients:
        for agent in ("a.fork-secret", "b", "c", "c.fork-secret", "d", "e", "f"):
            with Client(clients["all"].url, keys["all"], f"acme/{agent}") as client:
                client.event("Something is there")
        for name, opened in (("reader", "bcdef"), ("one", "d")):
            with closing(Remote(clients["all"].url, keys[name])) as remote:
                told, place, more = [], None, True
                while more:
                    found = remote.moved(place, "", 1)
                    place, more = found.place, found.more
                    told += [each.memory for each in found.moved]
                    named = place.partition(":")[2]
                    assert named in {"", *told}, "of the others nothing is said"
            assert told == [f"acme/{each}" for each in opened]
