"""What a way costs, by what matters now: weights of ticks, distance, darkness and risk, in whole thousandths."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from ...errors import InvalidAskError
from ...index.columns.documents import Array
from ...index.columns.links import BLOCKED, UNLIT, Columns

WEIGHTS: Final = ("ticks", "distance", "dark", "risk")
CONTEXTS: Final[Mapping[str, Mapping[str, int]]] = {
    "night": {"dark": 1_000, "risk": 3_000},
    "hurry": {"ticks": 1_000},
    "load": {"distance": 1_000},
    "safe": {"risk": 10_000},
}
"""Weights by the names of what one has in mind, in thousandths, beside those that are not said."""
_USUAL: Final = {"ticks": 1_000, "distance": 0, "dark": 0, "risk": 0}
_THOUSANDTHS: Final = 1_000
_WEIGHT_MAX: Final = 1_000
TEXT_MAX: Final = 120
_NUMBER: Final = re.compile(r"-?\d{1,4}(\.\d{1,3})?")
NEVER: Final = -1
"""The cost of what is not walked."""
Overlaid = str | Mapping[str, float]
"""A name such as "night", or weights, as a mapping or as a text such as "dark:1,risk:2.5"."""


class Overlay(NamedTuple):
    """Weights in thousandths, and whether what is dark is left out."""

    ticks: int
    distance: int
    dark: int
    risk: int
    lit: bool = False

    @property
    def text(self) -> str:
        """The weights as a text, such as "ticks:1,dark:1,risk:2.5": an overlay of it is the same."""
        each = (f"{name}:{_plain(getattr(self, name))}" for name in WEIGHTS if getattr(self, name) != _USUAL[name])
        return ",".join(each)


def overlay_of(given: Overlaid | None, *, lit: bool = False) -> Overlay:
    """Return the weights that somebody asks for. Raises InvalidAskError for what is none, or makes a way cost less than
    nothing.
    """
    weights = dict(_USUAL)
    if isinstance(given, str):
        weights |= CONTEXTS[given] if given in CONTEXTS else _said(given)
    elif given is not None:
        if not isinstance(cast(object, given), Mapping):
            raise InvalidAskError(f"overlay: it is a name, a text or a mapping of weights, not {str(given)[:40]!r}")
        weights |= {_named(name): _thousandths(name, value) for name, value in given.items()}
    made = Overlay(weights["ticks"], weights["distance"], weights["dark"], weights["risk"], lit)
    if made.ticks + min(0, made.dark) + min(0, made.risk) < 0 or made.distance < 0:
        raise InvalidAskError("overlay: with these weights a path may cost less than nothing: let none outweigh ticks")
    return made


def costs_of(links: Columns, overlay: Overlay) -> npt.NDArray[np.int64]:
    """Return what each path costs, in thousandths: ``ticks * (w_ticks + w_dark * dark + w_risk * risk / 1000) + length
    * w_distance``, rounded down, and NEVER for what is not walked.

    What is not known of ticks is the length, and the other way round; 1 where neither is. What nobody called dark is
    lit, and has no risk unless somebody said so.
    """
    ticks, length = _either(links.ticks, links.length), _either(links.length, links.ticks)
    dark = links.flags & UNLIT != 0
    each = (overlay.ticks + overlay.dark * dark.astype(np.int64)) * _THOUSANDTHS + overlay.risk * links.risk.astype(
        np.int64
    )
    costs: npt.NDArray[np.int64] = ticks * each // _THOUSANDTHS + length * overlay.distance
    costs[(links.flags & BLOCKED != 0) | (dark & overlay.lit)] = NEVER
    return costs


def _either(one: Array, other: Array) -> npt.NDArray[np.int64]:
    return np.where(one >= 0, one, np.where(other >= 0, other, 1)).astype(np.int64)


def _said(text: str) -> dict[str, int]:
    if len(text) > TEXT_MAX:
        raise InvalidAskError(f"overlay: a text of weights has at most {TEXT_MAX} characters")
    found: dict[str, int] = {}
    for part in text.split(",") if text else ():
        name, colon, value = part.strip().partition(":")
        if not colon:
            known = ", ".join(CONTEXTS)
            raise InvalidAskError(f"overlay: {part[:40]!r} is none of {known}, and no weight such as dark:1")
        found[_named(name)] = _thousandths(name, value.strip())
    return found


def _named(name: Any) -> str:
    if name not in WEIGHTS:
        raise InvalidAskError(f"overlay: {str(name)[:40]!r} is none of the weights {', '.join(WEIGHTS)}")
    return str(name)


def _thousandths(name: str, given: object) -> int:
    if isinstance(given, int) and abs(given) > _WEIGHT_MAX:
        raise InvalidAskError(f"overlay: a weight lies within {_WEIGHT_MAX:,}, and {name} does not")
    text = str(given)
    try:
        number = Decimal(text) if not isinstance(given, str) or _NUMBER.fullmatch(text) else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    number *= _THOUSANDTHS
    if isinstance(given, bool) or not number.is_finite() or number != int(number):
        raise InvalidAskError(f"overlay: {name} takes a number with at most three decimals, and not {text[:40]!r}")
    if abs(number) > _WEIGHT_MAX * _THOUSANDTHS:
        raise InvalidAskError(f"overlay: a weight lies within {_WEIGHT_MAX:,}, and {name} is {text[:40]}")
    return int(number)


def _plain(thousandths: int) -> str:
    whole = Decimal(thousandths) / _THOUSANDTHS
    return format(whole.normalize(), "f")
