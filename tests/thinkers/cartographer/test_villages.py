"""Villages in a memory: told once, and anew where they change; and what nobody who is trusted less can do to them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from tests.thinkers.cartographer.worlds import REALM, even, place, settle, think, village, villages
from tests.thinkers.digestion.test_killed import taken
from tests.thinkers.once import once
from yggdrasil import Memory, Store
from yggdrasil.thinking.memories import EngineMemories
from yggdrasil_processors.thinkers.cartographer import Cartographer
from yggdrasil_processors.thinkers.cartographer.merging import look_for
from yggdrasil_processors.thinkers.cartographer.places import WHERE, answered, is_place
from yggdrasil_processors.thinkers.cartographer.state import (
    GONE_MAX,
    MEMBERS_MAX,
    NAME_BYTES_MAX,
    PAIRED_MAX,
    PATHS_MAX,
    PLACES_MAX,
    REMEMBERED_MAX,
    SESSIONS_MAX,
    VILLAGES_MAX,
    WAITING_MAX,
    Atlas,
    Place,
    Village,
)
from yggdrasil_processors.thinkers.cartographer.state import Path as Told
from yggdrasil_processors.thinkers.cartographer.villages import answered as of_village
from yggdrasil_processors.thinkers.cartographer.villages import looked
from yggdrasil_processors.thinkers.frame.kept import STATE_BYTES_MAX, ThoughtStore
from yggdrasil_processors.thinkers.frame.thinking import Thinking
from yggdrasil_projections.retrieval.claimed import ClaimSeen
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


@pytest.fixture
def memory(store: Store) -> Memory[Any]:
    return store.memory("me/agent")


def around(memory: Memory[Any], seed: str, count: int = 24, name: str = "rock", realm: str = REALM) -> None:
    """Tell of places that lie here and there."""
    for number, cell in enumerate(even(Random(seed), count, 3_000)):
        place(memory, f"{name} {seed} {number}", (cell[0] - 1_500, cell[1] - 1_500), "rock", realm)


def test_a_village_is_a_place_with_members_and_stands_when_it_is_found_again(store: Store, memory: Memory[Any]) -> None:
    around(memory, "a")
    houses = settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    assert think(store) == 3 + 7
    assert villages(memory) == {} and villages(memory, candidates=True) == {
        "place:village-overworld-12-12": set(houses)
    }
    around(memory, "b", 8)
    think(store)
    assert villages(memory) == {"place:village-overworld-12-12": set(houses)}
    (radius,) = memory.claims("place:village-overworld-12-12", "radius").claims
    (found,) = memory.places(type="village").places
    assert radius.claim and 4 <= int(str(radius.claim.object)) <= 17 and found.anchor
    why = memory.lineage(radius.ref)
    assert {each.claim.predicate for each in why.evidence if each.claim} == {"at"} and len(why.evidence) == 7
    assert think(store) == 0
    around(memory, "c", 20)
    assert think(store) == 0, "nothing has changed, and nothing is said twice"


def test_who_reads_a_history_tells_a_village_once_though_it_grows(store: Store, memory: Memory[Any]) -> None:
    """What is told of it comes back at the end, many pages later, when its middle lies in another chunk."""
    around(memory, "a", 60)
    houses = settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    around(memory, "b", 140)
    houses += settle(memory, "hut", village(Random(2), (222, 222), 9, 10))
    around(memory, "c", 140)
    assert len(memory.happened(count=1_000).happened) == 1_000, "two pages and more"
    think(store)
    ((name, members),) = villages(memory, candidates=True).items()
    assert name == "place:village-overworld-12-12" and members <= set(houses) and len(members) >= 12
    assert len(memory.claims(name, "at", statuses=["candidate", "active"]).claims) <= 1


def test_a_village_that_moves_keeps_its_name(store: Store, memory: Memory[Any]) -> None:
    around(memory, "a", 40)
    houses = settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    think(store)
    around(memory, "b", 8)
    think(store)
    settle(memory, "house", village(Random(2), (900, -700), 7, 12))
    think(store)
    (found,) = memory.places(type="village", candidates=True).places
    assert found.name == "place:village-overworld-12-12" and villages(memory) == {found.name: set(houses)}
    assert memory.places(near="overworld/900/64/-700", type="village", count=1).places[0].distance in range(30)
    history = memory.claims(found.name, "at", history=True).claims
    assert sorted(each.status for each in history) == ["active", "superseded"]


def test_who_moves_away_is_no_member_any_more(store: Store, memory: Memory[Any]) -> None:
    around(memory, "a", 40)
    houses = settle(memory, "house", village(Random(1), (200, 200), 8, 12))
    think(store)
    around(memory, "b", 16)
    think(store)
    place(memory, "house 3", (1_200, 1_200), "house")
    around(memory, "c", 16)
    think(store)
    assert villages(memory) == {"place:village-overworld-12-12": set(houses) - {"place:house 3"}}
    for number in (0, 1, 2, 4, 5):
        place(memory, f"house {number}", (-1_300 + 500 * number, -1_300 + 400 * (number % 3)), "house")
    around(memory, "d", 16)
    think(store)
    assert villages(memory, candidates=True) == {}, "with three left it is none"
    gone = memory.claims("place:village-overworld-12-12", history=True).claims
    assert {each.status for each in gone} == {"rejected"}


def test_what_was_taken_back_is_seen_though_no_command_tells_it(store: Store, memory: Memory[Any]) -> None:
    houses = settle(memory, "house", village(Random(1), (200, 200), 8, 12))
    around(memory, "a", 40)
    think(store)
    (where,) = memory.claims(houses[0], "at").claims
    memory.withdraw(where.ref, "I mistook it for another one")
    for seed in ("b", "c"):
        around(memory, seed, 24)
        think(store)
    assert villages(memory) == {"place:village-overworld-12-12": set(houses[1:])}


def test_what_a_person_says_is_none_is_told_no_more(store: Store, memory: Memory[Any]) -> None:
    around(memory, "a")
    settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    think(store)
    user = store.memory("me/agent", source="ines", origin="user")
    (claim,) = user.claims("place:village-overworld-12-12", "is_a", statuses=["candidate"]).claims
    user.withdraw(claim.ref, "These are ruins")
    settle(memory, "house", village(Random(2), (202, 198), 9, 12))
    around(memory, "b")
    think(store)
    assert villages(memory, candidates=True) == {}


def test_a_stranger_who_guesses_a_name_keeps_no_village_from_standing(store: Store, memory: Memory[Any]) -> None:
    """What is said in the same words confirms theirs, and does not come back under an id of its own."""
    stranger, name = memory.speaking(trust=0), "place:village-overworld-12-12"
    stranger.observe("A village", [(name, "is_a", "type:village"), (name, "radius", 11)], session="mail")
    around(memory, "a")
    houses = settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    for seed in ("b", "c"):
        think(store)
        around(memory, seed, 16)
    think(store)
    assert villages(memory) == {name: set(houses)}


def test_what_strangers_tell_confirms_no_village(store: Store, memory: Memory[Any]) -> None:
    """Nor does a place that is told once more where it was: only one that is new, or has moved."""
    around(memory, "a")
    settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    think(store)
    memory.speaking(trust=0).assert_claim("place:lie", "at", {"anchor": "q/1/1/1"}, session="mail")
    place(memory, "house 0", village(Random(1), (200, 200), 7, 12)[0], "house")
    assert think(store) == 0 and villages(memory) == {}
    place(memory, "well", (-900, 800), "well")
    assert think(store) > 0 and len(villages(memory)) == 1


def test_who_judges_sentences_leaves_villages_alone(store: Store, memory: Memory[Any]) -> None:
    """They follow from where places are, and from no sentence: no gate of the verifier would let them pass."""
    around(memory, "a")
    houses = settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    think(store)
    for _ in range(2):
        assert {each.stopped for each in store.think("digestion", rest=True)} == {None}
    assert villages(memory, candidates=True) == {"place:village-overworld-12-12": set(houses)}


def test_realms_do_not_mix(store: Store, memory: Memory[Any]) -> None:
    """Half of a village in each of two realms, at the same numbers, is none; one in each are two."""
    cells = village(Random(1), (200, 200), 6, 12)
    around(memory, "a")
    around(memory, "a", 24, "stone", "nether")
    settle(memory, "up", cells[:3])
    settle(memory, "down", cells[3:], "nether")
    assert think(store) == 0
    settle(memory, "more up", cells)
    settle(memory, "more down", cells, "nether")
    think(store)
    assert sorted(villages(memory, candidates=True)) == [
        "place:village-nether-12-12",
        "place:village-overworld-12-12",
    ]


def test_strangers_make_no_village_and_join_none(store: Store, memory: Memory[Any]) -> None:
    stranger = memory.speaking(trust=0)
    around(memory, "a")
    settle(stranger, "tent", village(Random(3), (-900, -900), 9, 12), session="mail")
    assert think(store) == 0
    houses = settle(memory, "house", village(Random(1), (200, 200), 7, 12))
    settle(stranger, "hut", village(Random(4), (200, 200), 9, 12), session="mail")
    place(stranger, "house 2", (1_400, 1_400), session="mail")
    think(store)
    assert villages(memory, candidates=True) == {"place:village-overworld-12-12": set(houses)}


def test_what_is_trusted_less_moves_no_village_that_is_there_without_it(store: Store) -> None:
    """Agents tell of as many places beside a user's village, so that its middle would be elsewhere."""
    agent, user = store.memory("me/agent"), store.memory("me/agent", source="ines", origin="user")
    around(user, "a", 30)
    houses = settle(user, "house", village(Random(1), (200, 200), 7, 12))
    think(store)
    around(user, "b", 8)
    think(store)
    before = agent.places(type="village").places
    shacks = settle(agent, "shack", village(Random(5), (216, 216), 7, 6))
    around(agent, "c", 16)
    think(store)
    after = agent.places(type="village").places
    assert [(each.name, each.anchor, each.anchor_claim) for each in after] == [
        (each.name, each.anchor, each.anchor_claim) for each in before
    ]
    assert set(houses) <= villages(agent)[after[0].name] <= {*houses, *shacks}


