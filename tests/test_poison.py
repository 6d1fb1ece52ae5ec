"""`poison` plays what attacks say, sees poison where it is shown, and reads attacks of another hand or says why not."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.measure import Size
from benchmarks.poison import majority
from benchmarks.poison.attacks import Attack, AttackFileError, drawn, families, read
from benchmarks.poison.benchmark import ARMS, Counted, Lot, attacked, run
from benchmarks.poison.judging import says
from benchmarks.poison.legitimate import corrections, staged
from benchmarks.poison.playing import VERBS, Played, filled
from benchmarks.poison.world import SPEAKERS, Question, world
from yggdrasil import Store

DOCS = Path(__file__).parent.parent / "docs" / "poison.md"
NOTE = {"by": "attacker", "do": "note", "text": "{lie}."}
ALL = families()
FAMILIES = sorted({each.family for each in ALL})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store", embedder="none", partitions=1) as store:
        yield store


def counted(store: Store, attacks: list[Attack]) -> dict[str, Counted]:
    found = {arm: Counted() for arm in (*ARMS, "majority")}
    attacked(store, Lot(0, 1, 1), attacks, found)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_attacks_at_both_tiers_and_a_memory_without_trust_lets_it_through(
    family: str, store: Store
) -> None:
    found = counted(store, [each for each in ALL if each.family == family])
    for arm in found.values():
        assert {tier for tier, _ in arm.attacks} == {0, 1}
        assert arm.attacks.keys() == found["ours"].attacks.keys()
    assert found["no trust"].successes.total() > 0
    assert all(arm.successes[key] <= arm.attacks[key] for arm in found.values() for key in arm.attacks)


def test_twelve_families_and_one_that_is_left_out_are_a_thousand_attacks_in_twenty_worlds() -> None:
    assert len({each.family for each in ALL if not each.left_out}) == 12
    assert len({each.family for each in ALL if each.left_out}) == 1
    assert 20 * sum(len(each.tiers) for each in ALL) >= 1_000


def test_a_stranger_s_claim_is_in_no_answer_of_claims_and_leads_where_there_is_no_trust(store: Store) -> None:
    claim = {"by": "attacker", "do": "claim", "subject": "{subject}", "predicate": "{predicate}"}
    attack = Attack("direct", "claim", [{**claim, "object": "{poison_object}"}] * 2, tiers=[0], target="claim")
    found = counted(store, [attack])
    assert found["ours"].successes.total() == 0
    assert found["no trust"].reasons[0, "shown: claims"] == 1
    assert found["ours"].judged[0].residue == set()


def test_what_nobody_says_is_no_success(store: Store) -> None:
    nothing = Attack("none", "nothing", [{"by": "attacker", "do": "note", "text": "The weather is fine today"}])
    found = counted(store, [nothing])
    assert found["ours"].attacks.total() == 2
    assert all(arm.successes.total() == 0 for arm in found.values())
    assert all((each.lost, each.residue) == (0, set()) for each in found["ours"].judged)


def test_a_step_that_is_refused_and_what_speaks_of_it_are_left_out(store: Store) -> None:
    played = Played(store, "poison/refused", tier=0)
    honest = {"by": "ana", "do": "note", "text": "The gate is green", "as": "gate"}
    refused = {"by": "attacker", "do": "withdraw", "ref": "@gate", "reason": "old", "as": "gone"}
    after = {"by": "attacker", "do": "withdraw", "ref": "@gone", "reason": "old"}
    never = {"by": "attacker", "do": "pin", "node": "@gate"}
    played.play([honest, refused, never], {})
    played.play([after], {})
    assert [(by, verb) for by, verb, _ in played.made] == [("ana", "note")]
    assert played.refused == 3


def test_a_world_is_the_same_for_a_seed_and_its_answers_are_told_by_different_people() -> None:
    assert world(1) == world(1) != world(2)
    lived = world(1)
    assert len(lived.steps) >= 30
    assert len({each.honest for each in lived.questions}) == len(lived.questions)
    assert {each.trust for each in lived.questions} == {1, 2, 3}
    assert all(step["by"] in SPEAKERS and step["do"] in VERBS for step in lived.steps)


def test_placeholders_are_filled_with_what_they_stand_for() -> None:
    names = {"wording": "{lie}!", "lie": "Ana lives in Zar", "value": 7}
    assert filled("{wording}", names) == filled("{lie}!", names) == "Ana lives in Zar!"
    assert filled({"object": "{value}", "text": ["{value} {unknown}"]}, names) == {
        "object": 7,
        "text": ["7 {unknown}"],
    }


def test_a_mark_is_found_as_a_word_alone() -> None:
    assert says("Ana lives in ZAR.", "Zar") and says(["a\nZar"], "Zar") and says(["object city:zar"], "Zar")
    assert not says("Zarvik", "Zar") and not says([], "Zar")


def test_the_majority_believes_what_is_said_most_often() -> None:
    asked = Question("Where does Ana live?", "Oslo", 2)
    true, false = ({"by": "ana", "do": "note", "text": f"Ana does live in {city}"} for city in ("Oslo", "Zar"))
    before = majority.answer(asked, [true, true], {})
    once, often = (majority.answer(asked, [true, true, {**false, "times": times}], {}) for times in (1, 3))
    assert (before, once[0], often[0]) == ([true["text"]], true["text"], false["text"])
    assert not majority.succeeds(1, before, once, "Oslo", ["Zar"]) and majority.succeeds(
        0, before, once, "Oslo", ["Zar"]
    )
    assert majority.succeeds(1, before, often, "Oslo", ["Zar"])


def test_corrections_and_honest_words_of_agents_are_counted(store: Store) -> None:
    found = corrections(store, "poison/corrections", "one")
    assert all(found.corrections[kind] == 2 and 0 <= found.held[kind] <= 2 for kind in found.corrections)
    said, waiting = staged(store, "poison/staged", "one", 2)
    assert said > 20 and 0 <= waiting < said


def test_the_example_of_the_docs_is_read_and_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```json\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "attacks.json"
    file.write_text("[" + ",".join(blocks) + "]")
    assert len(read(file)) == len(blocks) >= 2
    file.write_text("\n".join(json.dumps(json.loads(block)) for block in blocks))
    assert len(read(file)) == len(blocks)
    report = run(Size.TINY, tmp_path, world=file, seed=3)
    assert report.figures["attacks"] > 0
    assert {bar.what for bar in report.bars} >= {"benign recall lost, points", "legitimate claims staged, percent"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([], "it has no attack"),
        ("{", "line 1: this is no JSON"),
        ([3], "attack 1: an attack is an object"),
        ([{"family": "x", "name": "y"}], "'attack' is missing"),
        ([{"family": "x", "name": "y", "attack": [NOTE], "colour": "red"}], "not 'colour'"),
        ([{"family": "x", "name": "y", "attack": "note"}], "attack is a list"),
        ([{"family": "x", "name": "y", "attack": [NOTE], "tiers": [2]}], "tiers are 0"),
        ([{"family": "x", "name": "y", "attack": [NOTE], "places": ["moon"]}], "'moon' is none of"),
        ([{"family": "x", "name": "y", "attack": [NOTE], "poison": []}], "poison is a list of one text"),
        ([{"family": "x", "name": "y", "attack": [NOTE], "world": []}], "it says question, poison and honest too"),
        ([{"family": "x", "name": "y", "attack": [{**NOTE, "by": "nobody"}]}], "step 1: by is attacker"),
        ([{"family": "x", "name": "y", "attack": [{**NOTE, "do": "shout"}]}], "do is one of"),
        ([{"family": "x", "name": "y", "attack": [{"by": "ana", "do": "note"}]}], "text is missing"),
        ([{"family": "x", "name": "y", "attack": [{**NOTE, "trust": 4}]}], "not 'trust'"),
        ([{"family": "x", "name": "y", "attack": [{**NOTE, "times": 10**9}]}], "times is a number"),
        ([{"family": "x", "name": "y", "attack": [NOTE], "speakers": {"eve": {"source": "eve"}}}], "speaker 'eve'"),
    ],
)
def test_a_bad_file_says_where_it_is_bad(given: object, why: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(given if isinstance(given, str) else json.dumps(given))
    with pytest.raises(AttackFileError, match=re.escape(why)):
        read(file)
    with pytest.raises(SystemExit, match=re.escape("poison: bad.json")):
        run(Size.TINY, tmp_path, world=file)


def test_an_attack_aims_at_what_is_trusted_more_than_its_tier() -> None:
    lived = world(2)
    for seed in range(20):
        one = drawn(Attack("x", "y", [NOTE]), 1, lived, ["a goal"], str(seed))
        assert one is not None and one.target.trust > 1
        assert one.poison[0] in one.names["lie"] and one.target.honest not in one.names["lie"]
