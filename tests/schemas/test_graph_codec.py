"""The stored form of graph records: what is read is what was written, and keys sort as what they stand for."""

from dataclasses import fields
from struct import pack

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from yggdrasil_schemas.graph import codec, knowledge_codec, perspectives
from yggdrasil_schemas.graph.perspectives import Perspective, Regard, Role
from yggdrasil_schemas.graph.records import (
    NEVER,
    Account,
    Adjusted,
    Edge,
    EdgeKey,
    Given,
    GivenEdge,
    Header,
    Identity,
    Node,
    Parts,
    Recall,
    Recalled,
    Ruling,
    Session,
    Status,
    Window,
    node_number,
    seq_of,
)
from yggdrasil_schemas.limits import (
    DECISION_PARTS_MAX,
    FEATURES_MAX,
    INFORMED_BY_MAX,
    KEYWORDS_MAX,
    NAME_CHARS_MAX,
    PERSPECTIVE_CHARS_MAX,
    PERSPECTIVES_MAX,
    RETURNED_MAX,
    SEQ_MAX,
    THINKERS_MAX,
)
from yggdrasil_schemas.policy import CONSTANTS, DEFAULT, changed

BYTE, SHORT, WORD, LONG = (st.integers(0, 2**bits - 1) for bits in (8, 16, 32, 64))
TICKS = st.integers(0, SEQ_MAX)
FLOATS = st.floats(allow_nan=False)
NODES = st.builds(
    Node,
    number=LONG,
    kind=BYTE,
    tick=TICKS,
    salience=FLOATS,
    half_life=FLOATS,
    stability=FLOATS,
    permanence=FLOATS,
    impact=FLOATS,
    valence=FLOATS,
    usage=WORD,
    candidates=WORD,
    recalled_tick=st.integers(NEVER, SEQ_MAX),
    degree=SHORT,
    kinds=BYTE,
    marks=LONG,
    latest=LONG,
    follower=LONG,
    concept=LONG,
    good=WORD,
    bad=WORD,
    flags=SHORT,
    level=BYTE,
    status=BYTE,
    trust=BYTE,
    used_tick=st.integers(NEVER, SEQ_MAX),
    served=WORD,
    mentions=WORD,
    heeded=WORD,
    witnessed=WORD,
)
EDGES = st.builds(
    Edge, tick=TICKS, weight=FLOATS, half_life=FLOATS, permanence=FLOATS, usage=WORD, made=LONG, trust=BYTE
)
EDGE_KEYS = st.tuples(LONG, BYTE, LONG)
SESSIONS = st.builds(
    Session, last=LONG, touched=LONG, leading=LONG, episode=LONG, mark=LONG, buffer=st.lists(LONG, max_size=70)
)
KEYS = st.binary(min_size=8, max_size=8)
PERSPECTIVES = st.lists(KEYS, max_size=128).map(tuple)  # 8 names, of which each of 16 roles may mean another thing
RECALLED = st.lists(st.builds(Recalled, LONG, FLOATS, FLOATS, st.booleans()), max_size=RETURNED_MAX)
RECALLS = st.builds(
    Recall,
    as_of=TICKS,
    reported=TICKS,
    returned=RECALLED,
    who=st.binary(min_size=8, max_size=8),
    trust=st.integers(0, 4),
    least=st.integers(0, 4),
    perspectives=PERSPECTIVES,
)
KEYWORDS = st.lists(st.text(min_size=1, max_size=PERSPECTIVE_CHARS_MAX), max_size=KEYWORDS_MAX).map(tuple)
ROLES = st.lists(
    st.builds(Perspective, KEYS, st.text(min_size=1, max_size=PERSPECTIVE_CHARS_MAX), KEYWORDS),
    max_size=PERSPECTIVES_MAX,
).map(lambda perspectives: Role(tuple(perspectives)))
REGARDS = st.lists(st.builds(Regard, KEYS, BYTE, TICKS, FLOATS, FLOATS, WORD), max_size=PERSPECTIVES_MAX).map(tuple)


def givens(perspectives: tuple[bytes, ...]) -> st.SearchStrategy[tuple[Given, ...]]:
    regards = st.tuples(*(FLOATS,) * len(perspectives))
    given = st.builds(Given, LONG, *(FLOATS,) * 6, BYTE, BYTE, BYTE, BYTE, regards)
    return st.lists(given, max_size=64 if len(perspectives) < 4 else 2).map(tuple)


