"""``memory.what_if``: read as any memory, takes nothing, changes nothing, and kept within the bounds of all pasts."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from yggdrasil import AsyncMemory, CommandRefusedError, InvalidAskError, Memory, Store, UnknownNodeError
from yggdrasil import Event as Told
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.past.handle import PastError
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.errors import NotAllowedError
from yggdrasil_projections.retrieval.errors import UnknownMemoryError

ASKED = "Should we deploy on Friday?"
ME = Drafter("me/agent", "agent", "test")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "memories", memory="me/agent", embedder="off") as opened:
        yield opened


def lived(memory: Memory[Any]) -> dict[str, str]:
    """A Friday that went badly, a Tuesday, and what was done since it was remembered."""
    friday = memory.record_event("Deployed on a Friday", features=["deploy", "friday"], session="first")
    bad = memory.log_outcome(friday, -5, kind="outage", text="The site was down")
    tuesday = memory.record_event("Deployed on a Tuesday", features=["deploy", "tuesday"], session="second")
    recall = memory.get_context(ASKED).recall_id or ""
    waited = memory.record_event("Waited until Monday", features=["deploy", "monday"], informed_by=[recall])
    return {"friday": friday, "bad": bad, "tuesday": tuesday, "recall": recall, "waited": waited}


def test_it_is_read_as_any_memory(memory: Memory[Embedded]) -> None:
    ids = lived(memory)
    other = memory.what_if(ids["friday"])
    assert memory.get_context(ASKED, record=False).refs[0] == ids["friday"]
    answer = other.get_context(ASKED)
    assert ids["friday"] not in answer.refs and ids["tuesday"] in answer.refs
    assert (answer.past, answer.recorded, answer.as_of, answer.withheld) == (True, False, 5, 0)
    voids = other.voids
    assert voids is not None and (voids.left_out, voids.refused) == (1, 3)
    assert [each.id for each in voids.refusals] == [ids["bad"], ids["recall"], ids["waited"]]
    assert [each.id for each in other.said().said] == [ids["tuesday"]]
    assert other.became(ids["friday"]) is None
    fell = other.became(ids["bad"])
    assert fell is not None and (fell.accepted, fell.reason) == (False, "unknown_event")
    assert memory.voids is None and memory.as_of(5).voids is None


def test_what_differs(memory: Memory[Embedded]) -> None:
    ids = lived(memory)
    differs = memory.what_if(ids["bad"]).differs()
    assert differs.gone == {"outcome": 1, "feature": 1} and differs.new == {} and differs.statuses == {}
    found = {each.ref: each for each in differs.strongest}
    friday = found[ids["friday"]]
    assert friday.was is not None and friday.would_be is not None and friday.text == "Deployed on a Friday"
    assert friday.was.impact < 0.0 == friday.would_be.impact and friday.would_be.status == "active"
    gone = found[ids["bad"]]
    assert gone.was is not None and gone.would_be is None and gone.kind == "outcome"
    assert differs.nodes["event"] == differs.other_nodes["event"] == 3 and differs.edges > differs.other_edges
    nothing = memory.what_if().differs()
    assert (nothing.gone, nothing.new, nothing.moved, nothing.strongest) == ({}, {}, 0, [])


def test_what_is_withdrawn_stands_where_that_never_happened(memory: Memory[Embedded]) -> None:
    first = memory.record_event("Ana likes tea", key="ana/drink")
    second = memory.record_event("Ana likes coffee", key="ana/drink")
    other = memory.what_if(second)
    assert other.differs().statuses == {"superseded -> active": 1}
    assert other.get_context("What does Ana like?", min_confidence=0).refs == [first]


def test_nothing_reaches_reality(memory: Memory[Embedded]) -> None:
    ids = lived(memory)
    digest, end = memory.digest(), [memory.engine.log.end_offset(each) for each in range(4)]
    draft = ME.record_event("Deployed on a Sunday", features=["deploy"])
    other = memory.what_if(ids["friday"], with_=[draft], policy={"salience_initial": 2.0})
    assert other.get_context("Sunday").refs[0] == draft.id and other.moment().as_of == 6
    assert other.explain_action(draft.id).text == "Deployed on a Sunday", "the log beyond its end is read too"
    for tell in (
        lambda: other.record_event("x"),
        lambda: other.what_if(ids["bad"]),
        lambda: other.as_of(2),
        other.attest,
        lambda: memory.as_of(2).what_if(ids["bad"]),
    ):
        with pytest.raises(PastError, match="takes no commands"):
            tell()
    assert memory.digest() == digest and end == [memory.engine.log.end_offset(each) for each in range(4)]
    memory.record_event("Life goes on")
    assert other.get_context("Sunday").refs[0] == draft.id and other.moment().as_of == 6, "it stays as it was built"
    assert memory.what_if(ids["friday"]).moment().as_of == 6


def test_up_to_a_moment(memory: Memory[Embedded]) -> None:
    ids = lived(memory)
    early = memory.what_if(ids["bad"], as_of=3)
    assert early.moment().as_of == 3 and early.digest() != memory.as_of(3).digest()
    assert memory.what_if(as_of=3).digest() == memory.as_of(3).digest()
    with pytest.raises(InvalidAskError, match="has accepted no command"):
        memory.what_if(ids["waited"], as_of=3)


def test_what_cannot_be_supposed(memory: Memory[Embedded], tmp_path: Path) -> None:
    with pytest.raises(UnknownMemoryError):
        memory.what_if()
    ids = lived(memory)
    elsewhere = Drafter("me/other", "agent", "test").record_event("x")
    with pytest.raises(InvalidAskError, match="and not of me/other"):
        memory.what_if(with_=[elsewhere])
    with pytest.raises(InvalidAskError, match=r"of with_: unknown_event"):
        memory.what_if(ids["friday"], with_=[ME.log_outcome(ids["friday"], 1.0)])
    with pytest.raises(InvalidAskError, match="what_if made"):
        memory.differs()
    with Memory.open(tmp_path / "agents", memory="me/agent", role="agent", embedder="off") as agent:
        agent.record_event("x")
        with pytest.raises(NotAllowedError):
            agent.what_if()
    with pytest.raises(CommandRefusedError):
        memory.log_outcome("00000000-0000-7000-8000-000000000000", 1.0)
    assert memory.what_if().digest() == memory.digest(), "what reality refused is in its history, and in the other"


def test_others_in_the_directory_are_not_read(tmp_path: Path) -> None:
    with Store.open(tmp_path / "house", partitions=1, embedder="off") as store:
        ana, bob = store.memory("acme/ana"), store.memory("acme/bob")
        mine = ana.record_event("The key is under the mat", session="shared")
        for number in range(20):
            bob.record_event(f"Bob's {number}", session="shared")
        last = ana.record_event("The key is in the vault", session="own")
        other = ana.what_if(without_session="shared")
        assert [each.id for each in other.said().said] == [last] and other.moment().as_of == 2
        voids = other.voids
        assert voids is not None and voids.left_out == 1 and mine
        with pytest.raises(InvalidAskError, match="no command"):
            ana.what_if(bob.said().said[0].id)


def test_what_was_built_is_kept_within_the_bounds_of_all_pasts(memory: Memory[Embedded]) -> None:
    lived(memory)
    events = [memory.record_event(f"Event {number}", session=f"s{number}") for number in range(20)]
    for number in range(20):
        supposed = memory.what_if(without_session=f"s{number}")
        assert events[number] not in [each.id for each in supposed.said().said]
    built = {each.name for each in (memory.engine.path / "past").glob("*/*")}
    assert len(built) <= 17, "sixteen, and one that is being taken away"
    assert memory.engine.pasts.nbytes > 0
    first = memory.what_if(without_session="s0")
    assert events[0] not in [each.id for each in first.said().said], "what was let go is built again"


def test_it_goes_on_from_a_past_that_is_at_hand(memory: Memory[Embedded]) -> None:
    """Whatever pasts are kept, the history is that which is built from the beginning."""
    ids = lived(memory)
    supposed: list[dict[str, Any]] = [
        {"without": [ids["friday"]]},
        {"without": [ids["waited"], ids["tuesday"]]},
        {"without": [ids["waited"]]},
        {"without_session": "second"},
        {"policy": {"salience_initial": 2.0}},
        {"with_": [ME.record_event("Deployed on a Sunday")]},
    ]
    plain = [memory.what_if(**each).digest() for each in supposed]
    again = [memory.as_of(seq).digest() for seq in (1, 2, 4, 5)]
    assert len(set(again)) == 4 and len(set(plain)) == len(plain)
    assert [memory.what_if(**each, as_of=5).digest() for each in supposed] == plain


def test_beside_appends_and_of_several_tenants_at_once(tmp_path: Path) -> None:
    """Each is of the moment at which it was asked for, whatever is appended meanwhile, and whoever else asks."""
    with Store.open(tmp_path / "house", partitions=1, embedder="off") as store:
        memories = [store.memory(name) for name in ("acme/ana", "acme/bob", "zoo/eve")]
        firsts = [memory.record_event("First", features=["one"]) for memory in memories]
        ended = Event()

        def append() -> None:
            while not ended.is_set():
                for memory in memories:
                    memory.record_event("And on", features=["more"])

        def suppose(place: int) -> tuple[int, str, str]:
            memory = memories[place % len(memories)]
            other = memory.what_if(firsts[place % len(memories)])
            seq = other.moment().as_of
            assert memory.what_if(as_of=seq).digest() == memory.as_of(seq).digest()
            return seq, other.digest(), memory.what_if(firsts[place % len(memories)], as_of=seq).digest()

        with ThreadPoolExecutor(7) as threads:
            appending = threads.submit(append)
            try:
                found = list(threads.map(suppose, range(12)))
            finally:
                ended.set()
            appending.result()
        for _, then, again in found:
            assert then == again, "nothing that came later is in it"


def test_what_a_lens_hides_today_stays_hidden(memory: Memory[Embedded]) -> None:
    """Also where what it is trusted less for, the word of a stranger in its session, never happened."""
    foreign = memory.speaking(trust=0).record_event("A mail says: it is swordfish", session="mail")
    told = memory.record_event("I was told swordfish", features=["swordfish"], session="mail")
    own = memory.record_event("Something else", session="other")
    assert memory.describe(told).memory.trust == 0
    assert memory.what_if(foreign).describe(told).memory.trust == 1, "nothing foreign was in its session there"
    other = memory.seen(trust_min=1).what_if(foreign)
    assert [each.ref for each in other.timeline().memories] == [own]
    assert other.get_context("swordfish", min_confidence=0.0).refs == []
    assert "swordfish" not in str((other.differs(), other.voids)) and other.timeline().withheld == 0
    assert [each.id for each in other.said().said] == [own]
    assert [each.id for each in memory.seen(trust_min=1).said().said] == [own], "as it stands too"


def test_what_a_lens_hid_at_the_moment_stays_hidden_though_it_is_forgotten_today(memory: Memory[Embedded]) -> None:
    own = memory.record_event("Something else", session="other")
    foreign = memory.speaking(trust=0).record_event("A mail says: it is swordfish", session="mail")
    told = memory.record_event("I was told swordfish", features=["swordfish"], session="mail")
    then = memory.moment().as_of
    memory.set_policy(nodes_max=40, sessions_open_max=4, edges_max=200)
    memory.record_event("The last of a session stays", session="mail")
    memory.record_many([Told(f"Noise {number}", session="noise") for number in range(200)])
    with pytest.raises(UnknownNodeError):
        memory.describe(told)
    other = memory.seen(trust_min=1).what_if(foreign, as_of=then)
    assert [each.ref for each in other.timeline().memories] == [own]
    assert "swordfish" not in str((other.differs(), other.voids))


def test_what_a_lens_hides_of_relations_and_words_for_a_claim_stays_hidden(memory: Memory[Embedded]) -> None:
    """They make no node: what hides them in reality is the trust of the command, which is another one there."""
    one, two = (memory.record_event(text, session="other") for text in ("One", "Two"))
    memory.assert_claim("router", "is in", "attic", session="other")
    second = memory.as_agent("second")
    foreign = [it.speaking(trust=0).record_event("A mail says it") for it in (memory, second)]
    related = memory.relate(one, two, "supports", "I was told swordfish")
    word = second.assert_claim("router", "is in", "attic")

    def told(of: Memory[Any]) -> tuple[bool, int]:
        claim = of.claims("router").claims[0].claim
        return "swordfish" in str(of.neighbourhood(one)), 0 if claim is None else claim.sources

    assert told(memory.what_if(foreign)) == (True, 2), "nothing foreign was in their sessions there"
    lens = memory.seen(trust_min=1)
    assert told(lens) == told(lens.what_if(foreign)) == (False, 1)
    for seen in (lens, lens.what_if(foreign)):
        assert related not in [each.id for each in seen.said().said]
    assert word not in [each.id for each in lens.what_if(foreign).said().said]


def test_awaited(memory: Memory[Embedded]) -> None:
    ids = lived(memory)

    async def ask() -> None:
        awaited = AsyncMemory(memory)
        other = await awaited.what_if([ids["friday"]])
        assert other.voids is not None and other.voids.refused == 3
        assert (await other.differs()).gone["event"] == 2
        assert ids["friday"] not in (await other.get_context(ASKED)).refs

    asyncio.run(ask())
