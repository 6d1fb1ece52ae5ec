"""Each rule by hand, both ways: where it holds it decides what it should, and where it does not it says nothing."""

import random

import pytest

from tests.thinkers.reflector.histories import History, observed, rules
from yggdrasil_processors.thinkers.reflector.comparing import compare
from yggdrasil_processors.thinkers.reflector.deciding import DECISIONS_MAX
from yggdrasil_processors.thinkers.reflector.reflector import EPISODES, Reflector
from yggdrasil_processors.thinkers.reflector.remembered import Reflections, take_in
from yggdrasil_schemas.commands.decisions import AdjustBody


def delayed(history: History, taken: str, local: float, end: float) -> list[str]:
    _, events = history.trial(
        ("inn morning", 0.0), (f"ate:{taken} table", local), ("walk", 0.0), ("hill", 0.0), ("arrival town", end)
    )
    return events


def two_ways(good: str, bad: str, local: float, trials: int = 16) -> tuple[History, list[list[str]], list[list[str]]]:
    history = History()
    well, badly = [], []
    for _ in range(trials):
        well.append(delayed(history, good, local, 1.0))
        badly.append(delayed(history, bad, local, -2.0))
    return history, well, badly


def test_what_goes_before_good_ends_is_raised_and_what_only_looks_good_is_lowered() -> None:
    history, well, badly = two_ways("bread", "cake", 0.5)
    decisions = observed(history.happened)
    assert {("lift", "ate:bread"), ("brittle", "ate:cake")} <= rules(decisions)
    assert {feature for _, feature in rules(decisions)} == {"ate:bread", "ate:cake"}
    moved: dict[str, set[float]] = {}
    for decision in decisions:
        if decision.payload["rule"] != "path":
            for ref in decision.body["trajectory"]:
                moved.setdefault(ref, set()).add(decision.body["salience"])
    assert moved == {events[1]: {0.25} for events in well} | {events[1]: {-0.25} for events in badly}


def test_the_same_ends_without_a_difference_before_them_say_nothing() -> None:
    history = History()
    for _ in range(32):
        delayed(history, "bread", 0.5, 1.0)
        delayed(history, "bread", 0.5, -2.0)
    assert observed(history.happened) == []


def test_few_episodes_say_nothing() -> None:
    history, _, _ = two_ways("bread", "cake", 0.5, trials=4)
    assert observed(history.happened) == []


def test_what_is_bad_at_once_is_left_as_a_warning_and_raised() -> None:
    history, _, badly = two_ways("bread", "stone", 0.0)
    for events in badly:
        assert history.judge(events[1], -0.5)
    history.trial(("else", 0.0))
    for _ in range(EPISODES):
        delayed(history, "bread", 0.0, 1.0)
    found = rules(observed(history.happened))
    assert ("warning", "ate:stone") in found
    assert ("brittle", "ate:stone") not in found


def test_blame_goes_to_the_early_step_and_not_to_what_only_follows_from_it() -> None:
    history = History()
    for _ in range(16):
        for key, door, end in (("taken", "opened", 5.0), ("left", "shut", -1.0)):
            walk = [(f"orchard tree:{at % 3}", 0.0) for at in range(40)]
            history.trial(
                ("hall", 0.0), (f"key:{key}", 0.0), ("apple", 1.0), *walk, (f"door:{door}", 0.0), ("end", end)
            )
    decisions = observed(history.happened)
    found = rules(decisions)
    assert ("lift", "key:taken") in found
    assert ("blame", "key:left") in found
    assert {feature for _, feature in found} == {"key:taken", "key:left"}  # the door is a consequence
    blame = next(decision for decision in decisions if decision.payload["rule"] == "blame")
    assert "43 steps before the end" in str(blame.text)
    assert "door:shut" in str(blame.text) or "door:opened" in str(blame.text)
    assert blame.text == blame.payload["why"]


def test_the_end_itself_is_no_cause_of_it() -> None:
    history = History()
    for _ in range(24):
        history.trial(("coin", 0.0), ("bet", 0.0), ("won", 1.0))
        history.trial(("coin", 0.0), ("bet", 0.0), ("lost", -1.0))
    assert observed(history.happened) == []


def test_a_lucky_success_is_lowered_where_its_like_fails() -> None:
    history = History()
    lucky = history.trial(("market", 0.0), ("sold:riddles", 0.0), ("night", 4.0))[1][1]
    for _ in range(16):
        history.trial(("market", 0.0), ("sold:riddles", 0.0), ("night", -1.0))
        history.trial(("market", 0.0), ("sold:soup", 0.0), ("night", 1.0))
    decisions = observed(history.happened)
    luck = [decision for decision in decisions if decision.payload["rule"] == "lucky"]
    assert [decision.body["trajectory"] for decision in luck] == [[lucky]]
    assert luck[0].body["salience"] < 0


def test_a_rare_success_that_is_worth_its_failures_is_not_lowered() -> None:
    history = History()
    for _ in range(4):
        history.trial(("market", 0.0), ("sold:riddles", 0.0), ("night", 10.0))
        for _ in range(6):
            history.trial(("market", 0.0), ("sold:riddles", 0.0), ("night", -0.5))
            history.trial(("market", 0.0), ("sold:soup", 0.0), ("night", 0.5))
    assert not [decision for decision in observed(history.happened) if decision.body["salience"] < 0]


