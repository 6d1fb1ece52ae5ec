"""What the grammar reads: subjects, verbs and values of many sorts; clauses that go on; tickets and transcripts."""

import pytest

from tests.thinkers.reducer.test_sentences import taken

ANA = "speaker:Ana"
SAID: list[tuple[str, list[tuple[str, str, str | int]]]] = [
    # what has what
    ("My phone number is 555 0100.", [("person:ana", "phone", "555 0100")]),
    ("The deadline for the tax return is March 31.", [("thing:tax return", "due", "March 31")]),
    ("The owner of the search cluster is Mia.", [("cluster:search", "owner", "person:mia")]),
    ("My favourite tea is mint tea.", [("person:ana", "favorite_tea", "mint tea")]),
    ("Mia's laptop runs Debian 12.", [("thing:mia's laptop", "version", "Debian 12")]),
    # places, times, sums
    ("The spare key is under the mat.", [("thing:spare key", "located_in", "under the mat")]),
    ("I left the spare key in the blue cabinet.", [("thing:spare key", "located_in", "blue cabinet")]),
    ("The demo starts at 9:30 on Friday.", [("thing:demo", "starts", "9:30 on Friday")]),
    ("The license costs 40 euros a month.", [("thing:license", "price", "40 euros a month")]),
    ("Invoices are due on the 1st.", [("thing:invoices", "due", "1st")]),
    # who does what
    ("Mia owns the billing service.", [("service:billing", "owner", "person:mia")]),
    ("Mia looks after pay.py and the rest of it.", [("thing:pay.py", "owner", "person:mia")]),
    ("I speak Dutch and Korean.", [("person:ana", "speaks", "Dutch"), ("person:ana", "speaks", "Korean")]),
    ("You can reach Mia on 555 0101.", [("person:mia", "phone", "555 0101")]),
    # what changes
    ("The retro moved from Tuesday to Thursday.", [("thing:retro", "when", "Thursday")]),
    ("We raised the limit of the search cluster from 100 to 200 requests.",
     [("cluster:search", "limit", "200 requests")]),
    ("We replaced the old build server with Buildkite.", []),
    ("Moved the reporting database to Dublin.", [("database:reporting", "located_in", "Dublin")]),
    # clauses
    ("The auth service, which runs on port 9000, depends on Redis.",
     [("service:auth", "port", 9000), ("service:auth", "depends_on", "Redis")]),
    ("The auth service runs on port 9000 and depends on Redis.",
     [("service:auth", "port", 9000), ("service:auth", "depends_on", "Redis")]),
    ("It turns out that the auth service depends on Redis.", [("service:auth", "depends_on", "Redis")]),
    ("Under the hood the auth service uses Redis, although nobody said so.", [("service:auth", "uses", "Redis")]),
    ("Mia, who leads sales these days, lives in Oslo.", [("person:mia", "lives_in", "Oslo")]),
    ("Search cluster degraded, we are on it.", [("cluster:search", "status", "degraded")]),
    # what is doubted
    ("I told Mia that the auth service depends on Redis.", []),
    ("The auth service depends on Redis, I think.", []),
    ("The auth service depends on Redis if the flag is on.", []),
    ("The auth service does not depend on Redis.", []),
    ("The auth service will depend on Redis.", []),
    ("Does the auth service depend on Redis?", []),
    ("Either Mia or Tom owns the billing service.", []),
    ("The auth service used to depend on Redis.", []),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "expected"), SAID)
def test_what_a_sentence_says(sentence: str, expected: list[tuple[str, str, str | int]]) -> None:
    assert taken(sentence, ANA) == expected


def test_it_and_she_are_who_was_spoken_of_just_before() -> None:
    assert taken("The auth service depends on Redis. It listens on port 9000.") == [
        ("service:auth", "depends_on", "Redis"),
        ("service:auth", "port", 9000),
    ]
    assert taken("Mia lives in Oslo. She works at Initech.") == [
        ("person:mia", "lives_in", "Oslo"),
        ("person:mia", "works_for", "Initech"),
    ]
    assert taken("Mia lives in Oslo. We talked. She works at Initech.") == [("person:mia", "lives_in", "Oslo")]


def test_who_speaks_in_a_transcript_is_told_by_its_lines() -> None:
    text = "Ida Berg: Hello!\nPer: I live in Bergen.\nIda Berg: I live in Oslo.\nPer: Nice."
    assert taken(text, ANA, met=False) == [
        ("person:per", "lives_in", "Bergen"),
        ("person:ida berg", "lives_in", "Oslo"),
    ]


def test_a_ticket_says_what_its_fields_say() -> None:
    assert taken("Owner: Mia\nDue: March 3\nStatus: blocked\nPriority: tbd", "task:T-1") == [
        ("task:T-1", "owner", "person:mia"),
        ("task:T-1", "due", "March 3"),
        ("task:T-1", "status", "blocked"),
    ]
    assert taken("Bug: search cluster - owner: Mia") == [("cluster:search", "owner", "person:mia")]
    assert taken("Owner: Mia") == [], "of what is not said"


@pytest.mark.parametrize(
    ("sentence", "sort"),
    [
        ("Always run the migrations before the deploy.", "lesson"),
        ("Next time, check the disk first.", "lesson"),
        ("The deploy failed because the token had expired.", "lesson"),
        ("We should have tested the rollback first.", "lesson"),
        ("Lesson learned: pin the base image.", "lesson"),
        ("Never push to the release branch on a Friday.", "warning"),
        ("Whatever happens, don't restart both brokers at once.", "warning"),
        ("The fix was to restart the proxy.", "recovery"),
        ("Clearing the package cache did the trick.", "recovery"),
        ("We fixed it by rotating the certificate.", "recovery"),
        ("Always a pleasure to work with such people.", None),
        ("Never mind what was in that mail.", None),
        ("Don't worry about it at all.", None),
        ("Should we always run the migrations before?", None),
        ("He said we should have tested the rollback first.", None),
        ("Maybe next time check the disk first.", None),
        ("Never again.", None),
    ],
)
def test_what_teaches(sentence: str, sort: str | None) -> None:
    expected = [] if sort is None else [("task:T-1", sort, sentence)]
    assert taken(sentence, "task:T-1") == expected
