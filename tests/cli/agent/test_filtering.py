"""`yggdrasil context` and `yggdrasil cases` with a filter: a question that is put to a part of a memory."""

import pytest

from tests.cli.runs import Cli
from yggdrasil import Memory

DAY = 1_767_225_600_000  # 2026-01-01


@pytest.fixture
def routers(cli: Cli) -> dict[str, str]:
    """Two events about the same, of different sessions, days and sources, each with an outcome."""
    place = cli.place / ".yggdrasil"
    with Memory.open(place, "me/agent", source="ann", origin="user") as memory:
        ops = memory.record_event("The router was replaced", features=["router", "floor:2"], session="ops", at=DAY)
        memory.log_outcome(ops, -3, kind="outage", at=DAY)
    with Memory.open(place, "me/agent", source="shop") as memory:
        late = DAY + 86_400_000
        desk = memory.record_event("The router was ordered", features=["router"], session="desk", at=late)
        memory.log_outcome(desk, 2, kind="cheap", at=late)
    return {"ops": ops, "desk": desk}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("--in-session ops", "ops"),
        ("--in-session desk --in-session nowhere", "desk"),
        ("--with-all router --with-all floor:2", "ops"),
        ("--with-all router --with-all outcome:cheap", "desk"),
        ("--with-any floor:3 --with-any floor:2", "ops"),
        ("--since 2026-01-02", "desk"),
        ("--until 2026-01-01", "ops"),
        (f"--until {DAY}", "ops"),
        ("--since 2026-01-01T23:59:59.999Z --of-kind event", "desk"),
        ("--from-source ann --from-source bob", "ops"),
        ("--from-origin agent", "desk"),
        ("--in-session ops --from-source shop", None),
        ("--with-any never", None),
    ],
)
def test_a_question_is_put_to_a_part_of_a_memory(
    cli: Cli, routers: dict[str, str], options: str, found: str | None
) -> None:
    refs = [] if found is None else [routers[found]]
    context = cli.ok("context", "the router", *options.split(), "--json").json
    assert [one["memory"]["ref"] for one in context["found"]] == refs
    cases = cli.ok("cases", "the router", *options.split(), "--json").json
    assert [one["found"]["memory"]["ref"] for one in cases["good"] + cases["bad"]] == refs
    if found is None:
        for command in ("context", "cases"):
            out = cli.ok(command, "the router", *options.split()).out
            assert out.startswith("Nothing that the filter admits is relevant to that.\n")
    cli.ok("prove", "--all")


def test_a_filter_a_confidence_and_a_prompt_go_together(cli: Cli, routers: dict[str, str]) -> None:
    options = "--in-session", "ops", "--min-confidence"
    for command, heading in (("context", "Memories, oldest first:"), ("cases", "Ended badly, oldest first:")):
        asked = command, "Was the router or the printer replaced?", *options
        told = cli.ok(*asked, "0", "--prompt", "--tokens-max", "50").out
        assert told.splitlines()[0] == heading
        assert told.splitlines()[1].startswith("[m1] 2026-01-01, ") and "The router was replaced" in told
        refused = cli.ok(*asked, "1", "--prompt", "--json").json
        assert refused["refs"] == {}
        assert refused["text"].startswith("Nothing that the filter admits is a sure answer: ")
        assert '- 2026-01-01, user "ann", uncertain: "floor:2" The router was replaced' in refused["text"]
        shown = cli.ok(*asked, "1").out
        assert shown.startswith("Nothing that the filter admits is relevant to that.\n  confidence ")
        assert shown.index("What was nearest, and is uncertain:") < shown.index("The router was replaced")
        assert "ordered" not in told + refused["text"] + shown
    cli.ok("prove", "--all")


def test_an_explanation_says_where_was_asked(cli: Cli, routers: dict[str, str]) -> None:
    recall = cli.ok(
        "context", "the router", "--in-session", "ops", "--in-session", "lab", "--until", str(DAY), "--json"
    )
    action = cli.ok("record", "Ordered another", "--informed-by", recall.json["recall_id"]).line
    assert (
        f'It had asked "the router" where sessions lab, ops; until {DAY} (as of seq 4)' in cli.ok("explain", action).out
    )


@pytest.mark.parametrize("command", ["context", "cases"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--of-kind feature", "'feature' is none of event, outcome, episode, concept"),
        ("--from-origin human", "is none of agent, user"),
        ("--since yesterday", "no point in time"),
        ("--until=", "no point in time"),
        ("--since 2026-01-31T12:00", "needs a time zone"),
        ("--since 2026-02-01 --until 2026-01-31", "since lies after until"),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_use(cli: Cli, command: str, options: str, said: str) -> None:
    cli.ok("record", "Something")
    run = cli(command, "anything", *options.split())
    assert run.code == 2
    assert said in " ".join(run.err.replace("│", " ").split())
