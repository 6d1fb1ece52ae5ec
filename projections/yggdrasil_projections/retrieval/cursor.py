"""Where an answer left off, as an opaque text to go on from: what of it has been told.

Between two pages a memory changes: every recorded page is noticed by it, and so moves what comes first. So a place in
an order would repeat some memories and pass over others. A cursor says instead which memories have been told, and the
next page holds the best of what else is near enough by then. What is new in between has its place in it; what was
withdrawn or forgotten has none.

A cursor gives no right: memory, question and filter are given anew with each page, and it only says what is not to be
told again. Whoever makes one up hides something from themselves. It is of one question to one memory, with one filter
and one ranker, and is refused with any other.
"""

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Collection
from hashlib import blake2b
from typing import Final, NoReturn

import orjson

from yggdrasil_schemas.graph.records import node_number, seq_of

from .asks import CURSOR_CHARS_MAX, OF_WHEN, Ask
from .errors import InvalidAskError

TOLD_MAX: Final = 1_000
"""So many memories may be told in pages; to know of more, a question has to be put more closely."""
_FORM: Final = b"\x01"
_OF_BYTES: Final = 8  # of the hash that says which question it goes on with
_SUM_BYTES: Final = 4
_VARINT_BYTES_MAX: Final = 9
_ANEW: Final = "or ask anew without it"


def cursor_after(ask: Ask, ranker: str, as_of: int, told: Collection[int]) -> str | None:
    """Return where to go on with an ask of which the nodes ``told`` have been told; None when they are too many."""
    if len(told) > TOLD_MAX:
        return None
    seqs = sorted(map(seq_of, told))
    values = [as_of, *(seq - before for before, seq in zip([0, *seqs], seqs, strict=False))]
    body = _FORM + _question(ask, ranker) + b"".join(map(_varint, values))
    return _text(body + _sum(body))


def told_before(ask: Ask, ranker: str, as_of: int) -> frozenset[int]:
    """Return the nodes that have been told of an ask, by its cursor; none without one.

    Raises InvalidAskError for what is no cursor, for one of another question, memory, filter or ranker, and for one of
    a later state of the memory than ``as_of``.
    """
    if ask.more is None:
        return frozenset()
    data = _bytes(ask.more)
    body, begin = data[:-_SUM_BYTES], len(_FORM) + _OF_BYTES
    if len(body) <= begin or data[-_SUM_BYTES:] != _sum(body) or not body.startswith(_FORM):
        _refuse(f"it is no cursor, or only a part of one: give `more.cursor` of an answer as it is, {_ANEW}")
    if body[len(_FORM) : begin] != _question(ask, ranker):
        same = "go on with the same question to the same memory and with the same filter"
        _refuse(f"the cursor is of another question, memory, filter or ranker: {same}, {_ANEW}")
    then, *steps = _varints(body[begin:])
    if then > as_of:
        _refuse(f"the memory stands at seq {as_of} here, and the cursor is of seq {then}: ask again later, {_ANEW}")
    told: list[int] = []
    seq = 0
    for step in steps:
        seq += step
        told.append(node_number(seq))
    if len(told) > TOLD_MAX or seq > then or not all(steps) or cursor_after(ask, ranker, then, told) != ask.more:
        _refuse(f"it is no cursor that this memory has given: give `more.cursor` of an answer as it is, {_ANEW}")
    return frozenset(told)


def _question(ask: Ask, ranker: str) -> bytes:
    """Return a hash of what a cursor belongs to.

    Not of the moment of which claims hold: where nobody says it, each page is asked of its own present.
    """
    where = {} if ask.where is None else {name: each for name, each in ask.where.given().items() if name not in OF_WHEN}
    asked = [ask.memory, ask.query, where, ask.deep, ranker, *([True] if ask.similar else [])]
    asked += [[ask.role, ask.perspectives]] if ask.role is not None or ask.perspectives else []
    said = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)
    return blake2b(said, digest_size=_OF_BYTES).digest()


def _sum(body: bytes) -> bytes:
    return blake2b(body, digest_size=_SUM_BYTES).digest()


def _text(data: bytes) -> str:
    return b2a_base64(data, newline=False).rstrip(b"=").translate(bytes.maketrans(b"+/", b"-_")).decode()


def _bytes(text: str) -> bytes:
    """Return what a text of a cursor encodes; nothing of what is no such text."""
    if not text.isascii() or len(text) > CURSOR_CHARS_MAX:
        return b""
    padded = text.translate(str.maketrans("-_", "+/")) + "=" * (-len(text) % 4)
    try:
        return a2b_base64(padded, strict_mode=True)
    except Error:
        return b""


def _varint(value: int) -> bytes:
    """Return a whole number in as few bytes as it takes, seven bits in each, the lowest first."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _varints(data: bytes) -> list[int]:
    found: list[int] = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
        elif shift >= 7 * _VARINT_BYTES_MAX:
            break
    return found if found and not shift else [0, 0]  # a step of 0 is refused


def _refuse(why: str) -> NoReturn:
    raise InvalidAskError(f"more: {why}")