GIVEN_EDGES = st.builds(GivenEdge, st.tuples(LONG, BYTE, LONG), FLOATS, FLOATS)
ACCOUNTS = PERSPECTIVES.flatmap(
    lambda perspectives: st.builds(
        Account,
        TICKS,
        LONG,
        st.sampled_from((-1, 0, 1)),
        LONG,
        st.booleans(),
        givens(perspectives),
        st.just(perspectives),
        st.lists(GIVEN_EDGES, max_size=64).map(tuple),
    )
)
PARTS = st.builds(
    Parts,
    carriers=st.lists(LONG, max_size=FEATURES_MAX).map(tuple),
    informed=st.lists(LONG, max_size=INFORMED_BY_MAX).map(tuple),
)
HASHES = st.binary(min_size=16, max_size=16)
IDENTITIES = st.builds(Identity, seq=LONG, offset=LONG, body_hash=HASHES, kind=BYTE, result=BYTE)
POLICIES = st.sampled_from(sorted(CONSTANTS)).map(
    lambda name: changed(DEFAULT, {name: type(getattr(DEFAULT, name))(CONSTANTS[name].low)})
)
NAMES = st.text(min_size=1, max_size=NAME_CHARS_MAX)
SLOTS = st.sampled_from((b"", bytes(16), b"a slot of a key!", b"another key's...", bytes(15) + b"\x40"))
STATUSES = st.sampled_from(sorted(Status))
REASONS = st.just("") | NAMES
RULINGS = st.builds(Ruling, SLOTS, HASHES, BYTE, LONG, REASONS, STATUSES, st.booleans())
ADJUSTED = st.builds(Adjusted, LONG, FLOATS, FLOATS, FLOATS)
CURSORS = st.dictionaries(NAMES, TICKS, max_size=THINKERS_MAX)
WINDOWS = st.builds(Window, TICKS, st.integers(1, DECISION_PARTS_MAX), LONG)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    cursors = draw(CURSORS)
    some = draw(st.sets(st.sampled_from(sorted(cursors)))) if cursors else set[str]()
    return Header(
        "acme/coder",
        draw(LONG),
        draw(LONG),
        draw(WORD),
        draw(WORD),
        attested_seq=draw(LONG),
        episode=draw(LONG),
        cursors=cursors,
        windows={name: draw(WINDOWS) for name in sorted(some)},
        principles=draw(st.lists(LONG, max_size=64)),
        history=draw(HASHES),
        policy=draw(POLICIES),
    )


def bits(value: object) -> str:
    """A repr tells -0.0 from 0.0, which an equality does not."""
    return repr(value)


@given(NODES)
def test_a_node(node: Node) -> None:
    data = codec.encode_node(node)
    assert bits(codec.decode_node(node.number, data)) == bits(node)
    assert len(data) == codec.NODE_ROWS.itemsize == 153


@given(NODES)
def test_a_scan_sees_of_a_node_what_decoding_sees(node: Node) -> None:
    row = np.frombuffer(codec.encode_node(node), dtype=codec.NODE_ROWS)[0]
    names = codec.NODE_ROWS.names or ()
    assert {*names, "number"} == {entry.name for entry in fields(Node)}
    assert [bits(row[name].item()) for name in names] == [bits(getattr(node, name)) for name in names]


@given(EDGES)
def test_an_edge(edge: Edge) -> None:
    data = codec.encode_edge(edge)
    assert bits(codec.decode_edge(data)) == bits(edge)
    assert len(data) == codec.EDGE_ROWS.itemsize == 45
    row = np.frombuffer(data, dtype=codec.EDGE_ROWS)[0]
    names = codec.EDGE_ROWS.names or ()
    assert [bits(row[name].item()) for name in names] == [bits(getattr(edge, name)) for name in names]


@given(EDGE_KEYS, EDGE_KEYS)
def test_edge_keys_sort_as_their_tuples_do(one: EdgeKey, other: EdgeKey) -> None:
    assert (codec.EDGE_KEY.pack(*one) < codec.EDGE_KEY.pack(*other)) == (one < other)
    assert codec.EDGE_KEY.unpack(codec.EDGE_KEY.pack(*one)) == one


