"""How much an event stands out: by what its first salience is multiplied."""

import pytest

from tests.graph.commands import event, policy
from tests.graph.scenario import given, node
from yggdrasil_schemas.policy import DEFAULT

FIRST = DEFAULT.salience_initial + DEFAULT.novelty_max
"""Of an event without features, of which all is new."""


@pytest.mark.parametrize(
    ("prominence", "trust", "times"),
    [
        (None, 2, 1.0),
        (50, 2, 1.0),
        (0, 2, 0.5),
        (100, 2, 1.5),
        (80, 2, 1.3),
        (100, 1, 1.5),
        (0, 0, 0.5),
        (51, 0, 1.0),
        (100, 0, 1.0),
    ],
)
def test_what_stands_out_begins_with_more(prominence: int | None, trust: int, times: float) -> None:
    given().when(event("it", prominence=prominence, origin="user", trust=trust)).then(
        node("it", salience=FIRST * times)
    )


def test_what_stands_out_stays_within_its_bounds() -> None:
    most = policy("most", salience_initial=10, salience_max=10)
    given(most).when(event("it", prominence=100, origin="user")).then(node("it", salience=10.0))


def test_who_teaches_from_below_may_be_loud_if_the_policy_says_so() -> None:
    given(policy("all", teach_trust_min=0)).when(event("it", prominence=100, trust=0)).then(
        node("it", salience=FIRST * 1.5)
    )
