"""What ``Memory.used`` takes: what a recall returned, the store's embedder, and a model that may be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from yggdrasil_infra.embedders.quantise import integers
from yggdrasil_projections.retrieval.answers import Became, Context, Described, SimilarCases
from yggdrasil_projections.retrieval.errors import InvalidAskError, UnknownNodeError
from yggdrasil_projections.retrieval.reads.operations.said import QUESTION_CHARS_MAX, SaidPage
from yggdrasil_projections.retrieval.using.finding import Returned, says

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yggdrasil_infra.embedders import Embedder
    from yggdrasil_projections.retrieval.using.vectors import Embed


class Reading(NamedTuple):
    """What is read of a memory to see what a recall returned: ``became``, ``said`` and ``describe`` of a ``Memory``."""

    became: Callable[[str], Became | None]
    said: Callable[..., SaidPage]
    describe: Callable[[str], Described]


def returned_by(read: Reading, recall: str | Context | SimilarCases) -> tuple[str, Returned]:
    """Return the id of a recall, and what it returned: of an answer what it shows, of an id what is read for it now.

    What was forgotten since says nothing. Raises InvalidAskError for what is no recall, or was not recorded.
    """
    if isinstance(recall, str):
        became = read.became(recall)
        page = read.said(position=became.place.offset, count=1).said if became and became.accepted else []
        said = next((each for each in page if each.id == recall), None)  # a lens hides it, and shows the next one
        if said is None or said.type != "record_recall":
            raise InvalidAskError(
                f"{recall[:40]!r} is the id of no recall that this memory shows: give the answer, or its id, and leave "
                "out a lens under which its record is hidden"
            )
        return recall, Returned(said.returned, [_text(read, ref) for ref in said.returned], said.question)
    if recall.recall_id is None:
        raise InvalidAskError("this answer was not recorded, so no use of it can be reported: ask with record=True")
    if isinstance(recall, Context):
        shown = [each.memory for each in (*recall.principles, *recall.found)]
    else:
        shown = [case.found.memory for case in (*recall.good, *recall.bad)]
    by_ref = {each.ref: says(each) for each in reversed(shown)}
    return recall.recall_id, Returned(
        recall.refs, [by_ref[ref] for ref in recall.refs], recall.query[:QUESTION_CHARS_MAX]
    )


def embedding_by(embedder: Embedder) -> Embed:
    """Return what makes unit vectors with an embedder. It raises EmbeddingError."""

    def embed(texts: Sequence[str]) -> NDArray[np.float64]:
        made = np.array([integers(vector) for vector in embedder.embed_documents(texts)], np.float64)
        unit: NDArray[np.float64] = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit

    return embed


def _text(read: Reading, ref: str) -> list[str]:
    with suppress(UnknownNodeError):
        return says(read.describe(ref).memory)
    return []
