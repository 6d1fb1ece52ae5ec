"""`yggdrasil episodes` and `yggdrasil working-memory`: what was experienced, what comes next, what is in mind."""

from pathlib import Path

import pytest

from tests.cli.runs import Cli
from yggdrasil import Memory
from yggdrasil_producers.draft import Drafter


@pytest.fixture
def days(cli: Cli) -> list[str]:
    """Three sessions of two episodes each, and a goal; the references of the episodes."""
    made: list[str] = []
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        for day, (after, value) in enumerate((("outage", -4.0), ("outage", -2.0), ("calm", 3.0))):
            event = memory.record_event("Deployed", features=["deploy"], session=f"day {day}", at=1_767_225_600_000)
            body = {"events": [event]}
            content = {"text": f"The deploy of day {day}", "payload": {"trigger": "boundary", "why": "a day was over"}}
            draft = Drafter("me/agent", "agent", "test").draft("commit_episode", body, content)
            assert memory.engine.submit(draft).refused is None
            following = memory.record_event(f"Then came {after}", features=[after], session=f"day {day}")
            made += [draft.id, memory.commit_episode([following], text=f"It was {after}")]
            memory.log_outcome(made[-1], value, kind=after, session=f"day {day}")
        memory.record_event("We want to ship", features=["goal:ship", "threat:rain"], session="day 2")
    return made


def test_episodes_are_listed_the_latest_first_and_page_by_page(cli: Cli, days: list[str]) -> None:
    out = cli.ok("episodes", "--count", "2").out
    assert out.index(days[5]) < out.index(days[4]) and days[3] not in out
    assert "The deploy of day 2\n" in out and "  why it was made: boundary: a day was over\n" in out
    assert "2026-01-01 00:00 UTC, session day 2, seq 12\n" in out and "  calm +3\n" in out
    before = out.rstrip().rsplit(" ", 1)[1]
    assert f"There are earlier ones: --before {before}\n" in out
    rest = cli.ok("episodes", "--before", before, "--json").json
    assert [one["memory"]["ref"] for one in rest["episodes"]] == days[3::-1] and rest["before"] is None
    mine = cli.ok("episodes", "--session", "day 1", "--json").json["episodes"]
    assert [one["memory"]["ref"] for one in mine] == [days[3], days[2]]
    assert cli.ok("episodes", "--session", "nobody").line == "No episodes of session nobody."


def test_one_is_shown_with_its_events_and_what_is_around_it(cli: Cli, days: list[str]) -> None:
    out = cli.ok("episodes", "show", days[1]).out
    assert "  What it binds, oldest first:\n    - Then came outage\n" in out
    assert f"  before it: The deploy of day 0  {days[0]}\n" in out and "after it" not in out
    found = cli.ok("episodes", "show", days[0], "--json").json
    assert (found["trigger"], found["why"], found["sessions"]) == ("boundary", "a day was over", ["day 0"])
    assert [step["ref"] for step in found["after"]] == [days[1]]


def test_what_comes_next_is_told_with_its_counts(cli: Cli, days: list[str]) -> None:
    out = cli.ok("episodes", "next", "Should we deploy?").out
    assert "3 similar ones among 6 episodes, compared by deploy; on 3 of them something has followed.\n" in out
    table = out.partition("What usually comes next:\n")[2].splitlines()
    assert table[1].split() == ["outage", "67%", "2", "of", "3", "33%", "-3", "0", "2"]
    assert table[2].split() == ["calm", "33%", "1", "of", "3", "17%", "+3", "1", "0"]
    assert "How what followed ended: -1 on the mean (1 good, 2 bad outcomes).\n" in out
    found = cli.ok("episodes", "next", "--episode", days[0], "-k", "1", "--json").json
    assert [one["episode"]["ref"] for one in found["similar"]] == [days[4]]
    assert cli.ok("episodes", "next", "--session", "day 0", "--json").json["features"] == ["outage"]
    assert cli.ok("episodes", "next", "of nothing that is known").line == "None is similar among 6 episodes."


def test_an_episode_can_be_made_by_hand(cli: Cli) -> None:
    first = cli.ok("record", "The disk is full", "--session", "ops").line
    second = cli.ok("record", "Deleted old logs", "--session", "ops").line
    made = cli.ok("episodes", "commit", first, second, "--text", "A full disk, mended").line
    (one,) = cli.ok("episodes", "--json").json["episodes"]
    assert (one["memory"]["ref"], one["memory"]["members"]) == (made, [first, second])
    assert cli("episodes", "commit", "01890000-0000-7000-8000-000000000000").code == 3


