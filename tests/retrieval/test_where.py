"""A filter as a value: what may be given, in which forms, and what is refused with what remedy."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from yggdrasil_projections.retrieval.asks import Ask, Where
from yggdrasil_projections.retrieval.errors import InvalidAskError

DAY = 86_400_000
NOON = 1_769_860_800_000  # 2026-01-31T12:00Z


@pytest.mark.parametrize(
    ("given", "since", "until"),
    [
        (NOON, NOON, NOON),
        (str(NOON), NOON, NOON),
        (datetime(2026, 1, 31, 12, tzinfo=UTC), NOON, NOON),
        (datetime(2026, 1, 31, 14, tzinfo=timezone(timedelta(hours=2))), NOON, NOON),
        ("2026-01-31T12:00Z", NOON, NOON),
        ("2026-01-31T12:00:00.000+00:00", NOON, NOON),
        (date(2026, 1, 31), NOON - DAY // 2, NOON + DAY // 2 - 1),
        ("2026-01-31", NOON - DAY // 2, NOON + DAY // 2 - 1),
        ("20260131", NOON - DAY // 2, NOON + DAY // 2 - 1),
        ("1712051200000", 1_712_051_200_000, 1_712_051_200_000),  # no date of the year 1712
        (0, 0, 0),
    ],
)
def test_points_in_time_are_taken_in_many_forms(given: Any, since: int, until: int) -> None:
    assert (Where(since=given).since, Where(until=given).until) == (since, until)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sessions": []}, "sessions is empty, and would admit nothing: leave it out"),
        ({"features_any": ()}, "features_any is empty"),
        ({"sessions": "planning"}, "sessions is a list of names, and not the string 'planning'"),
        ({"kinds": ["feature"]}, "'feature' is none of event, outcome, episode, concept"),
        ({"origins": ["human"]}, "'human' is none of agent, user, tool, import, thinker, operator"),
        ({"sources": ["a", ""]}, "sources: a name has 1 to 128 characters"),
        ({"sources": ["a" * 129]}, "sources: a name has 1 to 128 characters"),
        ({"sources": [1]}, "sources: a name has 1 to 128 characters, and '1' is none"),
        ({"features_all": [str(n) for n in range(33)]}, "features_all may have 32 values, and these are 33"),
        ({"since": "yesterday"}, "'yesterday' is no point in time; write a date such as 2026-01-31"),
        ({"since": "2026-01-31T12:00"}, "needs a time zone, such as 2026-01-31T12:00Z"),
        ({"until": datetime(2026, 1, 31)}, "until: a time of day needs a time zone"),
        ({"since": True}, "since takes Unix ms, a datetime or a date, and not bool"),
        ({"since": 1.5}, "and not float"),
        ({"since": -1}, "must lie between 0 and"),
        ({"until": date(1969, 12, 30)}, "must lie between 0 and"),
        ({"until": 2**53}, "must lie between 0 and"),
        ({"since": "2026-02-01", "until": "2026-01-31"}, "give the earlier one as since"),
    ],
    ids=repr,
)
def test_what_cannot_be_meant_is_refused_with_what_to_do(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidAskError) as refused:
        Where(**given)
    assert said in str(refused.value)


def test_equal_filters_are_equal_whatever_order_they_are_given_in() -> None:
    one = Where(sessions=["b", "a"], features_all=(name for name in ("x", "e\u0301")), until="2026-01-31")
    other = Where(sessions=("a", "b", "a"), features_all=["\u00e9", "x"], until=NOON + DAY // 2 - 1)
    assert (one, hash(one)) == (other, hash(other))
    assert one != Where(sessions=["a"], features_all=["\u00e9", "x"], until="2026-01-31")


def test_a_filter_is_made_again_of_what_is_kept_of_it() -> None:
    given: dict[str, Any] = {"features_any": ["a"], "kinds": ["episode", "event"], "since": 5, "until": 7}
    assert Where(**given).given() == given
    assert Where(**Where(**given).given()) == Where(**given)
    assert Where().given() == {}


def test_a_filter_without_a_condition_is_none_and_nothing_else_is_a_filter() -> None:
    assert Ask("me/agent", "x", where=Where()) == Ask("me/agent", "x")
    wrong: Any = {"sessions": ["planning"]}
    with pytest.raises(InvalidAskError, match=r"such as Where\(sessions=\['a'\]\), and not a dict"):
        Ask("me/agent", "x", where=wrong)
