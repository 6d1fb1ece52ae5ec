"""What does not belong together becomes no concept, whatever the seed, and what does becomes one, and only one.

``python -m tests.thinkers.concepts.test_noise`` prints the table that is in docs/thinkers.md.
"""

import sys
from random import Random

import pytest

from tests.size import turns
from tests.thinkers.concepts.lives import NOISE, PLANTED
from tests.thinkers.told import decided
from yggdrasil_processors.thinkers.concepts import ConceptFormer

SEEDS = turns(2, 20)


def formed(name: str, seed: int) -> list[set[str]]:
    """The features of the concepts of a life."""
    live = NOISE[name] if name in NOISE else PLANTED[name][0]
    found = decided(ConceptFormer(), live(Random(f"{name}{seed}")), page=10_000)
    return [
        {member.removeprefix("feature:") for member in decision.body["members"] if member.startswith("feature:")}
        for _, decision in found
        if decision.type == "form_concept"
    ]


@pytest.mark.parametrize("name", NOISE)
def test_noise_has_no_concept(name: str) -> None:
    assert [formed(name, seed) for seed in range(SEEDS)] == [[]] * SEEDS


@pytest.mark.parametrize("name", PLANTED)
def test_what_belongs_together_is_found_once_and_nothing_else(name: str) -> None:
    _, themes = PLANTED[name]
    for seed in range(SEEDS):
        found = formed(name, seed)
        assert all(len({feature.split("-")[0] for feature in features}) == 1 for features in found), found
        assert len({min(features).split("-")[0] for features in found}) == len(found) <= themes
        assert len(found) >= themes - (themes > 4)


def main() -> None:
    for name in (*NOISE, *PLANTED):
        found = [formed(name, seed) for seed in range(20)]
        clean = [[f for f in each if len({x.split("-")[0] for x in f}) == 1] for each in found]
        planted = 20 * PLANTED[name][1] if name in PLANTED else 0
        sys.stdout.write(
            f"| {name} | {sum(map(len, found)) - sum(map(len, clean))} | {sum(map(len, clean))} of {planted} |\n"
        )


if __name__ == "__main__":
    main()
