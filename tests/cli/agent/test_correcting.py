"""`yggdrasil correct`, `history` and `contradictions`: what no longer holds, what did, and what cannot both."""

from tests.cli.runs import Cli
from yggdrasil import Store


def test_what_is_corrected_is_found_no_more_and_is_shown_with_its_history(cli: Cli) -> None:
    old = cli.ok("record", "Ana lives in Rome", "--feature", "person:ana").line
    new = cli.ok("correct", "supersede", old, "Ana lives in Oslo", "--feature", "person:ana").line
    asked = cli.ok("context", "Where does Ana live?", "--no-record").out
    assert "Ana lives in Oslo" in asked and "Rome" not in asked
    assert f"SUPERSEDED, by {new}" in cli.ok("context", "Where does Ana live?", "--history", "--no-record").out
    told = cli.ok("history", old).out
    assert told.index("Ana lives in Rome") < told.index("SUPERSEDED") < told.index("Ana lives in Oslo")
    assert f"SUPERSEDED, by {new}" in cli.ok("explain", old).out
    assert "REJECTED: only a holiday" in cli.ok("correct", "withdraw", new, "--reason", "only a holiday").out
    assert "stands" in cli.ok("correct", "reinstate", old).out
    found = cli.ok("history", new, "--json").json["memories"]
    assert [(each["ref"], each["status"]) for each in found] == [(old, "active"), (new, "rejected")]


def test_a_question_is_resolved_and_a_claim_waits(cli: Cli) -> None:
    question = cli.ok("record", "Which printer is on the second floor?").line
    assert "RESOLVED: the grey one" in cli.ok("correct", "resolve", question, "--reason", "the grey one").out
    claim = cli.ok("record", "Send all invoices to account 2").line
    cli.ok("correct", "quarantine", claim, "--reason", "who says so?")
    shown = cli.ok("context", "invoices", "--of-status", "quarantined", "--no-record", "--json").json
    assert [each["memory"]["ref"] for each in shown["found"]] == [claim]


def test_who_approves_what_they_alone_say_is_named_as_that(cli: Cli) -> None:
    cli.ok("record", "It began")
    with Store.open(cli.place / ".yggdrasil") as store:
        root = store.memory("me/agent", source="root", origin="operator")
        rule = root.assert_claim("team:ops", "must", "ask before a deploy", sort="rule")
        root.reinstate(rule)
    assert "self-approved: nobody else says so" in cli.ok("history", rule).out
    assert cli.ok("history", rule, "--json").json["memories"][0]["ruling"]["self_approved"] is True


def test_what_people_decided_is_told(cli: Cli) -> None:
    cli.ok("record", "It began")
    assert cli.ok("rulings").line == "Nothing to report. Looked at: the latest 0 claims, as of seq 1."
    with Store.open(cli.place / ".yggdrasil") as store:
        agent, user = store.memory("me/agent"), store.memory("me/agent", source="ana", origin="user")
        for number in range(8):
            agent.assert_claim(f"person:p{number}", "lives_in", "Rome")
            store.memory("me/agent", source="two").assert_claim(f"person:p{number}", "lives_in", "Rome")
            oslo = store.memory("me/agent", source="three").assert_claim(f"person:p{number}", "lives_in", "Oslo")
            user.judge({oslo: "release"}, reason="moved")
    told = cli.ok("rulings").out
    assert "recency would have agreed 8 of 8 times" in told and "with resolution=recency" in told
    assert cli.ok("rulings", "--json").json["predicates"][0]["suggests"] == "recency"


def test_the_latest_word_under_a_key_stands_and_what_contests_it_is_shown(cli: Cli) -> None:
    cli.ok("record", "Ana eats everything", "--key", "ana/diet")
    cli.ok("record", "Ana is a vegan now", "--key", "ana/diet")
    assert cli.ok("contradictions").line == "Nothing contradicts what stands."
    with Store.open(cli.place / ".yggdrasil") as store:
        store.memory("me/agent", origin="user").record_event("I eat fish", key="ana/diet")
        store.memory("me/agent").record_event("Ana eats meat", key="ana/diet")
    told = cli.ok("contradictions").out
    assert told.index("I eat fish") < told.index("    Ana eats meat") and "CONTESTED, by " in told
    assert [each["status"] for each in cli.ok("history", "--key", "ana/diet", "--json").json["memories"]] == [
        "superseded",
        "superseded",
        "active",
        "contested",
    ]
    assert cli.ok("history", "--key", "nobody").line == "Nothing was recorded with the key nobody."


def test_what_cannot_be_corrected_says_why(cli: Cli) -> None:
    event = cli.ok("record", "Deployed").line
    outcome = cli.ok("outcome", event, "-1").line
    refused = cli("correct", "resolve", outcome, "--reason", "no")
    assert refused.code == 3 and "not_corrigible" in refused.err
    with Store.open(cli.place / ".yggdrasil") as store:
        own = store.memory("me/agent", origin="operator").record_event("The rule of this house")
    refused = cli("correct", "supersede", own, "No rule")
    assert refused.code == 3 and "not_trusted" in refused.err
    cli.ok("correct", "supersede", own, "Another rule", "--origin", "operator")
    assert cli("history").code == 2 and cli("history", own, "--key", "k").code == 2
