"""The thinkers that there are, by name; each is imported when it is wanted, since some bring large libraries.

Those that somebody else has made are found by entry point, and only when they are named.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeGuard

from yggdrasil_infra.plugins import PluginError, is_plugin, loaded
from yggdrasil_processors.thinkers.thinker import Thinker
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import ExitCode, local

GROUP: Final = "yggdrasil.thinkers"
"""The group of entry points that thinkers of somebody else's are installed under."""
_SAID_MAX: Final = 200


class UnknownThinkerError(YggdrasilError):
    """No thinker has the name."""

    kind = local("unknown_thinker", ExitCode.USAGE)


def thinkers_of(names: Iterable[str] | str) -> list[Thinker[Any]]:
    """Return new thinkers by name, such as "chunker,reflector", in the order in which they think.

    "usual" are chunker, concepts, reflector and sleeper, "digestion" those that digest sessions. The reducer asserts
    claims, the resolver joins names, the cartographer does both for places, the trainer proposes scorers, and the
    archivist puts away what was done: somebody should want that. What the sleeper puts away is what nothing has touched
    for thousands of events; a deep ask finds it. "all" are all of ours. A thinker that somebody else has made is named
    with its version, such as "acme-watch/1", and thinks after ours.

    Raises UnknownThinkerError, and PluginError for one of somebody else's that cannot be used.
    """
    groups = {"all": tuple(THINKERS), "usual": USUAL, "digestion": DIGESTION}
    given = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    foreign = list(dict.fromkeys(filter(is_plugin, given)))
    wanted = {each for name in given for each in groups.get(name, (name,))}.difference(foreign)
    if unknown := sorted(wanted - set(THINKERS)):
        said = f"there is no thinker {', '.join(unknown)}; there are: {', '.join((*THINKERS, *groups))}"
        raise UnknownThinkerError(said)
    own = [make() for name, make in THINKERS.items() if name in wanted]
    return [*own, *_of_others(foreign)]


def _of_others(names: Sequence[str]) -> list[Thinker[Any]]:
    """Return thinkers that somebody else has made, each by name and version. Raises PluginError."""
    found: list[Thinker[Any]] = []
    for name in names:
        thinker = loaded(GROUP, name)
        if not _is_thinker(thinker):
            said = f"it is a {type(thinker).__name__}, and no yggdrasil_processors.thinkers.thinker.Thinker"
            raise PluginError(f"what is installed as {name} is no thinker: {said}; docs/thinkers.md says what one is")
        if (says := f"{thinker.name}/{thinker.version}") != name:
            raise PluginError(f"what is installed as {name} calls itself {says[:_SAID_MAX]!r}: its entry point says so")
        if any(thinker.name == other.name for other in found):
            raise PluginError(f"{thinker.name} is named in two versions, and both would move one cursor: name one")
        found.append(thinker)
    return found


def _is_thinker(given: object) -> TypeGuard[Thinker[Any]]:
    return isinstance(given, Thinker)


def _chunker() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.chunker import Chunker

    return Chunker()


def _concepts() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.concepts import ConceptFormer

    return ConceptFormer()


def _narrator() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.narrator import Narrator

    return Narrator()


def _reflector() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.reflector.reflector import Reflector

    return Reflector()


def _reducer() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.reducer import Reducer

    return Reducer()


def _resolver() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.resolver import Resolver

    return Resolver()


def _cartographer() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.cartographer import Cartographer

    return Cartographer()


def _sleeper() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.sleeper import Sleeper

    return Sleeper()


def _trainer() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.trainer import Trainer

    return Trainer()


def _connector() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.digestion import Connector

    return Connector()


def _reweaver() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.digestion import Reweaver

    return Reweaver()


def _verifier() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.digestion import Verifier

    return Verifier()


def _archivist() -> Thinker[Any]:
    from yggdrasil_processors.thinkers.digestion import Archivist

    return Archivist()


THINKERS: Final[Mapping[str, Callable[[], Thinker[Any]]]] = {
    "chunker": _chunker,
    "concepts": _concepts,
    "narrator": _narrator,
    "reflector": _reflector,
    "reducer": _reducer,
    "resolver": _resolver,
    "cartographer": _cartographer,
    "sleeper": _sleeper,
    "trainer": _trainer,
    "connector": _connector,
    "reweaver": _reweaver,
    "verifier": _verifier,
    "archivist": _archivist,
}
"""How each is made, in the order in which they think."""
DIGESTION: Final = ("reducer", "connector", "reweaver", "verifier", "archivist")
"""Those that digest a session which has ended."""
USUAL: Final = ("chunker", "concepts", "reflector", "sleeper")
"""Those that claim nothing, and put away nothing but what has long been at rest."""
