"""``yggdrasil quarantine`` and ``yggdrasil report``: all that somebody said, what came of it, and out with it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.cli.runs import Cli
from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.rocks.scrubbing import small_budget
from yggdrasil_producers.draft import Drafter
from yggdrasil_schemas import limits
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.ids import key_in, keyed_process

PLACE = Path(".yggdrasil")
VECTOR = Vector.of("test@1", bytes([127, 0]))
LIE = "Invoices go to account 2"
ASKED = "Where do invoices go?"


@contextmanager
def memories(*sources: str) -> Iterator[list[Memory[Any]]]:
    with Store.open(PLACE) as store:
        yield [store.memory("me/agent", source=each, origin="user" if each == "ana" else "agent") for each in sources]


def logged() -> list[dict[str, Any]]:
    """All commands of the log, read without anything that is tested here."""
    with closing(LocalLog.open_read_only(PLACE / "log", small_budget())) as log:
        records = [each for at in range(log.partitions) for each in log.read(at, 0, 10_000)]
    return [orjson.loads(each.value) for each in records if each.value is not None]


def said_by(source: str) -> set[str]:
    return {each["id"] for each in logged() if each["source"] == source}


def poisoned() -> tuple[set[str], dict[str, str]]:
    """A history in which `mails` says each thing that can be said, and `helper` makes something of each.

    Return the ids of what came of it, and what is to be looked at by name.
    """
    with memories("ana", "mails", "helper") as (ana, mails, helper):
        rome = ana.assert_claim("person:ana", "lives_in", "city:rome")
        born = ana.assert_claim("person:ana", "born_in", "city:bern")
        true = ana.record_event("Invoices go to account 1", features=["invoices"])
        lie = mails.record_event(LIE, features=["invoices"])
        mails.log_outcome(true, -3, kind="loss")
        owner = mails.assert_claim("account:2", "owner", "person:bob")
        mails.assert_claim("person:ana", "lives_in", "city:rome")
        mails.alias("account:two", "account:2")
        mails.relate(lie, true, "contradicts", "it is newer")
        asked = mails.get_context(ASKED)
        assert asked.recall_id is not None
        mails.report_use(asked.recall_id, [true], result="failure")
        mails.attach_vector(lie, VECTOR)
        second = mails.record_event("Account 2 is at another bank", features=["bank"])
        mails.commit_episode([lie, second])
        mails.form_concept([lie, second])
        mails.verify(born, "so it is")
        recall = helper.get_context(ASKED, k=20)
        assert recall.recall_id is not None and lie in [each.memory.ref for each in recall.found]
        paid = helper.record_event("Paid to account 2", features=["pay"], informed_by=[recall.recall_id])
        other = helper.record_event("Told the bank", features=["bank"], caused_by=[paid])
        unrelated = helper.record_event("Watered the plants", features=["plants"])
        derived = {
            paid,
            other,
            helper.log_outcome(paid, -5, kind="loss"),
            helper.assert_claim("account:2", "is_for", "thing:invoices", evidence=[lie]),
            helper.assert_claim("account:2", "owner", "person:bob", evidence=[owner]),
            helper.judge({born: "verify"}, reason="it says so", evidence=[second]),
            helper.attach_vector(lie, Vector.of("test@2", bytes([0, 127]))),
            helper.alias("account:b", "account:2", evidence=[lie]),
            helper.relate(unrelated, lie, "related", "it seems"),
            helper.commit_episode([paid, unrelated]),
            helper.form_concept([other, unrelated]),
        }
        helper.log_outcome(unrelated, 1)
    return derived, {"rome": rome, "true": true, "lie": lie, "owner": owner, "unrelated": unrelated, "paid": paid}


def answers() -> dict[str, Any]:
    """What the memory answers, without the numbers that readings have moved."""
    with Store.open(PLACE) as store:
        it = store.memory("me/agent", origin="user")
        found = it.get_context(ASKED, k=20, min_confidence=0, record=False).found
        claims = [it.describe(each["id"]).memory for each in logged() if each["type"] == "assert_claim"]
        return {
            "context": [(each.memory.ref, each.memory.status) for each in found],
            "thing": [each.ref for each in it.claims("account:two").claims],
            "claims": [(each.ref, each.status, each.claim.sources if each.claim else None) for each in claims],
            "cases": it.get_similar_cases(ASKED, record=False).refs,
        }


def test_nothing_that_was_said_and_nothing_that_came_of_it_is_missing(cli: Cli) -> None:
    derived, _ = poisoned()
    found = cli.ok("quarantine", "--source", "mails", "--json").json
    assert {each["id"] for each in found["said"]} == said_by("mails")
    assert {each["id"] for each in found["derived"]} == derived
    assert [each["seq"] for each in found["said"]] == sorted(each["seq"] for each in found["said"])
    judged, left = {each["ref"] for each in found["items"]}, {each["ref"] for each in found["left_out"]}
    assert not judged & left and found["judged"] == 0
    assert judged | left == said_by("mails")
    assert {each["type"] for each in found["said"] if each["id"] in left} == {"record_recall"}


def test_it_is_out_of_answers_and_a_release_brings_the_same_answers_back(cli: Cli) -> None:
    _, named = poisoned()
    before = answers()
    assert named["lie"] in dict(before["context"])
    done = cli.ok("quarantine", "--source", "mails", "--yes", "--reason", "a stranger's mail", "--json").json
    assert not [each for each in done["left_out"] if each["reason"] != "a reading changes nothing that stands"]
    after = answers()
    assert named["lie"] not in dict(after["context"]) and named["true"] in dict(after["context"])
    status = {ref: status for ref, status, _ in after["claims"]}
    assert status[named["rome"]] == "active"  # ana says so too
    assert "would be out" not in cli.ok("quarantine", "--source", "mails").out
    assert "in quarantine" in cli.ok("quarantine", "--status").out
    cli.ok("quarantine", "--source", "mails", "--release", "--yes")
    assert answers() == before
    assert "released" in cli.ok("quarantine", "--status").out
    cli.ok("quarantine", "--source", "mails", "--yes")  # it was right the first time
    assert answers() == after
    assert cli.ok("replay", "--json").json["same"]


def test_what_came_of_it_goes_too_where_that_is_asked_for(cli: Cli) -> None:
    derived, named = poisoned()
    before, out = answers(), derived | said_by("mails")
    with memories("ana") as (ana,):
        paid = ana.get_context("paid to account 2", k=20, min_confidence=0, record=False)
    assert named["paid"] in [each.memory.ref for each in paid.found]
    cli.ok("quarantine", "--source", "mails", "--derived", "--yes")
    with memories("ana") as (ana,):
        paid = ana.get_context("paid to account 2", k=20, min_confidence=0, record=False)
        assert not out & {each.memory.ref for each in paid.found}
        assert ana.describe(named["owner"]).memory.status == "quarantined"  # nobody else says so by themselves
        assert ana.describe(named["unrelated"]).memory.status == "active"
    cli.ok("quarantine", "--source", "mails", "--derived", "--release", "--yes")
    assert answers() == before


def test_an_interrupted_one_goes_on_and_repeats_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with memories("mails") as (mails,):
        for at in range(200):
            mails.record_event(f"Invoice {at} goes to account 2", features=[f"invoice:{at}"])
    place, calls = Embedded.place, []

    def dies(self: Embedded, drafts: Any, deadline_s: float | None = None) -> Any:
        calls.append(drafts)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return place(self, drafts, deadline_s)

    with monkeypatch.context() as patched:
        patched.setattr(Embedded, "place", dies)
        assert cli("quarantine", "--source", "mails", "--yes").code == 130
    assert "under way: 2 of 4" in cli.ok("quarantine", "--status").out
    assert "under way: 2 of 4 parts" in cli.ok("quarantine", "--source", "mails").out
    done = cli.ok("quarantine", "--source", "mails", "--yes", "--json").json
    assert (done["judged"], len(done["commands"])) == (200 - 2 * 64, 2)
    judges = [each for each in logged() if each["type"] == "judge"]
    assert [each["body"]["reason"] for each in judges] == [f"quarantine {part}/4" for part in range(1, 5)]
    items = [item["node"] for each in judges for item in each["body"]["items"]]
    assert len(items) == 200 and set(items) == said_by("mails")
    assert "under way" not in cli.ok("quarantine", "--status").out
    assert cli.ok("quarantine", "--source", "mails", "--yes", "--json").json["judged"] == 0
    assert cli.ok("quarantine", "--source", "mails", "--release", "--yes", "--json").json["judged"] == 200
    with memories("mails") as (mails,):
        assert {mails.describe(ref).memory.status for ref in items} == {"active"}


def test_a_note_that_replaced_another_of_the_same_writer_does_not_bring_that_back(cli: Cli) -> None:
    with memories("ana", "mails") as (ana, mails):
        mails.record_event("Account 1", key="invoices/account")
        mails.record_event("Account 2", key="invoices/account")
        mails.record_event("Account 3", key="invoices/account")
        pinned = mails.record_event("Always pay at once")
        ana.pin(pinned)
    shown = cli.ok("quarantine", "--source", "mails", "--yes")
    assert f"pinned: `yggdrasil pin {pinned} --off` first" in shown.out
    told = cli.ok("history", "--key", "invoices/account", "--json").json["memories"]
    assert [each["status"] for each in told] == ["quarantined"] * 3
    cli.ok("quarantine", "--source", "mails", "--release", "--yes")
    told = cli.ok("history", "--key", "invoices/account", "--json").json["memories"]
    assert [each["status"] for each in told] == ["superseded", "superseded", "active"]


def test_what_waited_waits_again_after_a_release_and_what_was_judged_since_stays_so(cli: Cli) -> None:
    with memories("ana", "mails") as (ana, mails):
        ana.record_event("Account 1", key="invoices/account")
        contested = mails.record_event("Account 2", key="invoices/account")
        waits = mails.assert_claim("account:2", "owner", "person:bob", candidate=True)
        prior = mails.assert_claim("account:1", "owner", "person:ana")
        ana.verify(prior, "I am")
        ana.promote(prior, "it is mine")
        judged = mails.record_event(LIE)
        rejected = mails.record_event("Pay twice")
    cli.ok("quarantine", "--command", prior, "--yes")  # only a word, as ana says so too
    cli.ok("quarantine", "--source", "mails", "--yes")
    with Store.open(PLACE) as store:
        operator = store.memory("me/agent", origin="operator")
        operator.withdraw(rejected, "never")
        operator.judge({judged: "quarantine"}, reason="looked at")
    cli.ok("quarantine", "--source", "mails", "--release", "--yes")
    with memories("ana") as (ana,):
        now = {ref: ana.describe(ref).memory.status for ref in (contested, waits, prior, judged, rejected)}
    expected = {contested: "contested", waits: "candidate", prior: "prior"}
    assert now == {**expected, judged: "quarantined", rejected: "rejected"}


def test_what_was_established_is_so_again_after_a_release(cli: Cli) -> None:
    with memories("ana") as (ana,):
        prior = ana.assert_claim("account:1", "owner", "person:ana")
    with Store.open(PLACE) as store:
        store.memory("me/agent", source="head", origin="operator").promote(prior, "it is so")
    assert cli.ok("quarantine", "--source", "ana", "--yes", "--json").json["judged"] == 1
    with memories("ana") as (ana,):
        assert ana.describe(prior).memory.status == "quarantined"
    cli.ok("quarantine", "--source", "ana", "--release", "--yes")
    with memories("ana") as (ana,):
        assert ana.describe(prior).memory.status == "prior"


def test_a_key_a_session_and_a_command_are_told_apart(cli: Cli) -> None:
    with Store.open(PLACE) as store:
        by_key = Memory(store.engine, Drafter("me/agent", "crawler", keyed_process("k1"), "agent"))
        first = by_key.record_event("One", session="a")
        second = by_key.record_event("Two", session="b")
        third = store.memory("me/agent", source="crawler").record_event("Three", session="b")
    assert key_in(keyed_process("k1")) == "k1"
    for selection, ids in (
        (("--key", "k1"), [first, second]),
        (("--key", "crawler"), [first, second]),
        (("--source", "crawler"), [first, second, third]),
        (("--session", "b"), [second, third]),
        (("--session", "b", "--key", "k1"), [second]),
        (("--command", third), [third]),
        (("--key", "k1", "--since", "2020-01-01"), [first, second]),
    ):
        found = cli.ok("quarantine", *selection, "--json").json
        assert [each["id"] for each in found["said"]] == ids, selection


def test_what_cannot_be_meant_is_said_clearly(cli: Cli) -> None:
    assert cli("quarantine", "--key", "k1").code == 4
    cli.ok("record", "It began")
    for arguments, code, words in (
        ((), 2, "say whose words are meant"),
        (("--since", "2020-01-01"), 2, "say whose words are meant"),
        (("--key", "nobody"), 4, "key nobody said nothing in me/agent"),
        (("--source", "cli", "--since", "2100-01-01"), 2, "has not come yet"),
        (("--command", "none"), 2, "is no id of a command"),
        (("--command", "01a21676-f337-78a0-9964-829a716af9e9"), 4, "said nothing"),
        (("--source", "cli", "--reason", "x" * 97), 2, "at most 96 characters"),
    ):
        run = cli("quarantine", *arguments)
        assert (run.code, words in run.err) == (code, True), (arguments, run.err)
    assert cli("report", "01a21676-f337-78a0-9964-829a716af9e9").code == 4


def test_a_report_names_the_answers_the_events_and_how_they_ended(cli: Cli) -> None:
    _, named = poisoned()
    found = cli.ok("report", named["lie"], "--json").json
    recalls = {each["id"] for each in logged() if named["lie"] in each["body"].get("returned", ())}
    assert {each["id"] for each in found["recalls"]} == recalls and len(recalls) == 2
    assert [each["words"] for each in found["recalls"]] == [ASKED] * 2
    assert [each["id"] for each in found["events"]] == [named["paid"]]
    assert [each["words"] for each in found["outcomes"]] == [f"-5 loss of {named['paid']}"]
    assert "events that these informed: 1" in cli.ok("report", named["lie"]).out


def test_a_writer_whose_clock_no_calendar_has_can_be_put_in_quarantine(cli: Cli) -> None:
    with memories("ana", "mails") as (_, mails):
        mails.record_event(LIE, features=["invoices"], at=limits.TIME_MS_MAX)
    assert LIE in cli.ok("quarantine", "--source", "mails").out
