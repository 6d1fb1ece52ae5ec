from tests.cli.runs import Cli


def test_a_moment_is_named_asked_for_and_let_go_of(cli: Cli) -> None:
    first = cli.ok("record", "The router is in the cellar").out.strip()
    assert cli.ok("past", "snapshots").out.startswith("No moment has a name")
    assert cli.ok("past", "snapshot", "before").out == "before is seq 2 from now on\n"
    cli.ok("record", "The router was moved to the attic")
    found = cli.ok("past", "snapshots", "--json").json
    assert found["snapshots"] == [{"name": "before", "seq": 2}]
    assert "before" in cli.ok("past", "snapshots").out
    answer = cli.ok("context", "Where is the router?", "--as-of", "before", "--json").json
    assert [each["memory"]["ref"] for each in answer["found"]] == [first]
    assert cli("past", "snapshot", "before").code == 3
    assert cli("context", "router", "--as-of", "afterwards").code == 4
    assert cli.ok("past", "snapshot", "before", "--drop").out == "before is free again\n"


def test_a_replay_takes_no_name_for_the_whole_log(cli: Cli) -> None:
    cli.ok("record", "The router is in the cellar")
    cli.ok("past", "snapshot", "before")
    cli.ok("record", "The router was moved to the attic")
    for option in ("--from", "--to", "--as-of"):
        run = cli("replay", option, "before")
        assert run.code == 2 and "a replay does not look up" in " ".join(run.err.split())
    assert cli.ok("replay", "--as-of", "2", "--json").json["to"] == "2"
