"""`yggdrasil fact` and `neighbours`: what is so, since when, by whom, and what it is linked to."""

import pytest

from tests.cli.runs import Cli
from yggdrasil.cli.agent.knowing.claims import value_of
from yggdrasil_producers.claims import object_of


@pytest.fixture(autouse=True)
def _without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YGGDRASIL_EMBEDDER", "none")


def test_what_is_so_now_and_what_was_so_then(cli: Cli) -> None:
    rome = cli.ok("fact", "add", "person:ana", "lives_in", "city:rome", "--from", "2024-01-01").line
    oslo = cli.ok("fact", "add", "person:ana", "lives_in", "city:oslo", "--from", "2026-05-01").line
    shown = cli.ok("fact", "show", "person:ana").out
    assert shown.startswith("ana lives in oslo since May 2026\n  person:ana lives_in city:oslo\n")
    then = cli.ok("fact", "show", "--object", "city:rome", "--at", "2025-01-01").out
    assert "from 2024-01-01 00:00 UTC, until 2026-05-01 00:00 UTC" in then and f"SUPERSEDED, by {oslo}" in then
    told = cli.ok("fact", "history", rome, "--json").json["memories"]
    assert [(each["ref"], each["status"]) for each in told] == [(rome, "superseded"), (oslo, "active")]
    asked = cli.ok("context", "Where does Ana live?", "--no-record", "--min-confidence", "0").out
    assert "ana lives in oslo" in asked and "% sure, 1 source, from 2026-05-01" in asked and "rome" not in asked
    assert "rome" in cli.ok("context", "Where does Ana live?", "--at", "2025-01-01", "--min-confidence", "0").out
    for wrong in (("fact", "show", "--at", "then"), ("context", "Ana", "--at", "then")):
        run = cli(*wrong)
        assert run.code == 2 and "is no point in time" in run.err


def test_values_are_what_they_look_like(cli: Cli) -> None:
    typed = {"-3": ("decimal", "-3"), "0.50": ("decimal", "0.5"), "Yes": ("flag", True), "No": ("flag", False),
             "red wine": ("text", "red wine"), "city:oslo": ("entity", "city:oslo"), "NaN": ("text", "NaN"),
             "https://a.example/x": ("text", "https://a.example/x")}  # fmt: skip
    for value, (kind, expected) in typed.items():
        body, _, text = object_of(value_of(value))
        assert {"digest": text} == {"digest": expected} if kind == "text" else body == {kind: expected}
    cli.ok("fact", "add", "wine:one", "is", "-0.50", "--qualifier", "season=summer")
    assert cli.ok("fact", "show", "--object", "-0.5").out.startswith(
        "one is -0.5 (season summer)\n  wine:one is -0.5 (season summer)\n"
    )
    assert cli("fact", "add", "thing:a", "is", "b", "--qualifier", "season").code == 2


def test_what_waits_stands_when_somebody_else_says_so_and_why_it_is_believed(cli: Cli) -> None:
    event = cli.ok("record", "Ana ordered the vegan menu").line
    added = cli("fact", "add", "person:ana", "diet", "vegan", "--evidence", event, "--origin", "agent", "--candidate")
    claim = added.out.strip()
    assert added.code == 0 and "it is candidate" in added.err
    assert (
        cli.ok("fact", "show", "person:ana").line
        == "Nothing like that is claimed. --history shows what was, and what lies ahead."
    )
    assert f"{claim}" in cli.ok("fact", "show", "--status", "candidate").out
    assert "CANDIDATE" not in cli.ok("fact", "verify", claim, "--reason", "I asked her").out
    assert cli.ok("fact", "add", "person:ana", "diet", "VEGAN", "--origin", "operator").line == claim  # one claim
    assert (
        "PRIOR: as her doctor says"
        in cli.ok("fact", "promote", claim, "--reason", "as her doctor says", "--origin", "operator").out
    )
    cli.ok("fact", "relate", event, "supports", claim, "--reason", "she chose it herself")
    why = cli.ok("fact", "lineage", claim).out
    assert "concluded from:\n    Ana ordered the vegan menu" in why and "an operator, cli as " in why
    assert "Ana ordered the vegan menu supports it\n    because: she chose it herself" in why
    assert "because: she chose it herself" in cli.ok("neighbours", event).out
    assert cli.ok("fact", "dependents", event, "--json").json["dependents"][0]["memory"]["ref"] == claim
    assert cli("fact", "lineage", event).code != 0


def test_a_thing_has_names_and_neighbours(cli: Cli) -> None:
    cli.ok("fact", "add", "person:robert", "lives_in", "city:oslo")
    cli.ok("fact", "alias", "Bob", "person:robert")
    told = cli.ok("fact", "thing", "Bob").out
    assert told.startswith(
        "person:robert\n  also called Bob\nrobert lives in oslo\n  person:robert lives_in city:oslo\n"
    )
    assert cli("fact", "alias", "Bob").code == 2 and cli("fact", "alias", "Bob", "person:robert", "--undo").code == 2
    cli.ok("fact", "alias", "Bob", "--undo")
    assert cli.ok("fact", "thing", "Bob", "--json").json["claims"] == []
    near = cli.ok("neighbours", "feature:city:oslo", "--depth", "2").out.splitlines()
    assert len(near) == 3 and near[-1].startswith("    ") and "feature:person:robert" in near[0] + near[1]
    assert "it has 2 links itself" in cli.ok("neighbours", "feature:city:oslo", "--count", "1").out


def test_a_predicate_means_what_the_operator_says(cli: Cli) -> None:
    cli.ok("fact", "add", "boat:gull", "berth", "pier:3", "--origin", "agent")
    cli.ok("fact", "define", "berth", "--cardinality", "one", "--authority", "user")
    cli.ok("fact", "add", "boat:ada", "berth", "pier:1", "--origin", "agent")
    cli.ok("fact", "add", "boat:ada", "berth", "pier:2")
    assert "pier:2" in cli.ok("fact", "show", "boat:ada").out.splitlines()[1]
    run = cli("fact", "define", "berth", "--cardinality", "two")
    assert run.code == 2 and "--cardinality takes one, one_per_object or many" in run.err


def test_a_claim_without_evidence_that_stands_is_not_said_to_stand(cli: Cli) -> None:
    event = cli.ok("record", "Ana ordered the vegan menu").line
    claim = cli.ok("fact", "add", "person:ana", "diet", "vegan", "--evidence", event).line
    assert "stands\n" in cli.ok("history", claim).out
    cli.ok("correct", "withdraw", event, "--reason", "it was Bo")
    shown = cli.ok("history", claim).out
    assert shown.endswith("nothing that it was concluded from stands\n"), shown
