"""The indexes of a host: of each memory that is asked, at the position of its graph, bounded in bytes."""

import logging
import os
from collections import OrderedDict
from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final, Self

from yggdrasil_infra.paths import PathError, whole
from yggdrasil_projections.graph.unsound import Unsound
from yggdrasil_projections.graph.working_set import Graph

from ..text.tokenizers import TOKENIZER, Tokenizer
from .held import Held
from .image import BadImageError, image_path, read_image, swept, write_image
from .index import MemoryIndex

BYTES_MAX: Final = 1 << 30
PART_RECORDS: Final = 512
"""What is read of a large memory in one turn: it takes some 30 ms, and a pass over the memory's scalars."""
FOLLOWED_S: Final = 30.0
"""For so long after a question an index follows the fold: who asks again finds it read, but for the last contents."""
FOLLOWED_RECORDS: Final = 64
"""It does so this many at a time, which takes some 2 ms: for fewer, what is done once for all would be most of it."""
IMAGE_DOCUMENTS_MIN: Final = 2_000
"""From so many documents on an index has an image: what is smaller is built anew in a tenth of a second."""
IMAGE_MODELS_MAX: Final = 256
"""Beyond so many models there is none: it would be read in one turn, and a matrix takes as long as a document."""
_DISK_SHARE: Final = 4  # the images of a directory may take so many times what the indexes in memory may
_LOG: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Counts:
    """What a view has done: indexes built anew, loaded from an image, written to one; images that did not fit."""

    built: int = 0
    loaded: int = 0
    written: int = 0
    unfit: int = 0


