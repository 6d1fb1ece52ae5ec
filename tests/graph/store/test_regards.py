"""Roles and regards in a store: they are found again and are in the digest; a damaged store is found out."""

from pathlib import Path

from tests.graph.commands import MEMORY, event, recall, role, use
from tests.graph.hosts import projecting
from tests.graph.list_log import ListLog
from yggdrasil_projections.graph.store import families
from yggdrasil_schemas.graph.codec import NUMBER
from yggdrasil_schemas.graph.perspectives import Perspective, Regard, Role, encode_regards, perspective_key
from yggdrasil_schemas.graph.records import NodeFlag, node_number

COST, RISK = perspective_key("Cost"), perspective_key("Risk")
SAID = [
    role("buyers", "buyer", {"name": "Cost", "keywords": ["price"]}, "Risk"),
    role("critics", "critic", "Risk"),
    event("one", perspectives=("Cost",)),
    event("two"),
    recall("asked", "one", perspectives=("Cost", "Risk")),
]
MORE = [use("so", "asked", "one", result="success"), role("no critics", "critic")]
ONE, TWO = node_number(3), node_number(4)


def logged(count: int = len(SAID)) -> ListLog:
    return ListLog([said.record(offset) for offset, said in enumerate([*SAID, *MORE][:count])])


def test_they_are_found_again_and_used_after_a_restart(tmp_path: Path) -> None:
    with projecting(logged(), tmp_path) as projector:
        projector.catch_up()
        projector.store.flush()
    with projecting(logged(len(SAID) + len(MORE)), tmp_path) as projector:
        found = projector.store.peek(MEMORY)
        assert found is not None
        assert found.roles["buyer"] == Role((Perspective(COST, "Cost", ("price",)), Perspective(RISK, "Risk")))
        assert found.source.regards(ONE) == (Regard(COST, 1, 1, 1.5, found.expect(ONE).half_life, 0),)
        assert found.source.regards(TWO) == ()
        assert [each.perspectives for each in found.recalls.values()] == [tuple(sorted((COST, RISK)))]
        projector.catch_up()
        graph = projector.store.peek(MEMORY)
        assert graph is not None
        assert graph.roles.keys() == {"buyer"}
        assert [each.key for each in graph.source.regards(ONE)] == sorted((COST, RISK))
        assert projector.store.broken() == []


def test_a_regard_of_what_is_not_there_is_found_out(tmp_path: Path) -> None:
    with projecting(logged(), tmp_path) as projector:
        projector.catch_up()
        projector.store.flush()
        store = projector.store
        graph = store.peek(MEMORY)
        assert graph is not None and graph.expect(ONE).flags & NodeFlag.REGARDED
        assert store.broken() == []
        batch = store._db.batch()
        row = encode_regards((Regard(COST, 1, 1, 1.0, 1.0, 0),))
        batch.put(families.REGARDS, graph.source.prefix + NUMBER.pack(node_number(99)), row)
        store._db.write(batch)
        assert store.broken() == [f"{MEMORY}: regards holds something of a node that is not there"]


def test_both_are_in_the_digest(tmp_path: Path) -> None:
    with projecting(logged(), tmp_path) as projector:
        projector.catch_up()
        projector.store.flush()
        store = projector.store
        graph = store.peek(MEMORY)
        assert graph is not None
        digests = {store.digest(MEMORY)}
        for family in (families.ROLES, families.REGARDS):
            for key, _ in store._db.scan(family, graph.source.prefix):
                batch = store._db.batch()
                batch.delete(family, key)
                store._db.write(batch)
                digests.add(store.digest(MEMORY))
        assert len(digests) == 4  # with all, without either role, without the regards