@given(EDGE_KEYS)
def test_a_reversed_key_begins_with_the_target(key: EdgeKey) -> None:
    source, kind, target = key
    assert codec.reversed_key(key) == pack(">QQB", target, source, kind)


@given(SESSIONS)
def test_a_session(session: Session) -> None:
    assert codec.decode_session(codec.encode_session(session)) == session


@given(RECALLS)
def test_a_recall(recall: Recall) -> None:
    assert bits(codec.decode_recall(codec.encode_recall(recall))) == bits(recall)


@given(ROLES)
def test_a_role(role: Role) -> None:
    assert perspectives.decode_role(perspectives.encode_role(role)) == role


@given(REGARDS)
def test_regards(regards: tuple[Regard, ...]) -> None:
    data = perspectives.encode_regards(regards)
    assert bits(perspectives.decode_regards(data)) == bits(regards)
    assert len(data) == 37 * len(regards)


@given(ACCOUNTS)
def test_an_account(account: Account) -> None:
    assert bits(codec.decode_account(codec.encode_account(account))) == bits(account)


def test_a_perspective_has_the_key_of_its_first_name_for_ever() -> None:
    assert perspectives.perspective_key("Cost").hex() == "7e4e50675d5044fb"
    assert perspectives.perspective_key("cost") != perspectives.perspective_key("Cost")


@given(PARTS)
def test_parts(parts: Parts) -> None:
    assert codec.decode_parts(codec.encode_parts(parts)) == parts


@given(LONG, NAMES, LONG, st.binary(max_size=300))
def test_a_vector(number: int, model: str, seq: int, record: bytes) -> None:
    key = codec.vector_key(number, model)
    assert codec.decode_vector_key(key) == (number, model)
    assert key.startswith(codec.NUMBER.pack(number))
    assert codec.decode_vector(codec.encode_vector(seq, record)) == (seq, record)


@given(ADJUSTED)
def test_what_was_adjusted(adjusted: Adjusted) -> None:
    data = codec.encode_adjusted(adjusted)
    assert bits(codec.decode_adjusted(data)) == bits(adjusted)
    assert len(data) == 32


@given(RULINGS)
def test_a_ruling(ruling: Ruling) -> None:
    assert knowledge_codec.decode_ruling(knowledge_codec.encode_ruling(ruling)) == ruling


@given(IDENTITIES)
def test_an_identity(identity: Identity) -> None:
    data = codec.encode_identity(identity)
    assert codec.decode_identity(data) == identity
    assert len(data) == 34


@given(WORD, headers())
def test_a_header(local: int, header: Header) -> None:
    assert codec.decode_header("acme/coder", codec.encode_header(local, header)) == (local, header)


@given(CURSORS)
def test_the_order_of_thinkers_leaves_no_trace_in_what_is_stored(cursors: dict[str, int]) -> None:
    windows = dict.fromkeys(cursors, Window(1, 2, 1))
    one = Header("acme/coder", cursors=cursors, windows=windows)
    other = Header("acme/coder", cursors=dict(reversed(cursors.items())), windows=dict(reversed(windows.items())))
    assert codec.encode_cursors(one) == codec.encode_cursors(other)


def test_the_cursors_of_all_thinkers_fit() -> None:  # their bytes are counted in 16 bits
    names = ["\N{EVERGREEN TREE}" * (NAME_CHARS_MAX - 2) + f"{number:02}" for number in range(THINKERS_MAX)]
    widest = Window(SEQ_MAX, DECISION_PARTS_MAX, 2**DECISION_PARTS_MAX - 2)
    header = Header("acme/coder", cursors=dict.fromkeys(names, SEQ_MAX), windows=dict.fromkeys(names, widest))
    assert codec.decode_header("acme/coder", codec.encode_header(1, header)) == (1, header)


@given(st.integers(1, SEQ_MAX), st.integers(0, FEATURES_MAX), st.integers(1, SEQ_MAX), st.integers(0, FEATURES_MAX))
def test_a_node_number_holds_its_seq_and_sorts_by_it(seq: int, ordinal: int, other: int, of_other: int) -> None:
    number = node_number(seq, ordinal)
    assert seq_of(number) == seq
    assert 0 < number < 2**63
    assert (number < node_number(other, of_other)) == ((seq, ordinal) < (other, of_other))
    assert codec.NUMBER.unpack(codec.NUMBER.pack(number)) == (number,)
