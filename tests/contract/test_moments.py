"""A point in time is taken as people write one wherever one is taken, and what is none is told in the same words."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.memories import subject
from yggdrasil import Event, Fact, InvalidAskError, Memory, Where
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import TIME_MS_MAX
from yggdrasil_schemas.moments import Moment, NotAMomentError, moment_ms

DAY = 1_675_209_600_000
"""The first of February 2023."""
CET = timezone(timedelta(hours=1))
WAYS: list[Moment] = [
    DAY,
    date(2023, 2, 1),
    datetime(2023, 2, 1, tzinfo=UTC),
    datetime(2023, 2, 1, 1, tzinfo=CET),
    "2023-02-01",
    " 2023-02-01 ",
    "20230201",
    "2023-W05-3",
    "2023-02-01T00:00Z",
    "2023-02-01 01:00:00+01:00",
    "20230201T000000.000000Z",
    str(DAY),
]
NONE: dict[str, tuple[Any, str]] = {
    "words": ("yesterday", "'yesterday' is no point in time; write a date such as 2026-01-31"),
    "empty": ("", "'' is no point in time"),
    "year": ("2023", "2023 is a year and no point in time; write 2023-01-01 for its first day"),
    "month": ("2023-02", "2023-02 is a month and no point in time; write 2023-02-01 for its first day"),
    "no such day": ("2023-02-29", "'2023-02-29' is no point in time"),
    "long": ("9" * 40, "is no point in time"),
    "naive": (datetime(2023, 2, 1), "a time of day needs a time zone"),
    "naive text": ("2023-02-01T12:00", "a time of day needs a time zone"),
    "bool": (True, "takes Unix ms, a datetime or a date, and not bool"),
    "seconds": (1_675_209_600.0, "takes Unix ms, a datetime or a date, and not float"),
    "beyond": (TIME_MS_MAX + 1, "must lie between"),
    "beyond, as a text": (str(TIME_MS_MAX + 1), "must lie between"),
}
Take = Callable[[Memory[Any], Any], object]


@pytest.fixture(params=["directory", "directory awaited", "http"], scope="module")
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory[Any]]:
    with subject(request.param, tmp_path_factory.mktemp("moments"), request.getfixturevalue) as it:
        yield it


def test_what_happened_then(memory: Memory[Any]) -> None:
    for place, at in enumerate(WAYS):
        event = memory.record_event(f"Event {place}", at=at)
        later = memory.supersede(event, f"Instead of {place}", at=at)
        memory.log_outcome(later, 1.0, at=at)
        (many,) = memory.record_many([Event(f"One of many {place}", at=at)])
        seen = memory.observe(f"Observed {place}", [("person:ana", "saw", f"bird {place}")], at=at)
        for ref in (event, later, many, seen.event, seen.facts[0]):
            assert memory.describe(ref).memory.at == DAY, (at, ref)


def test_what_holds_since_and_until_then(memory: Memory[Any]) -> None:
    for place, at in enumerate(WAYS):
        ref = memory.assert_claim("person:ben", "owns", f"boat {place}", valid_from=at, valid_to="2024-01-01")
        seen = memory.observe(f"Seen {place}", [Fact("person:ben", "likes", f"tea {place}", valid_from=at)])
        mapped = memory.observe(
            f"Read {place}", [{"subject": "person:ben", "predicate": "sold", "object": f"car {place}", "valid_to": at}]
        )
        claims = [memory.describe(each).memory.claim for each in (ref, *seen.facts, *mapped.facts)]
        assert [(each.valid_from, each.valid_to) for each in claims if each is not None] == [
            (DAY, 1_704_067_200_000),
            (DAY, None),
            (None, DAY),
        ]


def test_what_is_asked_of_then(memory: Memory[Any]) -> None:
    memory.assert_claim("person:eve", "lives_in", "city:oslo", valid_from="2022-05-01", valid_to="2023-02-01")
    memory.assert_claim("person:eve", "lives_in", "city:rome", valid_from="2023-02-01")
    event = memory.record_event("The festival of lights began", at="2023-02-01T18:30Z")
    for at in WAYS:
        assert [each.text for each in memory.claims("person:eve", valid_at=at).claims] == ["eve lives in rome"]
        assert len(memory.entity("person:eve", valid_at=at).claims) == 1
        asked = Where(since=at, until=DAY + 86_399_999, valid_at=at)
        assert (asked.since, asked.valid_at) == (DAY, DAY)
        found = memory.get_context("When did the festival of lights begin?", where=asked)
        assert [each.memory.ref for each in found.found] == [event]
    assert Where(until="2023-02-01") == Where(until=date(2023, 2, 1)) == Where(until=DAY + 86_399_999)
    before = memory.claims("person:eve", valid_at="1969-12-31").claims
    assert before == memory.claims("person:eve", valid_at=date(1969, 12, 31)).claims == []


COMMANDS: dict[str, Take] = {
    "at": lambda memory, at: memory.record_event("Never said", at=at),
    "at of an outcome": lambda memory, at: memory.log_outcome("01890000-0000-7000-8000-000000000000", 1.0, at=at),
    "at of many": lambda memory, at: list(memory.record_many([Event("Never said", at=at)])),
    "at of a claim": lambda memory, at: memory.assert_claim("person:ana", "is", "x", at=at),
    "valid_from": lambda memory, at: memory.assert_claim("person:ana", "is", "x", valid_from=at),
    "valid_to": lambda memory, at: memory.assert_claim("person:ana", "is", "x", valid_to=at),
    "valid_to of a fact": lambda memory, at: memory.observe("Never", [Fact("person:ana", "is", "x", valid_to=at)]),
}
ASKS: dict[str, Take] = {
    "valid_at": lambda memory, at: memory.claims("person:ana", valid_at=at),
    "valid_at of a thing": lambda memory, at: memory.entity("person:ana", valid_at=at),
    "since": lambda memory, at: memory.get_context("x", where=Where(since=at)),
    "until": lambda memory, at: memory.get_context("x", where=Where(until=at)),
}


@pytest.mark.parametrize("what", NONE)
def test_what_is_no_moment_is_refused_with_what_is_one(memory: Memory[Any], what: str) -> None:
    memory.record_event("Something is there")
    before = memory.overview().seq
    at, words = NONE[what]
    for takes, error in ((COMMANDS, InvalidCommandError), (ASKS, InvalidAskError)):
        for name, take in takes.items():
            with pytest.raises(Exception) as raised:
                take(memory, at)
            found = raised.value if isinstance(raised.value, error) else raised.value.__cause__
            assert isinstance(found, error), name
            assert words in str(found), name
            assert name.split(" ")[0] in str(found)
    assert memory.overview().seq == before


@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw reads the zones of the machine from its disk
@given(st.datetimes(timezones=st.timezones()))
def test_a_datetime_and_its_text_are_one_moment(moment: datetime) -> None:
    least = -TIME_MS_MAX
    at = moment_ms("at", moment, least=least)
    assert at == moment_ms("at", moment.astimezone(UTC).isoformat(), least=least)
    assert abs(at / 1000 - moment.timestamp()) < 0.002


@given(st.dates(), st.booleans())
def test_a_day_and_its_text_are_one(day: date, end: bool) -> None:
    found = moment_ms("at", day, end=end, least=-TIME_MS_MAX)
    assert found == moment_ms("at", day.isoformat(), end=end, least=-TIME_MS_MAX)
    assert (found + end) % 86_400_000 == 0


@given(st.text() | st.text("0123456789-:TZ+.W ") | st.binary() | st.floats() | st.none())
def test_anything_else_is_told(given: object) -> None:
    try:
        assert abs(moment_ms("at", given, least=-TIME_MS_MAX)) <= TIME_MS_MAX
    except NotAMomentError as error:
        assert str(error).startswith("at")


def test_texts_that_only_look_like_times() -> None:
    for text in ("2023-02-0\N{ARABIC-INDIC DIGIT ONE}", "2023-02-01T00:00:00Z" + "0" * 100, "12:00", "--2023"):
        with pytest.raises(NotAMomentError):
            moment_ms("at", text)
