"""The index of one memory: its documents, their words, their vectors, at the position of the graph.

An index that has grown, one that is built anew and one that is loaded from an image give the same scores, bit for bit:
whatever a score depends on is counted over what lives now, in order of number.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt
from yggdrasil_schemas.graph import NodeFlag, is_feature, node_number

from ..graph.rows import node_table
from ..graph.working_set import Graph
from .documents import NOBODY, Documents
from .names import Names
from .postings import Postings
from .reading import WITNESSES, Read, Reader, Witness, digest, vector_in
from .standing import Standing
from .vectors import ModelKey, Vectors

INDEX: Final = "arrays/1"
_PAGE_RECORDS: Final = 1_024
_BATCH_TERMS: Final = 500_000  # some 20,000 documents; their lists take 40 MB while they are read
_COMPACT_MIN: Final = 64
_EMPTY_BYTES: Final = 6_000  # of an index with nothing in it: its objects
_BULK: Final = 256  # from so many on, one pass over a memory's scalars is quicker than asking for each
_ARCHIVED: Final = int(NodeFlag.ARCHIVED)
_VECTORED: Final = int(NodeFlag.VECTORED)


class MemoryIndex:
    """What is searched of one memory. ``seq`` says up to which command it has been read."""

    def __init__(self, memory: str) -> None:
        self.memory = memory
        self.seq: int = 0
        self.documents = Documents()
        self.postings = Postings()
        self.vectors = Vectors()
        self.sessions: dict[str, int] = {}
        self.witnesses: list[Witness] = []
        self._following: int = 0  # where to go on, when only a part has been read of what was folded since ``seq``
        self._revectored: set[int] = set()
        self._names = Names()
        self._standing: Standing | None = None
        self._standing_of = -1

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        parts = self.documents.nbytes + self.postings.nbytes + self.vectors.nbytes + self._names.nbytes
        parts += self._standing.nbytes if self._standing else 0
        return _EMPTY_BYTES + parts + 160 * len(self.sessions) + 60 * len(self._revectored)

    @property
    def next_number(self) -> int:
        """The first number that a node which has not been read may have."""
        return self._following or node_number(self.seq + 1)

    @property
    def partly(self) -> bool:
        """Whether some documents beyond ``seq`` have been read and others not: then nothing is to be asked of it."""
        return self._following > 0

    @property
    def standing(self) -> Standing:
        """The documents as they stand now."""
        if self._standing is None or self._standing_of != self.documents.changes:
            self._standing, self._standing_of = Standing(self.documents), self.documents.changes
        return self._standing

    @property
    def names(self) -> Names:
        """The features by what they say."""
        self._names.catch_up(self.postings.lexicon)
        return self._names

    def committed(self, graph: Graph) -> None:
        """Note which of the documents are gone, archived, or have other vectors. What is new is read when asked for."""
        unread = self.next_number
        for number, node in graph.changed_nodes.items():  # any order
            if number < unread and not is_feature(number):
                row = self.documents.row(number)
                if row is not None:
                    archived = node is not None and bool(node.flags & _ARCHIVED)
                    self.documents.mark(row, alive=node is not None, archived=archived)
        self._revectored.update(number for number in graph.changed_vectors if number < unread)

    def catch_up(self, graph: Graph, records_max: int | None = None) -> bool:
        """Read what was folded since the last time; return whether that was all. It costs nothing when nothing was.

        With ``records_max`` it may end after so many contents. Until all of them have been read, the index is told of
        every commit, and nothing is asked of it.
        """
        if graph.header.seq == self.seq and not self.partly:
            return True
        reader = Reader(graph, self.postings, self.sessions)
        following, count = self.next_number, records_max or _PAGE_RECORDS
        while page := graph.source.contents_from(following, count):
            for number, content in page:
                if not is_feature(number):
                    reader.add(number, content)
            following = page[-1][0] + 1
            if records_max is not None and len(page) == count:  # a shorter one is the last
                self._add(graph, reader.finish())
                self._following = following
                return False
            if reader.terms > _BATCH_TERMS:
                self._add(graph, reader.finish())
                reader = Reader(graph, self.postings, self.sessions)
        self._add(graph, reader.finish())
        for number in sorted(self._revectored):
            self._revector(graph, number)
        self._revectored.clear()
        self.seq = graph.header.seq
        self._following = 0
        self._compact()
        return True

    def reconcile(self, graph: Graph) -> None:
        """Note what became of the documents of an image since it was written."""
        if graph.header.seq == self.seq:
            return
        documents = self.documents
        table = node_table(graph)
        numbers = documents.columns.number
        live = table.keys.astype(np.int64)
        at = np.minimum(np.searchsorted(live, numbers), max(0, len(live) - 1))
        alive = live[at] == numbers if len(live) else np.zeros(len(numbers), np.bool_)
        flags = np.where(alive, table.rows["flags"][at] if len(live) else 0, 0)
        documents.mark_all(alive, (flags & _ARCHIVED) != 0)
        if (flags & _VECTORED).any():
            after = self.seq
            self._revectored.update(
                number for number, _, seq, _ in _attached(graph, 0) if seq > after and number < self.next_number
            )

    def fits(self, graph: Graph) -> bool:
        """Return whether ``graph`` continues the history that this index was read from, as its witnesses show."""
        if graph.header.seq < self.seq:
            return False
        live = [(graph.content(number), then) for number, then in self.witnesses]
        found = [digest(content) == then for content, then in live if content is not None]
        return all(found) and (bool(found) or not len(self.documents))

    def _add(self, graph: Graph, read: Read) -> None:
        """Append what was read, with the flags and the vectors that it has by now."""
        count = len(read.columns.number)
        if not count:
            return
        numbers: list[int] = read.columns.number.tolist()
        if count < _BULK:
            flags = np.array([graph.expect(number).flags for number in numbers])
        else:
            table = node_table(graph)
            flags = table.rows["flags"][np.searchsorted(table.keys.astype(np.int64), read.columns.number)]
        begin = len(self.documents)
        vectors = {(begin + place, model): values for place, model, values in read.vectors}
        if (flags & _VECTORED).any():
            known = dict(zip(numbers, range(begin, begin + count), strict=True))
            for number, model, _, record in _attached(graph, numbers[0]):
                if number > numbers[-1]:
                    break
                found = vector_in(record)
                if found is not None:
                    vectors[known[number], model] = found[1]
        self.witnesses = [*self.witnesses, *read.witnesses][-WITNESSES:]
        self.documents.extend(read.columns._replace(archived=(flags & _ARCHIVED) != 0))
        self.postings.extend(count, read.said)
        grouped: dict[ModelKey, list[int]] = {}
        for (row, model), values in vectors.items():
            grouped.setdefault((model, len(values)), []).append(row)
        for key, rows in grouped.items():
            self.vectors.extend(key, np.array(rows, np.int32), np.stack([vectors[row, key[0]] for row in rows]))

    def _revector(self, graph: Graph, number: int) -> None:
        """Read all vectors of a document anew."""
        row = self.documents.row(number)
        if row is None:
            return
        content = graph.content(number)
        if content is None:
            self.vectors.forget(row)
            return
        records = [content, *(record for _, record in graph.vectors(number).values())]  # what was attached wins
        self.vectors.put(row, dict(filter(None, map(vector_in, records))))

    def _compact(self) -> None:
        """Number everything anew when half of it is dead."""
        documents, vectors = self.documents, self.vectors
        if 2 * documents.dead > len(documents) > _COMPACT_MIN:
            alive = documents.columns.alive
            self._keep(alive)
        elif vectors.slots > 2 * len(vectors) + _COMPACT_MIN:
            self.vectors = Vectors(vectors.kept(np.arange(len(documents), dtype=np.int32)))

    def _keep(self, rows: npt.NDArray[np.bool_]) -> None:
        anew = np.where(rows, np.cumsum(rows) - 1, NOBODY).astype(np.int32)
        self.vectors = Vectors(self.vectors.kept(anew))
        self.postings = self.postings.kept(rows)
        self.documents = self.documents.kept(rows)
        self._names, self._standing = Names(), None
        sessions = self.documents.columns.session
        used = np.unique(sessions)
        sessions[:] = np.searchsorted(used, sessions)
        names = list(self.sessions)
        self.sessions = {names[number]: at for at, number in enumerate(used.tolist())}


def _attached(graph: Graph, number: int) -> Iterable[tuple[int, str, int, bytes]]:
    """Yield the vectors that were attached to nodes from ``number`` on."""
    while page := graph.source.vectors_from(number, _PAGE_RECORDS):
        yield from page
        number = page[-1][0] + 1
