"""The cartographer: finds villages, joins two names of one place, and says which paths to look at again."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.reads.experience.happened import Happening

from ..thinker import Decision, Thinker
from . import merging, paths, places, villages
from .state import CREDIT_MAX, Atlas

LOOK_MIN: Final = 16
LOOK_SHARE: Final = 8
"""All places are looked at when 16 are new since the last time, and an eighth of them: a look takes the square."""
DECIDED_MAX: Final = 64
_ASKED_MAX: Final = 64
_OWN_MAX: Final = _ASKED_MAX - places.AGAIN - 2 * paths.ASKED_AT_ONCE - paths.ASKED_OF_STRANGERS
_ENOUGH: Final = 16
_DESK: Final = "desk"
_PATH: Final = "path\0"


class Cartographer(Thinker[Atlas]):
    """Reads where places are, and what paths lead where; decides on a look at all of them, now and then (002, s.2).

    * A *village* is where places stand closer together than chance has it (``density``): a place of its own, with
      ``is_a``, ``at`` and ``radius``, of which its members are ``part_of``. Its claims wait until it was found again
      after other places were told; then they stand. It keeps its name when it moves.
    * Two names of one place are joined, where they are alone at one block, of the same types, and nobody told them
      as two.
    * A path that nobody has been on for 512 events, or that is not sure, is a goal on the desk of the session that
      began last: three at most.

    It asks how everything stands before it decides. What is trusted less than a thinker it does not see, and what is
    trusted less than the core of a village does not move that.
    """

    name: ClassVar[str] = "cartographer"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"assert_claim", "record_event"})
    state = Atlas

    def observe(self, state: Atlas, happening: Happening) -> Sequence[Decision]:
        """Note where a place is, a path, who passed it, and what has come back of its own claims."""
        said = happening.asserted
        if happening.thinker == self.name:
            if said is not None and said.sort != _DESK:
                villages.took_back(state, said, happening.id)
            return ()
        state.credit = min(CREDIT_MAX, state.credit + 1)
        state.resting = state.checked = False
        if happening.kind == "event":
            paths.passed(state, happening)
        elif said is not None and said.sort != _DESK:
            if said.predicate == places.AT:
                places.heard(state, said, happening)
            elif said.predicate == paths.PATH:
                paths.heard(state, said, happening)
        return ()

    def asks(self, state: Atlas, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask where places are that were told, and, before a look, how villages and paths stand."""
        del memory, again
        return [query for key in _next(state) for query in _queries(state, key)]

    def answered(self, state: Atlas, answers: Sequence[Any]) -> Sequence[Decision]:
        """Take in how things stand; join names, and look at all places when it is time."""
        told, asked, waits = iter(answers), _next(state), bool(state.wanted)
        merged = [each for key in asked for each in _take_in(state, key, told)]
        if merged:
            state.credit -= len(merged)
            state.checked = False
            return merged
        state.checked = state.checked or not waits
        if state.wanted or not state.checked or not _is_due(state):
            return ()
        if merging.look_for(state):
            return ()
        state.checked = False
        decisions = [*paths.notes(state), *villages.looked(state)]
        room = max(0, min(DECIDED_MAX, state.credit))
        state.unfinished = len(decisions) > room
        state.looked = state.told
        villages.note_done(state, decisions[:room])
        state.credit -= len(decisions[:room])
        return decisions[:room]

    def rest(self, state: Atlas) -> Sequence[Decision]:
        """Look at what was told since the last look, however little it is."""
        state.resting = True
        return ()


def _is_due(state: Atlas) -> bool:
    fresh = state.told - state.looked
    if state.resting and fresh:
        return True
    if state.unfinished and state.credit >= _ENOUGH:
        return True
    return fresh >= max(LOOK_MIN, len(state.places) // LOOK_SHARE)


def _next(state: Atlas) -> list[str]:
    """Return what is asked next: what is wanted, or else what a look needs that is due."""
    if state.wanted:
        found, size = list[str](), 0
        for key in state.wanted:
            size += len(_queries(state, key))
            if size > _ASKED_MAX:
                break
            found.append(key)
        return found
    if state.checked or not _is_due(state):
        return []
    own = list[str]()
    room = _OWN_MAX
    for name in state.villages:
        room -= len(villages.queries(state, name))
        if room < 0:
            break
        own.append(f"{villages.OWN}{name}")
    again = [f"{places.WHERE}{name}" for name in list(state.places)[: places.AGAIN]]
    return [*own, *again, *(f"{_PATH}{key}" for key in paths.to_ask(state))]


def _queries(state: Atlas, key: str) -> list[Query[Any]]:
    sort, _, name = key.partition("\0")
    if key.startswith(places.WHERE):
        return places.queries(state, name)
    if key.startswith(merging.PAIR):
        one, other = name.split("\0")
        return merging.queries(state, one, other)
    return villages.queries(state, name) if f"{sort}\0" == villages.OWN else [paths.query(name)]


def _take_in(state: Atlas, key: str, told: Iterator[Any]) -> list[Decision]:
    name = key.partition("\0")[2]
    if key.startswith(places.WHERE):
        places.answered(state, name, told)
    elif key.startswith(merging.PAIR):
        merged = merging.answered(state, key, told)
        return [] if merged is None else [merged]
    elif key.startswith(villages.OWN):
        villages.answered(state, name, told)
    else:
        paths.answered(state, name, told)
    return []
