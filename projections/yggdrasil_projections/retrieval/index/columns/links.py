"""What claims join, as columns: of each its things, of a path what a way along it costs, of an anchor where it is.

A link is a row; it belongs to a document, and whether it is there at all is for that document to say.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.anchors import Anchor
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed, name_in_words, text_digest

from .growing import Growing

UNLIT, ONEWAY, BLOCKED, ANCHORED, FLAT = 1, 2, 4, 8, 16
"""The flags of a link: a path that is dark, leads one way, or is blocked; an anchor, and one without a height."""
UNKNOWN: Final = -1
PATH, AT = "path", "at"
LOCATED: Final = ("last_seen_at", AT, "located_in")
"""The predicates that say where a thing is, what was seen last before the others."""
TYPES: Final = ("is_a", "seen_as")
"""The predicates that say of what type a thing is."""
WHOLE_MAX: Final = 10**9
"""What takes more ticks, or is longer, counts as this."""
RISK_MAX: Final = 1_000
_DIGITS_MAX: Final = 18
_WORD_BYTES: Final = 160
_KEPT_MAX: Final = 3  # of what is made of them, by what an ask sees

Array = npt.NDArray[Any]


class Columns(NamedTuple):
    """The links of an index, as arrays of one length, in order of ``row``, which is that of the claim's document.

    ``subject`` and ``object`` are the terms of their names, ``predicate`` is a word of the links; so is ``value``, the
    realm of an anchor, and in lower case the type that ``is_a`` and ``seen_as`` say. Of a path ``ticks`` and ``length``
    are whole numbers and ``risk`` is in thousandths; of an anchor ``x``, ``y`` and ``z`` are those of a block, or the
    centre of a chunk. What is not known, or not there, is -1. ``flags``: see above.
    """

    row: Array
    subject: Array
    predicate: Array
    object: Array
    value: Array
    ticks: Array
    length: Array
    risk: Array
    flags: Array
    x: Array
    y: Array
    z: Array

    def taken(self, places: Array | slice) -> "Columns":
        """Return these at some places."""
        return Columns(*(column[places] for column in self))


_KINDS: Final = {
    "row": np.int32, "subject": np.int32, "predicate": np.int32, "object": np.int32, "value": np.int32,
    "ticks": np.int32, "length": np.int32, "risk": np.int16, "flags": np.uint8,
    "x": np.int32, "y": np.int32, "z": np.int32,
}  # fmt: skip
_SUBJECT, _OBJECT = Columns._fields.index("subject"), Columns._fields.index("object")
NOTHING: Final = Columns(*(np.empty(0, kind) for kind in _KINDS.values()))


class Said(NamedTuple):
    """What a claim joins, in words: the fields of ``Columns`` but for the row."""

    subject: str
    predicate: str
    object: str | None = None
    value: str | None = None
    ticks: int = UNKNOWN
    length: int = UNKNOWN
    risk: int = 0
    flags: int = 0
    anchor: tuple[int, int, int] = (0, 0, 0)


class Links:
    """The links of one index. ``touched`` counts up whenever claims begin or cease to hold, or things are renamed."""

    def __init__(self, columns: Columns | None = None, words: Iterable[str] = ()) -> None:
        """Begin with nothing, or with these."""
        kept = columns or NOTHING
        self._columns: list[Growing[Any]] = [Growing(np.asarray(column)) for column in kept]
        self._views: Columns | None = None
        self.words: dict[str, int] = {word: at for at, word in enumerate(words)}
        self.touched = 0
        self.made = Made()

    def __len__(self) -> int:
        return len(self._columns[0])

    @property
    def columns(self) -> Columns:
        """All columns, as views that are out of date once rows were appended."""
        if self._views is None:
            self._views = Columns(*(column.values for column in self._columns))
        return self._views

    @property
    def nbytes(self) -> int:
        """About how many bytes they take, with what has been made of them."""
        return sum(column.nbytes for column in self._columns) + _WORD_BYTES * len(self.words) + self.made.nbytes

    def word(self, said: str) -> int:
        """Return the number of a word, a new one for a new word."""
        return self.words.setdefault(said, len(self.words))

    def name(self, row: int, subject: int | None, other: int | None) -> None:
        """Let the link of a document have these terms for its things; None for one that keeps its own."""
        at = int(np.searchsorted(self.columns.row, row))
        if at == len(self) or self.columns.row[at] != row:
            return
        for column, term in ((self._columns[_SUBJECT], subject), (self._columns[_OBJECT], other)):
            if term is not None and column.values[at] not in (term, UNKNOWN):
                column.put(at, term)
                self._views = None
                self.touched += 1

    def extend(self, columns: Columns) -> None:
        """Append links, of rows beyond those that there are."""
        if not len(columns.row):
            return
        for held, column in zip(self._columns, columns, strict=True):
            held.extend(column)
        self._views = None


class Made:
    """What has been made of links, by what an ask sees of them: few of these, and only of the links as they are.

    For any thread: what is asked for in a turn is made, and put here, outside of it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._state: tuple[int, ...] = ()
        self._sizes: dict[tuple[Any, ...], int] = {}

    @property
    def nbytes(self) -> int:
        """About how many bytes that takes."""
        with self._lock:
            return sum(self._sizes.values())

    def get(self, state: tuple[int, ...], key: tuple[Any, ...]) -> Any:
        """Return what was put under a key while the state was the same; None for nothing."""
        with self._lock:
            if state != self._state:
                self._of.clear()
                self._sizes.clear()
                self._state = state
            found = self._of.get(key)
            if found is not None:
                self._of.move_to_end(key)
            return found

    def put(self, state: tuple[int, ...], key: tuple[Any, ...], made: Any, nbytes: int) -> None:
        """Keep something, unless the state has changed since it was asked for."""
        with self._lock:
            if state != self._state:
                return
            self._of[key] = made
            self._sizes[key] = nbytes
            while len(self._of) > _KEPT_MAX:
                gone, _ = self._of.popitem(last=False)
                self._sizes.pop(gone, None)


