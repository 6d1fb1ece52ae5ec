"""No pattern of ours takes more than linear time for text from outside, whatever it is made of.

How that is told is in ``growth``, what the worst texts are in ``texts``, and that no pattern is missed in ``patterns``.
Patterns of pydantic (``pattern=``) and of JSON schemas are matched by an engine that cannot backtrack, and are linear
whatever they say: they are counted here, so that this stays known.
"""

import ast
import re
from functools import cache, partial
from heapq import nlargest

import pytest

from tests.worst.growth import costs, fault
from tests.worst.patterns import Site, sites, trees
from tests.worst.texts import Worst, worst

WORST = 3  # texts of each pattern that are tried at the full size
NOT_YET: tuple[str, ...] = ()
"""Modules whose patterns are mended elsewhere at this moment. Empty it: an entry that is not needed any more fails."""


@cache
def found() -> tuple[list[Site], list[str]]:
    return sites()


def faults(site: Site) -> list[str]:
    """What is wrong with a pattern: by which method, on which text, and by how much."""
    wrong: list[str] = []
    for method, work in site.works().items():
        texts = [(text, partial(made, text, isinstance(site.pattern.pattern, bytes))) for text in worst(site.pattern)]
        for text, make in nlargest(WORST, texts, key=lambda each: costs(work, each[1])):
            if told := fault(work, make):
                pattern = f"{site.pattern.pattern!r:.80}"
                wrong.append(f"{site.module} {site.name} {pattern} .{method}: {tuple(text)}: {told}")
                break  # one is enough
    return wrong


def made(text: Worst, is_bytes: bool, size: int) -> str | bytes:
    return text.make(size).encode("utf-8", "surrogatepass") if is_bytes else text.make(size)


def test_no_pattern_is_missed() -> None:
    assert found()[1] == []
    assert len(found()[0]) > 100


def modules() -> list[str]:
    return sorted({site.module for site in found()[0]})


@pytest.mark.parametrize("module", modules())
def test_every_pattern_is_linear_on_its_worst_texts(module: str) -> None:
    wrong = [told for site in found()[0] if site.module == module for told in faults(site)]
    if module.startswith(NOT_YET):
        pytest.xfail("\n".join(wrong)) if wrong else None
    assert wrong == []


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        (r"\s+$", r"\s$"),
        (r"(?:a+)+b", r"(?<!a)(?:a)++b"),
        (r"\w+@", r"(?<!\w)\w++@"),
        (r"<.*>.*<", r"<[^<>]*+>"),
        (r"(?:x|\w)*!", r"[x\w]!"),
        (r"[ \t]*\n", r"(?<![ \t])[ \t]*+\n"),
        (r"^(\w*)\W*\w*$", r"^\w*+\W*+$"),
    ],
)
def test_what_is_not_linear_is_found_and_what_is_passes(bad: str, good: str) -> None:
    methods = frozenset({"search"})
    if bad != r"(?:a+)+b":  # exponential: its first text would not end
        assert faults(Site("bad", "bad", re.compile(bad), methods))
    assert faults(Site("good", "good", re.compile(good), methods)) == []


def test_patterns_of_schemas_are_matched_by_an_engine_that_is_linear() -> None:
    named = [
        ast.unparse(each.value)
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for each in node.keywords
        if each.arg == "pattern"
    ]
    assert named, "they are exempt, and known"
