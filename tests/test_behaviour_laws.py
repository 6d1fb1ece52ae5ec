"""The scenarios that hold one law each, in small: what they count is what has happened, whatever the laws say."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.behaviour import laws
from benchmarks.behaviour.scenarios import attention, late, misled, noise, past
from benchmarks.measure import Size


@pytest.mark.parametrize("delay", [0, 5])
def test_every_outcome_is_told_and_looked_at_however_late(delay: int) -> None:
    found = late.live(1, delay, 40)
    assert len(found.landed) == 40
    assert 0 < len(found.learned) < 40
    assert all(found.landed)  # 40 events are too few for any bound
    assert found.valence[late.CAUSE] < found.valence[late.COMPANION]
    assert found.first == 1.0


@pytest.mark.parametrize(
    ("at_first", "then", "rose", "sunk_after"),
    [
        (True, [True, True], False, 1),
        (True, [False, True], True, 2),
        (False, [False, True], False, 2),
        (False, [False, False], False, 3),
        (False, [True, False], True, 3),
    ],
)
def test_to_rise_is_to_pass_its_equal_and_to_sink_is_for_good(
    at_first: bool, then: list[bool], rose: bool, sunk_after: int
) -> None:
    found = misled.Found(at_first, then)
    assert found.rose is rose
    assert found.sunk_after == sunk_after


@pytest.mark.parametrize("below", [True, False])
@pytest.mark.parametrize("form", misled.FORMS)
def test_what_misleads_is_looked_at_after_each_failure(form: str, below: bool, tmp_path: Path) -> None:
    found = misled.live(1, form, 2, tmp_path / "store", below=below)
    assert found.below_at_first is below
    assert len(found.below) == 2


@pytest.mark.parametrize("form", misled.FORMS)
def test_the_bars_of_what_misleads_hold(form: str, tmp_path: Path) -> None:
    """No failure lifts what misleads, and three at most sink it below its equal, whichever of the two it is."""
    for seed in range(3):
        rising = misled.live(seed, form, 4, tmp_path / f"{seed}-rising", below=True)
        assert not rising.rose
        sinking = misled.live(seed, form, 4, tmp_path / f"{seed}-sinking", below=False)
        assert sinking.sunk_after <= 3


@pytest.mark.parametrize("form", [*noise.NOISE, *noise.THEMES])
def test_no_feature_is_a_concept_when_it_has_hardly_occurred(form: str) -> None:
    found = noise.live(1, form, 1)
    assert not found.noise
    assert found.themes_found == 0.0


def test_what_becomes_a_concept_is_told_apart_by_where_it_was_drawn_from() -> None:
    whatever_recurs = {
        "concept_density": 0.0,
        "dissolve_density": 0.0,
        "concept_usage": 8,
        "concept_beyond_chance": 0.0,
    }
    found = noise.live(1, "themes", 40, whatever_recurs)
    assert found.noise
    assert found.noise <= set(noise.POOL)
    assert found.themes_found > 0.0
    for at, theme in enumerate(found.themes):
        assert theme <= {f"theme-{at}-{part}" for part in range(3)}


def test_most_features_of_a_theme_make_it_a_concept() -> None:
    themes = [{"theme-0-0", "theme-0-1"}, {"theme-1-0"}, set(), set(), {"theme-4-0", "theme-4-1", "theme-4-2"}]
    found = noise.Found(set(), themes)
    assert found.themes_found == 0.4
    assert found.theme_features == pytest.approx(6 / 15)
    assert found.used_theme == 1.0


def test_half_lives_are_those_of_the_laws() -> None:
    found = attention.live(1, -3.0)
    assert found.unjudged == pytest.approx(69.31, abs=0.01)  # node_half_life_ticks
    assert found.judged > found.unjudged
    assert found.unjudged_then_neutral < found.unjudged / 2


def test_a_strong_past_is_contradicted_by_every_failure_until_belief_turns(tmp_path: Path) -> None:
    found = past.live(1, tmp_path / "store")
    assert len(found.sunk) == past.FAILURES
    assert found.contradictions >= 3  # the first failure of each of the three at least
    assert found.rises <= found.contradictions
    assert set(past.FOLLOWING) <= set(found.values)


def test_what_is_never_sunk_counts_one_more_than_was_tried() -> None:
    assert past.Found([False, True, True]).sunk_after == 2
    assert past.Found([False, False]).sunk_after == 3


def test_every_law_has_figures_and_bars(tmp_path: Path) -> None:
    for at, measure in enumerate(laws.parts()):
        part = measure(Size.TINY, tmp_path / str(at))
        assert part.figures
        assert len(part.bars) >= 2
        assert all(replace(bar, value=bar.bar).holds for bar in part.bars)
