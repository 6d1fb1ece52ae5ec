"""The list of mutations stays true; ``python -m tests.graph.mutants`` shows that the oracle catches them."""

from dataclasses import replace

import pytest

from tests.graph.mutants.hunting import hunted
from tests.graph.mutants.mutations import MUTATIONS, Mutation


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.says)
def test_what_is_mutated_occurs_once_in_the_laws(mutation: Mutation) -> None:
    text = mutation.source().read_text(encoding="utf-8")
    assert text.count(mutation.old) == 1
    assert mutation.old != mutation.new
    compile(text.replace(mutation.old, mutation.new), mutation.file, "exec")


def test_a_broken_law_is_caught_and_a_whole_one_is_not() -> None:
    broken = next(each for each in MUTATIONS if each.file == "laws/density.py")
    assert "half-life" in hunted(broken, lives=3)["by"]
    whole = replace(broken, new=broken.old)
    found = hunted(whole, lives=3)
    assert found["by"] == ""
    assert found["commands"] > 300
