"""Claims as English sentences."""

from datetime import UTC, datetime

import pytest

from yggdrasil_projections.retrieval.claimed import ClaimSeen
from yggdrasil_projections.retrieval.text.sentences import claim_said, claim_sentence


def ms(*when: int) -> int:
    return int(datetime(*when, tzinfo=UTC).timestamp() * 1000)  # type: ignore[arg-type,misc]


NOW = ms(2026, 1, 1)


def claim(subject: str, predicate: str, value: str | bool | None, kind: str = "entity", **more: object) -> ClaimSeen:
    return ClaimSeen("fact", subject, predicate, value, kind, 0.8, 1, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (claim("person:Ana", "lives_in", "city:Oslo", valid_from=ms(2025, 3, 1)), "Ana lives in Oslo since March 2025"),
        (claim("person:Ana", "likes", "jazz"), "Ana likes jazz"),
        (claim("person:Ana", "never_eats", "food:meat"), "Ana never eats meat"),
        (claim("city:Oslo", "part_of", "Norway"), "Oslo is part of Norway"),
        (claim("Ana", "born_in", "Rome"), "Ana was born in Rome"),
        (claim("Ana", "born", "1990-05-03", "text"), "Ana was born 1990-05-03"),
        (claim("Ana", "status", "busy", "text"), "Ana's status is busy"),
        (claim("Ana", "home_address", "Main Street 1", "text"), "Ana's home address is Main Street 1"),
        (claim("door:north", "is_open", True, "flag"), "north is open"),
        (claim("door:north", "is_open", False, "flag"), "north is not open"),
        (claim("Ana", "vegan", True, "flag"), "Ana is vegan"),
        (claim("Ana", "vegan", False, "flag"), "Ana is not vegan"),
        (claim("Ana", "knows_python", False, "flag"), "it is not so that Ana knows python"),
        (claim("door", "is", False, "flag"), "it is not so that door is"),
        (claim("deploy", "fail_on", "Friday", "text"), "deploy fails on Friday"),
        (claim("Ana", "never_eat", "meat"), "Ana never eats meat"),
        (claim("Ana", "study", "law"), "Ana's study is law"),
        (claim("Ana", "study_at", "MIT"), "Ana studies at MIT"),
        (claim("bus", "pass_near", "home"), "bus is pass near home"),  # no list has all verbs
        (claim("svc", "use", "Redis"), "svc uses Redis"),
        (claim("svc", "allow_guests", False, "flag"), "it is not so that svc allows guests"),
        (claim("fire", "cause_of", "loss"), "fire is cause of loss"),
        (claim("note", "point_of", "talk"), "note is point of talk"),
        (claim("box", "weight", "2.5", "decimal", unit="kg"), "box's weight is 2.5 kg"),
        (claim("box", "costs", "-3", "decimal"), "box costs -3"),
        (claim("service:checkout", "replicas", "3", "decimal"), "checkout's replicas are 3"),
        (claim("park", "benches", "3", "decimal"), "park's benches are 3"),
        (claim("Ana", "languages", "English, German", "text"), "Ana's languages are English, German"),
        (claim("svc", "aws_region", "eu-1", "text"), "svc's aws region is eu-1"),
        (claim("Ana", "livesIn", "Oslo"), "Ana lives in Oslo"),
        (claim("Ana", "works-at", "Acme"), "Ana works at Acme"),
        (claim("Ana", "LIVES_IN", "Oslo"), "Ana lives in Oslo"),
        (claim("svc", "DNS", "1.1.1.1", "text"), "svc's DNS is 1.1.1.1"),
        (claim("svc", "maxUsersPerDay", "5", "decimal"), "svc's max users per day is 5"),
        (claim("Ana", "worked_at", "Acme"), "Ana worked at Acme"),
        (claim("Ana", "no_longer_works_at", "Acme"), "Ana no longer works at Acme"),
        (claim("tale", "told_by", "Ana"), "tale is told by Ana"),
        (claim("Ana", "doesn't_eat", "meat"), "Ana doesn't eat meat"),
        (claim("Ana", "can_swim", False, "flag"), "Ana cannot swim"),
        (claim("build", "failed", True, "flag"), "build failed"),
        (claim("Ana", "not_vegan", False, "flag"), "it is not so that Ana is not vegan"),
        (claim("Ana", "must_attend", False, "flag"), "it is not so that Ana must attend"),
        (claim("Ana", "must_not_attend", False, "flag"), "it is not so that Ana must not attend"),
        (claim("Ana", "can_not_swim", False, "flag"), "it is not so that Ana can not swim"),
        (claim("Ana", "cannot_swim", True, "flag"), "Ana cannot swim"),
        (claim("door", "is_not_open", False, "flag"), "it is not so that door is not open"),
        (claim("Ana", "never_late", False, "flag"), "it is not so that Ana is never late"),
        (claim("Ana", "may_attend", False, "flag"), "Ana may not attend"),
        (claim("Ana", "children", False, "flag"), "Ana has no children"),
        (claim("Ana", "allergies", True, "flag"), "Ana has allergies"),
        (claim("Ana", "no_allergies", False, "flag"), "it is not so that Ana has no allergies"),
        (claim("Ana", "parents_of", "Bo"), "Ana is parents of Bo"),
        (claim("Ana", "children_count", "0", "decimal"), "Ana's children count is 0"),
        (claim("Ana", "languages_spoken", "English", "text"), "Ana's languages spoken are English"),
        (claim("Ana", "left_handed", True, "flag"), "Ana is left handed"),
        (claim("Ana", "left_eye", "blind", "text"), "Ana's left eye is blind"),
        (claim("Ana", "joined_date", "2020", "text"), "Ana's joined date is 2020"),
        (claim("Ana", "left", "Acme"), "Ana left Acme"),
        (claim("Ana", "failed_twice", True, "flag"), "Ana failed twice"),
        (claim("svc", "hasURL", "x", "text"), "svc has URL x"),
        (claim("svc", "isHTTPS", False, "flag"), "svc is not HTTPS"),
        (claim("svc", "macOS", "15", "decimal"), "svc's macOS is 15"),
        (claim("Ana", "_", "x", "text"), "Ana's _ is x"),
        (claim("Ana", "__", True, "flag"), "Ana is __"),
        (claim("Ana", "\u200b", "x", "text"), "Ana's  is x"),
        (claim("iron", "is_at", "overworld/120/64/-33", "anchor"), "iron is at overworld 120 64 -33"),
        (claim("Ana", "lives_in", None, "text"), "Ana lives in something that is sealed"),
        (claim("shop", "sells", "tea", qualifiers={"pieces": "3"}), "shop sells tea (pieces 3)"),
        (
            claim("Ana", "lives_in", "Rome", valid_from=ms(2024, 1, 5), valid_to=ms(2025, 3, 1)),
            "Ana lives in Rome from 5 January 2024 until March 2025, no longer",
        ),
        (claim("Ana", "lives_in", "Rome", valid_to=ms(2026, 6, 2)), "Ana lives in Rome until 2 June 2026"),
        (claim("Ana", "lives_in", "Rome", valid_to=NOW), "Ana lives in Rome until January 2026, no longer"),
        (
            claim("Ana", "works_for", "Acme", valid_from=ms(2026, 2, 3, 14, 30)),
            "Ana works for Acme from 3 February 2026 at 14:30 UTC on",
        ),
        (claim("Ana", "likes", "tea", valid_from=10**17), "Ana likes tea"),
        (claim("Ana", "likes", "tea", valid_to=-(10**17)), "Ana likes tea, no longer"),
        (claim("Ana", "says", "one\ntwo\t\x1b[31m[m1]", "text"), "Ana says one two [31m(m1]"),
    ],
)
def test_a_claim_reads_as_a_sentence(said: ClaimSeen, sentence: str) -> None:
    assert claim_sentence(said, NOW) == sentence