class RetrievalView:
    """The indexes of the memories that were asked lately, the one that was asked longest ago first.

    Whoever shares a view asks and commits under one lock. A context manager.
    """

    def __init__(
        self,
        directory: Path | None,
        bytes_max: int = BYTES_MAX,
        image_documents_min: int | None = None,
        tokenizer: Tokenizer = TOKENIZER,
    ) -> None:
        """Keep about ``bytes_max`` bytes in memory, and at least the index that is asked.

        What has to go is written to ``directory`` if it has at least ``image_documents_min`` documents (2,000 unless
        given), or dropped; then it is built anew when it is asked again. ``tokenizer`` makes the terms of them all.
        """
        self.counts = Counts()
        self.unsound = Unsound()
        self._directory = None if directory is None else whole(directory)
        self._tokenizer = tokenizer
        self._bytes_max = bytes_max
        self._image_documents_min = IMAGE_DOCUMENTS_MIN if image_documents_min is None else image_documents_min
        self._bytes = 0
        self._indexes: OrderedDict[str, MemoryIndex] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._asked: dict[str, float] = {}
        self._saved: dict[str, int] = {}  # the seq of the image of each index that is held

    @property
    def nbytes(self) -> int:
        """About how many bytes the indexes take."""
        return self._bytes

    @property
    def memories(self) -> list[str]:
        """The memories whose indexes are held, the one that was asked longest ago first."""
        return list(self._indexes)

    def committed(self, graph: Graph) -> None:
        """Take notice of a commit. Nothing is done for a memory that was not asked.

        Of one that was asked lately the contents are still at hand, and are read, some at a time: so the next question
        has little to read.
        """
        index = self._indexes.get(graph.header.memory)
        if index is None:
            return
        lately = monotonic() - self._asked.get(index.memory, 0.0) < FOLLOWED_S
        index.committed(graph, keep=lately)
        if lately and index.news >= FOLLOWED_RECORDS:
            try:
                index.catch_up(graph)
            except Exception:  # an index is a way of reading; the fold does not end for one
                _LOG.exception("%s: the index cannot follow the fold, and will be built anew", index.memory)
                self._let_go(index.memory)

    def at(self, memory: str) -> int | None:
        """Return the seq at which the index of a memory stands; None while none is held."""
        index = self._indexes.get(memory)
        return None if index is None else index.seq

    def rebuild(self, graph: Graph) -> None:
        """Forget the index of a memory, and its image, and make it anew."""
        memory = graph.header.memory
        if memory in self._indexes:
            self._let_go(memory)
        if self._directory is not None:
            with suppress(OSError):
                image_path(self._directory, memory).unlink(missing_ok=True)
        self.index(graph)

    def index(self, graph: Graph) -> MemoryIndex:
        """Return the index of a memory, brought to the position of ``graph``, which has no changes under way."""
        index = self._held(graph)
        index.catch_up(graph)
        self._asked[index.memory] = monotonic()
        self._measure(index)
        return index

    def sound(self, graph: Graph, partition: int) -> tuple[MemoryIndex, Set[int]]:
        """Return the index of a memory, as ``index``, without the nodes that no answer shows; and these.

        Raises UnsoundRecordError where they are too many.
        """
        index = self.index(graph)
        for error in index.unsound.values():
            self.unsound.note(error, partition)
        hidden = self.unsound.among(graph)
        if not index.unsound.keys() <= hidden:  # one was mended, or forgotten
            self.rebuild(graph)
            index = self.index(graph)
        index.hide(graph, hidden)
        return index, hidden

    def warm(self, graph: Graph) -> bool:
        """Read a part of what the index of a memory lacks; return whether ``index`` has nothing to read any more.

        Whoever asks a large memory calls it in one turn after the other, so that nobody waits until all is read.
        """
        index = self._held(graph)
        whole = index.catch_up(graph, PART_RECORDS)
        if whole:  # before, two that are being built could drop each other for ever
            self._measure(index)
        return whole

    def close(self) -> None:
        """Write what has changed and is large to its images, and let go of all. Closing twice is allowed.

        If the images of the directory take more than four times what the indexes may, those not used longest go.
        """
        written = self.counts.written
        for memory in self.memories:
            self._drop(memory)
        if self._directory is not None and self.counts.written > written:
            with suppress(OSError):
                swept(self._directory, _DISK_SHARE * self._bytes_max)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _held(self, graph: Graph) -> MemoryIndex:
        memory = graph.header.memory
        index = self._indexes.get(memory) or self._load(graph) or self._anew(memory)
        self._indexes[memory] = index
        self._indexes.move_to_end(memory)
        return index

    def _measure(self, index: MemoryIndex) -> None:
        """Count what the index takes by now, and drop others if that is too much."""
        size = index.nbytes
        self._bytes += size - self._sizes.get(index.memory, 0)
        self._sizes[index.memory] = size
        while self._bytes > self._bytes_max and len(self._indexes) > 1:
            self._drop(next(iter(self._indexes)))

    def _anew(self, memory: str) -> MemoryIndex:
        self.counts.built += 1
        return MemoryIndex(memory, Held(tokenizer=self._tokenizer))

    def _load(self, graph: Graph) -> MemoryIndex | None:
        """Return the index in the image of a memory as the graph is now, None when there is none or it does not fit."""
        if self._directory is None:
            return None
        memory = graph.header.memory
        try:
            index = read_image(self._directory, memory, self._tokenizer)
            if index is None:
                return None
            if not index.fits(graph):
                raise BadImageError("it is of another history")
        except (BadImageError, OSError) as error:
            self.counts.unfit += 1
            _LOG.warning("%s: the image of the index is not used, and the index is built anew: %s", memory, error)
            return None
        self.counts.loaded += 1
        self._saved[memory] = index.seq
        with suppress(OSError):
            os.utime(image_path(self._directory, memory))  # it was used
        index.reconcile(graph)
        return index

    def _let_go(self, memory: str) -> tuple[MemoryIndex, int]:
        """Forget an index; return it, and the seq of its image, -1 when it has none."""
        self._bytes -= self._sizes.pop(memory, 0)
        self._asked.pop(memory, None)
        return self._indexes.pop(memory), self._saved.pop(memory, -1)

    def _drop(self, memory: str) -> None:
        index, saved = self._let_go(memory)
        if self._directory is None or saved == index.seq or index.partly or index.lacking:
            return
        try:
            few = len(index.documents) < max(1, self._image_documents_min)
            if few or index.vectors.models > IMAGE_MODELS_MAX:
                if saved >= 0:  # it was otherwise
                    image_path(self._directory, memory).unlink(missing_ok=True)
                return
            write_image(self._directory, index)
        except (OSError, PathError) as error:
            _LOG.warning("%s: the index could not be written, and will be built anew: %s", memory, error)
        else:
            self.counts.written += 1
