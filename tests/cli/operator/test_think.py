"""`yggdrasil think`: over a directory, once; what it did, in words and as JSON; and what it cannot mean."""

from tests.cli.runs import Cli


def remember(cli: Cli) -> None:
    for at in range(4):
        cli.ok("record", f"plan step {at}", "--feature", "goal:ship", "--feature", f"s{at}")
    event = cli.ok("record", "shipped", "--feature", "goal:ship").line
    cli.ok("outcome", event, "-6", "--kind", "outage")


def test_it_thinks_once_and_says_what_came_of_it(cli: Cli) -> None:
    remember(cli)
    done = cli.ok("think", "--json").json
    assert [(one["thinker"], one["decided"]) for one in done["thinkers"]] == [
        ("chunker", 1), ("concepts", 0), ("reflector", 0), ("sleeper", 0),
    ]  # fmt: skip
    assert done["difference"] == [] and done["report"] is None
    assert "outcome: It turned out -6" in cli.ok("episodes").out
    again = cli.ok("think", "--rest").out
    assert again.splitlines()[0].split() == ["thinker", "version", "read", "decided"]
    assert cli.ok("replay").code == 0


def test_a_shadow_changes_nothing_and_is_compared(cli: Cli) -> None:
    remember(cli)
    before = cli.ok("stats", "--json").json
    would = cli.ok("think", "--thinkers", "chunker", "--shadow", "would.jsonl", "--json").json
    assert would["difference"] == [{"type": "commit_episode", "both": 0, "only_shadow": 1, "only_made": 0}]
    assert cli.ok("stats", "--json").json == before
    cli.ok("think")
    assert "commit_episode" in cli.ok("think", "--thinkers", "chunker", "--shadow", "would.jsonl").out


def test_what_cannot_be_meant_is_said(cli: Cli) -> None:
    assert cli("think").code == 4, "no memory is made by thinking"
    remember(cli)
    unknown = cli("think", "--thinkers", "wise")
    assert unknown.code == 2 and "there is no thinker wise; there are: chunker" in unknown.err
    alone = cli("think", "--service", "http://127.0.0.1:1")
    assert alone.code == 2 and "goes with --kafka" in alone.err
    nowhere = cli("think", "--kafka", "127.0.0.1:1", "--development")
    assert nowhere.code == 2 and "--service URL" in nowhere.err
    keyed = cli("think", "--kafka", "127.0.0.1:1", "--development", "--service", "http://me:secret@127.0.0.1:1")
    assert keyed.code == 2 and "give the key in YGGDRASIL_KEY" in keyed.err and "secret" not in keyed.err
