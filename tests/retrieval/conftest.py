"""With what questions are asked: without vectors, and with those of the models that are there by default."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from yggdrasil_infra.embedders import pair


@pytest.fixture(scope="module", params=["none", "pair"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Any]:
    """None, and the one that is there by default."""
    if request.param == "none":
        yield "none"
        return
    with closing(pair()) as opened:
        yield opened
