from tests.cli.runs import Cli
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

ASKED = "Should we deploy on Friday?"


def lived(cli: Cli) -> str:
    friday = cli.ok("record", "Deployed on a Friday", "--feature", "deploy", "--feature", "friday").out.strip()
    cli.ok("outcome", friday, "-3", "--kind", "outage")
    cli.ok("record", "Deployed on a Tuesday", "--feature", "deploy", "--session", "second")
    return friday


def test_both_answers_stand_beside_each_other(cli: Cli) -> None:
    friday = lived(cli)
    digest = cli.ok("replay", "--json").json
    told = cli.ok("past", "what-if", "--without", friday, "--ask", ASKED).out
    assert "Left out: 1 command\n" in told and "seq 2  log_outcome  unknown_event" in told
    lines = [line.split() for line in told.splitlines()]
    assert ["1", "-", "Deployed", "on", "a", "Friday"] in lines
    assert ["-", "1", "Deployed", "on", "a", "Tuesday"] in lines
    assert ["event", "2", "1", "1", "0"] in lines and ["outcome", "1", "0", "1", "0"] in lines
    assert "feature  friday: 3.24, 1.12, -2.25 -> not there" in told
    assert "as of seq 3; nothing was recorded" in told
    assert cli.ok("replay", "--json").json == digest, "reality is as it was"


def test_as_json(cli: Cli) -> None:
    friday = lived(cli)
    found = cli.ok("past", "what-if", "--without", friday, "--ask", ASKED, "--json").json
    assert found["voids"]["refusals"][0] | {"id": ""} == {
        "id": "", "seq": 2, "type": "log_outcome", "reason": "unknown_event", "detail": "", "trust": 2,
    }  # fmt: skip
    assert found["answer"]["found"][0]["memory"]["ref"] == friday and found["answer"]["recorded"] is False
    assert found["other_answer"]["past"] is True and friday not in str(found["other_answer"]["found"])
    early = cli.ok("past", "what-if", "--without", friday, "--ask", ASKED, "--as-of", "1", "--json").json
    assert early["as_of"] == 1 and early["answer"]["past"] is True and early["other_answer"]["found"] == []


def test_at_a_service(cli: Cli) -> None:
    friday = lived(cli)
    here = cli.ok("past", "what-if", "--without", friday, "--ask", ASKED).out
    with Embedded(cli.place / ".yggdrasil") as engine, Serving(engine, Service(("127.0.0.1", 0), rate=0)) as it:
        there = cli.ok("past", "what-if", "--without", friday, "--ask", ASKED, "--service", it.url).out
    assert there == here


def test_what_else_can_be_supposed(cli: Cli) -> None:
    lived(cli)
    assert "Left out: 3 commands\n  Nothing else" in cli.ok("past", "what-if", "--without-source", "cli").out
    assert "Left out: 1 command\n" in cli.ok("past", "what-if", "--without-session", "second").out
    told = cli.ok("past", "what-if", "--policy", "salience_initial=2", "--policy", "novelty_max=0.5").out
    assert "Left out: 0 commands" in told and "differ in strength" in told


def test_what_cannot_be_supposed(cli: Cli) -> None:
    assert cli("past", "what-if").code == 4, "nothing is there"
    lived(cli)
    for arguments, why in (
        (("--without", "x"), "takes ids"),
        (("--without", "00000000-0000-7000-8000-000000000000"), "has accepted no command"),
        (("--policy", "magic=1"), "not a constant"),
        (("--policy", "x"), "NAME=NUMBER"),
        (("--policy", "nodes_max=lots"), "NAME=NUMBER"),
        (("--as-of", "9"), "has not happened yet"),
    ):
        run = cli("past", "what-if", *arguments)
        assert run.code != 0 and why in run.err, arguments
