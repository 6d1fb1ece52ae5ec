"""What an index reads of a node's content: its words, its features, its session, who said it, its vector."""

from binascii import a2b_base64
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple, cast

import numpy as np
import orjson

from yggdrasil_projections.graph.unsound import check_attached
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.codec import NODE_ROWS, encode_node
from yggdrasil_schemas.graph.knowledge import Claim
from yggdrasil_schemas.graph.records import NodeKind, is_feature, node_number
from yggdrasil_schemas.ids import id_bytes

from ..lens import CLASSES, NOTES
from ..records import fields_in
from ..text.passages import LONG_CHARS
from ..text.said import called_in, names_in, prose_in
from ..text.wording import saying
from .columns.documents import Array, Columns
from .columns.links import Said, link_in
from .columns.postings import Occurrences
from .columns.vectors import ModelKey
from .held import Held
from .vocabulary import NAME_TERM

WITNESSES: Final = 8
PAGE_RECORDS: Final = 1_024
_BULK: Final = 256  # from so many on, one pass over a memory's scalars is quicker than asking for each
_QUESTION_MARKS: Final = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")
_CLAIMED: Final = ("subject", "predicate", "object", "qualifiers", "valid_from", "valid_to")
_KINDS: Final = {
    "record_event": NodeKind.EVENT,
    "log_outcome": NodeKind.OUTCOME,
    "commit_episode": NodeKind.EPISODE,
    "form_concept": NodeKind.CONCEPT,
    "assert_claim": NodeKind.CLAIM,
}


class Witness(NamedTuple):
    """A node's number and the hash of its content: what shows that an image and a graph have the same history."""

    number: int
    digest: str


class Part(NamedTuple):
    """A piece of a long text: where it begins and ends in it, and its numbers."""

    begin: int
    end: int
    values: bytes


class Vectored(NamedTuple):
    """A vector as a record has it: its model, its numbers, and the pieces of a long text."""

    model: str
    values: bytes
    pieces: tuple[Part, ...] = ()


class Read(NamedTuple):
    """What was read of a batch: a row for each document, its terms by field, and its own vectors by place.

    ``witnesses`` are the latest of them, and ``links`` what claims among them join, by place.
    """

    columns: Columns
    said: list[Occurrences]
    vectors: list[tuple[int, Vectored]]
    witnesses: list[Witness]
    links: list[tuple[int, Said]]


class Reader:
    """Collects what the documents of a batch say, in the numbers of an index."""

    def __init__(self, graph: Graph, held: Held) -> None:
        self._graph = graph
        self._words, self._features = held.vocabulary.words, held.vocabulary.features
        self._split, self._term = held.tokenizer.split, held.postings.term
        self._sessions, self._speakers = held.sessions, held.speakers
        self._feature_names = held.feature_names
        self._rows: list[tuple[int, int, int, int, int, int, int, int, bool, int, int]] = []
        self._terms: list[list[int]] = [[], [], []]
        self._counts: list[list[int]] = [[], [], []]
        self._vectors: list[tuple[int, Vectored]] = []
        self._links: list[tuple[int, Said]] = []
        self._latest: deque[tuple[int, bytes]] = deque(maxlen=WITNESSES)

    @property
    def terms(self) -> int:
        """How many terms have been collected."""
        return len(self._terms[0])

    def add(self, number: int, record: bytes) -> None:
        """Read one node's content: what a document says, or the name of a feature."""
        if is_feature(number):
            self._feature_names.put(record.decode(), number)
            return
        self._latest.append((number, record))
        fields = fields_in(record)
        kind = _KINDS[fields["type"]]
        content = cast(dict[str, Any], fields.get("content") or {})
        text: str = content.get("text") or ""
        names = names_in(fields)
        if (vector := _vectored(content)) is not None:
            self._vectors.append((len(self._rows), vector))
        if kind == NodeKind.CLAIM:
            self._links.append((len(self._rows), link_in(fields["body"], content)))

        words, payload = self._words, content.get("payload")
        said = self._split(" ".join([text, *prose_in(payload)]) if payload else text)
        own = [term for word in said if (term := words[word]) >= 0]
        named: list[int] = []
        features: list[int] = []
        for name in names:
            of_value, feature = self._features[name]
            named += of_value
            features.append(feature)
        if called := called_in(content):
            names_said = [term for word in self._split(" ".join(called)) if (term := words[word]) >= 0]
            named += dict.fromkeys(names_said)  # a word that several of its names have is said once
            features += [self._term(NAME_TERM + name) for name in called]
        for field, found in enumerate((own, named, features)):
            self._terms[field] += found
            self._counts[field].append(len(found))
        session = self._sessions.setdefault(fields.get("session", SESSION_DEFAULT), len(self._sessions))
        speaker = self._speakers.setdefault((fields["source"], fields["origin"]), len(self._speakers))
        judged = self._judged(fields["body"]["event"]) if kind == NodeKind.OUTCOME else 0
        asks = text.rstrip().endswith(_QUESTION_MARKS)
        body = fields["body"]
        note = NOTES.get(body.get("note"), 0) or CLASSES.get(body.get("claim_class"), 0)
        told = _saying(kind, text, fields, content)
        self._rows.append((number, kind, session, speaker, fields["at"], judged, len(own), len(text), asks, note, told))

    def finish(self) -> Read:
        """Return what was collected; every document is taken to live, to stand, and to be trusted by nobody."""
        count = len(self._rows)
        columns: list[Array] = [np.array(column) for column in zip(*self._rows, strict=True)] or [np.empty(0)] * 11
        nothing = np.zeros(count, np.uint8)
        marks = np.ones(count, np.bool_), nothing.astype(np.bool_), nothing, nothing.astype(np.bool_)
        said = [
            (np.repeat(np.arange(count), counts), np.array(found, np.int64))
            for found, counts in zip(self._terms, self._counts, strict=True)
        ]
        witnesses = [Witness(number, digest(content)) for number, content in self._latest]
        return Read(Columns._make([*columns, nothing, *marks]), said, self._vectors, witnesses, self._links)

    def _judged(self, event: str) -> int:
        identity = self._graph.identity(id_bytes(event))
        return node_number(identity.seq) if identity else 0


