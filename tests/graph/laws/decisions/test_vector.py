"""Vectors: what a model made of a node is kept beside it, the last one of each of two models; nothing else moves."""

from dataclasses import replace

import orjson
import pytest

from tests.graph.by_hand import TEN
from tests.graph.commands import (
    MEMORY,
    Said,
    attest,
    command_id,
    concept,
    dissolve,
    episode,
    event,
    outcome,
    pin,
    vector,
)
from tests.graph.scenario import Check, Moment, accepted, given, gone, node, refused, repeated
from tests.graph.world import live_edges, live_nodes
from yggdrasil_schemas.graph.records import NodeFlag
from yggdrasil_schemas.refusals import Refusal

OPENING, VECTORED, PINNED = NodeFlag.OPENING, NodeFlag.VECTORED, NodeFlag.PINNED
SEALED = {"alg": "aes-256-gcm", "key_id": "k1", "nonce": "AAAA", "ciphertext": "c2VhbGVk"}


def vectors(name: str, **expected: str) -> Check:
    """A node has exactly these vectors: by model, the command that attached it."""

    def check(moment: Moment) -> None:
        number = moment.number(name)
        assert number is not None
        found = moment.graph.vectors(number)
        assert list(found) == sorted(expected)
        for model, command in expected.items():
            seq, record = found[model]
            said = orjson.loads(record)
            assert (said["id"], said["memory"], said["body"]["model"]) == (command_id(command), MEMORY, model)
            assert moment.graph.vector(number, model) == record
            identity = moment.graph.identity(bytes.fromhex(command_id(command).replace("-", "")))
            assert identity is not None
            assert identity.seq == seq
        assert moment.graph.vector(number, "never") is None

    return check


def test_a_vector_is_kept_with_its_node() -> None:
    before = given(event("e1", "a"), event("e2"))
    before.when(vector("v1", "e1")).then(
        accepted(seq=3), vectors("e1", small="v1"), vectors("e2"), node("e1", flags=VECTORED), node("e2", flags=0)
    )


def test_the_record_is_kept_as_it_was_sent() -> None:
    said = vector("v1", "e1", values=b"\x7f\x81\x00")
    moment = given(event("e1")).when(said)
    number = moment.number("e1")
    assert number is not None
    assert moment.graph.vector(number, "small") == said.record(offset=1).value


def test_nothing_is_settled_and_no_value_moves() -> None:
    """Even the tick of a node's last touch stays, and its edges and neighbours."""
    known = [event("e1", "a", "b"), outcome("bad", "e1", -3.0), event("e2", "a"), event("e3")]
    before = given(*known)
    moment = before.when(vector("v1", "e1"))
    moment.then(node("e1", tick=1, flags=VECTORED, half_life=moment.node("e1").half_life))
    plain = given(*known).when(attest("v1"))
    for number, there in live_nodes(moment.graph).items():
        flags = there.flags & ~VECTORED
        assert replace(there, flags=flags) == plain.graph.node(number)
    assert live_edges(moment.graph) == live_edges(plain.graph)
    header = moment.graph.header
    assert (header.tick, header.nodes, header.edges) == (3, plain.graph.header.nodes, plain.graph.header.edges)


def test_the_last_one_of_a_model_counts() -> None:
    before = given(event("e1"), vector("v1", "e1"))
    before.when(vector("v2", "e1", values=b"\x05")).then(accepted(seq=3), vectors("e1", small="v2"))
    before.when(vector("v2", "e1", values=b"\x05")).then(repeated(seq=3), vectors("e1", small="v2"))
    before.when(vector("v2", "e1", values=b"\x06")).then(refused(Refusal.ID_REUSED), vectors("e1", small="v2"))


def test_of_three_models_the_one_that_was_attached_first_goes() -> None:
    before = given(event("e1"), vector("v1", "e1", "b"), vector("v2", "e1", "c"))
    before.when(attest("proof")).then(vectors("e1", b="v1", c="v2"))
    before.when(vector("v3", "e1", "b")).then(vectors("e1", b="v3", c="v2"))
    before.when(vector("v4", "e1", "a")).then(vectors("e1", a="v4", b="v3"))
    before.when(vector("v5", "e1", "c")).then(vectors("e1", a="v4", c="v5"))


TIERS = ("import", "user", "tool", "operator")  # from 1 to 4


@pytest.mark.parametrize("writer", TIERS)
@pytest.mark.parametrize("sender", TIERS)
def test_it_takes_the_trust_of_the_node(writer: str, sender: str) -> None:
    trusted = TIERS.index(sender) >= TIERS.index(writer)
    expected = (
        (accepted(seq=2), vectors("e1", small="v1")) if trusted else (refused(Refusal.NOT_TRUSTED), vectors("e1"))
    )
    given(event("e1", origin=writer)).when(vector("v1", "e1", origin=sender)).then(*expected)


def test_a_stranger_s_own_node_is_all_that_a_stranger_attaches_to() -> None:
    before = given(event("theirs"), event("mine", trust=0))
    before.when(vector("v1", "theirs", origin="tool", trust=0)).then(refused(Refusal.NOT_TRUSTED))
    before.when(vector("v2", "mine", origin="tool", trust=0)).then(vectors("mine", small="v2"))


def test_of_a_feature_which_is_of_all_only_an_operator_says_what_it_means() -> None:
    before = given(event("e1", "a"))
    before.when(vector("v1", "feature:a", origin="tool")).then(refused(Refusal.NOT_TRUSTED), vectors("feature:a"))
    before.when(vector("v2", "feature:a")).then(vectors("feature:a", small="v2"))


