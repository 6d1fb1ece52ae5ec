"""The predicates that every memory knows; ``define`` gives one another meaning, or adds others.

They are part of the rules version. What is not here and not defined has any number of values, which never contradict
each other: a wrong contradiction costs more trust than a missed one.
"""

from collections.abc import Mapping
from typing import Final

from .knowledge import Definition

_ONE: Final = Definition("one")
_PREFERENCE: Final = Definition("one", authority="user")
_LATEST: Final = Definition("one", "recency")
_PERISHING: Final = Definition("one_per_object", perish_ticks=500)

KNOWN: Final[Mapping[str, Definition]] = {
    "at": _LATEST,
    "last_seen_at": _LATEST,
    "slept_at": _LATEST,
    "radius": _ONE,
    "state": _ONE,
    "value": _ONE,
    "status": _ONE,
    "located_in": _ONE,
    "lives_in": _ONE,
    "works_for": _ONE,
    "owner": _ONE,
    "email": _ONE,
    "phone": _ONE,
    "address": _ONE,
    "birthday": _ONE,
    "due": _ONE,
    "price": _ONE,
    "version": _ONE,
    "prefers": _PREFERENCE,
    "diet": _PREFERENCE,
    "offers": _PERISHING,
    "contains": _PERISHING,
    "path": Definition("one_per_object", "recency", symmetric=True),
    "seen_as": Definition("many", confirmations=2, confirm_by="evidence", confirm_gap=5),
    "held_by": Definition("one", resolution="human"),
    "identity": Definition("one", resolution="human", review=True),
    "must": Definition("many", review=True),
    "must_not": Definition("many", review=True),
}
"""By name: the common ones of which a thing has one at a time, those of places and trades (002), who
holds what alone, what an agent is (001), and rules (004)."""
PROMISE: Final = "promise"
"""What outlives its session on the desk."""
IDENTITY: Final = "identity"
"""What an agent is strong in, which waits until a person has released it."""
LEASE: Final = "held_by"
"""What a session has for itself alone, for as long as it is open."""
DESK_OF_MANY: Final = frozenset(("goal", "subgoal", "threat", PROMISE))
"""Of which a desk holds several for one subject; of all else the latest."""