def test_what_follows_in_the_session_counts_where_the_episode_itself_ended_well() -> None:
    history = History()
    for turn in range(20):
        for loan, later in (("large", -4.0), ("small", 1.0)):
            session = f"{loan}-{turn}"
            history.trial(("bank", 0.0), (f"loan:{loan}", 1.0), session=session)
            history.trial(("office", 0.0), ("letter", later), session=session)
    found = rules(observed(history.happened))
    assert {("brittle", "loan:large"), ("lift", "loan:small")} <= found


def test_a_late_outcome_of_an_episode_is_its_end() -> None:
    history = History()
    for _ in range(16):
        for ate, value in (("bread", 1.0), ("cake", -3.0)):
            episode, _ = history.trial(("inn", 0.0), (f"ate:{ate}", 0.5), ("walk", 0.0))
            history.judge(episode, value)
    history.trial(("inn", 0.0))
    reflector, state = Reflector(), Reflections()
    for happening in history.happened:
        reflector.observe(state, happening)
    assert {key.split("|")[1] for key in state.findings} == {"ate:bread", "ate:cake"}


def test_what_held_in_one_context_alone_is_found_there() -> None:
    history = History()
    for _ in range(20):
        for forecast, umbrella, end in (
            ("rain", "taken", 1),
            ("rain", "left", -1),
            ("sun", "taken", -1),
            ("sun", "left", 1),
        ):
            history.trial((f"forecast:{forecast}", 0.0), (f"umbrella:{umbrella}", 0.0), ("street", 0.0), ("home", end))
    decisions = [each for each in observed(history.happened) if each.payload["rule"] == "lift"]
    assert {each.payload["feature"] for each in decisions} == {"umbrella:taken", "umbrella:left"}
    taken = {each.id: each.features[0] for each in history.happened if each.kind == "event"}
    ahead = {
        each.id: history.happened[each.seq - 2].features[0]
        for each in history.happened
        if taken.get(each.id, "").startswith("umbrella")
    }
    right = {("forecast:rain", "umbrella:taken"), ("forecast:sun", "umbrella:left")}
    assert {(ahead[ref], taken[ref]) for each in decisions for ref in each.body["trajectory"]} == right


def test_what_no_longer_holds_is_taken_back() -> None:
    history, _, _ = two_ways("bread", "cake", 0.5)
    for _ in range(40):
        delayed(history, "bread", 0.5, -2.0)
        delayed(history, "cake", 0.5, 1.0)
    decisions = observed(history.happened)
    back = [decision for decision in decisions if decision.payload["rule"] == "superficial"]
    assert {decision.payload["feature"] for decision in back} == {"ate:bread", "ate:cake"}
    before = next(decision for decision in decisions if ("lift", "ate:bread") in rules([decision]))
    after = next(decision for decision in back if decision.payload["feature"] == "ate:bread")
    assert set(before.body["trajectory"]) <= set(after.body["trajectory"])
    assert after.body["salience"] == -before.body["salience"]


def test_what_holds_is_not_taken_back_and_not_said_twice() -> None:
    history, _, _ = two_ways("bread", "cake", 0.5, trials=60)
    decisions = observed(history.happened)
    assert not [decision for decision in decisions if decision.payload["rule"] == "superficial"]
    moved = [ref for decision in decisions if decision.payload["rule"] != "path" for ref in decision.body["trajectory"]]
    assert len(moved) == len(set(moved))


def test_rest_reflects_on_what_has_come_since_and_only_once() -> None:
    history, _, _ = two_ways("bread", "cake", 0.5, trials=11)
    reflector, state = Reflector(), Reflections()
    for happening in history.happened:
        if take_in(state, happening):
            state.since += 1
    assert reflector.rest(state)
    assert not reflector.rest(state)


def test_every_decision_is_within_its_bounds_and_says_why() -> None:
    history = History()
    rng = random.Random(5)
    for _ in range(200):
        good = rng.random() < 0.5
        extra = [f"thing:{at}-{good}" for at in range(8)]
        history.trial(("start", 0.0), *((each, 0.5) for each in extra), ("end", 1.0 if good else -1.0))
    state, reflector = Reflections(), Reflector()
    made = 0
    for happening in history.happened:
        decisions = reflector.observe(state, happening)
        assert len(decisions) <= DECISIONS_MAX
        for decision in decisions:
            AdjustBody.model_validate(decision.body)
            assert decision.text == decision.payload["why"]
            assert decision.payload["feature"] in str(decision.text)
            made += 1
    assert made


@pytest.mark.parametrize("page", [1, 256])
def test_pages_and_a_state_that_was_written_change_nothing(page: int) -> None:
    history, _, _ = two_ways("bread", "cake", 0.5, trials=24)
    assert observed(history.happened, page) == observed(history.happened)


def test_nothing_to_compare_is_no_look() -> None:
    state = Reflections()
    assert compare(state) == ([], [])
    assert state.looks == 0