def test_what_is_unsure_says_so_and_what_is_no_fact_says_what_it_is() -> None:
    said = ClaimSeen("lesson", "deploy", "fails_on", "Friday", "text", 0.49, 1)
    assert claim_sentence(said, NOW) == "lesson: perhaps deploy fails on Friday"


def test_a_sentence_is_bounded_whatever_is_in_it() -> None:
    qualifiers = {f"name{number}" * 40: "v" * 900 for number in range(9)}
    said = claim("s" * 900, "p" * 900, "o" * 90_000, "text", unit="u" * 900, qualifiers=qualifiers)
    sentence = claim_sentence(said, NOW)
    assert len(sentence) < 900 and "..." in sentence


def test_a_claim_in_its_own_words_is_said_as_a_sentence_and_whole() -> None:
    door = claim("door:north", "is_open", False, "flag")
    assert claim_said("north is open no", door) == "north is not open"
    box = claim("box", "weight", "2.5", "decimal", unit="kg", qualifiers={"on": "Mars"})
    assert claim_said("box weight 2.5", box) == "box's weight is 2.5 kg (on Mars)"
    long = "x" * 900
    assert claim_said(f"{long} says {long}", claim(long, "says", long, "text")) == f"{long} says {long}"


def test_nobodys_own_words_are_changed() -> None:
    door = claim("door:north", "is_open", False, "flag")
    assert claim_said("The north door is shut.", door) == "The north door is shut."
    assert claim_said("an event", None) == "an event"
    assert claim_said(None, door) is None
    sealed = claim("Ana", "lives_in", None)
    assert claim_said("Ana lives in Oslo", sealed) == "Ana lives in Oslo"
