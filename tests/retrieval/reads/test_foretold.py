"""What is foretold: by which features of a situation, how sure that is, and what usually follows. Worked by hand."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.retrieval.lives import anew, life, living, sentence
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_projections.retrieval.index.image import read_image, write_image
from yggdrasil_projections.retrieval.index.names import FeatureNames
from yggdrasil_projections.retrieval.index.view import RetrievalView
from yggdrasil_projections.retrieval.reads.learning.foretold import FORETOLD_MAX, foretell, sureness
from yggdrasil_projections.retrieval.text.tokenizers import TOKENIZER


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory[Embedded]]:
    with Memory.open(tmp_path, "me/agent") as opened:
        yield opened


def judged(memory: Memory[Embedded], value: float, *features: str, kind: str = "outcome", times: int = 1) -> list[str]:
    """Events of one session each, judged at once; the ids of the outcomes."""
    found: list[str] = []
    for _ in range(times):
        event = memory.record_event("it happened", features=features)
        found.append(memory.log_outcome(event, value, kind=kind))
    return found


def test_sureness_is_what_agrees_of_all_judgements_and_four_more() -> None:
    assert sureness(-1.0, 0, 1) == 1 / 5
    assert sureness(-1.0, 0, 4) == 1 / 2
    assert sureness(2.0, 6, 2) == (6 - 2) / (8 + 4)
    assert sureness(2.0, 2, 6) == 0.0  # most were of the other sign
    assert sureness(2.0, 3, 3) == 0.0
    assert 0.99 < sureness(-3.0, 0, 1_000) < 1.0


def test_a_lesson_has_its_size_its_counts_its_kinds_and_what_is_behind_it(memory: Memory[Embedded]) -> None:
    memory.set_policy(surprise_rate=0.5, first_outcome=1.0)
    outcomes = judged(memory, -4.0, "friday", kind="outage") + judged(memory, -4.0, "friday", kind="slow")
    outcomes += judged(memory, -4.0, "friday", kind="outage", times=2)
    found = memory.foretell("Should we deploy on Friday?")
    assert found.features == ["friday"]
    (lesson,) = found.foretold
    # It learns half of what it did not know: -2, -3, -3.5, -3.75.
    assert (lesson.feature, lesson.valence, lesson.sureness, lesson.good, lesson.bad) == ("friday", -3.75, 0.5, 0, 4)
    assert lesson.outcomes == outcomes[:0:-1]  # the latest three, the latest first
    assert [kind.kind for kind in lesson.kinds] == ["outage", "slow"]
    assert [kind.weight for kind in lesson.kinds] == sorted((kind.weight for kind in lesson.kinds), reverse=True)
    weights = {each.ref: each.weight for each in memory.neighbourhood("feature:friday", count=50).neighbours}
    assert {f"feature:outcome:{kind.kind}": kind.weight for kind in lesson.kinds}.items() <= weights.items()


def test_context_and_cases_carry_the_same_lessons_and_change_nothing_else(memory: Memory[Embedded]) -> None:
    judged(memory, -4.0, "service:checkout", times=3)
    judged(memory, 4.0, "reviewed", times=3)
    digest = memory.digest()
    expected = memory.foretell("release checkout").foretold
    assert [one.feature for one in expected] == ["service:checkout"]
    assert memory.get_context("release checkout", record=False).foretold == expected
    both = memory.get_context("release checkout", features=["reviewed"], record=False)
    assert {one.feature for one in both.foretold} == {"service:checkout", "reviewed"}
    assert both.refs == memory.get_context("release checkout", record=False).refs
    cases = memory.get_similar_cases("release checkout", features=["reviewed"], record=False)
    assert cases.foretold == both.foretold
    assert memory.get_similar_cases("quarterly revenue", features=["reviewed"], record=False).foretold != []
    assert memory.digest() == digest


def test_what_is_unknown_unjudged_or_weak_foretells_nothing(memory: Memory[Embedded]) -> None:
    memory.set_policy(surprise_rate=0.1)
    judged(memory, -4.0, "weak")  # -0.4, and 0.5 is asked for
    memory.record_event("seen", features=["unjudged"])
    found = memory.foretell("weak unjudged unknown", features=["never", "weak"])
    assert (found.features, found.foretold) == (["weak", "unjudged"], [])
    memory.set_policy(foretell_valence=0.4)
    assert [one.feature for one in memory.foretell("weak").foretold] == ["weak"]
    assert memory.foretell().features == memory.foretell("").features == []


def test_the_surest_and_largest_come_first_and_only_so_many(memory: Memory[Embedded]) -> None:
    for number in range(FORETOLD_MAX + 3):
        judged(memory, -5.0, f"f{number}", times=1 + number % 3)
    found = memory.foretell(features=[f"f{number}" for number in range(FORETOLD_MAX + 3)]).foretold
    assert len(found) == FORETOLD_MAX
    worth = [-abs(one.valence) * one.sureness for one in found]
    assert worth == sorted(worth) and found[0].feature == "f2"


def steps(memory: Memory[Embedded], *features: str) -> list[tuple[str, str, int, float]]:
    found = memory.foretell(features=features).followed_by
    return [(step.feature, step.next, step.usage, step.share) for step in found]


def test_what_usually_follows_has_its_share_of_all_that_followed_and_four_more(memory: Memory[Embedded]) -> None:
    for after in ("test", "test", "test", "ship", "ship", "once"):
        memory.record_event("built", features=["build"], session="s")
        memory.record_event(after, features=[after, "ci"], session="s")
    times = {"ci": 6, "test": 3, "ship": 2, "once": 1}
    assert steps(memory, "build") == [("build", after, usage, usage / 10) for after, usage in times.items()]
    assert steps(memory, "once") == []
    weights = {step.next: step.weight for step in memory.foretell(features=["build"]).followed_by}
    assert weights["test"] > 0 and weights["ship"] > 0, "twice in a row makes a trajectory between leading features"
    assert weights["ci"] == weights["once"] == 0


def test_what_follows_is_of_the_same_session_and_of_equals_the_latest_comes_first(memory: Memory[Embedded]) -> None:
    memory.record_event("one", features=["a"], session="s")
    memory.record_event("other", features=["b"], session="another")
    memory.record_event("late", features=["c", "a"], session="s")
    memory.record_event("later", features=["a"], session="s")
    assert steps(memory, "a") == [("a", "a", 2, 2 / 6), ("a", "c", 1, 1 / 6)]
    memory.record_event("last", features=["d"], session="s")
    assert [each[1] for each in steps(memory, "a")] == ["a", "d", "c"]


def test_only_so_many_events_are_looked_at_and_a_trajectory_remembers_the_others(memory: Memory[Embedded]) -> None:
    for after in [*["led"] * 40, *["now"] * 20]:
        memory.record_event("x", features=["a"], session="s")
        memory.record_event("x", features=[after], session="s")
    (now, led) = sorted(steps(memory, "a"), key=lambda each: each[2])
    assert now == ("a", "now", 20, 20 / (32 + 28 + 4))
    assert led == ("a", "led", 40, 40 / (32 + 28 + 4))  # 12 of the last 32, and 28 more that the trajectory has counted


def test_features_of_the_next_event_count_as_far_as_they_pair_and_live(memory: Memory[Embedded]) -> None:
    memory.record_event("x", features=["a"], session="s")
    memory.record_event("x", features=[f"f{n}" for n in range(12)], session="s")
    assert {each[1] for each in steps(memory, "a")} == {f"f{n}" for n in range(8)}


def test_features_are_named_by_their_words_in_any_form(memory: Memory[Embedded]) -> None:
    memory.record_event("x", features=["deploy", "service:check out", "Café", "file:a/index.py", "the", "kind:fix"])

    def named(text: str) -> set[str]:
        return set(memory.foretell(text).features)

    assert named("We deployed the service check-out") == {"deploy", "service:check out", "the"}
    assert named("only check") == set()
    assert named("at the cafe\u0301") == {"Café", "the"}
    assert named("a/index.py was fixed") == {"file:a/index.py", "kind:fix"}
    assert named("the index.py") == {"file:a/index.py", "the"}  # by its last name
    assert named("an index") == named("py.index") == set()  # all of that, as it stands
    memory.record_event("x", features=[f"file:{n}/__init__.py" for n in range(9)])
    assert named("__init__.py") == set()  # tells none of so many apart
    assert memory.foretell(features=["Cafe\u0301"]).features == ["Café"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("file:app/deep/pay.py", ["file:app/deep/pay.py"]),
        ("app/deep/pay.py", ["file:app/deep/pay.py"]),
        ("./app/other/../deep/pay.py", ["file:app/deep/pay.py"]),
        ("file:./app/deep/pay.py", ["file:app/deep/pay.py"]),
        ("app\\deep\\pay.py", ["file:app/deep/pay.py"]),
        ("/srv/shop/app/deep/pay.py", ["file:app/deep/pay.py"]),
        ("file:///srv/shop/app/deep/pay.py", ["file:app/deep/pay.py"]),
        ("C:\\shop\\app\\deep\\pay.py", ["file:app/deep/pay.py"]),
        ("shop/app/deep/pay.py", ["file:app/deep/pay.py"]),  # from the folder above
        ("deep/pay.py", ["file:app/deep/pay.py"]),  # from a folder in it
        ("pay.py", ["file:app/deep/pay.py", "file:lib/pay.py"]),
        ("file:pay.py", ["file:app/deep/pay.py", "file:lib/pay.py"]),
        ("/srv/shop/setup.py", ["file:setup.py"]),
        ("setup.py", ["file:setup.py", "file:tools/setup.py"]),  # nobody hides a file by another of its name
        ("app/deep", ["dir:app/deep"]),
        ("src/pay.py", []),  # another file
        ("new/setup.py", []),
        ("/srv/none/pay.py", []),
        ("app/deep/pays.py", []),
        ("deep", []),  # no path
        ("speaker:pay.py", []),
        (".", []),
    ],
)
def test_a_feature_that_is_a_path_is_found_however_it_is_spelt(
    memory: Memory[Embedded], given: str, meant: list[str]
) -> None:
    files = ["app/deep/pay.py", "lib/pay.py", "setup.py", "tools/setup.py"]
    memory.record_event("x", features=[*(f"file:{each}" for each in files), "dir:app/deep", "speaker:shop/pay.py"])
    assert memory.foretell(features=[given]).features == meant


def test_a_text_that_names_a_path_with_its_folders_does_not_mean_others_of_its_last_name(
    memory: Memory[Embedded],
) -> None:
    memory.record_event("x", features=["file:app/pay.py", "file:lib/pay.py"])

    def named(text: str) -> list[str]:
        return memory.foretell(text).features

    assert named("change `lib/pay.py`.") == named("see /srv/shop/lib/pay.py") == ["file:lib/pay.py"]
    assert named("lib/pay.py, and pay.py") == ["file:lib/pay.py", "file:app/pay.py"]
    assert named("change src/pay.py") == ["file:app/pay.py", "file:lib/pay.py"], "one that is not known may be either"


def test_nobody_hides_a_file_by_another_spelling_or_a_longer_path(memory: Memory[Embedded]) -> None:
    """What is trusted less stands beside the file that it looks like, and not in its place."""
    memory.record_event("x", features=["file:app/pay.py", "file:lib/tax.py", "file:web/lib/tax.py"])
    planted = ["./app/pay.py", "file:./app/pay.py", "tax.py", "file:shop/app/pay.py", "file:srv/shop/app/pay.py"]
    memory.speaking(trust=0).record_event("x", features=planted)
    for given in ("./app/pay.py", "file:./app/pay.py", "shop/app/pay.py", "/srv/shop/app/pay.py"):
        assert "file:app/pay.py" in memory.foretell(features=[given]).features, given
    assert memory.foretell(features=["tax.py"]).features == ["tax.py", "file:lib/tax.py", "file:web/lib/tax.py"]
    assert memory.foretell(features=["file:app/pay.py"]).features == ["file:app/pay.py"]
    assert memory.foretell(features=["web/lib/tax.py"]).features == ["file:web/lib/tax.py"], "trusted as much"


def test_what_is_given_as_it_is_spelt_is_not_pushed_out_by_what_paths_may_mean(memory: Memory[Embedded]) -> None:
    lasts = [f"n{number}.py" for number in range(9)]
    for folder in range(8):
        memory.record_event("x", features=[f"file:d{folder}/{last}" for last in lasts])
    memory.record_event("x", features=["deploy"])
    assert "deploy" in memory.foretell(features=[*lasts, "deploy"]).features


def test_a_text_that_names_a_file_at_the_root_does_not_mean_others_of_its_name(memory: Memory[Embedded]) -> None:
    memory.record_event("x", features=["file:setup.py", "file:tools/setup.py"])
    assert memory.foretell("see /srv/shop/setup.py").features == ["file:setup.py"]


def test_a_lesson_outlives_its_events_and_an_index_that_is_built_anew_knows_it(memory: Memory[Embedded]) -> None:
    memory.set_policy(
        archive_salience=1e6, archive_permanence=1e6, archive_rest_ticks=0, archived_max=0, sessions_open_max=1
    )
    judged(memory, -4.0, "friday", times=3)
    memory.record_event("something else", session="other")  # the one before is closed, and holds nothing
    memory.sleep()
    assert memory.get_context("it happened", record=False).refs == []
    found = memory.foretell("friday").foretold
    assert [(one.feature, one.bad, one.outcomes) for one in found] == [("friday", 3, [])]
    with memory.engine.reading_of(memory.id) as (graph, _):
        assert foretell(graph, anew(graph).feature_names, "friday").foretold == found


@pytest.mark.parametrize("seed", range(3))
def test_grown_built_and_loaded_indexes_foretell_the_same(tmp_path: Path, seed: int) -> None:
    rng, view, found = Random(f"foretold{seed}"), RetrievalView(None), 0
    records = life(seed + 40, 800)
    with living(tmp_path / "store", view) as (log, projector):
        while records:
            log.extend(records[:70])
            records = records[70:]
            while projector.advance(rng.choice((1, 16, 500))):
                pass
            graph = projector.store.peek("tenant/a")
            assert graph is not None
            grown = view.index(graph)
            indexes = [grown, anew(graph)]
            write_image(tmp_path / "now", grown)
            loaded = read_image(tmp_path / "now", "tenant/a")
            assert loaded is not None
            indexes.append(loaded)
            for _ in range(5):
                text = f"{sentence(rng)} {sentence(rng)} Ann checkout f{rng.randrange(9)}"
                first, *others = [foretell(graph, index.feature_names, text) for index in indexes]
                assert others == [first, first]
                found += len(first.features)
    assert found > 50


def test_a_hostile_question_is_bounded(memory: Memory[Embedded]) -> None:
    names = FeatureNames(TOKENIZER)
    for number in range(3_000):
        names.put(f"kind{number}:same", number)
    assert len(names.named_by(["same"])) == 128
    assert set(names.named_by(["same"])) == {f"kind{number}:same" for number in range(2_872, 3_000)}  # the youngest
    for start in range(0, 160, 32):
        memory.record_event("x", features=[f"k{number}:word" for number in range(start, start + 32)])
    assert len(memory.foretell("word " * 3_000).features) == 64
    looked: list[object] = []

    class Counted(dict[str, int]):
        def __contains__(self, name: object) -> bool:
            looked.append(name)
            return super().__contains__(name)

    names.numbers = Counted(names.numbers)
    assert names.at_path("a/" * 60_000 + "x.py", lambda _: 0) == [] and len(looked) <= 128
    with pytest.raises(InvalidAskError, match="a query may have 131072 characters"):
        memory.foretell("x" * 140_000)
    with pytest.raises(InvalidAskError, match="not the string 'friday'"):
        memory.foretell(features="friday")
    with pytest.raises(InvalidAskError, match="may have 32 features, and this one has 33"):
        memory.foretell(features=[f"f{number}" for number in range(33)])
    with pytest.raises(InvalidAskError, match="1 to 128 characters"):
        memory.get_similar_cases("x", features=[""])


def test_names_that_come_and_go_are_known_once() -> None:
    names = FeatureNames(TOKENIZER, {"a b": 1, "b": 2})
    assert names.named_by(["a", "b"]) == ["a b", "b"]
    for number in range(3, 300):
        names.committed({"b": None})
        assert names.named_by(["b", "a"]) == ["a b"]
        names.committed({"b": number})
        assert names.named_by(["b"]) == ["b"]
    names.keep([1])
    assert (names.named_by(["a", "b"]), names.numbers) == (["a b"], {"a b": 1})


# Whose outcomes lead


def omen(voices: dict[str, Memory[Embedded]], *values: tuple[str, float]) -> None:
    for who, value in values:
        event = voices[who].record_event("it happened", features=["omen"])
        voices[who].log_outcome(event, value)


@pytest.fixture
def voices(tmp_path: Path) -> Iterator[dict[str, Memory[Embedded]]]:
    with Embedded(tmp_path / "voices", partitions=1) as engine:
        yield {
            origin: Memory(engine, Drafter("me/voices", origin, "test", origin=origin))
            for origin in ("agent", "user", "tool", "operator")
        } | {"stranger": Memory(engine, Drafter("me/voices", "page", "test", origin="agent", trust=0))}


def valence(voices: dict[str, Memory[Embedded]]) -> float:
    found = voices["operator"].foretell("", features=["omen"]).foretold
    return found[0].valence if found else 0.0


def test_agents_do_not_turn_what_users_taught(voices: dict[str, Memory[Embedded]]) -> None:
    omen(voices, *[("user", 4.0)] * 3)
    said = valence(voices)
    assert said > 1.0
    omen(voices, *[("agent", -10.0)] * 12)
    assert valence(voices) == pytest.approx(said)
    (lesson,) = voices["operator"].foretell("", features=["omen"]).foretold
    assert (lesson.good, lesson.bad) == (3, 0)


def test_agents_may_add_to_what_users_taught_and_users_may_turn_it(voices: dict[str, Memory[Embedded]]) -> None:
    omen(voices, *[("user", 4.0)] * 3)
    said = valence(voices)
    omen(voices, *[("agent", 6.0)] * 3)
    assert valence(voices) > said
    omen(voices, *[("user", -9.0)] * 8)
    assert valence(voices) < -1.0


def test_a_tool_that_measures_leads_before_users_and_agents(voices: dict[str, Memory[Embedded]]) -> None:
    omen(voices, *[("tool", 5.0)] * 4)
    omen(voices, *[("user", -10.0)] * 10, *[("agent", -10.0)] * 10)
    assert valence(voices) > 1.0


def test_agents_teach_what_nobody_above_them_has(voices: dict[str, Memory[Embedded]]) -> None:
    voices["user"].record_event("An omen, of which nothing came", features=["omen"])
    omen(voices, *[("agent", -10.0)] * 4)
    assert valence(voices) < -1.0


def test_what_users_taught_stands_when_agents_judge_their_events(voices: dict[str, Memory[Embedded]]) -> None:
    event = voices["user"].record_event("it happened", features=["omen"])
    for _ in range(3):
        voices["user"].log_outcome(event, 5.0)
    for _ in range(12):
        voices["agent"].log_outcome(event, -10.0)
    assert valence(voices) > 1.0
    threats = [threat for session in voices["user"].working_memory().sessions for threat in session.threats]
    assert not any(threat.feature == "omen" for threat in threats)


def changed(memory: Memory[Embedded], *features: str, times: int = 1) -> None:
    """Events that nobody judged, as most commits are."""
    for _ in range(times):
        memory.record_event("changed", features=["author:ana", *features])


def test_a_file_that_broke_twice_warns_and_what_stands_on_every_event_does_not(memory: Memory[Embedded]) -> None:
    memory.set_policy(foretell_valence=0.1)
    changed(memory, "file:app/view.py", times=40)
    changed(memory, "file:app/pay.py", times=4)
    broke = judged(memory, -4.0, "author:ana", "file:app/pay.py", "dir:app", times=2)
    broke += judged(memory, -4.0, "author:ana", "file:app/view.py", times=1)
    changed(memory, "file:app/view.py", "dir:app", times=20)
    asked = memory.foretell("pay.py", features=["author:ana", "file:app/view.py"])
    assert asked.features[-1] == "file:app/pay.py"
    (lesson,) = asked.foretold  # view.py broke once in 61 changes, and the author stands on all
    assert (lesson.feature, lesson.good, lesson.bad, lesson.events) == ("file:app/pay.py", 0, 2, 6)
    assert lesson.base_rate == 1 / 61
    assert lesson.outcomes == broke[1::-1]
    prompt = memory.get_context("pay.py", record=False).text()
    assert "(0 good, 2 bad in 6 events, 2% without it)" in prompt


def test_what_stands_on_every_event_still_warns_where_most_of_them_fail(memory: Memory[Embedded]) -> None:
    judged(memory, -4.0, "friday", times=12)
    assert [one.feature for one in memory.foretell(features=["friday"]).foretold] == ["friday"]


def test_an_event_with_several_outcomes_is_one_event(memory: Memory[Embedded]) -> None:
    broke = memory.record_event("broke", features=["file:pay.py"])
    for kind in ("outage", "revert", "complaint"):
        memory.log_outcome(broke, -3.0, kind=kind)
    memory.record_event("went well", features=["file:pay.py"])
    (lesson,) = memory.foretell(features=["file:pay.py"]).foretold
    assert (lesson.bad, lesson.events) == (3, 2), "as often as it occurred, and not as often as it was judged"
    assert "0 good, 3 bad in 2 events, 0% without it" in memory.get_context("pay.py").text()


def test_outcomes_are_no_part_of_the_events(memory: Memory[Embedded]) -> None:
    for number in range(5):
        broke = memory.record_event("broke", features=["file:pay.py"])
        for kind in ("outage", "revert") if number < 2 else ():
            memory.log_outcome(broke, -3.0, kind=kind)
    assert "0 good, 4 bad in 5 events" in memory.get_context("pay.py").text(), "not 4 of 5: two of them ended badly"


def test_one_failure_or_as_many_good_ones_are_no_rule(memory: Memory[Embedded]) -> None:
    memory.set_policy(surprise_rate=0.01)
    changed(memory, times=60)
    judged(memory, -4.0, "once")
    judged(memory, -4.0, "mixed", times=3)
    judged(memory, 4.0, "mixed", times=3)
    assert memory.foretell(features=["once", "mixed"]).foretold == []


def test_events_from_below_drown_no_warning(voices: dict[str, Memory[Embedded]]) -> None:
    """Neither one that has a value of its own, nor one that only counts tell of."""
    user, agent = voices["user"], voices["agent"]
    user.set_policy(surprise_rate=0.01)
    changed(user, times=30)
    judged(user, -4.0, "file:pay.py", times=3)
    changed(agent, "file:pay.py", times=400)
    (lesson,) = user.foretell(features=["file:pay.py"]).foretold
    assert (lesson.bad, lesson.events) == (3, 3)  # and not 403


def test_edges_that_a_flood_has_cut_are_counted_as_what_they_were(voices: dict[str, Memory[Embedded]]) -> None:
    """Of 203 events with the file five are a user's, and of the edges to them 12 to 16 are left."""
    user, agent, stranger = voices["user"], voices["agent"], voices["stranger"]
    user.set_policy(surprise_rate=0.01, degree_max=16)
    changed(user, times=60)
    changed(user, "file:pay.py", times=2)
    judged(user, -4.0, "file:pay.py", times=3)
    before = user.foretell(features=["file:pay.py"]).foretold
    changed(stranger, "file:pay.py", times=150)
    changed(stranger, "file:view.py", times=150)
    (lesson,) = user.foretell(features=["file:pay.py"]).foretold
    assert [(each.events, each.base_rate, each.bad) for each in (*before, lesson)] == [(5, 0.0, 3)] * 2
    changed(agent, "file:pay.py", times=150)
    (lesson,) = user.foretell(features=["file:pay.py"]).foretold
    assert (lesson.events, lesson.bad) == (5, 3)


def test_two_failures_that_agents_tell_do_not_turn_what_a_user_found_good(voices: dict[str, Memory[Embedded]]) -> None:
    user, agent = voices["user"], voices["agent"]
    user.set_policy(surprise_rate=0.01)
    changed(user, times=40)
    judged(user, 4.0, "file:pay.py")
    judged(agent, -4.0, "file:pay.py", times=2)
    assert user.foretell(features=["file:pay.py"]).foretold == []


def test_paths_from_below_leave_a_file_its_last_name(voices: dict[str, Memory[Embedded]]) -> None:
    user, agent = voices["user"], voices["agent"]
    judged(user, -4.0, "file:src/app/pay.py", times=3)
    changed(agent, *[f"file:other{n}/pay.py" for n in range(9)])
    asked = user.foretell("pay.py")
    assert asked.features == ["file:src/app/pay.py"]
    assert [each.feature for each in asked.foretold] == asked.features
    changed(user, *[f"file:more{n}/pay.py" for n in range(8)])
    assert user.foretell("pay.py").features == [], "a user too has nine"