def test_who_is_trusted_less_moves_nobody_elses_houses(store: Store) -> None:
    agent, user = store.memory("me/agent"), store.memory("me/agent", source="ines", origin="user")
    around(user, "a", 30)
    houses = settle(user, "house", village(Random(1), (200, 200), 7, 12))
    settle(agent, "house", even(Random(2), 7, 3_000))
    think(store)
    around(user, "b", 8)
    think(store)
    assert villages(agent) == {"place:village-overworld-12-12": set(houses)}


def test_who_is_trusted_less_crowds_out_no_place_and_no_village() -> None:
    """Agents tell of more places, and of more villages, than there is room for."""
    state = Atlas()
    for number in range(PLACES_MAX):
        state.places[f"place:{number}"] = Place(f"w/{40 * number}/0/0", 2 if number == 9 else 1, f"id{number}")
    for number in range(3):
        state.wanted[f"{WHERE}place:new {number}"] = [f"new{number}", ""]
        answered(state, f"place:new {number}", iter([_where("w/0/0/9", f"new{number}", 1)]))
    assert len(state.places) == PLACES_MAX and "place:9" in state.places and "place:0" not in state.places
    full = Atlas(
        villages={f"place:village-w-{n}": Village(f"id{n}", f"w/{n}/0/0", trust=1) for n in range(VILLAGES_MAX)}
    )
    cells = [*village(Random(1), (9_000, 9_000), 9, 10), *((300 * n, 700 * (n % 7)) for n in range(40))]
    for trust, ended in ((1, set[str]()), (2, {"id0"})):
        full.places = {f"place:{n}": Place(f"w/{x}/0/{z}", trust, f"at{n}") for n, (x, z) in enumerate(cells)}
        assert {item["node"] for each in looked(full) for item in each.body["items"]} == ended


