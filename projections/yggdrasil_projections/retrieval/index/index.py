"""The index of one memory: its documents, their words, their vectors, at the position of the graph.

An index that has grown, one that is built anew and one that is loaded from an image give the same scores, bit for bit:
whatever a score depends on is counted over what lives now, in order of number.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.unsound import UnsoundRecordError, check_attached, check_folded
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.codec import NODE_ROWS
from yggdrasil_schemas.graph.records import NodeFlag, is_feature, node_number
from yggdrasil_schemas.limits import PIECES_MAX

from ..asks import Where
from ..text.passages import LONG_CHARS
from ..text.tokenizers import Tokenizer
from .columns.documents import Documents, Marks, mark_of
from .columns.moments import Moments
from .columns.postings import Postings
from .columns.vectors import Vectors
from .held import Held
from .names import FeatureNames
from .reading import (
    PAGE_RECORDS,
    WITNESSES,
    Read,
    Reader,
    Witness,
    attached_from,
    by_model,
    claims_among,
    counting,
    digest,
    rows_of,
    vector_in,
    vectors_of,
)
from .renewal import Renewal
from .visible import Shown, Standings

INDEX: Final = "arrays/8"
NEWS_MAX: Final = 512
"""So many contents wait to be read at most; with more, all are read from the graph's source when somebody asks."""
_NEWS_PAGE: Final = 128  # contents that are read together; what is done once for all is then little of it
_BATCH_TERMS: Final = 500_000  # some 20,000 documents; their lists take 40 MB while they are read
_RENEWED_FROM: Final = 64  # rows
_DEAD_SHARE: Final = 3
_STEP_ROWS: Final = 64  # of a renewal, which takes 8 us for each; and so many for each document that was read,
_STEP_FACTOR: Final = 6  # so that it comes to an end
_EMPTY_BYTES: Final = 8_000  # of an index with nothing in it: its objects
_VECTORED: Final = int(NodeFlag.VECTORED)


