"""The worst texts of a pattern, derived from how it is parsed.

A matcher that backtracks takes long in three ways: it begins at each place anew, two repeats share a stretch in every
possible way, or one repeat within another does. Each needs a stretch that a repeat takes, perhaps behind what leads to
it, and then something that does not match. So for each repeat without a small bound, and for each character that the
pattern names, there are such texts; and texts of what leads there, over and over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]  # pyright: ignore
from re import _parser as parser  # type: ignore[attr-defined]  # pyright: ignore
from typing import Any, NamedTuple

LONG = 64  # a repeat of fewer is no stretch
FAILS = ("", "\x01", "\n!", "aA0", "!a!")
_CLASSES = {
    "CATEGORY_SPACE": " \n\t",
    "CATEGORY_NOT_SPACE": "a0-",
    "CATEGORY_DIGIT": "1",
    "CATEGORY_NOT_DIGIT": "a ",
    "CATEGORY_WORD": "a1_",
    "CATEGORY_NOT_WORD": " -\n",
}
_ANY = "ax \n-_.1\"'<[#"
_ALPHABET_MAX = 6


class Worst(NamedTuple):
    """A text of any length: ``lead``, then ``pump`` as often as there is room, then ``tail``."""

    lead: str
    pump: str
    tail: str

    def make(self, size: int) -> str:
        room = max(0, size - len(self.lead) - len(self.tail))
        return self.lead + (self.pump * (room // max(1, len(self.pump)) + 1))[:room] + self.tail


def worst(pattern: re.Pattern[Any]) -> list[Worst]:
    """Return the texts, without repetitions."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree: Any = parser.parse(text, pattern.flags & ~re.UNICODE)
    alphabet = list(dict.fromkeys(_characters(tree)))
    some = _spread(alphabet, _ALPHABET_MAX)
    found = [Worst("", one, fail) for one in _spread(alphabet, 24) for fail in FAILS[:2]]
    found += [Worst("", a + b, fail) for a, b in product(some, some) if a != b for fail in FAILS[1:2]]
    for lead, body in dict.fromkeys(_stretches(tree, "")):
        for fail in FAILS:
            found += [Worst(lead, body, fail), Worst("", lead + body, fail), Worst("", body, fail)]
            found += [Worst("", lead, fail), Worst(lead, body + lead, fail)] if lead else []
    whole = _sample(tree)
    for cut in {whole, whole[:-1], whole[1:], whole[: len(whole) // 2]} - {""}:
        found += [Worst("", cut, fail) for fail in FAILS] + [Worst("", cut + " ", "")]
    return [each for each in dict.fromkeys(found) if each.pump]


def _spread(those: list[str], most: int) -> list[str]:
    return those if len(those) <= most else [those[at * len(those) // most] for at in range(most)]


def _in(items: Any) -> str:
    """Some characters of a class."""
    kinds = [(str(op), value) for op, value in items]
    if kinds and kinds[0][0] == "NEGATE":
        return "".join(one for one in _ANY if not any(_has(op, value, one) for op, value in kinds[1:])) or "\u0416"
    found: list[str] = []
    for op, value in kinds:
        if op == "LITERAL":
            found.append(chr(value))
        elif op == "RANGE":
            found += [chr(value[0]), chr(value[1])]
        elif op == "CATEGORY":
            found += _CLASSES.get(str(value), "a")
    return "".join(one for one in dict.fromkeys(found) if not "\ud800" <= one <= "\udfff") or "a"


def _has(op: str, value: Any, one: str) -> bool:
    if op == "LITERAL":
        return bool(ord(one) == value)
    if op == "RANGE":
        return bool(value[0] <= ord(one) <= value[1])
    return one in _CLASSES.get(str(value), "")


def _parts(op: str, value: Any) -> list[Any]:
    """The sequences within an item."""
    match op:
        case "BRANCH":
            return list(value[1])
        case "SUBPATTERN":
            return [value[-1]]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [value[2]]
        case "ATOMIC_GROUP":
            return [value]
        case "ASSERT" | "ASSERT_NOT":
            return [value[1]]
        case "GROUPREF_EXISTS":
            return [each for each in value[1:] if each is not None]
        case _:
            return []


def _characters(tree: Any) -> Iterator[str]:
    for op, value in tree:
        name = str(op)
        if name in {"LITERAL", "NOT_LITERAL"}:
            yield chr(value)
        if name == "IN":
            yield from _in(value)
        if name in {"ANY", "NOT_LITERAL"}:
            yield from _ANY[:5]
        for part in _parts(name, value):
            yield from _characters(part)


def _sample(tree: Any) -> str:
    """A text that a sequence could match, as far as it can be told without looking around."""
    return "".join(_one(str(op), value) for op, value in tree)


def _one(name: str, value: Any) -> str:
    match name:
        case "LITERAL":
            return chr(value)
        case "NOT_LITERAL":
            return next(one for one in _ANY if ord(one) != value)
        case "ANY":
            return "x"
        case "IN":
            return _in(value)[0]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _sample(value[2]) * max(1, min(int(value[0]), LONG))
        case "ASSERT" | "ASSERT_NOT" | "AT" | "GROUPREF":
            return ""
        case _:
            parts = _parts(name, value)
            return _sample(parts[0]) if parts else ""


def _stretches(tree: Any, lead: str) -> Iterator[tuple[str, str]]:
    """What leads to each repeat without a small bound, and a text that the repeat takes."""
    for op, value in tree:
        name = str(op)
        if name.endswith("REPEAT") and (value[1] == sre.MAXREPEAT or int(value[1]) >= LONG):
            body = list(value[2])
            bodies = [_sample(value[2])]
            if len(body) == 1 and str(body[0][0]) == "IN":
                bodies = _spread(list(_in(body[0][1])), 5)
            elif len(body) == 1 and str(body[0][0]) == "ANY":
                bodies = list(_ANY[:6])
            yield from ((lead, each) for each in bodies if each)
        for part in _parts(name, value):
            yield from _stretches(part, lead)
        if name not in {"ASSERT", "ASSERT_NOT"}:
            lead += _one(name, value)