def test_who_is_trusted_less_takes_nobodys_membership(store: Store) -> None:
    """An agent tells of more tents in a user's village than it may have members."""
    agent, user = store.memory("me/agent"), store.memory("me/agent", source="ines", origin="user")
    around(user, "a", 30)
    houses = settle(user, "house", village(Random(3), (200, 200), 9, 10))
    settle(agent, "tent", village(Random(9), (203, 200), MEMBERS_MAX + 6, 5))
    for seed in ("b", "c"):
        think(store)
        around(user, seed, 8)
    think(store)
    ((_, members),) = villages(agent).items()
    assert set(houses) <= members and len(members) == MEMBERS_MAX


def test_who_is_trusted_more_takes_the_place_of_who_is_trusted_less(store: Store) -> None:
    """A village is full of an agent's tents beside five houses; a user builds more, and members make room for these."""
    agent, user = store.memory("me/agent"), store.memory("me/agent", source="ines", origin="user")
    around(user, "a", 30)
    cells = village(Random(3), (200, 200), 9, 10)
    houses = settle(user, "house", cells[:7])
    settle(agent, "tent", village(Random(9), (203, 200), MEMBERS_MAX, 5))
    for seed in ("b", "c"):
        think(store)
        around(user, seed, 8)
    houses += settle(user, "cabin", cells[7:])
    for seed in ("d", "e"):
        think(store)
        around(user, seed, 8)
    think(store)
    ((_, members),) = villages(agent).items()
    assert set(houses) <= members and len(members) == MEMBERS_MAX


