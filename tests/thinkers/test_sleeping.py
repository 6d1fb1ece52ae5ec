"""The benchmark of sleep: its world is the same for a seed, is read from a file, and says where a file is none."""

import json
from pathlib import Path

import pytest

from benchmarks.sleeping.rates import HALF_LIFE_TICKS, RATES, rates
from benchmarks.sleeping.world import Fact, World, WorldFileError, drawn, read


def test_a_world_is_drawn_by_its_seed() -> None:
    assert drawn(3, 12) == drawn(3, 12) != drawn(4, 12)
    assert len({fact.question for fact in drawn(3, 12).facts}) == 12


def test_a_world_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    file.write_text(json.dumps({"facts": [{"said": "Ana is ill", "question": "Who is ill?"}], "talk": ["Step {n}"]}))
    assert read(file) == World((Fact("Ana is ill", "Who is ill?"),), ("Step {n}",))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("{", "no JSON"),
        ("[]", "an object with facts and talk"),
        ('{"facts": [], "talk": ["x"]}', "lists of 1 to 200"),
        ('{"facts": [{"said": "x"}], "talk": ["x"]}', "fact 1: a fact is an object with said and question"),
        ('{"facts": [{"said": "x", "question": ""}], "talk": ["x"]}', "fact 1, question: a text of 1 to 1,000"),
        ('{"facts": [{"said": "x", "question": "y"}], "talk": [7]}', "talk 1: a text of 1 to 1,000"),
    ],
)
def test_what_is_no_world_says_where(said: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "world.json").write_text(said)
    with pytest.raises(WorldFileError, match=why):
        read(tmp_path / "world.json")


def test_the_half_life_of_the_seed_s_rate_is_exact_and_the_levels_follow(tmp_path: Path) -> None:
    """Ten events a task: half is left after ln 0.5 / ln 0.995 tasks (003, section 3.6)."""
    assert pytest.approx(RATES[0], rel=1e-12) == 2 ** -(10 / HALF_LIFE_TICKS)
    found = rates(tmp_path / "store", (3, 20))
    assert len(found) == 2 * len(RATES)
    assert list(found.values()) == pytest.approx([1.0] * len(found), rel=1e-3)
    assert found["level 0, left after 20 tasks / by the seed's rate"] == pytest.approx(1.0, rel=1e-9)
