import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from yggdrasil import Memory

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
FRIDAY = ("Deployed on a Friday", "--feature", "deploy", "-f", "friday")


def test_record_prints_the_id_and_nothing_else(cli: Cli) -> None:
    assert UUID.fullmatch(cli.ok("record", *FRIDAY).line)
    assert (cli.place / ".yggdrasil" / "log").is_dir()
    document = cli.ok("record", *FRIDAY, "--json").json
    assert document["memory"] == "me/agent"
    assert UUID.fullmatch(document["event"])


def test_record_takes_payload_session_and_recalls(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("build.json").write_text('{"build": 512}')
    first = cli.ok("record", "One", "--payload", '{"build": 1}', "--session", "s").line
    second = cli.ok("record", "Two", "--payload", "@build.json", "--session", "s").line
    third = cli.script("record", "Three", "--payload", "-", stdin='{"build": 3}')
    assert third.code == 0, third.err
    found = cli.ok("context", "one two three", "--json").json
    builds = {entry["memory"]["text"]: entry["memory"]["payload"]["build"] for entry in found["found"]}
    assert builds == {"One": 1, "Two": 512, "Three": 3}
    action = cli.ok("record", "Four", "--informed-by", found["recall_id"]).line
    why = cli.ok("explain", action, "--json").json
    assert [recall["id"] for recall in why["informed_by"]] == [found["recall_id"]]
    assert {then["ref"] for then in why["informed_by"][0]["returned"]} >= {first, second}
    assert [earlier["ref"] for earlier in cli.ok("explain", second, "--json").json["chain"]] == [first]


def test_a_note_has_names_and_a_rationale(cli: Cli) -> None:
    note = (
        "--note",
        "decision",
        "--name",
        "Rail only",
        "--alias",
        "Gleisregel",
        "--alias",
        "parcel rule",
        "--rationale",
        "Planes are dear",
    )
    event = cli.ok("record", "Parcels go over land", *note).line
    assert "Rail only: Parcels go over land" in cli.ok("context", "gleisregle").out
    assert "Rail only" in cli.ok("context", "gleisregel", "--note", "decision").out
    assert "Rail only" not in cli.ok("context", "gleisregel", "--note", "warning").out
    assert "--note takes" in cli("record", "x", "--note", "rumour").err
    explained = cli.ok("explain", event).out
    assert "called Rail only, Gleisregel, parcel rule" in explained and "because: Planes are dear" in explained
    wrong = cli("record", "x", *(f"--alias=a{number}" for number in range(17)))
    assert wrong.code and "--alias may be given 16 times" in wrong.err


@pytest.mark.parametrize("value", ["-3", "-0.5", "0", "2.5", "-10"])
def test_outcome_takes_values_as_they_are(cli: Cli, value: str) -> None:
    event = cli.ok("record", *FRIDAY).line
    assert UUID.fullmatch(cli.ok("outcome", event, value, "--kind", "outage", "--text", "Down").line)
    (outcome,) = cli.ok("explain", event, "--json").json["memory"]["outcomes"]
    assert (outcome["value"], outcome["kind"], outcome["text"]) == (float(value), "outage", "Down")


def test_a_catastrophe_protects(cli: Cli) -> None:
    event = cli.ok("record", *FRIDAY).line
    document = cli.ok("outcome", event, "-9", "--catastrophic", "--json").json
    assert document["event"] == event
    assert cli.ok("explain", event, "--json").json["memory"]["protected"] is True
    assert "CATASTROPHIC" in cli.ok("explain", event).out


def test_context_shows_evidence_outcomes_and_the_recall(cli: Cli) -> None:
    event = cli.ok("record", *FRIDAY).line
    cli.ok("outcome", event, "-3", "--kind", "outage", "--text", "The site was down")
    run = cli.ok("context", "Should we deploy on Friday?")
    for part in ("Deployed on a Friday", event, "similarity 0.", "outage -3: The site was down", "as of seq 2"):
        assert part in run.out
    document = cli.ok("context", "friday", "--json").json
    assert document["recorded"] and document["as_of"] == 3
    assert document["found"][0]["memory"]["ref"] == event


def test_context_says_when_and_in_which_session(cli: Cli) -> None:
    turns = [
        '{"role": "user", "content": "Adopted a puppy", "session": "spring", "at": "2023-05-08T13:56:00Z"}',
        '{"role": "user", "content": "Sent a probe", "session": "far", "at": 9007199254740991}',
    ]
    Path("chat.jsonl").write_text("\n".join(turns))
    cli.ok("import", "chat", "chat.jsonl")
    assert "  2023-05-08 13:56 UTC, session spring\n" in cli.ok("context", "puppy").out
    assert "  session far\n" in cli.ok("context", "probe").out  # a time that no calendar has


def test_context_leaves_no_trace_if_asked(cli: Cli) -> None:
    cli.ok("record", *FRIDAY)
    assert "not recorded" in cli.ok("context", "friday", "--no-record").out
    document = cli.ok("context", "friday", "--no-record", "--json").json
    assert (document["recorded"], document["recall_id"], document["as_of"]) == (False, None, 1)


def test_an_order_that_is_not_that_of_the_scores_is_explained(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    from yggdrasil.cli.agent.asking import show_context
    from yggdrasil.cli.screen import Screen

    cli.ok("record", *FRIDAY)
    cli.ok("record", "The friday friday deploy broke on a Friday", "-f", "deploy")
    assert "Not by score alone" not in cli.ok("context", "Deploy on a friday").out
    with Memory.open(cli.place / ".yggdrasil", "me/agent", embedder="off") as memory:
        found = memory.get_context("Deploy on a friday", record=False)
    assert len({each.scores.priority for each in found.found}) == 2
    show_context(Screen(), replace(found, found=found.found[::-1]))
    assert capsys.readouterr().out.startswith("Not by score alone: ")


def test_nothing_relevant_is_an_answer(cli: Cli) -> None:
    cli.ok("record", *FRIDAY)
    assert "Nothing that this memory holds is relevant" in cli.ok("context", "zebra").out
    assert cli.ok("context", "zebra", "--json").json["found"] == []


def test_a_refusal_says_what_was_asked_for_and_shows_what_was_nearest(cli: Cli) -> None:
    cli.ok("record", *FRIDAY)
    for command in ("context", "cases"):
        out = cli.ok(command, "Did the printer break on Friday?", "--min-confidence", "1").out
        assert "and 1 is asked for: what is nearest is not near enough" in out
        assert out.index("What was nearest, and is uncertain:") < out.index("Deployed on a Friday")
    assert cli.ok("context", "Did the printer break on Friday?", "--min-confidence", "0", "--json").json["found"]
    assert cli("context", "friday", "--min-confidence", "2").code == 2


def test_a_prompt_gets_the_text_alone(cli: Cli) -> None:
    event = cli.ok("record", *FRIDAY).line
    cli.ok("outcome", event, "-3", "--kind", "outage", "--text", "The site was down")
    run = cli.ok("context", "Should we deploy on Friday?", "--prompt")
    heading, said, outcome = run.out.splitlines()
    assert heading == "Memories, oldest first:"
    assert said.startswith("[m1] 20") and said.endswith(": Deployed on a Friday")
    assert outcome == '  -3 "outage", user "cli": The site was down'
    assert "recall " in run.err
    document = cli.ok("context", "friday", "--prompt", "--json", "--tokens-max", "20").json
    assert document["refs"] == {"m1": event} and len(document["text"]) <= 80
    assert cli.ok("cases", "Deploy on Friday?", "--prompt").out.startswith("Ended badly, oldest first:\n[m1] ")


def test_k_bounds_the_answer(cli: Cli) -> None:
    for said in ("Deployed on a Friday", "The lunch of this friday was cancelled", "Rain is expected for friday"):
        cli.ok("record", said)
    assert len(cli.ok("context", "friday", "-k", "2", "--json").json["found"]) == 2
    assert cli("context", "friday", "-k", "51").code == 2


def test_explain_shows_the_lineage(cli: Cli) -> None:
    first = cli.ok("record", *FRIDAY).line
    cli.ok("outcome", first, "-3", "--text", "Down")
    recall = cli.ok("context", "friday?", "--json").json["recall_id"]
    action = cli.ok("record", "Deployed on a Monday", "--informed-by", recall).line
    out = cli.ok("explain", action).out
    for part in ("Deployed on a Monday", "partition", '"friday?"', "Deployed on a Friday", "then)", "outcome -3: Down"):
        assert part in out
    assert "said 1 time, returned 0 times, used 0 times, 0 of them well" in out
    assert "said 1 time, returned 2 times (last at tick 2), used 0 times" in cli.ok("explain", first).out


def test_explain_leads_from_an_outcome_to_its_event(cli: Cli) -> None:
    event = cli.ok("record", *FRIDAY).line
    outcome = cli.ok("outcome", event, "-3").line
    recall = cli.ok("context", "friday", "--json").json["recall_id"]
    run = cli("explain", outcome)
    assert run.code == 4 and f"explain {event}" in run.err
    run = cli("explain", recall)
    assert run.code == 4 and "not an event (record_recall)" in run.err


def test_stats_count_everything(cli: Cli) -> None:
    event = cli.ok("record", *FRIDAY).line
    cli.ok("outcome", event, "-3")
    assert cli("outcome", event.replace(event[:8], "00000000"), "1").code == 3
    cli.ok("record", "Elsewhere", "--memory", "you/other")
    document = cli.ok("stats", "--json").json
    assert [memory["memory"] for memory in document["memories"]] == ["me/agent", "you/other"]
    mine = document["memories"][0]
    assert (mine["seq"], mine["tick"]) == (2, 1)
    assert mine["nodes"] == {"event": 1, "feature": 3, "outcome": 1}
    assert mine["edges"] == {"associative": 1, "causal": 1, "contains": 3}
    assert mine["bounds"]["nodes"] == {"used": 5, "most": 50_000}
    assert document["refused"] == {"unknown_event": 1}
    assert sum(document["records_by_partition"]) == 4
    assert document["bytes_by_family"]["identity"] > 0
    assert [m["memory"] for m in cli.ok("stats", "--memory", "you/other", "--json").json["memories"]] == ["you/other"]
    out = cli.ok("stats").out
    for part in ("you/other", "outcome 1", "nodes 5 of 50,000", "unknown_event 1", "identity "):
        assert part in out


def test_record_takes_causes_and_explain_shows_them(cli: Cli) -> None:
    cause = cli.ok("record", "The disk is full", "--session", "alarms").line
    event = cli.ok("record", "Deleted the logs", "--caused-by", cause).line
    assert [one["id"] for one in cli.ok("explain", event, "--json").json["caused_by"]] == [cause]
    out = cli.ok("explain", event).out
    assert "caused it" in out and "- The disk is full\n" in out


def test_outcome_takes_steps_and_says_at_each_whose_it_is(cli: Cli) -> None:
    step = cli.ok("record", "Skipped the tests", "--session", "release").line
    event = cli.ok("record", *FRIDAY).line
    outcome = cli.ok("outcome", event, "-3", "--kind", "bug", "--step", step).line
    (seen,) = cli.ok("explain", step, "--json").json["memory"]["outcomes"]
    assert (seen["id"], seen["event"]) == (outcome, event)
    assert f"bug -3 of {event}" in cli.ok("explain", step).out
    assert "bug -3\n" in cli.ok("explain", event).out


def test_pin_protects_and_lets_go_again(cli: Cli) -> None:
    event = cli.ok("record", "Never deploy without a backup", "--feature", "backup").line
    run = cli.ok("pin", event, "--permanence", "5", "--text", "The first rule")
    assert run.out == f"{event} is pinned: permanence 5\n  Never deploy without a backup\n"
    assert cli.ok("stats", "--json").json["memories"][0]["flags"] == {"pinned": 1}
    assert "among the nodes: pinned 1" in cli.ok("stats").out
    document = cli.ok("pin", "feature:backup", "--json").json
    assert UUID.fullmatch(document["pin"]) and document["node"]["protected"]
    assert cli.ok("pin", "feature:backup", "--off").line == "feature:backup is no longer pinned"
    assert cli.ok("stats", "--json").json["memories"][0]["flags"] == {"pinned": 1}
    new = cli.ok("record", "New").line
    assert cli.ok("pin", new).out.splitlines()[0] == f"{new} is pinned", "it has no permanence to speak of"


def test_sleep_says_what_has_changed(cli: Cli) -> None:
    for _ in range(5):
        cli.ok("record", *FRIDAY)
    first = cli.ok("sleep", "--text", "Night").line
    assert first == "consolidated 2, dissolved 0, archived 0, forgotten 0"
    document = cli.ok("sleep", "--json").json
    assert UUID.fullmatch(document["sleep"]) and document["memory"] == "me/agent"
    assert document["changed"] == {"consolidated": 0, "dissolved": 0, "archived": 0, "forgotten": 0}


def test_retire_frees_the_name_of_a_thinker(cli: Cli) -> None:
    with Memory.open(Path(".yggdrasil"), "me/agent") as memory:
        memory.record_event("Deployed")
        for name in ("chunker", "muse"):
            memory.sleep(thinker={"name": name, "version": "1", "cursor_from": 0, "cursor_to": 1})
    assert cli.ok("stats", "--json").json["memories"][0]["thinkers"] == {"chunker": 1, "muse": 1}
    assert cli.ok("retire", "chunker").line == "chunker is retired"
    assert cli.ok("stats", "--json").json["memories"][0]["thinkers"] == {"muse": 1}
    document = cli.ok("retire", "muse", "--json").json
    assert UUID.fullmatch(document["retire"])
    assert (document["memory"], document["thinker"]) == ("me/agent", "muse")
    assert cli.ok("stats", "--json").json["memories"][0]["thinkers"] == {}


def test_episodes_concepts_and_thinkers_are_shown(cli: Cli) -> None:
    with Memory.open(Path(".yggdrasil"), "me/agent") as memory:
        event = memory.record_event("Deployed", features=["deploy", "friday"])
        episode = memory.commit_episode([event, memory.record_event("Watched it")], text="A release on a Friday")
        thinker = {"name": "[31mformer", "version": "1", "cursor_from": 0, "cursor_to": 3}
        memory.form_concept([event, "feature:friday"], text="Fridays", thinker=thinker)
        memory.set_policy(archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0)
        memory.sleep()
    mine = cli.ok("stats", "--json").json["memories"][0]
    assert (mine["nodes"], mine["flags"]) == ({"episode": 1, "event": 2, "feature": 2}, {"archived": 2})
    assert mine["thinkers"] == {"[31mformer": 3}
    out = cli.ok("stats").out
    for part in ("episode 1", "archived 2\n", "archived 2 of 25,000", "thinkers have decided up to seq: [31mformer 3"):
        assert part in out
    assert "is archived" in cli.ok("explain", event).out
    cli.ok("outcome", episode, "1")
    found = cli.ok("context", "release").out
    assert "episode: A release on a Friday" in found and "contains 2 parts" in found


def test_the_environment_names_directory_and_memory(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YGGDRASIL_DIR", "elsewhere")
    monkeypatch.setenv("YGGDRASIL_MEMORY", "team/bot")
    assert cli.ok("record", *FRIDAY, "--json").json["memory"] == "team/bot"
    assert [memory["memory"] for memory in cli.ok("stats", "--json").json["memories"]] == ["team/bot"]
    assert not (cli.place / ".yggdrasil").exists()


def test_the_script_and_the_module_are_the_same(cli: Cli) -> None:
    import subprocess
    import sys

    event = cli.script("record", *FRIDAY).line
    command = [sys.executable, "-m", "yggdrasil", "explain", event, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=240)
    assert event in done.stdout
