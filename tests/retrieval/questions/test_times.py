"""Which times a question speaks of, in ten spellings and four languages, and what is no time."""

from datetime import UTC, datetime

import pytest

from yggdrasil_projections.retrieval.questions.times import TIMES_MAX, times
from yggdrasil_projections.retrieval.questions.understood import FOREVER_MS, Time

NOW = int(datetime(2025, 6, 18, 12, tzinfo=UTC).timestamp() * 1_000)  # a Wednesday


def days(found: tuple[Time, ...]) -> list[tuple[str | None, str | None, bool]]:
    return [(day(one.since), day(one.until), one.certain) for one in found]


def day(at: int | None) -> str | None:
    return None if at is None else f"{datetime.fromtimestamp(at / 1_000, UTC):%Y-%m-%d}"


@pytest.mark.parametrize(
    "said",
    [
        "on January 2nd, 2024", "on 2 January 2024", "on the 2nd of January 2024", "on 2024-01-02", "on 02.01.2024",
        "on Jan 2, 2024", "on 2.1.2024", "2024/01/02", "on Jan. 2 2024", "2024-01-02T10:30:00Z",
        "am 2. Januar 2024", "am 02.01.2024", "am 2. Jan 2024", "le 2 janvier 2024", "le 02/01/2024?",
        "el 2 de enero de 2024", "el 2 de enero del 2024", "2024年1月2日", "2024 年 1 月 2 日",
    ],
)  # fmt: skip
def test_a_day_is_read_however_it_is_spelt(said: str) -> None:
    (found,) = times(f"What was bought {said}", NOW)
    assert days((found,))[0][:2] == ("2024-01-02", "2024-01-02") or "/" in said


@pytest.mark.parametrize(
    ("said", "since", "until", "certain"),
    [
        ("in January", "2025-01-01", "2025-01-31", False),
        ("in July", "2024-07-01", "2024-07-31", False),
        ("in January 2024", "2024-01-01", "2024-01-31", True),
        ("im Januar 2024", "2024-01-01", "2024-01-31", True),
        ("en enero de 2024", "2024-01-01", "2024-01-31", True),
        ("in 2024", "2024-01-01", "2024-12-31", True),
        ("with the 2024 budget", "2024-01-01", "2024-12-31", False),
        ("yesterday", "2025-06-17", "2025-06-17", True),
        ("gestern", "2025-06-17", "2025-06-17", True),
        ("ayer", "2025-06-17", "2025-06-17", True),
        ("昨天", "2025-06-17", "2025-06-17", True),
        ("last week", "2025-06-09", "2025-06-15", True),
        ("letzte Woche", "2025-06-09", "2025-06-15", True),
        ("la semaine dernière", "2025-06-09", "2025-06-15", True),
        ("la semana pasada", "2025-06-09", "2025-06-15", True),
        ("two days ago", "2025-06-16", "2025-06-16", True),
        ("vor zwei Tagen", "2025-06-16", "2025-06-16", True),
        ("il y a deux jours", "2025-06-16", "2025-06-16", True),
        ("hace dos días", "2025-06-16", "2025-06-16", True),
        ("last Friday", "2025-06-13", "2025-06-13", True),
        ("on Monday", "2025-06-16", "2025-06-16", False),
        ("before 2023", None, "2022-12-31", True),
        ("until March 2024", None, "2024-03-31", True),
        ("since 2 January 2024", "2024-01-02", None, True),
        ("after 2 January 2024", "2024-01-03", None, True),
        ("2023年之前", None, "2022-12-31", True),
        ("between March and May 2024", "2024-03-01", "2024-05-31", True),
        ("from 2021 to 2023", "2021-01-01", "2023-12-31", True),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-15", True),
        ("before the move", None, None, False),
        ("on 1/2/2024", "2024-01-02", "2024-01-02", False),
        ("on 25/12/2024", "2024-12-25", "2024-12-25", True),
    ],
)
def test_a_span_is_told_from_the_moment_of_the_question(
    said: str, since: str | None, until: str | None, certain: bool
) -> None:
    assert days(times(f"Where was Ana {said}", NOW)) == [(since, until, certain)]


@pytest.mark.parametrize(
    "said",
    [
        "", "May I ask you about 3 apples in version 1.2.3?", "Was the train at 10:30 with 24 eggs?", "march with me",
        "the port 2024/8080", "call 0170 2024123", "on 2024-13-45", "on 30.02.2024", "model T2024", "№ 20240102",
    ],
)  # fmt: skip
def test_what_is_no_time_is_none(said: str) -> None:
    assert times(said, NOW) == ()


def test_a_word_that_is_a_place_in_another_language_is_no_time() -> None:
    assert days(times("Qu'est-ce que Ana a acheté hier ?", NOW)) == [("2025-06-17", "2025-06-17", True)]
    for other in ("Wo wohnt Eva hier?", "Was gab es am Morgen?", "guten morgen, wo ist Eva?"):
        assert times(other, NOW) == (), other


@pytest.mark.parametrize(
    "said",
    [
        "in apr\u0131l 2024",
        "in APR\u0130L 2024",
        "on Fr\u0131day",
        "augu\u017ft 2024",
        "two day\u017f ago",
        "\u017fix days ago",
        "th\u0131s week",
    ],
)
def test_letters_that_only_look_alike_are_read(said: str) -> None:
    assert len(times(f"Where was Ana {said}?", NOW)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "How many of 1024 users?", "Which port 1080 in 2000 pods?", "between version 2.1 and 2.3", "release 2024.1.2",
        "version 10.12.2024", "ticket 2024-01-15-003", "log_2023-05-06.txt", "Who may 2024 times vote", "from 1999",
    ],
)  # fmt: skip
def test_a_number_is_certainly_no_time(said: str) -> None:
    assert not any(one.certain for one in times(said, NOW)), times(said, NOW)


def test_at_most_eight_are_read_and_a_page_is_read_in_no_time() -> None:
    assert len(times(" and ".join(f"2024-01-{number:02d}" for number in range(1, 29)), NOW)) <= TIMES_MAX
    assert times("last may in 20 " * 20_000, NOW) is not None
    assert times("yesterday", 1 << 62) == ()
    assert times("yesterday", 0)[0].until == -1 < FOREVER_MS