def _saying(kind: NodeKind, text: str, fields: Mapping[str, Any], content: Mapping[str, Any]) -> int:
    """Return a hash of what a document says; of a claim with what it claims and when, of an outcome with its value."""
    beside: list[str] = [content["name"]] if content.get("name") else []
    body: Mapping[str, Any] = fields["body"]
    if kind == NodeKind.CLAIM:
        beside.append(orjson.dumps([body.get(each) for each in _CLAIMED], option=orjson.OPT_SORT_KEYS).decode())
    elif kind == NodeKind.OUTCOME:
        beside.append(f"{body['value']} {body.get('kind')}")
    return saying(text, *beside)


def digest(content: bytes) -> str:
    """Return the hash of a content."""
    return blake2b(content, digest_size=16).hexdigest()


def vector_in(record: bytes) -> Vectored | None:
    """Return the vector in a record's content; None for one that has none or is sealed."""
    return _vectored(fields_in(record).get("content") or {})


def counting(pieces: Sequence[Part], chars: int) -> Sequence[Part]:
    """Return the pieces that count, of a text of so many characters: those that lie in it, where it is a long one.

    So no short record is as near to a question as the nearest of many vectors is.
    """
    return [piece for piece in pieces if piece.end <= chars] if chars > LONG_CHARS else []


def vectors_of(graph: Graph, number: int, content: bytes) -> list[Vectored]:
    """Return the vectors of a node by their models, of what was attached and what it came with the former.

    Raises UnsoundRecordError where what attached one is not what was folded.
    """
    attached = graph.vectors(number).values()
    for seq, record in attached:
        check_attached(graph, number, seq, record)
    records = [content, *(record for _, record in attached)]
    return list({each.model: each for each in filter(None, map(vector_in, records))}.values())


def _vectored(content: Mapping[str, Any]) -> Vectored | None:
    vector = content.get("vector")
    if vector is None:
        return None
    pieces = tuple(Part(piece["begin"], piece["end"], a2b_base64(piece["data"])) for piece in vector.get("pieces", ()))
    return Vectored(vector["model"], a2b_base64(vector["data"]), pieces)


def claims_among(graph: Graph, columns: Columns) -> dict[int, Claim | None]:
    """Return what the claims among some documents claim by now, by their numbers; None of one that is gone."""
    nodes = {number: graph.node(number) for number in columns.number[columns.kind == NodeKind.CLAIM].tolist()}
    return {number: None if node is None else graph.claim(node) for number, node in nodes.items()}


def attached_from(graph: Graph, number: int) -> Iterable[tuple[int, str, int, bytes]]:
    """Yield the vectors that were attached to nodes from ``number`` on."""
    while page := graph.source.vectors_from(number, PAGE_RECORDS):
        yield from page
        number = page[-1][0] + 1


def by_model(vectors: Iterable[tuple[int, str, bytes]]) -> dict[ModelKey, tuple[list[int], bytes]]:
    """Return vectors, each given by its place and its model, as one run for each model."""
    grouped: dict[ModelKey, tuple[list[int], list[bytes]]] = {}
    for place, model, values in vectors:
        places, runs = grouped.setdefault((model, len(values)), ([], []))
        places.append(place)
        runs.append(values)
    return {key: (places, b"".join(runs)) for key, (places, runs) in grouped.items()}


def rows_of(graph: Graph, numbers: Array) -> Array:
    """Return the scalars (layout NODE_ROWS) of live nodes, in the order of their numbers."""
    if len(numbers) < _BULK:
        return np.frombuffer(b"".join(encode_node(graph.expect(number)) for number in numbers.tolist()), NODE_ROWS)
    table = graph.node_table()
    return table.rows[np.searchsorted(table.keys.astype(np.int64), numbers)]
