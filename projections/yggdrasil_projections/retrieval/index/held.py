"""What an index holds: its documents, their words, their vectors, and the names of their sessions and speakers."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.knowledge import Claim
from yggdrasil_schemas.limits import PIECES_MAX

from ..text.tokenizers import TOKENIZER, Tokenizer
from .columns.documents import NOBODY, Columns, Documents, Marks
from .columns.links import Links, Said, columns_of
from .columns.moments import Moments
from .columns.pieces import Pieces
from .columns.postings import Occurrences, Postings
from .columns.vectors import ModelKey, Vectors
from .names import FeatureNames, Names, Things
from .vocabulary import Vocabulary

Speaker = tuple[str, str]
"""Who said something: the source, and the origin."""


class Held:
    """The parts of an index that belong together: a row of one is a row of all, and so is the number of a term."""

    def __init__(
        self,
        documents: Documents | None = None,
        postings: Postings | None = None,
        vectors: Vectors | None = None,
        sessions: dict[str, int] | None = None,
        feature_names: FeatureNames | None = None,
        speakers: dict[Speaker, int] | None = None,
        *,
        tokenizer: Tokenizer = TOKENIZER,
        pieces: Pieces | None = None,
        links: Links | None = None,
    ) -> None:
        """Begin with nothing, or with these; ``sessions`` numbers the sessions, and ``speakers`` who speaks in them.

        ``tokenizer`` makes the terms of texts.
        """
        self.tokenizer = tokenizer
        self.documents = Documents() if documents is None else documents
        self.postings = Postings() if postings is None else postings
        self.vectors = Vectors() if vectors is None else vectors
        self.pieces = Pieces() if pieces is None else pieces
        self.links = Links() if links is None else links
        self.sessions: dict[str, int] = {} if sessions is None else sessions
        self.speakers: dict[Speaker, int] = {} if speakers is None else speakers
        self.moments = Moments()
        self.feature_names = FeatureNames(tokenizer) if feature_names is None else feature_names
        self.vocabulary = Vocabulary(self.postings, tokenizer)
        self._names = Names(tokenizer)

    @property
    def things(self) -> Things:
        """What has several names."""
        return self._names.things

    @things.setter
    def things(self, things: Things) -> None:
        self._names.things = things

    def committed(self, graph: Graph, unread: int) -> None:
        """Note what is called otherwise by now, and what else the claims among what has been read say of when."""
        self.feature_names.committed(graph.changed_features)
        self.call(graph, graph.changed_names)
        claims = graph.changed_claims.items()  # any order
        self.date({number: claim for number, claim in claims if number < unread})

    def rename(self, claims: Mapping[int, Claim | None]) -> None:
        """Note where who is trusted more called the things of claims otherwise than their records do."""
        for number, claim in claims.items():  # any order
            if claim is not None and any(claim.named):
                row = self.documents.row(number)
                subject, other = (self.vocabulary.features[name][1] if name else None for name in claim.named)
                if row is not None:
                    self.links.name(row, subject, other)

    def call(self, graph: Graph, changed: Iterable[str] | None = None) -> None:
        """Note what things are called: all of them, or those by whose names something ``changed``."""
        stored = graph.source.named() if changed is None and graph.header.aliases else ()
        for name in stored if changed is None else changed:  # any order
            self.things.put(name, graph.names(name).linked(name), self.tokenizer)
            self.links.touched += 1

    def date(self, claims: Mapping[int, Claim | None]) -> None:
        """Note from when until when claims hold, by their nodes' numbers."""
        for number, claim in claims.items():  # any order
            if self.moments.put(number, claim):
                self.documents.changes += 1
                self.links.touched += 1

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        parts = (
            self.documents.nbytes + self.postings.nbytes + self.vectors.nbytes + self._names.nbytes + self.things.nbytes
        )
        parts += self.pieces.nbytes + self.links.nbytes
        names = 160 * len(self.sessions) + 280 * len(self.speakers)
        return parts + self.vocabulary.nbytes + self.feature_names.nbytes + self.moments.nbytes + names

    @property
    def names(self) -> Names:
        """The features by what they say."""
        self._names.catch_up(self.postings.lexicon)
        return self._names

    def extend(
        self,
        columns: Columns,
        said: list[Occurrences],
        vectors: Mapping[ModelKey, tuple[list[int], bytes]],
        pieces: Mapping[ModelKey, tuple[list[int], bytes]],
        links: Sequence[tuple[int, Said]],
    ) -> None:
        """Append documents: a row for each, its terms by field, and by model the places of those that have vectors.

        ``pieces`` has those of long texts, by their own places: as many as there may be for each document;
        ``links`` are what claims join, by the places of these.
        """
        begin = len(self.documents)
        self.links.extend(columns_of(links, begin, self.vocabulary.features, self.links))
        self.documents.extend(columns)
        self.postings.extend(len(columns.number), said)
        for key, (places, values) in vectors.items():
            rows = np.array(places, np.int32) + np.int32(begin)
            self.vectors.extend(key, rows, np.frombuffer(values, np.int8).reshape(len(places), key[1]))
        for key, (places, values) in pieces.items():
            rows = np.array(places, np.int32) + np.int32(begin * PIECES_MAX)
            self.pieces.extend(key, rows, np.frombuffer(values, np.int8).reshape(len(places), key[1]))

    def mark(self, numbers: npt.NDArray[np.int64], marks: Marks) -> None:
        """Note what has become of some nodes, as far as there are documents of them."""
        rows = self.documents.rows(numbers)
        known = rows != NOBODY
        self.documents.mark(rows[known], marks.at(known))

    def revector(self, number: int, vectors: Mapping[str, tuple[bytes, Sequence[bytes]]]) -> None:
        """Let the document of a node, if there is one, have these vectors, by model, and no others.

        Each is that of the whole, and those of its pieces.
        """
        row = self.documents.row(number)
        if row is None:
            return
        whole = {model: np.frombuffer(values, np.int8) for model, (values, _) in vectors.items()}
        pieces = {
            model: np.frombuffer(b"".join(parts), np.int8).reshape(len(parts), len(values))
            for model, (values, parts) in vectors.items()
        }
        self.vectors.put(row, whole)
        self.pieces.put(row, pieces)
