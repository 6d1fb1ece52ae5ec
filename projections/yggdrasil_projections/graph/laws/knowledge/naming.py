"""The names of things: what is claimed of one of them is claimed of the thing."""

from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import AliasEntity
from yggdrasil_schemas.commands.knowledge import AliasEntityBody
from yggdrasil_schemas.graph.knowledge import Names
from yggdrasil_schemas.graph.records import PROTECTED
from yggdrasil_schemas.limits import ALIASES_MAX, NAMES_MAX
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import is_operator
from ..decisions.thinker import advance, refuse
from ..derivation import trust_here
from ..reference import accepted

_PROTECTED: Final = int(PROTECTED)


def alias_entity(graph: Graph, command: AliasEntity, _seq: int, _record: bytes) -> Refused | None:
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
    given = _told_apart(graph, body.name, trust) if body.canonical is None else _joined(graph, body, trust)
    if isinstance(given, Refused):
        return given
    stale = refuse(graph, body)
    if stale is not None:
        return stale
    before = {graph.names(each.canonical) for each in given} | {graph.names(body.name)}  # any order: they share nothing
    for names in sorted(before):
        graph.unname(names)
    for names in given:
        graph.name(names)
    advance(graph, body)
    return None


def _told_apart(graph: Graph, name: str, trust: int) -> list[Names] | Refused:
    """Return the names of a thing without one of its aliases."""
    names = graph.names(name)
    given = dict(names.aliases).get(name)
    if given is None:
        return Refused(Refusal.NOT_AN_ALIAS)
    if trust < given:
        return Refused(Refusal.NOT_TRUSTED)
    return [names._replace(aliases=tuple([each for each in names.aliases if each[0] != name]))]


def _joined(graph: Graph, body: AliasEntityBody, trust: int) -> list[Names] | Refused:
    """Return the names of the things that a new alias changes: where it goes, and where it is taken from."""
    to = graph.names(body.canonical or body.name)
    of = graph.names(body.name)
    if body.name == to.canonical:
        return Refused(Refusal.ALIAS_CYCLE)
    if of.canonical == to.canonical:  # it is said again
        given = dict(to.aliases)
        given[body.name] = max(given[body.name], trust)
        return [to._replace(aliases=tuple(sorted(given.items())))]
    left: list[Names] = []
    moved = [(body.name, trust)]
    if of.canonical != body.name:
        apart = _told_apart(graph, body.name, trust)
        if isinstance(apart, Refused):
            return apart
        left = apart
    else:
        moved += of.aliases
    if 1 + len(to.aliases) + len(moved) > NAMES_MAX or graph.header.aliases >= ALIASES_MAX:
        return Refused(Refusal.ALIASES_FULL)
    return [*left, to._replace(aliases=tuple(sorted([*to.aliases, *moved])))]


def _protected(graph: Graph, command: AliasEntity) -> Refused | None:
    if is_operator(command):
        return None
    body = command.body
    for name in (body.name, body.canonical or body.name):
        number = graph.feature(name)
        if number is not None and graph.expect(number).flags & _PROTECTED:
            return Refused(Refusal.NODE_PROTECTED)
    return None