def link_in(body: Mapping[str, Any], content: Mapping[str, Any]) -> Said:
    """Return what a claim joins, by its body and its content; of one that joins nothing its subject and predicate."""
    said: Mapping[str, Any] = body["object"]
    subject, predicate = body["subject"], body["predicate"]
    entity: str | None = said.get("entity")
    if (anchor := said.get("anchor")) is not None:
        return _anchored(subject, predicate, anchor)
    if entity is None:
        return Said(subject, predicate, None, _text(content, said) if predicate in TYPES else None)
    if predicate in TYPES:
        return Said(subject, predicate, entity, type_named(entity))
    if predicate != PATH:
        return Said(subject, predicate, entity)
    more: Mapping[str, str] = body.get("qualifiers") or {}
    flags = UNLIT * (more.get("lit") == "no") | ONEWAY * (more.get("oneway") == "yes")
    flags |= BLOCKED * (more.get("blocked") == "yes")
    risk = min(max(0, _whole(more.get("risk"))), RISK_MAX)
    return Said(subject, predicate, entity, None, _whole(more.get("ticks")), _whole(more.get("length")), risk, flags)


def type_named(name: str) -> str:
    """Return a type as links have it: without its kind, in lower case."""
    return composed(name_in_words(name)).casefold()


def columns_of(
    links: Sequence[tuple[int, Said]], begin: int, term: Mapping[str, tuple[Any, int]], words: Links
) -> Columns:
    """Return links, each with the place of its document, as columns; the first document is in row ``begin``.

    ``term`` has the term of each name beside something else, as ``vocabulary.Features`` does.
    """
    if not links:
        return NOTHING
    rows = [
        (
            begin + place,
            term[said.subject][1],
            words.word(said.predicate),
            UNKNOWN if said.object is None else term[said.object][1],
            UNKNOWN if said.value is None else words.word(said.value),
            said.ticks,
            said.length,
            said.risk,
            said.flags,
            *said.anchor,
        )
        for place, said in links
    ]
    columns = zip(*rows, strict=True)
    return Columns(*(np.array(column, kind) for column, kind in zip(columns, _KINDS.values(), strict=True)))


def _anchored(subject: str, predicate: str, text: str) -> Said:
    try:
        anchor = Anchor.of(text)
    except ValueError:  # of a schema that knows other realms
        return Said(subject, predicate)
    x, y, z = anchor.centre
    return Said(subject, predicate, None, anchor.realm, flags=ANCHORED | FLAT * (y is None), anchor=(x, y or 0, z))


def _text(content: Mapping[str, Any], said: Mapping[str, Any]) -> str | None:
    """Return the type that a text says; None for one that is sealed, is not the one that was claimed, or is long."""
    text: str | None = content.get("object")
    if text is None or len(text) > NAME_CHARS_MAX or text_digest(text) != said.get("digest"):
        return None
    return " ".join(type_named(text).split()) or None


def _whole(text: str | None) -> int:
    """Return a whole number that a qualifier says, or -1."""
    if text is None or len(text) > _DIGITS_MAX or not (text.isascii() and text.isdigit()):
        return UNKNOWN
    return min(int(text), WHOLE_MAX)