class MemoryIndex:
    """What is searched of one memory. ``seq`` says up to which command it has been read."""

    def __init__(self, memory: str, held: Held | None = None, seq: int = 0, witnesses: Sequence[Witness] = ()) -> None:
        """Begin with nothing, or with what an image has kept."""
        self.memory = memory
        self.seq = seq
        self.witnesses: list[Witness] = list(witnesses)
        self._held = Held() if held is None else held
        self._following: int = 0  # where to go on, when only a part has been read of what was folded since ``seq``
        self._news: dict[int, bytes] | None = None  # all contents since ``seq``, if they have been kept
        self._revectored: set[int] = set()
        self._renewal: Renewal | None = None
        self._standings = Standings()
        self.unsound: dict[int, UnsoundRecordError] = {}
        """What was not read, since it is not what was folded, by node."""
        self._hidden: Set[int] = frozenset()

    @property
    def tokenizer(self) -> Tokenizer:
        """What makes the terms of its texts, and so those of the questions that it is asked."""
        return self._held.tokenizer

    @property
    def documents(self) -> Documents:
        """The documents, dead ones too."""
        return self._held.documents

    @property
    def postings(self) -> Postings:
        """Which documents have which terms."""
        return self._held.postings

    @property
    def vectors(self) -> Vectors:
        """The vectors of the documents."""
        return self._held.vectors

    @property
    def moments(self) -> Moments:
        """From when until when claims hold."""
        return self._held.moments

    @property
    def sessions(self) -> dict[str, int]:
        """The number of each session."""
        return self._held.sessions

    @property
    def held(self) -> Held:
        """All that is held."""
        return self._held

    @property
    def feature_names(self) -> FeatureNames:
        """The live features by what they say."""
        return self._held.feature_names

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        parts = sum(held.nbytes for held in self._all_held())
        return _EMPTY_BYTES + parts + self._standings.nbytes + 60 * len(self._revectored)

    @property
    def next_number(self) -> int:
        """The first number that a node which has not been read may have."""
        return self._following or node_number(self.seq + 1)

    @property
    def partly(self) -> bool:
        """Whether some documents beyond ``seq`` have been read and others not: then nothing is to be asked of it."""
        return self._following > 0

    @property
    def lacking(self) -> bool:
        """Whether something is not in it that a mended store would have: then it is kept by nobody."""
        return bool(self.unsound or self._hidden)

    @property
    def news(self) -> int:
        """How many contents have been kept since ``seq``, to be read."""
        return len(self._news or ())

    @property
    def renewing(self) -> bool:
        """Whether it is being made anew without its dead."""
        return self._renewal is not None

    def shown(self, *, deep: bool = False, where: Where | None = None) -> Shown:
        """Return what an ask sees as it stands now: a deep one what is archived as well, all what its filter admits."""
        held, standing = self._held, self._standings.of(self._held, deep=deep, where=where)
        return Shown(held.documents, held.postings, held.vectors, held.names, standing, held.tokenizer, held.pieces)

    def texts(self) -> npt.NDArray[np.intp]:
        """Return the rows of the documents that can be found and say something in clear."""
        columns = self.documents.columns
        return np.flatnonzero(columns.alive & ~columns.archived & (columns.chars > 0))

    def covered(self, rows: npt.NDArray[np.intp], model: str, dimension: int) -> npt.NDArray[np.bool_]:
        """Return which of ``rows`` have a vector of a model, and those of long texts that of a piece too."""
        matrix = self.vectors.matrix(model, dimension)
        if matrix is None:
            return np.zeros(len(rows), np.bool_)
        short = self.documents.columns.chars[rows] <= LONG_CHARS
        in_pieces = np.isin(rows, self.held.pieces.rows(model, dimension))
        return np.isin(rows, matrix.owners(0)) & (short | in_pieces)

    def committed(self, graph: Graph, *, keep: bool = False) -> None:
        """Note which of the documents are gone, archived, or have other vectors. What is new is read when asked for.

        With ``keep`` its contents are kept for that, as long as they are few.
        """
        unread = self.next_number
        changed = [
            (number, *mark_of(node))
            for number, node in graph.changed_nodes.items()  # any order
            if number < unread and not is_feature(number)
        ]
        if changed:
            numbers, *marks = map(np.array, zip(*changed, strict=True))
            for held in self._all_held():
                held.mark(numbers, Marks(*marks))
        self._revectored.update(number for number in graph.changed_vectors if number < unread)
        self._held.committed(graph, unread)
        claims = {number: claim for number, claim in graph.changed_claims.items() if number < unread}
        for held in self._all_held():
            held.rename(claims)
        self._keep(graph, keep)

    def _keep(self, graph: Graph, keep: bool) -> None:
        news = self._news
        if news is None or not keep or len(news) + len(graph.new_contents) > NEWS_MAX:
            self._news = None
            return
        for number in news.keys() & graph.changed_nodes.keys():
            if graph.changed_nodes[number] is None:
                del news[number]
        for number, content in graph.new_contents.items():  # in order of number
            if not is_feature(number):
                news[number] = content

    def hide(self, graph: Graph, numbers: Set[int]) -> None:
        """Let the documents of some nodes, and of no others, be as if these were gone."""
        for number in sorted(numbers | self._hidden):
            node = None if number in numbers else graph.node(number)
            marks = Marks(*(np.array([each]) for each in mark_of(node)))
            for held in self._all_held():
                held.mark(np.array([number]), marks)
        self._hidden = numbers

    def catch_up(self, graph: Graph, records_max: int | None = None) -> bool:
        """Read what was folded since the last time; return whether that was all. It costs nothing when nothing was.

        With ``records_max`` it may end after so many contents. Until all of them have been read, the index is told of
        every commit, and nothing is asked of it.
        """
        if graph.header.seq == self.seq and not self.partly:
            return True
        if not self.seq:
            self._held.call(graph)
        before = len(self.documents)
        if self._news is not None:
            news = iter(self._news.items())
            while page := list(islice(news, _NEWS_PAGE)):
                self._read(graph, page)
        elif not self._read_stored(graph, records_max):
            return False
        for number in sorted(self._revectored):
            self._revector(graph, number)
        self._revectored.clear()
        self.seq = graph.header.seq
        self._following = 0
        self._news = {}
        self._renew(len(self.documents) - before)
        return True

    def _read_stored(self, graph: Graph, records_max: int | None) -> bool:
        """Read what the graph's source has beyond what was read; return whether that was all."""
        reader = Reader(graph, self._held)
        following, count = self.next_number, records_max or PAGE_RECORDS
        while page := graph.source.contents_from(following, count):
            for number, content in page:
                try:
                    check_folded(graph, number, content)
                except UnsoundRecordError as error:
                    self.unsound[number] = error
                else:
                    reader.add(number, content)
            following = page[-1][0] + 1
            if records_max is not None and len(page) == count:  # a shorter one is the last
                self._add(graph, reader.finish())
                self._following = following
                return False
            if reader.terms > _BATCH_TERMS:
                self._add(graph, reader.finish())
                reader = Reader(graph, self._held)
        self._add(graph, reader.finish())
        return True

    def _read(self, graph: Graph, contents: Iterable[tuple[int, bytes]]) -> None:
        reader = Reader(graph, self._held)
        for number, content in contents:
            reader.add(number, content)
        self._add(graph, reader.finish())

    def reconcile(self, graph: Graph) -> None:
        """Note what became of the documents of an image since it was written, and what things are called."""
        self._held.call(graph)
        claims = claims_among(graph, self.documents.columns)
        self._held.date(claims)
        self._held.rename(claims)
        if graph.header.seq == self.seq:
            return
        documents = self.documents
        table = graph.node_table()
        numbers = documents.columns.number
        live = table.keys.astype(np.int64)
        at = np.minimum(np.searchsorted(live, numbers), max(0, len(live) - 1))
        alive = live[at] == numbers if len(live) else np.zeros(len(numbers), np.bool_)
        marks = Marks.of(table.rows[at]) if len(live) else Marks.of(np.zeros(len(numbers), NODE_ROWS))
        documents.mark_all(marks._replace(alive=alive))
        self._held.feature_names.keep(live.tolist())
        if len(live) and (table.rows["flags"][at][alive] & _VECTORED).any():
            self._revectored.update(
                number for number, _, seq, _ in attached_from(graph, 0) if seq > self.seq and number < self.next_number
            )

    def fits(self, graph: Graph) -> bool:
        """Return whether ``graph`` continues the history that this index was read from, as its witnesses show."""
        live = [(graph.content(number), then) for number, then in self.witnesses]
        found = [digest(content) == then for content, then in live if content is not None]
        return graph.header.seq >= self.seq and all(found) and (bool(found) or not len(self.documents))

    def _add(self, graph: Graph, read: Read) -> None:
        """Append what was read, with the flags and the vectors that it has by now."""
        count = len(read.columns.number)
        if not count:
            return
        numbers: list[int] = read.columns.number.tolist()
        rows = rows_of(graph, read.columns.number)
        flags = rows["flags"]
        vectors = {(place, each.model): each for place, each in read.vectors}
        if (flags & _VECTORED).any():
            known = dict(zip(numbers, range(count), strict=True))
            for number, model, seq, record in attached_from(graph, numbers[0]):
                if number > numbers[-1]:
                    break
                if number not in known:  # a feature may have one, and is no document
                    continue
                try:
                    check_attached(graph, number, seq, record)
                except UnsoundRecordError as error:
                    self.unsound[number] = error
                    continue
                found = vector_in(record)
                if found is not None:
                    vectors[known[number], model] = found
        claims = claims_among(graph, read.columns)
        self._held.date(claims)
        self.witnesses = [*self.witnesses, *read.witnesses][-WITNESSES:]
        chars: list[int] = read.columns.chars.tolist()
        whole = by_model((place, model, each.values) for (place, model), each in vectors.items())
        pieces = by_model(
            (place * PIECES_MAX + at, model, piece.values)
            for (place, model), each in vectors.items()
            for at, piece in enumerate(counting(each.pieces, chars[place]))
        )
        self._held.extend(read.columns.having(rows), read.said, whole, pieces, read.links)
        self._held.rename(claims)

    def _revector(self, graph: Graph, number: int) -> None:
        """Read all vectors of a document anew."""
        row = self.documents.row(number)
        if row is None:
            return
        content = graph.content(number)
        found: dict[str, tuple[bytes, Sequence[bytes]]] = {}
        if content is not None:
            chars = int(self.documents.columns.chars[row])
            try:
                check_folded(graph, number, content)
                vectors = vectors_of(graph, number, content)
            except UnsoundRecordError as error:
                self.unsound[number] = error
                return
            found = {
                each.model: (each.values, [piece.values for piece in counting(each.pieces, chars)]) for each in vectors
            }
        for held in self._all_held():
            held.revector(number, found)

    def _all_held(self) -> Iterator[Held]:
        """Yield what is asked, and what is made to take its place."""
        yield self._held
        if self._renewal is not None:
            yield self._renewal.held

    def _renew(self, read: int) -> None:
        """Make the index anew, in steps, when a third of it is dead: it is done before half of it is.

        ``read`` is how many documents have been added since the last step.
        """
        documents, vectors, pieces = self.documents, self.vectors, self._held.pieces
        if self._renewal is None:
            many = _DEAD_SHARE * documents.dead > len(documents) > _RENEWED_FROM
            few = all(each.slots <= 2 * len(each) + _RENEWED_FROM for each in (vectors, pieces))
            if not many and few:
                return
            self._renewal = Renewal(self._held)
        if self._renewal.step(_STEP_ROWS + _STEP_FACTOR * read):
            self._held, self._renewal, self._standings = self._renewal.held, None, Standings()
