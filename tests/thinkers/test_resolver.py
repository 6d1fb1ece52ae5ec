"""Which names the resolver takes for those of one thing, and which traps it does not fall into."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import Store
from yggdrasil_processors.thinkers.resolver import CLAIMS_MAX, THINGS_MAX, Met, Resolver, alike
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_projections.retrieval.reads.experience.happened import Asserted, Happening

Told = tuple[str, str, str]
MAIL = ("email", "ana@silva.example")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memories", embedder="off") as opened:
        yield opened


def proposed(*told: Told, state: Met | None = None) -> list[tuple[str, str]]:
    """What is proposed of claims: the name, and the one under which the thing is known."""
    state, resolver = state or Met(), Resolver()
    found: list[Decision] = []
    for seq, (subject, predicate, value) in enumerate(told, start=1):
        said = Asserted(subject, predicate, value)
        found += resolver.observe(state, Happening(seq, f"id{seq}", "claim", "s", 0, "x", "agent", asserted=said))
    return [(decision.body["name"], decision.body["canonical"]) for decision in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("person:ana silva", "person:Ana Silva"),
        ("person:Ana Silva", "person:Ana M. Silva"),
        ("person:José Peña", "person:Jose Pena"),
        ("service:check-out", "service:check out"),
        ("city:São Paulo", "city:sao-paulo"),
        ("person:ana_silva", "person:Ana Silva"),
    ],
)
def test_what_is_written_alike_and_claimed_of_both_is_one(one: str, other: str) -> None:
    assert proposed((one, *MAIL), (other, *MAIL)) == [(other, one)]


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("nothing is shared", [("person:ana silva", *MAIL), ("person:Ana Silva", "likes", "jazz")]),
        ("other names", [("person:Anna", *MAIL), ("person:Ana", *MAIL)]),
        ("other kinds", [("person:mercury", "named_after", "a god"), ("planet:Mercury", "named_after", "a god")]),
        ("a letter that tells two halls apart", [("room:Hall A", *MAIL), ("room:Hall B", *MAIL)]),
        ("a number", [("order:order 17", *MAIL), ("order:order 18", *MAIL)]),
        ("a sign", [("tool:C++ builder", *MAIL), ("tool:C# builder", *MAIL)]),
        ("a word that denies", [("rule:deploy on Friday", *MAIL), ("rule:do not deploy on Friday", *MAIL)]),
        ("the order of two names", [("debt:Ana owes Bo", *MAIL), ("debt:Bo owes Ana", *MAIL)]),
        ("initials alone", [("person:A. B.", *MAIL), ("person:A B", *MAIL)]),
        ("another word", [("person:Ana Silva", *MAIL), ("person:Ana Silva Junior", *MAIL)]),
        (
            "they live elsewhere",
            [
                ("person:Ana Silva", "likes", "the same rare tea"),
                ("person:Ana Silva", "lives_in", "Rome"),
                ("person:ana silva", "lives_in", "Oslo"),
                ("person:ana silva", "likes", "the same rare tea"),
            ],
        ),
        (
            "everybody likes tea",
            [
                ("person:Ben", "likes", "tea"),
                ("person:Ana Silva", "likes", "tea"),
                ("person:ana silva", "likes", "tea"),
            ],
        ),
        ("one name", [("person:Ana Silva", *MAIL), ("person:Ana Silva", *MAIL)]),
    ],
)
def test_traps(why: str, told: list[Told]) -> None:
    assert proposed(*told) == [], why


def test_what_was_proposed_is_not_proposed_again() -> None:
    told: list[Told] = [("person:Ana Silva", *MAIL), ("person:ana silva", *MAIL)]
    assert len(proposed(*told, *told, ("person:ana silva", "phone", "1"), ("person:Ana Silva", "phone", "1"))) == 1


def test_what_it_remembers_is_bounded() -> None:
    state = Met()
    proposed(*((f"person:{number}x", "likes", f"thing {number}") for number in range(THINGS_MAX + 50)), state=state)
    proposed(*(("person:one", "likes", f"thing {number}") for number in range(100)), state=state)
    assert len(state.things) == THINGS_MAX and len(state.things["person:one"].claims) == CLAIMS_MAX
    held = [about for thing in state.things.values() for about in thing.claims]
    assert {about: held.count(about) for about in set(held)} == state.holders


def test_a_name_without_letters_is_like_none() -> None:
    assert alike("person:...") == "" == alike("A")
    assert alike("person:Ana") != alike("Ana") != ""


def test_in_a_memory_an_alias_joins_what_is_claimed_and_can_be_taken_back(store: Store) -> None:
    memory, user = store.memory("me/agent", origin="agent"), store.memory("me/agent", origin="user")
    memory.assert_claim("person:Ana Silva", *MAIL)
    memory.assert_claim("person:ana silva", *MAIL)
    memory.assert_claim("person:ana silva", "likes", "jazz")
    user.assert_claim("person:Ana Silva", "likes", "tea")
    (run,) = store.think("resolver")
    assert (run.decided, run.stopped) == (1, None)
    known = memory.entity("person:ana silva")
    assert {known.name, *known.aliases} == {"person:Ana Silva", "person:ana silva"}
    objects = {each.claim.object for each in known.claims if each.claim}
    assert objects - {"tea"} == {MAIL[1], "jazz"}
    other = memory.claims(thing="person:ana silva").claims
    assert "tea" not in {each.claim.object for each in other if each.claim}, "to a user's word it is a proposal"
    memory.unalias(known.aliases[0])
    memory.assert_claim("person:Ana Silva", "likes", "jazz")
    assert store.think("resolver")[0].decided == 0, "what a person took back stays so"


def test_what_is_pinned_is_never_joined(store: Store) -> None:
    memory = store.memory("me/agent", origin="user")
    memory.assert_claim("person:Ana Silva", *MAIL)
    memory.pin("feature:person:Ana Silva")
    memory.assert_claim("person:ana silva", *MAIL)
    memory.record_event("something else, so that a refused part can be filled")
    store.think("resolver")
    assert memory.entity("person:ana silva").aliases == []
