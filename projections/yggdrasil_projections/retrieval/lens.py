"""Which of what a memory holds an ask sees: the one gate of every read.

By default that is what stands: what is active, established or contested, and nothing that says what does not.
"""

from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from yggdrasil_projections.graph.lensed import lensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.experience import UTTERANCE, NoteKind
from yggdrasil_schemas.graph.knowledge import OPEN_TO, Claim
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status

from .asks import Where

STANDING: Final = (Status.ACTIVE, Status.PRIOR, Status.CONTESTED)
NOTES: Final[dict[str, int]] = {kind: number for number, kind in enumerate(get_args(NoteKind), 1)}
"""The number of each sort of note in an index; what is none has 0."""
_OPEN: Final = NOTES["open_question"]
_UTTERANCE: Final = NOTES[UTTERANCE]
LESSON, RULE, DESK = (len(NOTES) + number for number in (1, 2, 3))
"""The numbers of classes of claims that are no plain facts, beside the sorts of notes: so they are found at once."""
CLASSES: Final[dict[str, int]] = {"lesson": LESSON, "rule": RULE, "desk": DESK}
NOTES_MAX: Final = DESK
TASK: Final = "task:"
"""What the feature of a task begins with."""
_DESKS_OF: Final = (TASK, "session:")  # what desks are about
_STALE: Final = int(NodeFlag.STALE)
_STATUSES: Final = max(Status) + 1


def stands(node: Node) -> bool:
    """Whether a node is there for whoever asks without a word about it."""
    return node.status in STANDING and not node.flags & _STALE


def admits(where: Where | None, node: Node) -> bool:
    """Whether a node is there for whoever asks with a filter, as far as its status and its trust go."""
    if where is None:
        return stands(node)
    if where.trust_min is not None and node.trust < where.trust_min:
        return False
    if where.statuses is not None:
        return Status(node.status).name.lower() in where.statuses
    return where.history is True or stands(node)


def narrowed(where: Where | None, trust_min: int) -> Where | None:
    """Return a filter that also asks for that much trust; 0 asks for none."""
    if not trust_min:
        return where
    where = where or Where()
    return where.having(trust_min=max(trust_min, where.trust_min or 0))


def seen_by(graph: Graph, where: Where | None) -> Graph:
    """Return a graph in which nothing is that a filter trusts too little, whatever hangs on what it admits."""
    return lensed(graph, None if where is None else where.trust_min)


def holds(where: Where | None, node: Node, claim: Claim) -> bool:
    """Whether a claim is there for whoever asks, as far as its status, its trust and the moment in question go.

    What another value took the place of is there of when it is known to have held.
    """
    at = None if where is None else where.valid_at
    if at is None:
        return admits(where, node)
    since = at if where is None or where.valid_since is None else where.valid_since
    if claim.begins > at or since >= min(claim.ends, claim.closed):
        return False
    trusted = where is None or where.trust_min is None or node.trust >= where.trust_min
    held = node.status == Status.SUPERSEDED and claim.closed != OPEN_TO
    return admits(where, node) or (held and trusted and (where is None or where.statuses is None))


def admitted(
    where: Where | None, status: npt.NDArray[Any], stale: npt.NDArray[Any], trust: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    """Return where ``admits`` is true, of arrays of one length."""
    table = np.zeros(_STATUSES, np.bool_)
    seen: npt.NDArray[np.bool_]
    if where is not None and where.statuses is not None:
        table[[Status[name.upper()] for name in where.statuses]] = True
        seen = table[status]
    elif where is not None and where.history is True:
        seen = np.ones(len(status), np.bool_)
    else:
        table[list(STANDING)] = True
        seen = table[status] & ~stale
    if where is not None and where.trust_min is not None:
        seen &= trust >= where.trust_min
    return seen


def answering(where: Where | None, note: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where an array of sorts of notes has what may be an answer.

    That is no open question, unless one asks for it, for statuses or for the history; and no utterance, unless one asks
    for it by its sort: what a loop said is found by nothing else, or it would answer with its own questions. What is on
    a desk is found by whoever asks within its session or its task alone.
    """
    if where is not None and where.notes is not None:
        return np.ones(len(note), np.bool_)  # those that are not meant are left out by the filter
    asked = where is not None and (where.statuses is not None or where.history is True)
    answers: npt.NDArray[np.bool_] = note != _UTTERANCE
    if not at_desks(where):
        answers = answers & (note != DESK)
    return answers if asked else answers & (note != _OPEN)


def at_desks(where: Where | None) -> bool:
    """Whether a filter names the sessions or the tasks whose desks are looked at too."""
    if where is None:
        return False
    every, some = where.features_all or (), where.features_any or ()
    if where.sessions is not None or any(name.startswith(_DESKS_OF) for name in every):
        return True
    return bool(some) and all(name.startswith(_DESKS_OF) for name in some)


def happening(where: Where | None, note: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return where an array of sorts of notes has what is told of what happened: what may answer, and utterances."""
    happened: npt.NDArray[np.bool_] = answering(where, note) | (note == _UTTERANCE)
    return happened
