"""The page of ``yggdrasil diff``: what was learnt, what fell and by what, and which answers are others."""

from tests.cli.runs import Cli


def test_the_page_and_the_document_say_what_changed(cli: Cli) -> None:
    event = cli.ok("record", "Deployed on a Friday", "--feature", "deploy").line
    cli.ok("fact", "add", "person:ana", "lives_in", "city:oslo")
    cli.ok("context", "Where does Ana live?")
    instead = cli.ok("correct", "supersede", event, "Deployed on a Thursday", "--feature", "deploy").line
    cli.ok("fact", "add", "person:ana", "lives_in", "city:rome", "--from", "2026-01-01")
    cli.ok("outcome", instead, "-6", "--kind", "outage")
    page = cli.ok("diff", "2").out
    assert page.startswith("What changed from seq 2 (") and "to seq 6, which is now." in page
    assert "Learnt: 1 claim, 1 event, 1 outcome" in page and "outcome -6: (no text)" in page
    assert "Fell: 2 superseded" in page and "superseded: Deployed on a Friday" in page
    assert f"by {instead}: Deployed on a Thursday" in page
    assert "+ ana lives in rome" in page and "- ana lives in oslo" in page
    assert "1 question asked again, 1 answered otherwise." in page
    document = cli.ok("diff", "2", "5", "--json").json
    assert (document["since"], document["as_of"], document["past"]) == (2, 5, True)
    assert instead in [each["instead"] for each in document["fell"]]
    assert "(1 more: --count)" in cli.ok("diff", "2", "-n", "2").out
    assert "Learnt: 1 event\n" in cli.ok("diff", "2", "--feature", "deploy", "5").out


def test_what_cannot_be_compared_is_told(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday")
    cli.ok("record", "Deployed on a Monday")
    swapped, ahead, none = cli("diff", "2", "1"), cli("diff", "9"), cli("diff", "yesterday")
    assert swapped.code != 0 and "swap them" in swapped.err
    assert ahead.code != 0 and "has not happened yet" in ahead.err
    assert none.code != 0 and "yesterday" in none.err
