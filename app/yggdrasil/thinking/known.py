"""The thinkers that there are, by name."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Final, cast

from yggdrasil_processors.thinkers.thinker import Thinker
from yggdrasil_schemas.errors import YggdrasilError

_THINKERS: Final[Mapping[str, str]] = {
    "chunker": "yggdrasil_processors.thinkers.chunker:Chunker",
    "concepts": "yggdrasil_processors.thinkers.concepts:ConceptFormer",
    "reflector": "yggdrasil_processors.thinkers.reflector.reflector:Reflector",
    "sleeper": "yggdrasil_processors.thinkers.sleeper:Sleeper",
}
"""Where each is: imported when it is wanted, since some bring large libraries. In the order in which they think."""

NAMES: Final = tuple(_THINKERS)


class UnknownThinkerError(YggdrasilError):
    """No thinker has the name."""


def thinkers_of(names: Iterable[str] | str) -> list[Thinker[Any]]:
    """Return new thinkers by name, in the order in which they think: "all" for all of them, or "chunker,reflector".

    Raises UnknownThinkerError.
    """
    given = NAMES if names == "all" else tuple(names.split(",")) if isinstance(names, str) else tuple(names)
    wanted = {name.strip() for name in given}
    if unknown := sorted(wanted - set(NAMES)):
        raise UnknownThinkerError(f"there is no thinker {', '.join(unknown)}; there are: {', '.join(NAMES)}, and `all`")
    return [_made(name) for name in NAMES if name in wanted]


def _made(name: str) -> Thinker[Any]:
    module, _, kind = _THINKERS[name].partition(":")
    make = cast(Callable[[], Thinker[Any]], getattr(import_module(module), kind))
    return make()
