"""What an index reads of a node's content: its words, its features, its session, its vector."""

from binascii import a2b_base64
from collections import deque
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from yggdrasil_schemas.graph import NodeKind, node_number
from yggdrasil_schemas.ids import id_bytes

from ..graph.working_set import Graph
from .documents import Array, Columns
from .postings import Occurrences, Postings
from .records import fields_in
from .said import names_in, prose_in, value_of
from .text import terms

FEATURE_TERM: Final = "\x1f"
"""What a feature as such begins with in the lexicon; no word does."""
WITNESSES: Final = 8
_QUESTION_MARKS: Final = ("?", "\N{FULLWIDTH QUESTION MARK}", "\N{ARABIC QUESTION MARK}")
_KINDS: Final = {
    "record_event": NodeKind.EVENT,
    "log_outcome": NodeKind.OUTCOME,
    "commit_episode": NodeKind.EPISODE,
    "form_concept": NodeKind.CONCEPT,
}


class Witness(NamedTuple):
    """A node's number and the hash of its content: what shows that an image and a graph have the same history."""

    number: int
    digest: str


class Read(NamedTuple):
    """What was read of a batch: a row for each document, its terms by field, and its own vectors by place and model.

    ``witnesses`` are the latest of them.
    """

    columns: Columns
    said: list[Occurrences]
    vectors: list[tuple[int, str, npt.NDArray[np.int8]]]
    witnesses: list[Witness]


class Reader:
    """Collects what the documents of a batch say; ``sessions`` numbers the sessions of the index."""

    def __init__(self, graph: Graph, postings: Postings, sessions: dict[str, int]) -> None:
        self._graph = graph
        self._postings = postings
        self._sessions = sessions
        self._rows: list[tuple[int, int, int, int, int, int, int, bool]] = []
        self._terms: list[list[int]] = [[], [], []]
        self._counts: list[list[int]] = [[], [], []]
        self._vectors: list[tuple[int, str, npt.NDArray[np.int8]]] = []
        self._features: dict[str, tuple[list[int], int]] = {}
        self._latest: deque[tuple[int, bytes]] = deque(maxlen=WITNESSES)

    @property
    def terms(self) -> int:
        """How many terms have been collected."""
        return len(self._terms[0])

    def add(self, number: int, record: bytes) -> None:
        """Read one node's content."""
        self._latest.append((number, record))
        fields = fields_in(record)
        kind = _KINDS[fields["type"]]
        content = cast(dict[str, Any], fields.get("content") or {})
        text: str = content.get("text") or ""
        names = names_in(fields)
        vector = content.get("vector")
        if vector is not None:
            self._vectors.append((len(self._rows), vector["model"], _values(vector)))

        known, term = self._postings.number.get, self._postings.term
        payload = content.get("payload")
        said = terms(" ".join([text, *prose_in(payload)]) if payload else text)
        own = [term(word) if (number_of := known(word)) is None else number_of for word in said]
        named: list[int] = []
        features: list[int] = []
        for name in names:
            of_value, feature = self._features.get(name) or self._read_feature(name)
            named += of_value
            features.append(feature)
        for field, found in enumerate((own, named, features)):
            self._terms[field] += found
            self._counts[field].append(len(found))
        session = self._sessions.setdefault(fields.get("session", "default"), len(self._sessions))
        judged = self._judged(fields["body"]["event"]) if kind == NodeKind.OUTCOME else 0
        asks = text.rstrip().endswith(_QUESTION_MARKS)
        self._rows.append((number, kind, session, fields["at"], judged, len(own), len(text), asks))

    def finish(self) -> Read:
        """Return what was collected; every document is taken to live and not to be archived."""
        count = len(self._rows)
        columns: list[Array] = [np.array(column) for column in zip(*self._rows, strict=True)] or [np.empty(0)] * 8
        flags = np.ones(count, np.bool_), np.zeros(count, np.bool_)
        said = [
            (np.repeat(np.arange(count), counts), np.array(found, np.int64))
            for found, counts in zip(self._terms, self._counts, strict=True)
        ]
        witnesses = [Witness(number, digest(content)) for number, content in self._latest]
        return Read(Columns._make([*columns, *flags]), said, self._vectors, witnesses)

    def _read_feature(self, name: str) -> tuple[list[int], int]:
        """Return the terms of what a feature says and of the feature as such; most events have features of others."""
        term = self._postings.term
        read = self._features[name] = [term(word) for word in terms(value_of(name))], term(FEATURE_TERM + name)
        return read

    def _judged(self, event: str) -> int:
        identity = self._graph.identity(id_bytes(event))
        return node_number(identity.seq) if identity else 0


def digest(content: bytes) -> str:
    """Return the hash of a content."""
    return blake2b(content, digest_size=16).hexdigest()


def vector_in(record: bytes) -> tuple[str, npt.NDArray[np.int8]] | None:
    """Return the vector in a record's content and its model; None for one that has none or is sealed."""
    said: Mapping[str, Any] = fields_in(record).get("content") or {}
    vector = said.get("vector")
    return None if vector is None else (vector["model"], _values(vector))


def _values(vector: Mapping[str, Any]) -> npt.NDArray[np.int8]:
    return np.frombuffer(a2b_base64(vector["data"]), np.int8)
