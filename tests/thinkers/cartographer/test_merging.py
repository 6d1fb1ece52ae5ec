"""Which names the cartographer takes for those of one place, and which traps it does not fall into."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.thinkers.cartographer.worlds import REALM, place, think
from yggdrasil import Memory, Store
from yggdrasil_processors.thinkers.cartographer.merging import look_for
from yggdrasil_processors.thinkers.cartographer.state import PAIRED_MAX, PLACES_MAX, Atlas, Place

HERE = (7, 9)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


@pytest.fixture
def memory(store: Store) -> Memory[Any]:
    return store.memory("me/agent")


def names(memory: Memory[Any], name: str) -> set[str]:
    known = memory.entity(name)
    return {known.name, *known.aliases}


def test_two_names_of_one_type_at_one_block_are_one_place(store: Store, memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    place(memory, "smithy", HERE, "workstation")
    assert think(store) == 1
    assert names(memory, "place:smithy") == {"place:forge", "place:smithy"} == names(memory, "place:forge")
    assert memory.entity("place:smithy").name == "place:forge", "the name that was given first stays"
    assert think(store) == 0
    place(memory, "smithy", HERE, "workstation")
    assert think(store) == 0


def _other_type(memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    place(memory, "bed", HERE, "bed")


def _more_types(memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    place(memory, "inn", HERE, "workstation")
    place(memory, "inn", HERE, "bed")


def _no_type(memory: Memory[Any]) -> None:
    place(memory, "forge", HERE)
    place(memory, "smithy", HERE)


def _glances(memory: Memory[Any]) -> None:
    for name in ("forge", "smithy"):
        memory.observe(name, place=name, place_type="workstation", anchor=(REALM, *HERE[:1], 64, 9), kind="discovery")


def _chunk(memory: Memory[Any]) -> None:
    for name in ("forge", "smithy"):
        memory.observe(name, place=name, place_type="workstation", anchor=(REALM, 7, 9), kind="build")


def _other_height(memory: Memory[Any]) -> None:
    for name, height in (("forge", 64), ("smithy", 65)):
        memory.observe(name, place=name, place_type="house", anchor=(REALM, 7, height, 9), kind="build")


def _other_realm(memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    place(memory, "smithy", HERE, "workstation", "nether")


def _three(memory: Memory[Any]) -> None:
    for name in ("forge", "smithy", "anvil"):
        place(memory, name, HERE, "workstation")


def _one_breath(memory: Memory[Any]) -> None:
    anchor = {"anchor": f"{REALM}/7/64/9"}
    told = [(f"place:{name}", predicate, value) for name in ("north", "south") for predicate, value in
            (("at", anchor), ("is_a", "type:chest"))]  # fmt: skip
    memory.observe("Two chests at one place", told)


def _a_path_between(memory: Memory[Any]) -> None:
    place(memory, "cellar", HERE, "house")
    place(memory, "attic", HERE, "house")
    memory.assert_claim("place:attic", "path", "place:cellar")


def _strangers(memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    place(memory.speaking(trust=0), "smithy", HERE, "workstation", session="mail")


@pytest.mark.parametrize(
    "told",
    [
        _other_type,
        _more_types,
        _no_type,
        _glances,
        _chunk,
        _other_height,
        _other_realm,
        _three,
        _one_breath,
        _a_path_between,
        _strangers,
    ],
)
def test_traps(store: Store, memory: Memory[Any], told: Callable[[Memory[Any]], None]) -> None:
    told(memory)
    assert think(store) == 0


def test_what_a_person_tells_apart_stays_so(store: Store, memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    place(memory, "smithy", HERE, "workstation")
    assert think(store) == 1
    store.memory("me/agent", source="ines", origin="user").unalias("place:smithy")
    for _ in range(2):
        place(memory, "smithy", HERE, "workstation")
        place(memory, "well", (90, 90), "well")
        assert think(store) == 0
    assert names(memory, "place:forge") == {"place:forge"}


def test_to_a_users_word_it_is_a_proposal(store: Store, memory: Memory[Any]) -> None:
    user = store.memory("me/agent", source="ines", origin="user")
    place(user, "forge", HERE, "workstation")
    place(memory, "smithy", HERE, "workstation")
    user.assert_claim("place:forge", "owner", "person:ines")
    think(store)
    assert memory.entity("place:smithy").name == "place:forge", "whoever is trusted more has named it"
    owners = memory.claims("place:smithy", "owner").claims
    assert owners == [], "nobody lets a user vouch for what the user did not say"


def test_what_is_pinned_is_not_joined(store: Store, memory: Memory[Any]) -> None:
    place(memory, "forge", HERE, "workstation")
    memory.pin("feature:place:forge")
    place(memory, "smithy", HERE, "workstation")
    think(store)
    assert names(memory, "place:smithy") == {"place:smithy"}
    assert think(store) == 0


def _third_name(agent: Memory[Any]) -> None:
    place(agent, "nook", HERE, "workstation")


def _further_type(agent: Memory[Any]) -> None:
    agent.assert_claim("place:forge", "is_a", "type:cave")


def _between(agent: Memory[Any]) -> None:
    agent.assert_claim("place:forge", "beside", "place:smithy")


@pytest.mark.parametrize("told", [_third_name, _further_type, _between])
def test_who_is_trusted_less_keeps_no_pair_apart(
    store: Store, memory: Memory[Any], told: Callable[[Memory[Any]], None]
) -> None:
    user = store.memory("me/agent", source="ines", origin="user")
    place(user, "forge", HERE, "workstation")
    place(user, "smithy", HERE, "workstation")
    told(memory)
    think(store)
    assert names(memory, "place:smithy") == {"place:forge", "place:smithy"}


def test_pairs_that_are_none_any_more_make_room_for_others() -> None:
    """As many as there can be at once are looked at, each once; and those of who is trusted more stay known."""

    def of(trust: int, count: int, x: int) -> dict[str, Place]:
        return {f"place:{x} {n}": Place(f"w/{x}/64/{n // 2}", trust, f"c{x} {n}") for n in range(count)}

    state = Atlas(places=of(2, 2, 0) | of(1, PLACES_MAX - 2, 1))
    for fresh in (PAIRED_MAX, 0):
        assert look_for(state) == bool(fresh) and len(state.wanted) == fresh
        state.wanted.clear()
    for x, trust in ((2, 1), (3, 2)):
        state.places = of(trust, 2, x)
        assert look_for(state) and len(state.paired) == PAIRED_MAX
        state.wanted.clear()
    state.places = of(2, 2, 0)
    assert not look_for(state), "it is known still"
    state.paired = dict.fromkeys(state.paired, 2)
    state.places = of(1, 2, 4)
    assert not look_for(state), "nothing that is trusted more makes room"
