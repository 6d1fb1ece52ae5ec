"""Command ids: laid out as RFC 9562 says, and derived ones stand for their parts and for nothing else."""

from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st

from yggdrasil_schemas.codec import Decoded, decode, encode
from yggdrasil_schemas.ids import derived_id, id_bytes, id_text, is_derived, is_of, sourced_id, tenant_of, uuid7

PARTS = st.lists(st.text(st.characters(exclude_categories=()), max_size=8), max_size=4)


@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10))
@example(0, bytes(10))
@example(2**48 - 1, b"\xff" * 10)
def test_uuid7_holds_its_time_version_variant_and_74_random_bits(now_ms: int, entropy: bytes) -> None:
    text = uuid7(now_ms, entropy)
    bits = UUID(text).int
    random = int.from_bytes(entropy, "big")
    assert text == str(UUID(text))
    assert bits >> 80 == now_ms
    assert bits >> 76 & 0xF == 7
    assert bits >> 62 & 0b11 == 0b10
    assert bits >> 64 & 0xFFF == random >> 68 & 0xFFF
    assert bits & (2**62 - 1) == random & (2**62 - 1)


def test_uuid7_is_the_example_of_the_rfc() -> None:
    """RFC 9562, appendix A.6: rand_a 0xCC3, rand_b 0b01, 0x8C4DC0C0C07398F."""
    entropy = (0xCC3 << 68 | 0x18C4DC0C0C07398F).to_bytes(10, "big")
    assert uuid7(0x017F22E279B0, entropy) == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


@given(st.integers(0, 2**48 - 2), st.binary(min_size=10, max_size=10), st.binary(min_size=10, max_size=10))
def test_a_later_uuid7_sorts_later(now_ms: int, one: bytes, other: bytes) -> None:
    assert uuid7(now_ms, one) < uuid7(now_ms + 1, other)


@given(PARTS)
def test_a_derived_id_is_a_version_8_uuid_and_always_the_same(parts: list[str]) -> None:
    found = UUID(derived_id(*parts))
    assert (found.version, found.variant) == (8, "specified in RFC 4122")
    assert derived_id(*parts) == str(found)


@given(PARTS, PARTS)
@example(["ab", "c"], ["a", "bc"])
@example([""], [])
@example(["a", ""], ["a"])
@example(["a", "b"], ["b", "a"])
@example(["\ud800"], ["\ufffd"])
@example(["a\x00b"], ["a", "b"])
def test_different_parts_have_different_derived_ids(one: list[str], other: list[str]) -> None:
    assert (derived_id(*one) == derived_id(*other)) == (one == other)


def test_a_derived_id_never_changes() -> None:
    """An import that is done again with a newer release must find its commands there already."""
    assert derived_id() == "c166d72f-8c31-81fa-b2cb-adb23d60e2fe"
    assert derived_id("git", "abc") == "18f080c9-de9d-8187-a3b9-589b661a9389"


@given(st.uuids())
def test_bytes_and_text_are_one(found: UUID) -> None:
    assert id_bytes(str(found)) == found.bytes
    assert id_text(found.bytes) == str(found)


@given(st.integers(0, 2**48 - 1), st.binary(min_size=10, max_size=10), PARTS)
def test_both_kinds_of_id_are_accepted(now_ms: int, entropy: bytes, parts: list[str]) -> None:
    for command_id in (uuid7(now_ms, entropy), derived_id(*parts)):
        fields = {"version": 1, "id": command_id, "memory": "a/b", "at": 0, "source": "s", "process": "p"}
        decoded = decode(encode({**fields, "origin": "agent", "type": "attest", "body": {}}))
        assert isinstance(decoded, Decoded)
        assert decoded.command_id == UUID(command_id).bytes


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_a_sourced_id_is_of_its_source_and_of_no_other(source: str, other: str, parts: list[str]) -> None:
    found = sourced_id(source, *parts)
    assert UUID(found).version == 8
    assert is_derived(found) and is_of(source, found)
    assert is_of(other, found) == (source == other)
    assert sourced_id(source, *parts) == found
    assert found[13:] == derived_id(*parts)[13:]


def test_a_sourced_id_never_changes() -> None:
    """What has been imported is recognised by it, in every release and by every client."""
    assert sourced_id("cli", "git", "abc") == "4248256e-5ca2-8187-a3b9-589b661a9389"


def test_an_id_of_time_and_chance_is_not_derived() -> None:
    assert not is_derived(uuid7(1_700_000_000_000, bytes(10)))


def test_a_tenant_is_the_first_part_of_a_memorys_name() -> None:
    assert [tenant_of(name) for name in ("acme/coder", "acme", "acme/a/b", "_system/partition-3")] == [
        *["acme"] * 3,
        "_system",
    ]
