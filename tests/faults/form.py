"""How long a proof of faults runs: short in every test run, long with YGGDRASIL_FAULTS=long, by the same oracle."""

import os

LONG = os.environ.get("YGGDRASIL_FAULTS") == "long"


def turns(short: int, long: int) -> int:
    """Return how often, or how much, in the form that was asked for."""
    return long if LONG else short