@pytest.mark.parametrize("former", TIERS)
@pytest.mark.parametrize("later", TIERS)
def test_the_last_one_of_a_model_wins_among_those_who_are_trusted_as_much(former: str, later: str) -> None:
    before = given(event("e1", trust=0), vector("v1", "e1", origin=former))
    kept = TIERS.index(later) < TIERS.index(former)
    expected = (refused(Refusal.NOT_TRUSTED), vectors("e1", small="v1")) if kept else (vectors("e1", small="v2"),)
    before.when(vector("v2", "e1", origin=later, values=b"\x05")).then(*expected)


def test_nobody_drives_out_a_vector_of_more_trust_by_vectors_of_other_models() -> None:
    before = given(event("e1"), vector("host", "e1", "small"), vector("v1", "e1", "large", origin="agent"))
    before.when(vector("v2", "e1", "other", origin="agent")).then(vectors("e1", small="host", other="v2"))
    before.when(vector("v3", "e1", "other", origin="user")).then(vectors("e1", small="host", other="v3"))
    full = given(event("e1"), vector("h1", "e1", "small"), vector("h2", "e1", "large"))
    full.when(vector("v1", "e1", "other", origin="tool")).then(refused(Refusal.NOT_TRUSTED))
    full.when(vector("v2", "e1", "other")).then(vectors("e1", large="h2", other="v2"))


def test_a_sealed_vector_is_trusted_as_its_envelope_says() -> None:
    before = given(event("e1"), replace(vector("v1", "e1"), content=SEALED))
    before.when(vector("v2", "e1", origin="agent")).then(refused(Refusal.NOT_TRUSTED), vectors("e1", small="v1"))


def test_every_kind_of_node_can_have_one() -> None:
    known = [event("e1", "a", "b"), outcome("good", "e1", 1.0), episode("day", "e1")]
    before = given(*known, concept("pair", "feature:a", "feature:b"))
    for name in ("e1", "good", "feature:a", "day", "pair"):
        before.when(vector(f"v {name}", name)).then(vectors(name, small=f"v {name}"), node(name, flags=VECTORED))


def test_a_sealed_vector_is_kept_under_the_model_that_the_body_names() -> None:
    sealed = replace(vector("v1", "e1", "large"), content=SEALED)
    given(event("e1")).when(sealed).then(accepted(seq=2), vectors("e1", large="v1"))


def test_the_flags_of_a_node_stay() -> None:
    before = given(event("e0", session="a"), event("e1", session="b"), pin("core", "e1"))
    before.when(vector("v1", "e1")).then(node("e1", flags=OPENING | PINNED | VECTORED))


def test_what_is_archived_stays_archived() -> None:
    before = given(event("e1"))
    before.when(attest("proof")).node("e1").flags |= NodeFlag.ARCHIVED
    before.when(vector("v1", "e1")).then(node("e1", flags=NodeFlag.ARCHIVED | VECTORED))


def test_only_what_is_there_can_have_one() -> None:
    before = given(TEN, event("old"), *(event(f"x{n}") for n in range(10)))
    before.when(vector("v1", "nobody")).then(refused(Refusal.UNKNOWN_REFERENCE))
    before.when(vector("v2", "old")).then(gone("old"), refused(Refusal.NODE_FORGOTTEN))
    before.when(vector("v3", "feature:never")).then(refused(Refusal.NODE_FORGOTTEN))
    before.when(vector("v4", "ten")).then(refused(Refusal.NODE_FORGOTTEN))  # a policy makes no node


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, Refusal.INVALID_CONTENT),
        ({"text": "x"}, Refusal.INVALID_CONTENT),
        ({"vector": None}, Refusal.INVALID_CONTENT),
        (vector("other", "e1", "large").content, Refusal.INVALID_BODY),
    ],
    ids=["no content", "text alone", "null", "another model"],
)
def test_without_its_vector_it_is_refused(content: dict[str, object] | None, reason: Refusal) -> None:
    given(event("e1")).when(replace(vector("v1", "e1"), content=content)).then(refused(reason))


def test_what_is_forgotten_takes_its_vectors_with_it() -> None:
    """The eleventh node costs the two oldest; a third one keeps its own."""
    attached = [vector("v1", "old"), vector("v2", "old", "large"), vector("v3", "x2")]
    before = given(TEN, event("old"), *(event(f"x{n}") for n in range(9)), *attached)
    before.when(event("x9")).then(gone("old", "x0"), vectors("old"), vectors("x2", small="v3"))


def test_a_feature_that_comes_back_has_none() -> None:
    before = given(TEN, event("e0", "rain"), vector("v1", "feature:rain"), *(event(f"x{n}") for n in range(8)))
    before.when(event("x8")).then(gone("feature:rain"))
    before.when(event("again", "rain")).then(vectors("feature:rain"), node("feature:rain", flags=0))


def test_what_dissolves_takes_its_vectors_with_it() -> None:
    before = given(event("e1", "a", "b"), concept("pair", "feature:a", "feature:b"), vector("v1", "pair"))
    before.when(dissolve("parted", "pair")).then(gone("pair"), vectors("pair"))


def test_a_vector_in_an_events_own_content_attaches_nothing() -> None:
    content = vector("v", "e1").content
    said = Said("e1", "record_event", {"features": []}, content={"text": "x", **(content or {})})
    given().when(said).then(accepted(seq=1), vectors("e1"), node("e1", flags=0))
