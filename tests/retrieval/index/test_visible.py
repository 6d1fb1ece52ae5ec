"""How documents stand, beside what is said of it, taken literally."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from yggdrasil_projections.retrieval.index.columns.documents import NOBODY, Columns, Documents
from yggdrasil_projections.retrieval.index.columns.having import Having
from yggdrasil_projections.retrieval.index.columns.vectors import Matrix
from yggdrasil_projections.retrieval.index.visible import SEGMENT, VisibleDocuments
from yggdrasil_projections.retrieval.lens import NOTES
from yggdrasil_schemas.graph.records import NodeKind, Status

EVENT, OUTCOME = int(NodeKind.EVENT), int(NodeKind.OUTCOME)
EPISODE = int(NodeKind.EPISODE)
KINDS = (EVENT, EVENT, EVENT, OUTCOME, EPISODE)
DECAY = (0.9, 0.7, 0.5, 0.3)
STANDING = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)


COUNTS = ("number", "kind", "session", "judged", "words", "status", "trust", "note")


class Row:
    def __init__(self, rng: Random, number: int, judgeable: Sequence[int], sessions: int) -> None:
        self.number = number
        self.kind = rng.choice(KINDS) if judgeable else EVENT
        self.judged = rng.choice(judgeable) if self.kind == OUTCOME else 0
        self.session = rng.randrange(sessions)
        self.words = rng.randrange(30)
        self.alive = rng.random() < 0.8
        self.archived = rng.random() < 0.1
        self.status = rng.choice((*STANDING, *STANDING, *Status))
        self.stale = self.kind == EPISODE and rng.random() < 0.3
        self.trust = rng.randrange(5)
        self.note = (
            rng.choice((0, 0, 0, NOTES["fact"], NOTES["open_question"], NOTES["utterance"]))
            if self.kind == EVENT
            else 0
        )

    @property
    def stands(self) -> bool:
        return (
            self.status in STANDING and not self.stale and self.note not in (NOTES["open_question"], NOTES["utterance"])
        )


def columns_of(rows: list[Row]) -> Columns:
    count = len(rows)
    of = {name: [getattr(row, name) for row in rows] for name in COUNTS}
    flags = {name: np.array([getattr(row, name) for row in rows], np.bool_) for name in ("alive", "archived", "stale")}
    columns = {name: np.array(values, np.int64) for name, values in of.items()}
    empty = np.zeros(count, np.int64)
    return Columns(
        **columns, speaker=empty, at=empty, chars=empty, saying=empty, asks=np.zeros(count, np.bool_), **flags
    )


def documents_of(rows: list[Row]) -> Documents:
    documents = Documents()
    documents.extend(columns_of(rows))
    return documents


@pytest.mark.parametrize("seed", range(30))
def test_documents_stand_as_is_said(seed: int) -> None:
    rng = Random(f"standing{seed}")
    sessions = rng.choice((1, 2, 9))
    rows: list[Row] = []
    for number in range(1, rng.choice((1, 2, 20, 400, 900))):
        rows.append(Row(rng, number * 3, [row.number for row in rows if row.kind != OUTCOME], sessions))
    standing = VisibleDocuments(documents_of(rows))

    known = {row.number: row for row in rows}
    shown: dict[int, int] = {}
    for at, row in enumerate(rows):
        judged = known.get(row.judged)
        fell = judged is not None and judged.alive and not judged.stands  # with what it judged
        if row.alive and not row.archived and row.stands and not fell:
            shown[row.number] = at
    stands = [shown.get(row.judged, at) if row.number in shown else NOBODY for at, row in enumerate(rows)]
    assert standing.for_row.tolist() == stands
    counted = [at for at, place in enumerate(stands) if place == at]
    assert standing.documents == len(counted)

    segments = 0
    for session in range(sessions):
        inside = [at for at in counted if rows[at].session == session]
        for begin in range(0, len(inside), SEGMENT):
            together = inside[begin : begin + SEGMENT]
            assert {int(standing.segment[at]) for at in together} == {segments}
            said = sum(row.words for row, place in zip(rows, stands, strict=True) if place in together)
            assert standing.words[segments] == said
            segments += 1
        events = [at for at in inside if rows[at].kind == EVENT]
        assert standing.before[events].tolist() == [NOBODY, *events[:-1]][: len(events)]
        assert standing.after[events].tolist() == [*events[1:], NOBODY][-len(events) :][: len(events)]
    assert len(standing.words) == segments


def same(standing: VisibleDocuments, made: VisibleDocuments, matrix: Matrix) -> None:
    """What has grown and what is made anew say the same; where documents stand on the line is their own affair."""
    for name in ("for_row", "counted", "said", "before", "after", "segment", "words", "asks"):
        assert getattr(standing, name).tolist() == getattr(made, name).tolist(), name
    assert (standing.documents, standing.said_in_all) == (made.documents, made.said_in_all)
    values, rows = np.arange(1.0, len(made.for_row) + 1), np.flatnonzero(made.counted)
    near = [each.line.nearest(values, DECAY, rows).tolist() for each in (standing, made)]
    reached = [each.line.reached(rows[::5]).take(each.line.place.take(rows)).tolist() for each in (standing, made)]
    assert (near[0], reached[0]) == (near[1], reached[1])
    assert shown(standing.having(matrix)) == shown(made.having(matrix))


def shown(having: Having) -> list[object]:
    slices = isinstance(having.taken, slice), isinstance(having.given, slice)
    every = np.arange(having.of[1] + len(having.rows) + 1_000)
    arrays = having.rows, having.slots, having.others, having.places, every[having.taken], every[having.given]
    return [having.of, slices, *(array.tolist() for array in arrays)]


@pytest.mark.parametrize("seed", range(30))
def test_what_is_appended_is_taken_in(seed: int) -> None:
    """Documents come a few at a time, to sessions that take turns; with every one the standing is as if made anew."""
    rng = Random(f"grown{seed}")
    sessions, healthy, vectored = rng.choice((1, 3, 40)), rng.choice((0.0, 0.8, 1.0)), rng.choice((0.0, 0.5, 1.0))
    documents, matrix, rows = Documents(), Matrix(("m", 2)), list[Row]()
    standing, grown = VisibleDocuments(documents), 0
    for _ in range(25):
        begin = len(rows)
        for number in range(begin + 1, begin + rng.choice((1, 2, 9, 30)) + 1):
            row = Row(rng, number * 3, [row.number for row in rows if row.kind != OUTCOME], sessions)
            if rng.random() < healthy:
                row.kind, row.alive, row.archived, row.status, row.stale = EVENT, True, False, Status.ACTIVE, False
            rows.append(row)
        documents.extend(columns_of(rows[begin:]))
        having = [at for at in range(begin, len(rows)) if rng.random() < vectored]
        matrix.extend(np.array(having, np.int32), np.ones((len(having), 2), np.int8))
        if standing.grow(documents):
            grown += 1
        else:
            standing = VisibleDocuments(documents)
        same(standing, VisibleDocuments(documents), matrix)
    assert grown >= 3
