"""Which of what a memory holds an ask sees: the one gate of every read.

By default that is what stands: what is active or contested, and no episode or concept of which a part does not.
"""

from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.graph.records import Node, NodeFlag, Status

from .asks import Where

STANDING: Final = (Status.ACTIVE, Status.CONTESTED)
NOTES: Final[dict[str, int]] = {kind: number for number, kind in enumerate(get_args(NoteKind), 1)}
"""The number of each sort of note in an index; what is none has 0."""
_OPEN: Final = NOTES["open_question"]
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
    """Return where an array of sorts of notes has what may be an answer: no open question, unless one asks for it."""
    asked = where is not None and (where.notes is not None or where.statuses is not None or where.history is True)
    return np.ones(len(note), np.bool_) if asked else note != _OPEN
