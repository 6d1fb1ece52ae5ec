"""How much the tests do: little in every run, much with YGGDRASIL_FAULTS=long, by the same oracles and the same bars.

``make test-faults`` runs at length whatever imports this.
"""

import os
from typing import Final, TypeVar

import pytest

LONG: Final = os.environ.get("YGGDRASIL_FAULTS") == "long"
Size = TypeVar("Size")

only_at_length: Final = pytest.mark.skipif(not LONG, reason="takes long, and shorter tests say nearly the same")
"""Marks a test as part of the long form alone; its docstring names the shorter ones."""


def turns(short: Size, long: Size) -> Size:
    """Return how often, how much or with what, in the form that was asked for."""
    return long if LONG else short
