"""What stands on each memory of its use: when it was used last, how often that went well, how often it was said."""

from typing import Any

import pytest

from tests.graph.commands import claim, concept, event, judge, recall, use
from tests.graph.scenario import given, node
from yggdrasil_schemas.graph.records import NEVER

EVENTS = (event("one", "rain"), event("two", "rain"))
ASKED = (*EVENTS, recall("asked", "one", "two"), event("later"))
WELL = use("used", "asked", "one", result="success")
OUT = judge("out", ("used", "quarantine"), origin="operator")


@pytest.mark.parametrize(
    ("how", "served"),
    [
        ({"result": "success"}, 1),
        ({"helpful": True}, 1),
        ({"prevented_error": True}, 1),
        ({"result": "failure", "helpful": True}, 1),
        ({"result": "unknown"}, 0),
    ],
)
def test_a_use_is_the_last_one_and_counts_as_served_where_it_went_well(how: dict[str, Any], served: int) -> None:
    given(*ASKED).when(use("used", "asked", "one", **how)).then(
        node("one", usage=1, used_tick=3, served=served), node("two", usage=0, used_tick=NEVER, served=0, candidates=1)
    )


def test_what_has_misled_was_neither_accessed_nor_served() -> None:
    given(*ASKED).when(use("used", "asked", "one", result="failure")).then(node("one", used_tick=NEVER, served=0))


def test_what_a_report_counted_is_taken_back_with_it_and_counts_again_when_it_is_released() -> None:
    given(*ASKED, WELL).when(OUT).then(node("one", usage=0, served=0), node("two", served=0))
    back = judge("back", ("used", "release"), origin="operator")
    given(*ASKED, WELL, OUT).when(back).then(node("one", usage=1, served=1), node("two", served=0))


def test_how_often_something_was_said() -> None:
    """An event once, a feature as often as it occurred, a claim by who said it and who confirmed it."""
    said = given(*EVENTS, claim("rome", "ana", "lives_in", "rome", source="a"))
    again = said.when(claim("too", "ana", "lives_in", "rome", source="b"))
    again.then(node("one", mentions=1), node("feature:rain", mentions=2), node("rome", mentions=2))


def test_a_concept_is_said_again_by_what_it_absorbs() -> None:
    wet = given(event("one", "rain", "mud"), concept("wet", "feature:rain", "feature:mud"))
    wet.when(event("again", "rain", "mud")).then(node("wet", mentions=2), node("feature:mud", mentions=2))