def test_drift_is_shown_with_its_evidence(cli: Cli, days: list[str]) -> None:
    looked_at = "Looked at: the latest 7 events, 6 episodes, 0 recalls, as of seq 16."
    assert cli.ok("drift").line == f"Nothing to report. {looked_at}"
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        made: list[str] = []
        for _ in range(6):
            steps = [memory.record_event("again", features=[name]) for name in ("try", "fail")]
            memory.log_outcome(steps[-1], -1)
            made.append(memory.commit_episode(steps))
    out = cli.ok("drift").out
    assert out.startswith("repeated failure: The memory repeats what fails: the last 6 episodes that began with try")
    assert f"    {made[-1]}\n" in out and "    (3 more: --json has them)\n" in out
    assert cli.ok("drift", "--json").json["reports"][0]["habit"] == "repeated_failure"


def test_what_is_in_mind_is_shown_session_by_session(cli: Cli, days: list[str]) -> None:
    out = cli.ok("working-memory").out
    assert out.startswith("session day 2\n  open since seq 11, touched at seq 16, 1 of 64 events in its buffer\n")
    assert "  goal: goal:ship (said 1 time, last: We want to ship)\n" in out
    assert "  threat: threat:rain (said, last: We want to ship)\n    - We want to ship\n" in out
    assert "  2 episodes, the latest first: It was calm; The deploy of day 2\n" in out
    (one,) = cli.ok("working-memory", "--session", "day 2", "-n", "1", "--json").json["sessions"]
    assert [goal["feature"] for goal in one["goals"]] == ["goal:ship"]
    assert cli.ok("working-memory", "--session", "nobody").line == "No such session is open; 3 are."


def test_what_cannot_be_answered_says_why(cli: Cli, days: list[str]) -> None:
    event = cli.ok("record", "An event").line
    for arguments, code, words in (
        (("show", event), 2, "is no episode, but an event"),
        (("next", "--episode", event), 2, "is no episode, but an event"),
        (("next", "words", "--session", "day 0"), 2, "one of the three"),
        (("next", "--session", "closed"), 2, "no session 'closed' is open"),
        (("show", "01890000-0000-7000-8000-000000000000"), 4, "nothing that this memory holds"),
        (("--session", "a", "show", event), 2, "give it behind the command: episodes show --session"),
        (("--dir", "elsewhere", "next"), 2, "episodes next --dir"),
    ):
        run = cli("episodes", *arguments)
        assert (run.code, words in run.err) == (code, True), run.err
    for command in (("episodes",), ("working-memory",)):
        assert cli(*command, "--memory", "me/nobody").code == 4


def test_what_an_ended_session_left_open_is_shown_if_it_is_asked_for(cli: Cli) -> None:
    cli.ok("record", "A day begins", "--session", "other")
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        session = memory.session(task="T-1", name="gone")
        session.promise("Call Ana")
        session.end("Done")
    assert "gone" not in cli.ok("working-memory").out
    out = cli.ok("working-memory", "--ended").out
    assert "session gone, which has ended\n" in out and "  goal: task:T-1 " in out


def test_what_is_offered_in_vain_is_shown_page_by_page(cli: Cli, days: list[str]) -> None:
    assert cli.ok("bias").out.splitlines()[-1].startswith("Nothing was offered more than 50 times and never used. Of ")
    with Memory.open(cli.place / ".yggdrasil", "me/agent") as memory:
        memory.set_policy(bias_candidates=1)
        for at in range(3):
            memory.record_event(f"The night train of line {at} was late")
        for at in range(3):
            memory.record_event(f"Bread of kind {at}")
            memory.get_context("Which night train was late?", k=3)
        found = memory.bias()
    assert found.count >= 2
    out = cli.ok("bias", "--count", "1").out
    assert "3 offers: " in out and f"({found.count} in all; go on with --since " in out
    assert "Uses for a thousand offers, from the weakest tenth: " in out
    seq = cli.ok("bias", "--count", "1", "--json").json["position"]
    (second,) = cli.ok("bias", "--since", str(seq), "--count", "1", "--json").json["never_used"]
    assert second["memory"]["ref"] == found.never_used[1].memory.ref


def test_of_none_it_is_said_whether_thinkers_have_decided(cli: Cli) -> None:
    cli.ok("record", "Alone")
    for _ in range(2):
        none, untouched = cli.ok("episodes").out.split("\n", 1)
        assert none == "No episodes." and untouched.startswith(
            "No thinker has decided anything here: `yggdrasil think`"
        )
        cli.ok("think")  # who runs and has nothing to decide leaves no trace: that nobody has run would not be so
    with Memory.open(Path(".yggdrasil"), "me/agent") as memory:
        memory.sleep(thinker={"name": "sleeper", "version": "1", "cursor_from": 0, "cursor_to": 1})
    assert cli.ok("episodes").out.splitlines() == ["No episodes."]