def test_a_flood_of_claims_about_a_village_hides_no_rejection(store: Store, memory: Memory[Any]) -> None:
    around(memory, "a")
    settle(memory, "house", village(Random(1), (200, 200), 9, 10))
    think(store)
    around(memory, "b", 8)
    think(store)
    ((name, _),) = villages(memory).items()
    for number in range(40):
        memory.assert_claim(name, f"note_{number}", f"item:{number}")
        memory.assert_claim(name, "is_a", f"type:{number}")
    user = store.memory("me/agent", source="ines", origin="user")
    (claim,) = user.claims(name, "is_a", "type:village").claims
    user.withdraw(claim.ref, "These are ruins")
    settle(memory, "house", village(Random(2), (260, 200), 9, 10))
    think(store)
    assert not [each for each in memory.claims(name, "at", history=True).claims if each.status == "superseded"]


def test_all_villages_are_asked_about_in_turn() -> None:
    thinker, state = Cartographer(), Atlas(told=99)
    for number in range(VILLAGES_MAX):
        state.villages[f"place:v{number}"] = Village(f"id{number}", f"w/{999 * number}/0/0", "a", 3, "b", trust=1)
    asked = set[str | None]()
    for _ in range(2):
        state.checked = False
        queries = [each for each in thinker.asks(state, "m", again=False) if isinstance(each, AskClaims)]
        assert len(queries) <= 64
        asked |= {each.subject for each in queries}
        for each in queries:
            of_village(state, str(each.subject), iter([Claims([], 0, 1)]))
    assert asked == {*state.villages} and len(asked) == VILLAGES_MAX


def _where(anchor: str, ref: str, trust: int) -> Claims:
    said = ClaimSeen("fact", "place:new", "at", anchor, "anchor", 0.8, 1)
    seen = MemoryObject(ref, "claim", None, "s", 0, [], 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, False, False, False)
    return Claims([replace(seen, trust=trust, claim=said)], 0, 1)


def test_ten_thousand_places_at_one_anchor_are_one_spot(store: Store, memory: Memory[Any]) -> None:
    """They make no village, and no names of one place."""
    thinker, state = Cartographer(), Atlas()
    for seq in range(1, 10_001):
        said = Asserted(f"place:{seq}", "at", "overworld/1/64/2")
        happening = Happening(seq, f"id{seq}", "claim", "s", 0, "x", "agent", asserted=said)
        assert thinker.observe(state, happening) == ()
    assert len(state.wanted) == WAITING_MAX
    places = {f"place:{number}": Place("overworld/1/64/2", 1, f"id{number}") for number in range(PLACES_MAX)}
    assert looked(Atlas(places=places)) == [] and not look_for(Atlas(places=places))
    around(memory, "a")
    for number in range(200):
        place(memory, f"item {number}", (200, 200), "chest")
    assert think(store) == 0


def test_its_state_is_bounded_at_the_longest_names() -> None:
    longest = [f"place:{number} ".ljust(NAME_BYTES_MAX - 2, "x") for number in range(WAITING_MAX)]
    assert is_place(longest[0]) and not is_place(longest[0] + "x") and not is_place('place:"'.ljust(80, '"'))
    claim, anchor = "0" * 36, f"{'r' * 32}/-2147483648/-2147483648/-2147483648"
    place = Place(anchor, 4, claim, claim)
    members = {name: [claim, claim] for name in longest[:MEMBERS_MAX]}
    village = Village(claim, anchor, claim, 10**9, claim, members, [claim] * 16, [claim] * (MEMBERS_MAX + 3), 10**6)
    state = Atlas(
        places=dict.fromkeys(longest[:PLACES_MAX], place),
        gone=dict.fromkeys(longest[:GONE_MAX]),
        wanted={f"{WHERE}{name}": [claim, claim] for name in longest},
        villages=dict.fromkeys(longest[:VILLAGES_MAX], village),
        paired={name[:21]: 4 for name in longest[:PAIRED_MAX]},
        merged=dict.fromkeys(longest[:REMEMBERED_MAX]),
        paths={f"{name}\0{name}": Told(claim, 10**6, "w" * 60) for name in longest[:PATHS_MAX]},
        sessions=dict.fromkeys((name + "y" * 30 for name in longest[:SESSIONS_MAX]), "t" * 128),
        noted=dict.fromkeys((f"{name}\0{name}" for name in longest[: 3 * SESSIONS_MAX]), "s" * 128),
    )
    assert len(orjson.dumps(state)) < STATE_BYTES_MAX


