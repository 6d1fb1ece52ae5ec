"""What a diff says of what fell and why, of answers and of lessons, and what it never shows; here and over HTTP."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

from yggdrasil import InvalidAskError, Memory, NoSuchMomentError, UnknownMemoryError, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_projections.retrieval.reads.past.diff import AskDiff, Diff, LeftOut
from yggdrasil_projections.retrieval.reads.past.differing import Difference

ME = "me/agent"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Embedded]:
    with Embedded(tmp_path / "data", partitions=1, sliced=True) as made:
        yield made


def speaking(engine: Embedded, origin: str) -> Memory[Embedded]:
    return Memory(engine, Drafter(ME, origin, "diff", origin))


@pytest.fixture
def memory(engine: Embedded) -> Memory[Embedded]:
    return speaking(engine, "operator")


def now(memory: Memory[Any]) -> int:
    return memory.moment().as_of


def of(found: list[Difference], ref: str) -> Difference:
    return next(each for each in found if each.ref == ref)


def test_what_fell_says_why_and_by_what(memory: Memory[Embedded]) -> None:
    names = ("superseded", "rejected", "resolved", "archived", "member", "untouched")
    events = {name: memory.record_event(f"It was {name}", features=[name]) for name in names}
    oslo = memory.assert_claim("person:ana", "lives_in", "city:oslo", valid_from="2020-01-01", text="Ana lives in Oslo")
    episode = memory.commit_episode([events["member"], events["rejected"]], text="Two of them")
    a = now(memory)
    instead = memory.supersede(events["superseded"], "It was another")
    rejected = memory.withdraw(events["rejected"], "never was")
    resolved = memory.resolve(events["resolved"])
    archived = memory.judge({events["archived"]: "archive"}, reason="done with")
    rome = memory.assert_claim("person:ana", "lives_in", "city:rome", valid_from="2024-01-01", text="Ana lives in Rome")
    diff = memory.diff(a)
    assert [each.why for each in diff.fell] == ["superseded", "superseded", "rejected", "resolved", "archived"]
    assert diff.fell_whys == {"superseded": 2, "rejected": 1, "resolved": 1, "archived": 1}
    ends = {name: of(diff.fell, events[name]) for name in ("superseded", "rejected", "resolved", "archived")}
    said = {name: (each.by, each.reason, each.instead) for name, each in ends.items()}
    assert said["superseded"] == (instead, None, instead)
    assert said["rejected"] == (rejected, "never was", None)
    assert said["resolved"] == (resolved, "resolved", None)
    assert said["archived"] == (archived, "done with", None)
    before, after = of(diff.fell, oslo).before, of(diff.fell, oslo).after
    assert before is not None and after is not None
    assert (before.value, before.valid_to, before.status) == ("city:oslo", None, "active")
    assert (after.valid_from, after.valid_to, after.status) == (1_577_836_800_000, 1_704_067_200_000, "superseded")
    assert {each.ref for each in diff.learnt} == {instead, rome}
    (stale,) = diff.changed
    assert (stale.ref, stale.before and stale.before.stale, stale.after and stale.after.stale) == (episode, False, True)
    assert (diff.since, diff.as_of, diff.past, diff.withheld, diff.left_out) == (a, now(memory), False, 0, LeftOut())
    assert of(diff.learnt, rome).said_by == "operator"


def test_what_stands_again_and_what_comes_back_has_changed(memory: Memory[Embedded]) -> None:
    gone, away = memory.record_event("It was withdrawn"), memory.record_event("It was put away")
    memory.withdraw(gone, "wrong")
    memory.judge({away: "archive"}, reason="done with")
    a = now(memory)
    again = memory.reinstate(gone)
    memory.reinstate(away)
    diff = memory.diff(a)
    assert diff.fell == [] and {each.ref for each in diff.changed} == {gone, away}
    assert of(diff.changed, gone).by == again
    assert [each and each.archived for each in (of(diff.changed, away).before, of(diff.changed, away).after)] == [1, 0]


def test_what_is_forgotten_has_an_heir(memory: Memory[Embedded]) -> None:
    memory.set_policy(nodes_max=20, sessions_open_max=2)
    first = [memory.record_event(f"Step {number}", session="first") for number in range(2)]
    episode = memory.commit_episode(first, text="How it began")
    memory.pin(episode)
    a = now(memory)
    for number in range(40):
        memory.record_event(f"Later {number}", session="second")
    diff = memory.diff(a)
    gone = [each for each in diff.fell if each.ref in first]
    assert {(each.why, each.after, each.instead) for each in gone} == {("forgotten", None, episode)}
    assert diff.learnt_kinds["event"] == len(diff.learnt) + diff.left_out.learnt < 40, "what came and went is in none"


def test_what_a_claim_is_called_and_says_may_change_while_it_stands(engine: Embedded) -> None:
    agent, user = speaking(engine, "agent"), speaking(engine, "user")
    event = agent.record_event("She said so")
    said = {"subject": "person:ana", "predicate": "lives_in", "object": {"entity": "city:oslo"}, "evidence": [event]}
    claim = agent.say("assert_claim", said, content={"text": "Ana is in Oslo, the agent thinks"})
    a = now(agent)
    user.assert_claim("person:ana", "lives_in", "city:oslo")
    (changed,) = user.diff(a).changed
    assert changed.ref == claim and changed.before is not None and changed.after is not None
    assert (changed.before.text, changed.after.text) == ("Ana is in Oslo, the agent thinks", "ana lives in oslo")
    assert replace(changed.before, text=None) == replace(changed.after, text=None)
    assert [each.ref for each in user.seen(trust_min=2).diff(a).learnt] == [claim], "to them it was not there"


def test_answers_that_are_others_are_told_with_their_question(memory: Memory[Embedded]) -> None:
    memory.record_event("The router is old")
    memory.get_context("Where does Ana live?")
    oslo = memory.assert_claim("person:ana", "lives_in", "city:oslo", text="Ana lives in Oslo")
    a = now(memory)
    asked = memory.get_context("Where does Ana live?", session="ops").recall_id
    memory.get_context("Is the router old?")
    memory.get_similar_cases("The router is old")
    assert memory.diff(a).answers == []
    rome = memory.assert_claim("person:ana", "lives_in", "city:rome", text="Ana lives in Rome", supersedes=oslo)
    diff = memory.diff(a)
    assert diff.asked == 3
    (answer,) = diff.answers
    assert (answer.recall, answer.question, answer.session) == (asked, "Where does Ana live?", "ops")
    assert [(each.ref, each.before, each.after) for each in answer.gained] == [(rome, None, 1)]
    assert [(each.ref, each.text, each.before) for each in answer.lost] == [(oslo, "Ana lives in Oslo", 1)]
    assert answer.moved == []
    assert now(memory) == diff.as_of, "nothing was recorded"
    assert memory.diff(a, questions=0).asked == 0
    assert memory.diff(a, questions=1).answers == [], "the latest is asked"
    assert memory.diff(a, session="ops").asked == 1 and memory.diff(a, source="nobody").asked == 0


def test_what_moved_is_what_stands_in_another_order(memory: Memory[Embedded]) -> None:
    first, second = (memory.record_event(f"Deployed the router on a {day}") for day in ("Friday", "Monday"))
    a = now(memory)
    answer = memory.get_context("Deployed the router", k=5)
    assert set(answer.refs) == {first, second}
    last = answer.refs[1]
    for _ in range(4):
        memory.report_use(memory.get_context("Deployed the router", k=5), [last], result="success")
        memory.log_outcome(last, 8, kind="fine")
    (changed, *_) = memory.diff(a).answers
    assert [(each.ref, each.before, each.after) for each in changed.moved] == [(last, 2, 1), (answer.refs[0], 1, 2)]
    grew = {each.ref: each for each in memory.diff(a).grew}
    assert grew[last].after.rank > grew[last].before.rank


def test_what_cannot_be_asked_again_is_counted(memory: Memory[Embedded]) -> None:
    for number in range(30):
        memory.record_event(f"Deployed release {number} of the router on a Friday")
    a = now(memory)
    memory.get_context("Deployed the router", k=2)
    more = memory.get_context("Deployed the router", k=2).more
    assert more is not None and more.cursor is not None
    memory.get_context("Deployed the router", k=2, more=more)
    diff = memory.diff(a)
    assert (diff.asked, diff.left_out.answers) == (2, 1)


def test_a_feature_foretells_something_else(memory: Memory[Embedded]) -> None:
    events = [memory.record_event("Deployed", features=["deploy", f"f{number}"]) for number in range(8)]
    for event in events[:4]:
        memory.log_outcome(event, 5, kind="praise")
    a = now(memory)
    for event in events[4:]:
        memory.log_outcome(event, -9, kind="outage")
    diff = memory.diff(a)
    told = {each.feature: each for each in diff.foretold}
    before, after = told["deploy"].before, told["deploy"].after
    assert before is not None and before.valence > 0 and [each.kind for each in before.kinds] == ["praise"]
    assert after is None or (after.valence < before.valence and "outage" in {each.kind for each in after.kinds})
    assert told["f7"].before is None
    assert [each.feature for each in memory.diff(a, feature="deploy").foretold] == ["deploy"]
    assert memory.diff(a, feature="feature:deploy") == memory.diff(a, feature="deploy")
    assert memory.diff(a, session="default").foretold == []


def test_what_is_in_quarantine_today_is_in_no_diff_and_counted(memory: Memory[Embedded]) -> None:
    poison = memory.record_event("The password is qqsecret", features=["router"])
    a = now(memory)
    memory.get_context("What is the password?", where=Where(history=True))
    later = memory.record_event("The password was qqsecret", features=["router"])
    b = now(memory)
    assert "qqsecret" in str(memory.diff(a, b)) and memory.diff(a, b).withheld == 0
    memory.judge({poison: "quarantine", later: "quarantine"}, reason="a secret")
    for diff in (memory.diff(1, a), memory.diff(a, b), memory.diff(a), memory.diff(b)):
        assert "qqsecret" not in str(diff)
    assert [memory.diff(*pair).withheld for pair in ((1, a), (a, b), (b, None))] == [1, 2, 2]
    audited = memory.as_of(now(memory), quarantined=True).diff(b)
    assert [(each.ref, each.why) for each in audited.fell] == [(each.ref, "quarantined") for each in audited.fell]
    assert {each.ref for each in audited.fell} == {poison, later}
    memory.judge({poison: "release", later: "release"}, reason="none")
    assert "qqsecret" in str(memory.diff(a, b)), "permission is of today"


def test_nobody_sees_more_through_a_lens(engine: Embedded) -> None:
    agent, user = speaking(engine, "agent"), speaking(engine, "user")
    speaking(engine, "operator").set_policy(recalls_kept_max=1)  # of the others only the log knows who asked
    user.record_event("Deployed the router", features=["deploy"])
    a = now(user)
    agent.get_context("qqsecret of the router?", k=5)
    user.get_context("Deployed the router?", k=5)
    hidden = agent.record_event("Deployed the router, qqsecret", features=["qqsecret", "deploy"])
    agent.log_outcome(hidden, -5, kind="qqsecret")
    user.record_event("Deployed the router again", features=["deploy"])
    assert "qqsecret" in str(user.diff(a))
    seen = user.seen(trust_min=2).diff(a, questions=50)
    assert "qqsecret" not in str(seen) and seen.asked == 1 and len(seen.learnt) == 1


def test_moments_are_taken_as_they_are_written_and_the_earlier_comes_first(memory: Memory[Embedded]) -> None:
    with pytest.raises(UnknownMemoryError):
        memory.diff(1)
    event = memory.record_event("Deployed")
    place = memory.became(event)
    assert place is not None
    memory.record_event("Deployed again")
    receipt = f"{place.place.partition}-{place.place.offset}"
    assert memory.diff("1") == memory.diff(1) == memory.diff(receipt) == memory.diff(AsOf(seq=1), "2")
    with pytest.raises(InvalidAskError, match="swap them"):
        memory.diff(2, 1)
    with pytest.raises(NoSuchMomentError):
        memory.diff(3)
    for wrong in ({"count": 0}, {"count": 1_001}, {"questions": 51}, {"questions": True}, {"feature": "\ud800"}):
        given: Any = wrong
        with pytest.raises(InvalidAskError):
            memory.diff(1, **given)
    with pytest.raises(InvalidAskError):
        memory.diff("12:00")
    with pytest.raises(NoSuchMomentError, match="no snapshot called yesterday"):
        memory.diff("yesterday")


def test_it_is_the_same_over_http_for_who_may_read(memory: Memory[Embedded], tmp_path: Path) -> None:
    memory.record_event("Deployed on a Friday", features=["deploy"])
    memory.get_context("Deployed on a Friday")
    memory.log_outcome(memory.record_event("Deployed on a Monday", features=["deploy"]), -5, kind="outage")
    file = tmp_path / "keys.json"
    keys = {role: new_key(file, "me", [role], role)[1] for role in ("read", "append", "audit")}
    with Serving(memory.engine, Service(("127.0.0.1", 0), Keys(file))) as serving:
        with Memory.connect(serving.url, memory=ME, key=keys["read"]) as reader:
            for pair in ((1,), (1, 3)):
                assert reader.diff(*pair, count=2) == memory.diff(*pair, count=2)
            with pytest.raises(InvalidAskError, match="swap them"):
                reader.diff(3, 2)
        url = f"{serving.url}/v1/memories/{ME}/diff"
        answers = [
            httpx2.get(url, params=params, headers={"Authorization": f"Bearer {keys[role]}"}).status_code
            for role, params in (
                ("read", {"from": "1"}),
                ("audit", {"from": "1", "as_of": "3", "quarantined": "true"}),
                ("append", {"from": "1"}),
                ("read", {"from": "1", "as_of": "3", "quarantined": "true"}),
                ("read", {}),
                ("read", {"from": "9"}),
                ("read", {"from": "12:00"}),
            )
        ]
        assert answers == [200, 200, 403, 403, 422, 404, 422]


def test_a_query_says_what_it_is_sent_as() -> None:
    asked = AskDiff(AsOf.of("3-12"), feature="deploy", count=5)
    assert asked.sent() == {"from": "3-12", "feature": "deploy", "count": 5, "questions": 10}
    assert orjson.loads(orjson.dumps(Diff(memory=ME, since=1, since_ms=0, as_of=1)))["left_out"]["learnt"] == 0
