"""From when until when the claims of a memory hold, for those of which that is known."""

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim

from ...asks import Ask, Where

_BYTES_EACH: Final = 200


class Dated(NamedTuple):
    """Claims by their nodes' numbers: from when until before when each holds, and whether another took its place."""

    number: npt.NDArray[np.int64]
    begins: npt.NDArray[np.int64]
    until: npt.NDArray[np.int64]
    closed: npt.NDArray[np.bool_]


class Moments:
    """Which claims hold at a moment. What nobody said since or until when holds at any."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[int, int, bool]] = {}
        self._dated: Dated | None = None
        self._turns: npt.NDArray[np.int64] | None = None

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return _BYTES_EACH * len(self._of)

    def put(self, number: int, claim: Claim | None) -> bool:
        """Take in what a claim has become, None for one that is gone; return whether anything has changed."""
        until = OPEN_TO if claim is None else min(claim.ends, claim.closed)
        said = None
        if claim is not None and (claim.begins != OPEN_FROM or until != OPEN_TO):
            said = claim.begins, until, claim.closed != OPEN_TO
        if self._of.get(number) == said:
            return False
        if said is None:
            del self._of[number]
        else:
            self._of[number] = said
        self._dated = self._turns = None
        return True

    @property
    def dated(self) -> Dated:
        """All of them, in order of number."""
        if self._dated is None:
            rows = sorted((number, *said) for number, said in self._of.items())
            number, begins, until, closed = np.array(rows, np.int64).reshape(-1, 4).T
            self._dated = Dated(number, begins, until, closed != 0)
        return self._dated

    def turn(self, at: int) -> int | None:
        """Return the last moment up to ``at`` at which a claim began or ended to hold; None where nothing ever does.

        What holds at ``at`` is what held then. Before the first of these it is a moment before that.
        """
        if not self._of:
            return None
        if self._turns is None:
            dated = self.dated
            known = np.concatenate((dated.begins, dated.until))
            self._turns = np.unique(known[(known != OPEN_FROM) & (known != OPEN_TO)])
        place = int(np.searchsorted(self._turns, at, side="right"))
        return int(self._turns[place - 1]) if place else int(self._turns[0]) - 1


def at_present(moments: Moments, ask: Ask, at_ms: int) -> Ask:
    """Return an ask of what holds now, ``at_ms``, as of the last turn before that; or of the time that it speaks of.

    One that says of when it is meant, or asks for what no longer stands, is left as it is.
    """
    from ...questions.then import spoken_of

    then = None if ask.understood is None else spoken_of(ask.query, ask.understood.times, at_ms)
    turn = moments.turn(at_ms if then is None else then.until)
    if turn is None:
        return ask
    where = ask.where or Where()
    if where.valid_at is not None or where.history or where.statuses is not None:
        return ask
    since = None if then is None or then.since is None else min(then.since, turn)
    return replace(ask, where=where.having(valid_at=turn, valid_since=since))
