"""What a filter admits of an index: masks over its documents, made of what its columns hold."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.records import NodeKind, Status, node_number

from ..asks import Where
from ..lens import NOTES, NOTES_MAX, admitted, happening
from .columns.documents import NOBODY, Array
from .held import Held
from .vocabulary import FEATURE_TERM

_NUMBER_MAX: Final = 2**63 - 1
Mask = npt.NDArray[np.bool_]


class Admission:
    """What a filter admits of the documents of an index, dead ones too. A value that nothing has admits nothing."""

    def __init__(self, held: Held, where: Where) -> None:
        self._held = held
        self.where = where

    def said(self) -> Mask:
        """Return which documents were said at the right time by the right ones."""
        columns, where = self._held.documents.columns, self.where
        admitted = np.ones(len(self._held.documents), np.bool_)
        if where.since is not None:
            admitted &= columns.at >= where.since
        if where.until is not None:
            admitted &= columns.at <= where.until
        if where.sources is not None or where.origins is not None:
            speakers = self._held.speakers
            wanted = [
                number
                for (source, origin), number in speakers.items()
                if (where.sources is None or source in where.sources)
                and (where.origins is None or origin in where.origins)
            ]
            admitted &= _among(columns.speaker, wanted, len(speakers))
        return admitted

    def belongs(self, outcomes: Array, judged: Array) -> Mask:
        """Return which documents are of the right kind, sort of note and session, and have the right features.

        Each of ``outcomes`` gives its features to that of ``judged`` which it stands for.
        """
        columns, where = self._held.documents.columns, self.where
        admitted = np.ones(len(self._held.documents), np.bool_)
        if where.kinds is not None:
            kinds = [NodeKind[kind.upper()] for kind in where.kinds]
            admitted &= _among(columns.kind, kinds, max(NodeKind) + 1)
        if where.notes is not None:
            admitted &= _among(columns.note, [NOTES[kind] for kind in where.notes], NOTES_MAX + 1)
        if where.sessions is not None:
            sessions = self._held.sessions
            known = [sessions[name] for name in where.sessions if name in sessions]
            admitted &= _among(columns.session, known, len(sessions))
        for name in where.features_all or ():
            admitted &= self._having(name, outcomes, judged)
        if where.features_any is not None:
            some = np.zeros(len(admitted), np.bool_)
            for name in where.features_any:
                some |= self._having(name, outcomes, judged)
            admitted &= some
        return admitted

    def standing(self, stands: Mask) -> Mask:
        """Return which documents are admitted of those that stand, each with the features of its outcomes that do."""
        columns = self._held.documents.columns
        admitted = stands & columns.alive & self.said()
        outcomes = np.flatnonzero(admitted & (columns.kind == NodeKind.OUTCOME))
        rows = self._held.documents.rows(columns.judged[outcomes])
        known = rows != NOBODY
        return admitted & self.belongs(outcomes[known], rows[known])

    def held_then(self, standing: Mask) -> Mask:
        """Return ``standing`` with the claims that hold at the moment in question, and without those that do not.

        What another value took the place of is there of when it is known to have held.
        """
        at, where = self.where.valid_at, self.where
        dated = self._held.moments.dated
        if at is None or not len(dated.number):
            return standing
        columns = self._held.documents.columns
        rows = self._held.documents.rows(dated.number)
        known = rows != NOBODY
        since = at if where.valid_since is None else where.valid_since
        rows, inside = rows[known], ((dated.begins <= at) & (since < dated.until))[known]
        standing = standing.copy()
        standing[rows[~inside]] = False
        if where.statuses is None:
            gave_way = rows[inside & dated.closed[known] & (columns.status[rows] == Status.SUPERSEDED)]
            standing[gave_way] = columns.trust[gave_way] >= (where.trust_min or 0)
        return standing

    def _having(self, feature: str, outcomes: Array, judged: Array) -> Mask:
        postings = self._held.postings
        having = np.zeros(len(self._held.documents), np.bool_)
        term = postings.number.get(FEATURE_TERM + feature)
        if term is not None:
            having[postings.posting(term).rows] = True
            having[judged[having[outcomes]]] = True
        return having


def told(held: Held, where: Where | None, before: int | None) -> Mask:
    """Return which documents are told of what happened before a seq: those that stand, and that a filter admits.

    What a loop said is among them, though no search finds it: it happened.
    """
    columns, admission = held.documents.columns, Admission(held, where or Where())
    stands = admitted(where, columns.status, columns.stale, columns.trust) & happening(where, columns.note)
    wanted = admission.held_then(admission.standing(stands))
    if before is not None:
        wanted &= columns.number < min(node_number(max(before, 0)), _NUMBER_MAX)
    return wanted


def _among(column: Array, wanted: Iterable[int], count: int) -> Mask:
    """Return where a column, of numbers below ``count``, has one of some numbers."""
    table = np.zeros(max(count, 1), np.bool_)
    table[list(wanted)] = True
    return table[column]
