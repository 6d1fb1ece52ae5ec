"""The laws are tested under all sorts of caps; what says that it holds under the rules as they are says so."""

from collections.abc import Iterator

import pytest

from tests.graph.open_rules import open_rules


@pytest.fixture(autouse=True, scope="module")
def _rules(request: pytest.FixtureRequest) -> Iterator[None]:
    if getattr(request.module, "RULES_AS_THEY_ARE", False):
        yield
        return
    with open_rules():
        yield
