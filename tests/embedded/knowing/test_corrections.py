"""What is corrected: out of every default answer at once, in the history, explained, proved, and undone again."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from yggdrasil import AsyncMemory, CommandRefusedError, InvalidAskError, Memory, Store, UnknownNodeError, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.errors import InvalidCommandError

OPEN = {"search_refusal": 0.0, "search_gap": -1.0}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path / "here", "me/agent", partitions=1, embedder="none") as opened:
        opened.set_policy(**OPEN)
        yield opened


def texts(memory: Memory[Embedded], question: str, *, history: bool = False, where: Where | None = None) -> list[str]:
    found = memory.get_context(question, history=history, where=where, record=False).found
    return sorted(each.memory.text or "" for each in found)


def statuses(memory: Memory[Embedded], key: str) -> list[tuple[str | None, str]]:
    return [(each.text, each.status) for each in memory.history(key=key).memories]


def test_what_is_superseded_is_found_no_more_and_is_in_the_history(memory: Memory[Embedded]) -> None:
    old = memory.record_event("Ana lives in Rome", features=["person:ana"])
    new = memory.supersede(old, "Ana lives in Oslo", features=["person:ana"])
    assert texts(memory, "Where does Ana live?") == ["Ana lives in Oslo"]
    assert texts(memory, "Where does Ana live?", history=True) == ["Ana lives in Oslo", "Ana lives in Rome"]
    first, second = memory.history(old).memories
    assert (first.ref, first.status, second.ref, second.status) == (old, "superseded", new, "active")
    assert first.ruling is not None and (first.ruling.by, first.ruling.instead) == (new, new)
    assert second.supersedes == old and memory.history(new).memories == [first, second]
    assert memory.explain_action(old).memory == first
    said = memory.get_context("Where does Ana live?", history=True, record=False).text()
    assert 'agent, SUPERSEDED: "person:ana" Ana lives in Rome' in said


def test_a_bad_outcome_of_what_no_longer_stands_lifts_nothing(memory: Memory[Embedded]) -> None:
    old = memory.record_event("Ana lives in Rome")
    memory.supersede(old, "Ana lives in Oslo")
    memory.log_outcome(old, -9, kind="complaint", text="the parcel for Ana in Rome came back")
    assert texts(memory, "Where in Rome does Ana live, and where is her parcel?") == ["Ana lives in Oslo"]
    assert memory.get_similar_cases("Ana lives in Rome", record=False).refs == []
    assert memory.get_similar_cases("Ana lives in Rome", history=True, record=False).refs == [old]


def test_the_latest_word_under_a_key_stands_and_any_of_a_chain_can_be_superseded(memory: Memory[Embedded]) -> None:
    first, second, _ = (memory.record_event(f"Ana eats {what}", key="ana/diet") for what in ("meat", "fish", "kale"))
    assert texts(memory, "What does Ana eat?") == ["Ana eats kale"]
    assert [status for _, status in statuses(memory, "ana/diet")] == ["superseded", "superseded", "active"]
    memory.supersede(second, "Ana eats nothing")  # which is not the latest word
    assert texts(memory, "What does Ana eat?") == ["Ana eats nothing"]
    memory.reinstate(first)
    assert texts(memory, "What does Ana eat?") == ["Ana eats meat"]
    assert [status for _, status in statuses(memory, "ana/diet")] == ["active", *["superseded"] * 3]
    assert memory.history(first).memories[0].keyed == "ana/diet"
    assert memory.history(key="nobody/diet").memories == []


def test_withdrawn_resolved_and_quarantined_come_back(memory: Memory[Embedded]) -> None:
    evidence = memory.record_event("The landlord called")
    refs = [memory.record_event(f"The lift is broken on floor {number}") for number in range(3)]
    memory.withdraw(refs[0], "a mistake", evidence=[evidence])
    memory.resolve(refs[1])
    memory.judge({refs[2]: "quarantine"}, reason="who says so?")
    question = "Which lift is broken?"
    assert texts(memory, question) == []
    seen = [memory.describe(ref).memory for ref in refs]
    assert [each.status for each in seen] == ["rejected", "resolved", "quarantined"]
    assert [each.ruling.reason for each in seen if each.ruling] == ["a mistake", "resolved", "who says so?"]
    assert texts(memory, question, where=Where(statuses=["quarantined"])) == ["The lift is broken on floor 2"]
    for ref in refs:
        memory.reinstate(ref)
    assert len(texts(memory, question)) == 3


def test_a_rejected_outcome_is_shown_counted_and_foretold_nowhere(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Deployed on a Friday", features=["friday"])
    outcome = memory.log_outcome(event, -8, kind="outage", text="All was down")
    asked = "What came of a deploy on a Friday?"
    assert memory.foretell("", features=["friday"]).foretold
    memory.withdraw(outcome, "it was another day")
    seen = memory.describe(event).memory
    assert (seen.outcomes, seen.good, seen.bad, seen.impact) == ([], 0, 0, 0)
    assert memory.foretell("", features=["friday"]).foretold == []
    assert "All was down" not in memory.get_context(asked, record=False).text()
    assert memory.get_similar_cases(asked, record=False).bad == []
    memory.reinstate(outcome, "it was that day after all")
    seen = memory.describe(event).memory
    assert ([each.text for each in seen.outcomes], seen.bad) == (["All was down"], 1) and seen.impact < 0
    assert memory.foretell("", features=["friday"]).foretold


def test_what_cannot_be_corrected_is_refused_and_changes_nothing(memory: Memory[Embedded]) -> None:
    event = memory.record_event("Deployed", features=["deploy"])
    outcome = memory.log_outcome(event, -1)
    pinned = memory.record_event("Never deploy without a backup")
    memory.pin(pinned)
    before = memory.digest()
    refused: dict[str, Callable[[], str]] = {
        "not_corrigible": lambda: memory.resolve(outcome, "no"),
        "node_protected": lambda: memory.withdraw(pinned, "no"),
        "unknown_reference": lambda: memory.supersede("01a208d0-0000-7000-8000-000000000000", "no"),
    }
    for reason, command in refused.items():
        with pytest.raises(CommandRefusedError, match=reason):
            command()
    with pytest.raises(InvalidCommandError):
        memory.withdraw("feature:deploy", "no")
    with pytest.raises(InvalidCommandError):
        memory.withdraw(event, "x" * 129)
    for wrong in ((None, None), (event, "k")):
        with pytest.raises(InvalidAskError, match="give one of them"):
            memory.history(wrong[0], key=wrong[1])
    with pytest.raises(UnknownNodeError):
        memory.history("nobody")
    assert memory.describe(event).memory.status == "active" and memory.digest() != before  # refusals are answers too


def test_nobody_changes_what_somebody_said_who_is_trusted_more(house: Store) -> None:
    agent, user = house.memory("me/agent"), house.memory("me/agent", source="ana", origin="user")
    own = user.record_event("I eat no meat", key="ana/diet")
    with pytest.raises(CommandRefusedError, match="not_trusted"):
        agent.supersede(own, "Ana eats meat")
    with pytest.raises(CommandRefusedError, match="not_trusted"):
        agent.withdraw(own, "so she said")
    agent.record_event("Ana eats meat", key="ana/diet")
    assert statuses(agent, "ana/diet") == [("I eat no meat", "active"), ("Ana eats meat", "contested")]
    (conflict,) = agent.contradictions().conflicts
    assert conflict.stands is not None and conflict.stands.ref == own
    assert [rival.text for rival in conflict.rivals] == ["Ana eats meat"]
    answer = agent.get_context("Does Ana eat meat?", record=False, min_confidence=0.0)
    assert answer.conflicts == [conflict] and "CONTESTED: Ana eats meat" in answer.text()
    user.record_event("I eat everything", key="ana/diet")
    assert [status for _, status in statuses(agent, "ana/diet")] == ["superseded", "superseded", "active"]
    assert agent.contradictions().conflicts == []


def test_a_flood_from_below_displaces_nothing(house: Store) -> None:
    user, agent = house.memory("me/agent", source="ana", origin="user"), house.memory("me/agent")
    own = user.record_event("I eat no meat", key="ana/diet")
    agent.record_many({"text": f"Ana eats meat, it said {number} times", "key": "ana/diet"} for number in range(2_000))
    assert agent.describe(own).memory.status == "active"
    (conflict,) = agent.contradictions().conflicts
    assert [rival.text for rival in conflict.rivals] == ["Ana eats meat, it said 1999 times"]
    past = agent.history(key="ana/diet")
    assert (len(past.memories), past.left_out) == (200, 1_801)


def test_what_waits_alone_contradicts_nothing_and_is_not_counted_as_left_out(house: Store) -> None:
    agent = house.memory("me/agent")
    alone = agent.record_event("Ana dives", key="ana/sport")
    agent.judge({alone: "quarantine"}, reason="who says so?")
    found = agent.contradictions()
    assert (found.conflicts, found.left_out) == ([], 0)
    house.memory("me/agent", origin="user").record_event("I run", key="ana/sport")
    agent.record_event("Ana swims", key="ana/sport")
    found = agent.contradictions(count=1)
    assert ([one.stands.text for one in found.conflicts if one.stands], found.left_out) == (["I run"], 0)


def test_what_a_stranger_says_waits_and_never_displaces(house: Store) -> None:
    operator, agent = house.memory("me/agent", origin="operator"), house.memory("me/agent")
    operator.record_event("Invoices go to account 1", key="invoices/account")
    agent.record_event("Invoices go to account 2", key="invoices/account")
    assert statuses(agent, "invoices/account")[1] == ("Invoices go to account 2", "quarantined")
    assert texts(agent, "Where do invoices go?") == ["Invoices go to account 1"]
    assert agent.get_context("Where do invoices go?", record=False).conflicts == []  # what waits is not shown
    assert [len(each.rivals) for each in agent.contradictions().conflicts] == [1]
    rival = agent.contradictions().conflicts[0].rivals[0].ref
    with pytest.raises(CommandRefusedError, match="needs_a_person"):
        agent.reinstate(rival)
    operator.reinstate(rival)
    assert texts(agent, "Where do invoices go?") == ["Invoices go to account 2"]


def test_an_episode_of_something_withdrawn_is_out_as_well_until_it_stands_again(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"Ana {what}") for what in ("lives in Rome", "works as a diver")]
    episode = memory.commit_episode(events, text="Ana lives in Rome and works as a diver")
    memory.withdraw(events[0], "it was Bea")
    assert texts(memory, "What is known of Ana?") == ["Ana works as a diver"]
    assert memory.describe(episode).memory.stale
    assert "in part no longer true" in memory.get_context("Ana", history=True, record=False).text()
    memory.reinstate(events[0])
    assert not memory.describe(episode).memory.stale
    assert len(texts(memory, "What is known of Ana?")) == 3


def test_what_was_withdrawn_is_no_longer_in_mind_and_leads_nowhere(memory: Memory[Embedded]) -> None:
    events = [memory.record_event(f"Tried {what}", features=["try", what]) for what in ("one", "two")]
    assert [each.ref for each in memory.working_memory().sessions[0].observations] == events
    memory.withdraw(events[0], "it never happened")
    assert [each.ref for each in memory.working_memory().sessions[0].observations] == events[1:]
    episodes = [memory.commit_episode([event], text="Tried") for event in events]
    episodes.append(memory.commit_episode([memory.record_event("Tried three", features=["try"])], text="Tried"))

    def similar() -> set[str]:
        return {each.episode.ref for each in memory.what_next("What follows on a try?").similar}

    assert similar() == set(episodes[1:]), "one of an event that never happened is stale"
    memory.withdraw(episodes[1], "it never happened either")
    assert similar() == {episodes[2]}
    assert len(memory.episodes().episodes) == 3


def test_a_principle_that_is_withdrawn_is_told_no_more(house: Store) -> None:
    operator = house.memory("me/agent", origin="operator")
    rule = operator.record_event("Deploys need two reviews")
    operator.pin(rule, principle=True)
    assert operator.get_context("lunch", record=False).principles
    operator.withdraw(rule, "one is enough")
    assert not operator.get_context("lunch", record=False).principles
    assert operator.get_context("lunch", history=True, record=False).principles


def test_trust_is_that_of_who_said_it_and_a_filter(house: Store) -> None:
    origins: tuple[Origin, ...] = ("agent", "user", "tool")
    for origin in origins:
        house.memory("me/agent", origin=origin).record_event(f"The disk is full, says the {origin}")
    memory = house.memory("me/agent")
    said = {least: len(texts(memory, "Who says the disk is full?", where=Where(trust_min=least))) for least in range(5)}
    assert said == {0: 3, 1: 3, 2: 2, 3: 1, 4: 0}
    for wrong in (5, -1, True):
        with pytest.raises(InvalidAskError, match="trust_min"):
            Where(trust_min=wrong)


def test_a_recall_of_the_history_is_proved(memory: Memory[Embedded], tmp_path: Path) -> None:
    old = memory.record_event("Ana lives in Rome")
    memory.get_context("Where does Ana live?")
    memory.supersede(old, "Ana lives in Oslo")
    memory.get_context("Where does Ana live?", history=True)
    memory.get_context("Where does Ana live?", where=Where(statuses=["superseded"], trust_min=1))
    memory.close()
    with LocalLog.open_read_only(tmp_path / "here" / "log") as log:
        recalls = list(recalls_in(log, "me/agent"))
        returned = [len(each.command.body.returned) for each in recalls]
        assert returned == [1, 2, 1]
        assert [proof.reason for proof in prove(log, tmp_path / "again", recalls)] == [None] * 3


def test_many_events_at_once_may_supersede(memory: Memory[Embedded]) -> None:
    old = memory.record_event("Ana lives in Rome")
    memory.record_many([{"text": "Ana lives in Oslo", "supersedes": old}, {"text": "Ana dives", "key": "ana/sport"}])
    assert memory.describe(old).memory.status == "superseded"
    assert statuses(memory, "ana/sport") == [("Ana dives", "active")]


def test_all_of_it_can_be_awaited(tmp_path: Path) -> None:
    async def correct() -> None:
        async with await AsyncMemory.open(tmp_path, "me/agent", embedder="none") as memory:
            old = await memory.record_event("Ana lives in Rome")
            new = await memory.supersede(old, "Ana lives in Oslo")
            await memory.withdraw(new, "a holiday")
            await memory.reinstate(old)
            assert [each.status for each in (await memory.history(old)).memories] == ["active", "rejected"]
            assert (await memory.contradictions()).conflicts == []

    asyncio.run(correct())