def test_a_memory_without_anchors_is_left_alone(store: Store, memory: Memory[Any]) -> None:
    for number in range(40):
        memory.observe(f"Saw {number}", [("place:a", "path", f"place:{number}")], place="a", kind="discovery")
    with memory.session(goal="Look") as session:
        session.record_event("Looked")
        assert think(store) == 0


def test_two_that_read_the_same_decide_the_same_once(tmp_path: Path) -> None:
    """They take turns, each with a store of its own; one loses its store in the midst."""
    chance = Random("two")
    with (
        Memory.open(tmp_path / "memory", "me/agent", embedder="none") as memory,
        ThoughtStore(tmp_path / "one") as one,
        ThoughtStore(tmp_path / "two") as two,
        ThoughtStore(tmp_path / "three") as three,
    ):
        stores = [one, two]
        for turn in range(12):
            settle(memory, f"house {turn % 5}", village(chance, (turn % 4 * 600, turn % 3 * 500), 6, 10))
            around(memory, f"life {turn}", 8)
            if turn == 8:
                stores = [three, two]
            thinking = Thinking(Cartographer(), EngineMemories(memory.engine), stores[chance.randrange(2)])
            while not thinking.advance(memory.id, resting=chance.random() < 0.3).whole:
                pass
            thinking.keep()
        told = [each for each in memory.happened(count=1_000).happened if each.thinker == "cartographer"]
        said = [(each.asserted.subject, each.asserted.predicate) for each in told if each.asserted]
        assert villages(memory, candidates=True) and said.count(("place:village-overworld-0-0", "is_a")) <= 1
        standing = memory.places(type="village", candidates=True).places
        at = [each for each in standing if each.anchor is not None]
        assert len({each.anchor for each in at}) == len(at), "no village is there twice"


@pytest.mark.parametrize("seed", range(4))
def test_in_random_lives_all_that_is_decided_is_taken_once(tmp_path: Path, seed: int) -> None:
    """Places appear, move, vanish and are told by agents, users and strangers; villages have members that are there."""
    chance = Random(f"life {seed}")
    with Store.open(tmp_path / "memories", embedder="off") as store:
        agent = store.memory("me/agent")
        tellers = [agent, store.memory("me/agent", source="ines", origin="user"), agent.speaking(trust=0)]
        sessions = [None, None, "mail"]
        for _ in range(16):
            number = chance.randrange(3)
            for _ in range(chance.randrange(4, 24)):
                middle = chance.randrange(4) * 700
                near = chance.random() < 0.6
                reach = 12 if near else 1_500
                cell = (middle + chance.randint(-reach, reach), middle + chance.randint(-reach, reach))
                kind = chance.choice(("house", "well", None))
                place(tellers[number], f"place {chance.randrange(60)}", cell, kind, session=sessions[number])
            if chance.random() < 0.3:
                standing = agent.claims(predicate="at", count=20).claims
                if standing:
                    store.memory("me/agent", source="ines", origin="user").withdraw(chance.choice(standing).ref, "no")
            think(store)
        named = villages(agent)
        for name, members in named.items():
            assert all(agent.claims(each, "at").claims for each in members), name
            assert len(agent.claims(name, "at").claims) == 1 and len(agent.claims(name, "radius").claims) == 1
        joined = [each for members in named.values() for each in members]
        assert len(joined) == len(set(joined)), "nobody is in two villages"


def test_a_decision_takes_effect_once(store: Store, memory: Memory[Any]) -> None:
    around(memory, "a")
    settle(memory, "house", village(Random(1), (200, 200), 140, 80))
    think(store)
    around(memory, "b")
    think(store)
    assert once(taken(memory))
    (members,) = villages(memory).values()
    assert len(members) == MEMBERS_MAX, "so many, with three more, are more than one decision may say"
