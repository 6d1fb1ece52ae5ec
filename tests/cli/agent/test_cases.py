"""`yggdrasil cases`: situations like the one at hand, those that ended well and those that ended badly."""

import pytest

from tests.cli.runs import Cli
from yggdrasil import Memory

QUERY = "Should we deploy on Friday?"


@pytest.fixture
def deploys(cli: Cli) -> list[str]:
    """One that ended badly and what followed it, one that ended well, and one that ended both ways."""
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        bad = memory.record_event("Deployed on a Friday evening", features=["deploy", "friday"], session="one")
        memory.log_outcome(bad, -3, kind="outage", text="The site was down")
        memory.record_event("Rolled it back", features=["rollback"], session="one")
        good = memory.record_event("Deployed the billing on a Friday morning", features=["deploy"], session="two")
        memory.log_outcome(good, 2, kind="smooth")
        mixed = memory.record_event("Deployed twice on a Friday, by two teams", features=["deploy"], session="three")
        memory.log_outcome(mixed, 1, kind="smooth")
        memory.log_outcome(mixed, -4, kind="outage")
        return [bad, good, mixed]


def test_cases_stand_apart_with_what_followed(cli: Cli, deploys: list[str]) -> None:
    bad, good, mixed = deploys
    out = cli.ok("cases", QUERY).out
    well, badly = out.split("What ended badly:\n")
    assert well.startswith("What ended well:\n")
    assert good in well and mixed in well and bad not in well
    assert bad in badly and mixed in badly and good not in badly
    assert "    ended at +1; mixed: it ended badly too\n" in well
    assert "    ended at -4; mixed: it ended well too\n" in badly
    assert "    ended at -3\n    followed by:\n      - Rolled it back\n" in badly
    assert "outage -3: The site was down" in badly and "recall " in badly and "as of seq 8" in badly


def test_cases_say_what_is_foretold(cli: Cli) -> None:
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        for feature in ("friday", "flag:new-parser") * 3:
            memory.log_outcome(memory.record_event("Deployed the parser", features=[feature]), -4, kind="outage")
    table = cli.ok("cases", QUERY).out.partition("What is foretold:\n")[2]
    assert "friday" in table and "flag:new-parser" not in table
    assert table.split()[:6] == ["feature", "valence", "sure", "good", "bad", "events"]
    named = cli.ok("cases", QUERY, "--feature", "flag:new-parser", "--json").json["foretold"]
    assert {one["feature"] for one in named} == {"friday", "flag:new-parser"}


def test_cases_are_recorded_and_can_be_proved(cli: Cli, deploys: list[str]) -> None:
    document = cli.ok("cases", QUERY, "--json").json
    assert (document["recorded"], document["as_of"]) == (True, 8)
    action = cli.ok("record", "Waited until Monday", "--informed-by", document["recall_id"]).line
    (recall,) = cli.ok("explain", action, "--json").json["informed_by"]
    assert {then["ref"] for then in recall["returned"]} == set(deploys)
    cli.ok("prove", document["recall_id"])
    assert "not recorded" in cli.ok("cases", QUERY, "--no-record").out
    assert cli.ok("cases", QUERY, "--no-record", "--json").json["recall_id"] is None


def test_k_bounds_each_side(cli: Cli, deploys: list[str]) -> None:
    document = cli.ok("cases", QUERY, "-k", "1", "--json").json
    assert [len(document[side]) for side in ("good", "bad")] == [1, 1]


def test_a_deep_look_finds_what_is_archived_and_brings_it_back(cli: Cli, deploys: list[str]) -> None:
    bad, *_ = deploys
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0, sessions_open_max=1)
        memory.record_event("Had lunch", session="four")  # the only session that still holds what it met
        memory.sleep()
    assert bad not in cli.ok("cases", QUERY).out
    assert bad in cli.ok("cases", QUERY, "--deep").out
    assert bad in cli.ok("cases", QUERY).out


def test_a_case_whose_outcomes_are_forgotten_says_so(cli: Cli, deploys: list[str]) -> None:
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0, archived_max=0)
        memory.sleep()  # the events are held by their sessions
    assert "ended at -4.5, the mean of what was said: those outcomes are forgotten" in cli.ok("cases", QUERY).out


def test_what_is_no_case_is_said(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday")
    assert "No situation like that has ended yet." in cli.ok("cases", QUERY).out
    assert "Nothing that this memory holds is relevant" in cli.ok("cases", "zebra").out
    document = cli.ok("cases", "zebra", "--json").json
    assert (document["good"], document["bad"]) == ([], [])


def test_of_a_long_text_what_answers_is_printed_and_all_of_it_on_request(cli: Cli) -> None:
    """In a context, and in cases."""
    talk, fact = "Nobody agreed on the wording of the minutes. ", "The boiler was serviced by Ines Vidal."
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        event = memory.record_event(20 * talk + fact + " " + 20 * talk)
        memory.log_outcome(event, 2, kind="smooth")
    for command in (["context", "Who serviced the boiler?"], ["cases", "The boiler was serviced"]):
        part, whole = cli.ok(*command, "--no-record").out, cli.ok(*command, "--no-record", "--full").out
        assert fact in part and part.count(talk.strip()) < 15 and "…" in part
        assert fact in whole and whole.count(talk.strip()) >= 40
