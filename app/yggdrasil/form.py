"""In which of its two forms the fold runs: interpreted, as in a checkout, or compiled, as in a wheel (decision 11)."""

from importlib.util import find_spec


def laws() -> str:
    """Return ``compiled`` or ``interpreted``, without importing the laws."""
    fold = find_spec("yggdrasil_projections.graph.fold")
    return "interpreted" if fold is not None and (fold.origin or "").endswith(".py") else "compiled"
