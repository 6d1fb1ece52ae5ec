"""How documents stand, beside what is said of it, taken literally."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from yggdrasil_projections.retrieval.index.columns.documents import NOBODY, Columns, Documents
from yggdrasil_projections.retrieval.index.standing import SEGMENT, Standing
from yggdrasil_projections.retrieval.lens import NOTES
from yggdrasil_schemas.graph.records import NodeKind, Status

EVENT, OUTCOME = int(NodeKind.EVENT), int(NodeKind.OUTCOME)
EPISODE = int(NodeKind.EPISODE)
KINDS = (EVENT, EVENT, EVENT, OUTCOME, EPISODE)
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
        self.note = rng.choice((0, 0, 0, NOTES["fact"], NOTES["open_question"])) if self.kind == EVENT else 0

    @property
    def stands(self) -> bool:
        return self.status in STANDING and not self.stale and self.note != NOTES["open_question"]


def documents_of(rows: list[Row]) -> Documents:
    count = len(rows)
    of = {name: [getattr(row, name) for row in rows] for name in COUNTS}
    flags = {name: np.array([getattr(row, name) for row in rows], np.bool_) for name in ("alive", "archived", "stale")}
    documents = Documents()
    columns = {name: np.array(values, np.int64) for name, values in of.items()}
    empty = np.zeros(count, np.int64)
    documents.extend(Columns(**columns, speaker=empty, at=empty, chars=empty, asks=np.zeros(count, np.bool_), **flags))
    return documents


@pytest.mark.parametrize("seed", range(30))
def test_documents_stand_as_is_said(seed: int) -> None:
    rng = Random(f"standing{seed}")
    sessions = rng.choice((1, 2, 9))
    rows: list[Row] = []
    for number in range(1, rng.choice((1, 2, 20, 400, 900))):
        rows.append(Row(rng, number * 3, [row.number for row in rows if row.kind != OUTCOME], sessions))
    standing = Standing(documents_of(rows))

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
