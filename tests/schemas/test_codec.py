"""The codec beyond the corpus: any bytes at all, the body hash, and what encode refuses of its own accord."""

from hashlib import blake2b
from math import inf, nan
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_schemas import limits
from yggdrasil_schemas.codec import BODY_HASH_BYTES, LANGUAGES, Decoded, _cut, decode, encode, named
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.ids import derived_id
from yggdrasil_schemas.refusals import Refusal, Refused

BODY = {"features": ["a", "b"], "informed_by": []}
CONTENT = {"text": "hello", "payload": {"x": 1, "y": [1.5, None]}}
FIELDS: dict[str, Any] = {
    "version": 1,
    "id": derived_id("codec"),
    "memory": "acme/coder",
    "session": "s",
    "at": 1,
    "source": "test",
    "process": "p",
    "origin": "agent",
    "type": "record_event",
    "body": BODY,
    "content": CONTENT,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)
FLOATS_SAID = [
    (
        {"content": {"payload": {"b": [1e16, {"c": 1e-7}], "a": 1}}},
        b'{"body":{"features":["a","b"],"informed_by":[]},'
        b'"content":{"payload":{"a":1,"b":[1e+16,{"c":1e-07}]}},"type":"record_event"}',
    ),
    (
        {"type": "log_outcome", "body": {"event": FIELDS["id"], "value": 0.00001}, "content": None},
        b'{"body":{"event":"%s","value":1e-05},"content":null,"type":"log_outcome"}' % FIELDS["id"].encode(),
    ),
]
NAMES = st.sampled_from([*FIELDS, "features", "value", "event", "unknown"])


def accepted(value: bytes) -> Decoded:
    found = decode(value)
    assert isinstance(found, Decoded), found
    return found


def refused(value: bytes | None) -> Refused:
    found = decode(value)
    assert isinstance(found, Refused)
    return found


def body_hash(**changed: Any) -> bytes:
    return accepted(orjson.dumps(FIELDS | changed)).body_hash


