"""What a role is strong in, how that moves, how far two are apart, and an identity that is proposed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from yggdrasil import InvalidAskError, Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_schemas.errors import InvalidCommandError

QUESTION = "What of part A7?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "here", "me/agent", embedder="off") as opened:
        opened.define(role="buyer", perspectives=["Cost", "Delivery"])
        opened.define(role="inspector", perspectives=["Defects"])
        yield opened


def use(memory: Memory[Embedded], perspective: str, *refs: str) -> None:
    under = memory.seen(perspective=perspective)
    under.report_use(under.get_context(QUESTION, k=20), refs, result="success")


def test_a_profile_says_what_is_strong_by_perspective_with_its_features(memory: Memory[Embedded]) -> None:
    one = memory.record_event("Part A7 costs 3", features=["part:a7", "price"], perspectives=["Cost"])
    two = memory.record_event("Part A7 is on its way", features=["part:a7", "truck"])
    for ref in (one, one, two):
        use(memory, "Cost", ref)
    use(memory, "Delivery", two)
    found = memory.profile("buyer")
    cost, delivery = found.perspectives
    assert (cost.name, cost.memories, cost.uses) == ("Cost", 2, 3)
    assert (delivery.memories, delivery.uses) == (1, 1)
    assert cost.strongest[0].ref == one and cost.strongest[0].uses == 2
    assert next(iter(cost.features)) == "part:a7" and cost.features.keys() == {"part:a7", "price", "truck"}
    assert cost.share + delivery.share == pytest.approx(1.0) and cost.share > 0.6
    assert memory.profile("Delivery").perspectives[0].share == 1.0
    with pytest.raises(InvalidAskError, match="'critic' is no role and no perspective"):
        memory.profile("critic")


def test_strength_that_moves_to_another_perspective_is_drift(memory: Memory[Embedded]) -> None:
    early = memory.record_event("Part A7 costs 3")
    for _ in range(4):
        use(memory, "Cost", early)
    assert memory.profile("buyer").drift == 0.0
    memory.record_many([{"text": f"Elsewhere {number}"} for number in range(40)])
    use(memory, "Delivery", memory.record_event("Part A7 is late"))
    assert memory.profile("buyer").drift > 0.3


def test_two_profiles_are_as_far_apart_as_the_features_that_they_are_strong_in(memory: Memory[Embedded]) -> None:
    part = memory.record_event("Part A7 costs 3", features=["price"])
    crack = memory.record_event("Part A7 has a crack", features=["crack"])
    buyer, inspector = memory.profile("buyer"), memory.profile("inspector")
    assert buyer.divergence(inspector) == 0.0
    use(memory, "Cost", part)
    assert memory.profile("buyer").divergence(inspector) == 1.0
    use(memory, "Defects", crack)
    assert memory.profile("buyer").divergence(memory.profile("inspector")) == pytest.approx(1.0)
    use(memory, "Defects", part)
    apart = memory.profile("buyer").divergence(memory.profile("inspector"))
    assert 0.2 < apart < 0.9 and apart == memory.profile("inspector").divergence(memory.profile("buyer"))


def test_who_trusts_agents_too_little_sees_none_of_what_they_made_strong(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", embedder="off") as store:
        operator = store.memory("me/agent", source="root", origin="operator")
        operator.define(role="buyer", perspectives=["Cost"])
        told = operator.record_event("Part A7 costs 3", features=["price"])
        use(store.memory("me/agent", source="bo"), "Cost", told)
        assert operator.profile("buyer").perspectives[0].memories == 1
        assert operator.seen(trust_min=2).profile("buyer").perspectives[0].memories == 0
        assert operator.seen(trust_min=2).describe(told).memory.regards == {}


def test_a_lesson_is_learnt_under_each_perspective_with_its_own_sentence(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Part A7 was two weeks late, the factory had burnt", features=["part:a7"])
    cost, delivery = memory.learn(
        event, {"Cost": "An emergency order costs 15 % more", "Delivery": "Plan two weeks"}, tags=["Part A7", "fire"]
    )
    claim = memory.claims(subject="perspective:Cost", predicate="lesson").claims[0]
    assert claim.ref == cost and claim.claim is not None and claim.claim.sort == "lesson"
    assert claim.text == "An emergency order costs 15 % more (Part A7, fire)"
    assert memory.lineage(delivery).claim is not None
    assert memory.describe(delivery).memory.regards.keys() == {"Delivery"}
    assert memory.profile("Delivery").perspectives[0].strongest[0].ref == delivery


def test_an_identity_is_proposed_waits_for_a_person_and_then_is_a_prior(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", embedder="off") as store:
        operator, agent = store.memory("me/a", source="root", origin="operator"), store.memory("me/a", source="bo")
        operator.define(role="buyer", perspectives=["Cost"])
        told = agent.record_event("Part A7 costs 3", features=["price"], perspectives=["Cost"])
        proposed = agent.propose_identity(agent.profile("buyer"))
        assert agent.claims(subject="agent:buyer", predicate="identity").claims == []
        waiting = agent.claims(subject="agent:buyer", statuses=["candidate"]).claims[0]
        assert waiting.ref == proposed and waiting.text is not None and "Strong in Cost (100 %, price)" in waiting.text
        assert [each.ref for each in agent.lineage(proposed).evidence] == [told]
        operator.verify(proposed, "as I know it")
        operator.promote(proposed, "it is")
        assert agent.claims(subject="agent:buyer").claims[0].status == "prior"
        with pytest.raises(InvalidCommandError, match="strong in nothing"):
            operator.define(role="new", perspectives=["Else"])
            agent.propose_identity(agent.profile("new"))


def test_what_no_longer_stands_is_in_no_profile(memory: Memory[Embedded]) -> None:
    gone = memory.record_event("The price was a secret", features=["part:z"], perspectives=["Cost"])
    memory.record_event("The price is 5", key="price", perspectives=["Cost"])
    memory.record_event("The price is 6", key="price", perspectives=["Cost"])
    memory.withdraw(gone, reason="wrong")
    cost = memory.profile("Cost").perspectives[0]
    assert [each.text for each in cost.strongest] == ["The price is 6"] and not cost.features
