"""The predicates that every memory knows; ``define`` gives one another meaning, or adds others.

They are part of the rules version. What is not here and not defined has any number of values, which never contradict
each other: a wrong contradiction costs more trust than a missed one.
"""

from collections.abc import Mapping
from typing import Final

from .graph.knowledge import Definition

_ONE: Final = Definition("one")
_PREFERENCE: Final = Definition("one", authority="user")
_PERISHING: Final = Definition("one_per_object", perish_ticks=500)

KNOWN: Final[Mapping[str, Definition]] = {
    "at": _ONE,
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
    "path": Definition("one_per_object"),
    "must": Definition("many", review=True),
    "must_not": Definition("many", review=True),
}
"""By name: the common ones of which a thing has one at a time, those of places and trades (002), and rules (004)."""
