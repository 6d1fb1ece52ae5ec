"""The names of things: what is claimed of one of them is claimed of the thing."""

from collections.abc import Iterable
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.commands import AliasEntity
from yggdrasil_schemas.commands.knowledge import AliasEntityBody
from yggdrasil_schemas.graph.knowledge import Names
from yggdrasil_schemas.graph.records import PROTECTED, Act
from yggdrasil_schemas.limits import ALIASES_MAX, NAMES_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_operator
from ..decisions.thinker import advance, refuse
from ..derivation import trust_here
from ..reference import accepted

_PROTECTED: Final = int(PROTECTED)


def alias_entity(graph: Graph, command: AliasEntity, seq: int, _record: bytes) -> Refused | None:
    """Let a name, and whatever it is known as, stand for a thing; or for itself again.

    Nothing that was claimed moves: claims of one thing meet when something is said of it next (knowledge, alias). It
    takes as much trust as whoever gave the name that is taken back or moved; strangers name nothing.
    """
    body = command.body
    trust = trust_here(graph, command)
    if not trust:
        return Refused(Refusal.NOT_TRUSTED)
    refused = _protected(graph, command)
    if refused is not None:
        return refused
    for each in body.evidence:
        if accepted(graph, each) is None:
            return Refused(Refusal.UNKNOWN_REFERENCE)
    given = _told_apart(graph, body.name, trust) if body.canonical is None else _joined(graph, body, trust, seq)
    if isinstance(given, Refused):
        return given
    stale = refuse(graph, body)
    if stale is not None:
        return stale
    kept = [body.name, body.canonical, *_given(graph, body.name)]
    graph.changed_acts[seq] = Act(trust, canonical_json(kept))
    call(graph, given, body.name)
    advance(graph, body)
    return None


def call(graph: Graph, given: list[Names], name: str) -> None:
    """Let things have these names and no others, of which ``name`` is one, or was."""
    before = {graph.names(each.canonical) for each in given} | {graph.names(name)}  # any order: they share nothing
    for names in sorted(before):
        graph.unname(names)
    for names in given:
        graph.name(names)


def joined(graph: Graph, to: Names, said: Iterable[tuple[str, int, int]]) -> Names | Refused:
    """Return a thing with more names, each with the trust and the seq of a command that gives it."""
    names = to.of({*to.said, *said})
    grown = len(names.aliases) > len(to.aliases)
    full = 1 + len(names.aliases) > NAMES_MAX or (grown and graph.header.aliases >= ALIASES_MAX)
    return Refused(Refusal.ALIASES_FULL) if full else names


def _told_apart(graph: Graph, name: str, trust: int) -> list[Names] | Refused:
    """Return the names of a thing without one of its aliases."""
    names = graph.names(name)
    given = dict(names.aliases).get(name)
    if given is None:
        return Refused(Refusal.NOT_AN_ALIAS)
    return Refused(Refusal.NOT_TRUSTED) if trust < given else [names.without(name)]


def _joined(graph: Graph, body: AliasEntityBody, trust: int, seq: int) -> list[Names] | Refused:
    """Return the names of the things that a new alias changes: where it goes, and where it is taken from.

    A thing whose names were given with more trust is not joined to another by less; and what is said to be the known
    name is told apart from what it is an alias of by less.
    """
    left: list[Names] = []
    known = body.canonical or body.name
    to, of = graph.names(known), graph.names(body.name)
    if dict(to.aliases).get(known, trust) < trust:
        rest = to.without(known)
        of = rest if of.canonical == to.canonical else of
        left, to = [rest], Names(known)
    if body.name == to.canonical:
        return Refused(Refusal.ALIAS_CYCLE)
    said = [(body.name, trust, seq)]
    if of.canonical == body.name and of.canonical != to.canonical:
        if any(each > trust for _, each in of.aliases):
            return Refused(Refusal.NOT_TRUSTED)
        said += of.said
        left = [each for each in left if each is not of]
    elif of.canonical != to.canonical:
        if trust < dict(of.aliases)[body.name]:
            return Refused(Refusal.NOT_TRUSTED)
        left = [*[each for each in left if each is not of], of.without(body.name)]
    names = joined(graph, to, said)
    return names if isinstance(names, Refused) else [*left, names]


def _given(graph: Graph, name: str) -> list[object]:
    """Return as what a name is an alias now, and by whose word, so that it can be that again."""
    names = graph.names(name)
    said = [list(each) for each in names.said if each[0] == name]
    return [names.canonical, said] if said else [None, []]


def _protected(graph: Graph, command: AliasEntity) -> Refused | None:
    if is_operator(command):
        return None
    body = command.body
    for name in (body.name, body.canonical or body.name):
        number = graph.feature(name)
        if number is not None and graph.expect(number).flags & _PROTECTED:
            return Refused(Refusal.NODE_PROTECTED)
    return None