@given(st.none() | st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_refused_with_a_value(value: bytes | None) -> None:
    assert refused(value).reason <= Refusal.VERSION_MISSING


@given(st.dictionaries(NAMES, JSON, max_size=5))
def test_any_fields_in_an_otherwise_valid_command_are_answered(changed: dict[str, Any]) -> None:
    value = orjson.dumps(FIELDS | changed)
    found = decode(value)
    if isinstance(found, Decoded):
        assert encode(orjson.loads(value)) == value
    else:
        assert Refusal.VERSION_MISSING <= found.reason <= Refusal.INVALID_CONTENT


@given(JSON)
def test_any_payload_within_the_depth_is_content(payload: Any) -> None:
    assert body_hash(content={"payload": {"x": payload}})


@pytest.mark.parametrize(("changed", "said"), FLOATS_SAID)
def test_floats_are_hashed_as_python_writes_them(changed: dict[str, Any], said: bytes) -> None:
    """The JSON writer's floats were written otherwise by its releases before 3.13: 1e16, and not 1e+16."""
    assert body_hash(**changed) == blake2b(said, digest_size=BODY_HASH_BYTES).digest()


def test_commands_said_to_be_without_floats_have_none() -> None:
    for name in LANGUAGES[1].without_floats:
        body: Any = COMMANDS[name].model_fields["body"].annotation
        assert b'"number"' not in orjson.dumps(body.model_json_schema()), name


def depth_of(schema: Any, definitions: dict[str, Any]) -> int:
    """How many containers what ``schema`` accepts may nest; what accepts anything has no bound."""
    if "$ref" in schema:
        return depth_of(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    if "anyOf" in schema:
        return max(depth_of(each, definitions) for each in schema["anyOf"])
    if "type" not in schema or schema.get("additionalProperties") is True:
        return limits.DEPTH_MAX + 1
    inner = [*schema.get("properties", {}).values()]
    inner += [schema[name] for name in ("items", "additionalProperties") if schema.get(name)]
    container = schema["type"] in ("object", "array")
    return container + max((depth_of(each, definitions) for each in inner), default=0)


def test_only_a_payload_can_nest_too_deep() -> None:
    """So the values of a command that has none are not walked through."""
    for name, model in COMMANDS.items():
        schema = model.model_json_schema()
        assert depth_of(schema, schema["$defs"]) > limits.DEPTH_MAX, name
        clear = "VectorContent" if name == "attach_vector" else "ClearContent"
        schema["$defs"][clear]["properties"]["payload"] = {"type": "null"}
        assert depth_of(schema, schema["$defs"]) < limits.DEPTH_MAX, name


def test_a_version_is_refused_until_it_is_enabled() -> None:
    later = orjson.dumps(FIELDS | {"version": 2})
    assert refused(later) == Refused(Refusal.VERSION_NOT_ENABLED, "version 2")
    assert decode(orjson.dumps(FIELDS), {}) == Refused(Refusal.VERSION_NOT_ENABLED, "version 1")
    assert accepted(orjson.dumps(FIELDS)) == decode(orjson.dumps(FIELDS), {1: LANGUAGES[1]})


def test_the_envelope_comes_before_the_body_and_the_body_before_the_content() -> None:
    wrong: dict[str, Any] = {"at": "1", "body": None, "content": 1}
    order = [Refusal.INVALID_ENVELOPE, Refusal.INVALID_BODY, Refusal.INVALID_CONTENT]
    for reason, name in zip(order, list(wrong), strict=True):
        assert refused(orjson.dumps(FIELDS | wrong)).reason == reason
        del wrong[name]


def test_refusals_are_checked_in_the_order_of_their_numbers() -> None:
    """Each of these is wrong in every way that the ones after it are."""
    deep = b'{"x":' * 17 + b"0" + b"}" * 17
    wrong = [
        b"",
        b"x" * (limits.RECORD_BYTES_MAX + 1),
        b"[" * 20,
        b"[" * 20 + b"]" * 20,
        deep,
        b'{"version":0,"type":0}',
        b'{"version":2,"type":0}',
        b'{"version":1,"type":0}',
        b'{"version":1,"type":"attest","content":0}',
        orjson.dumps(FIELDS | {"body": 0, "content": 0}),
        orjson.dumps(FIELDS | {"content": 0}),
    ]
    reasons = [refused(value).reason for value in wrong]
    assert reasons == list(Refusal)[: len(wrong)]


@pytest.mark.parametrize("place", ["envelope", "body", "content", "vector", "parameters", "changes"])
def test_too_many_keys_are_refused_for_the_same_reason_as_one(place: str) -> None:
    """And what is validated stays small, for to list all that is wrong with 15,000 keys takes 0.2 s."""
    for count in (1, 64, 65, 200, 15_000):
        value, reason = crowded(place, count)
        assert refused(value).reason == reason, count
        cut = _cut(orjson.loads(value), LANGUAGES[1])
        assert most_keys(cut) <= max(LANGUAGES[1].keys_max, len(FIELDS)) + 1, count


def most_keys(value: Any) -> int:
    return max(len(value), *map(most_keys, value.values())) if isinstance(value, dict) and value else 0


def crowded(place: str, count: int) -> tuple[bytes, Refusal]:
    keys: dict[str, Any] = {f"k{number}": [] for number in range(count)}
    envelope = FIELDS | {"content": None}
    if place == "envelope":
        return orjson.dumps(envelope | keys), Refusal.INVALID_ENVELOPE
    if place == "content":
        return orjson.dumps(envelope | {"content": {"text": "x"} | keys}), Refusal.INVALID_CONTENT
    if place == "vector":
        vector = {"model": "m", "dimension": 1, "data": "AQ=="}
        return orjson.dumps(envelope | {"content": {"vector": vector | keys}}), Refusal.INVALID_CONTENT
    if place == "body":
        return orjson.dumps(envelope | {"body": BODY | keys}), Refusal.INVALID_BODY
    if place == "changes":
        return orjson.dumps(envelope | {"type": "set_policy", "body": {"changes": keys}}), Refusal.INVALID_BODY
    recall = {"purpose": "context", "as_of": 0, "returned": [], "ranker": "r", "tokenizer": "t", "index": "i"}
    return (
        orjson.dumps(envelope | {"type": "record_recall", "body": recall | {"parameters": keys}}),
        Refusal.INVALID_BODY,
    )


def test_many_keys_in_a_payload_are_not_cut() -> None:
    payload = {f"k{number}": number for number in range(5_000)}
    found = accepted(orjson.dumps(FIELDS | {"content": {"payload": payload}}))
    assert found.command.content is not None
    assert found.command.content.model_dump()["payload"] == payload
    assert body_hash(content={"payload": payload}) != body_hash(content={"payload": payload | {"k4999": 0}})


@given(st.permutations(list(FIELDS)), st.permutations(list(BODY)), st.permutations(list(CONTENT)))
def test_the_body_hash_does_not_depend_on_the_order_of_keys(top: list[str], body: list[str], said: list[str]) -> None:
    inner = {"body": {name: BODY[name] for name in body}, "content": {name: CONTENT[name] for name in said}}
    shuffled = {name: (FIELDS | inner)[name] for name in top}
    assert accepted(orjson.dumps(shuffled)).body_hash == body_hash()


def test_the_body_hash_does_not_depend_on_whitespace_or_escapes() -> None:
    spaced = orjson.dumps(FIELDS, option=orjson.OPT_INDENT_2)
    assert accepted(spaced.replace(b'"hello"', b'"\\u0068ello"')).body_hash == body_hash()


def test_the_body_hash_does_not_depend_on_the_rest_of_the_envelope() -> None:
    rest = {"id": derived_id("x"), "memory": "a/b", "session": "t", "at": 2, "source": "u", "process": "v"}
    assert body_hash(**rest, origin="user") == body_hash()


def test_the_body_hash_depends_on_type_body_and_content() -> None:
    attest = accepted(orjson.dumps(FIELDS | {"type": "attest", "body": {}})).body_hash
    versions = [body_hash(), body_hash(body={}), body_hash(content=None), body_hash(body={}, content=None), attest]
    versions += [body_hash(body={"features": features}) for features in (["b", "a"], ["ab"], ["a"])]
    versions += [body_hash(content={"text": text}) for text in ("hello", "Hello", "")]
    assert len(set(versions)) == len(versions)
    assert {len(version) for version in versions} == {BODY_HASH_BYTES}


def test_no_content_is_the_same_as_null() -> None:
    without = {name: value for name, value in FIELDS.items() if name != "content"}
    assert accepted(orjson.dumps(without)).body_hash == body_hash(content=None)


def test_of_a_key_that_occurs_twice_the_last_one_counts_everywhere() -> None:
    twice = orjson.dumps(FIELDS).replace(b'"body":{', b'"body":{"features":["lost"]},"body":{')
    assert accepted(twice).body_hash == body_hash()
    assert accepted(twice).command == accepted(orjson.dumps(FIELDS)).command


@pytest.mark.parametrize("number", [nan, inf, -inf])
@pytest.mark.parametrize("place", [lambda x: {"a": x}, lambda x: {"a": [1, (x,)]}, lambda x: {"a": {"b": [{"c": x}]}}])
def test_encode_refuses_what_json_cannot_say(number: float, place: Any) -> None:
    """The JSON writer would write null."""
    with pytest.raises(InvalidCommandError, match="not finite"):
        encode(FIELDS | {"content": {"payload": place(number)}})


@pytest.mark.parametrize("thing", [2**64, -(2**63) - 1, {1: 2}, {1}, b"x", object, "\ud800"], ids=repr)
def test_encode_refuses_what_is_not_json(thing: Any) -> None:
    with pytest.raises(InvalidCommandError) as caught:
        encode(FIELDS | {"content": {"payload": {"x": thing}}})
    assert caught.value.reason == "not_json"


def test_half_a_character_is_told_in_words() -> None:
    with pytest.raises(InvalidCommandError, match="not_json: of a text: it holds half of a character"):
        encode(FIELDS | {"content": {"text": "caf\udce9"}})


def test_encode_writes_what_the_fold_reads() -> None:
    nulls = {"payload": {"x": None, "y": [None, 1.0]}, "text": "null"}
    decoded = accepted(encode(FIELDS | {"content": nulls}))
    assert decoded.command.model_dump(exclude_unset=True) == FIELDS | {"content": nulls}


def test_encode_says_which_field_and_what_to_do() -> None:
    with pytest.raises(InvalidCommandError) as caught:
        encode(FIELDS | {"body": {"features": ["a", 7]}})
    assert (caught.value.reason, caught.value.detail.split(".", 1)[0]) == ("invalid_body", "body")
    assert "body.features.1: must be a text" in str(caught.value)
    assert Refusal.INVALID_BODY.sentence in str(caught.value)


def test_a_record_of_no_form_is_named_as_far_as_it_names_itself() -> None:
    whole = {"memory": "acme/coder", "command_id": FIELDS["id"], "source": "test"}
    nobody = dict.fromkeys(whole)
    assert named(orjson.dumps(FIELDS | {"body": 3, "type": "no such"})) == whole
    assert named(orjson.dumps(FIELDS | {"memory": "a secret, and no name", "id": 7})) == whole | {
        "memory": None,
        "command_id": None,
    }
    assert named(orjson.dumps(FIELDS | {"source": "\x1b[31m"}))["source"] is None
    for value in (None, b"", b"{", b"[]", b"3", b" " * (limits.RECORD_BYTES_MAX + 1)):
        assert named(value) == nobody


@given(st.binary(max_size=200))
def test_naming_never_raises(value: bytes) -> None:
    assert named(value).keys() == {"memory", "command_id", "source"}
