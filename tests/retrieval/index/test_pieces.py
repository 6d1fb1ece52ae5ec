"""The pieces of long documents: each counts for its document, and none for one that is gone."""

import numpy as np

from yggdrasil_projections.retrieval.index.columns.pieces import Pieces

ONE = np.array([[1, 0, 0], [0, 1, 0]], np.int8)
OTHER = np.array([[0, 0, 1]], np.int8)
QUESTION = np.array([0, 3, 4], np.int8)


def close(pieces: Pieces) -> list[tuple[int, float]]:
    rows, cosines = pieces.cosines("m", QUESTION) or (np.empty(0, np.int64), np.empty(0))
    return sorted(zip(rows.tolist(), cosines.round(9).tolist(), strict=True))


def test_each_piece_is_compared_for_its_document() -> None:
    pieces = Pieces()
    pieces.put(7, {"m": ONE, "other": OTHER})
    pieces.put(2, {"m": OTHER})
    assert close(pieces) == [(2, 0.8), (7, 0.0), (7, 0.6)]
    assert sorted(set(pieces.rows("m", 3).tolist())) == [2, 7]
    assert pieces.rows("m", 4).tolist() == [] and pieces.cosines("none", QUESTION) is None
    assert len(pieces) == 4


def test_what_is_put_anew_has_no_piece_of_before() -> None:
    pieces = Pieces()
    pieces.put(7, {"m": ONE})
    pieces.put(7, {"m": OTHER})
    assert close(pieces) == [(7, 0.8)]
    pieces.put(7, {})
    assert close(pieces) == [] and len(pieces) == 0


def test_what_is_kept_or_moved_is_the_same_for_the_same_documents() -> None:
    pieces = Pieces()
    for row, values in ((3, ONE), (5, OTHER), (9, ONE)):
        pieces.put(row, {"m": values})
    pieces.put(3, {"m": OTHER})
    kept = Pieces(pieces.kept())
    assert close(kept) == close(pieces)
    kept.put(9, {})
    assert [row for row, _ in close(kept)] == [3, 5]
    moved = Pieces()
    pieces.move([3, 9], moved, 20)
    assert close(moved) == [(20, 0.8), (21, 0.0), (21, 0.6)]
