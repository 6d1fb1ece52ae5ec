"""The laws of predicates, names and relations, as the page has them."""

from collections.abc import Iterable
from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.records import Name, Node, Thing
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.predicates import KNOWN
from yggdrasil_schemas.refusals import Refusal

PREDICATES_MAX: Final = 256
NAMES_MAX: Final = 9
ALIASES_MAX: Final = 10_000
UNDEFINED: Final = Definition("many", "confidence", False, 1, 0, "")
UNDEFINED_OF_ONE: Final = UNDEFINED._replace(cardinality="one")


def define(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    predicate = body["predicate"]
    if not m.by_operator:
        return Refusal.NOT_ALLOWED
    if predicate not in m.predicates and len(m.predicates) >= PREDICATES_MAX:
        return Refusal.PREDICATES_FULL
    m.predicates[predicate] = Definition(
        body.get("cardinality", "one"),
        body.get("resolution", "confidence"),
        body.get("review", False),
        body.get("confirmations", 1),
        body.get("perish_ticks", 0),
        body.get("authority") or "",
    )
    return None


def meaning(m: Memory, predicate: str, value: dict[str, Any] | None = None) -> Definition:
    """What a predicate means at present, of such an object."""
    single = value is not None and not value.keys().isdisjoint(("decimal", "flag"))
    return m.predicates.get(predicate) or KNOWN.get(predicate) or (UNDEFINED_OF_ONE if single else UNDEFINED)


def thing(m: Memory, name: str) -> Thing:
    """What a name is one of the names of."""
    return m.things.get(name) or Thing(name)


def alias_entity(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    name, canonical = body["name"], body.get("canonical")
    if m.trust == 0:
        return Refusal.NOT_TRUSTED
    features = [m.live(f"feature:{each}") for each in (name, canonical) if each is not None]
    if not m.by_operator and any(feature is not None and feature.protected for feature in features):
        return Refusal.NODE_PROTECTED
    if m.unknown(body.get("evidence", [])):
        return Refusal.UNKNOWN_REFERENCE
    known = thing(m, name)
    given = known.aliases.get(name)
    if canonical is None:
        if given is None:
            return Refusal.NOT_AN_ALIAS
        if given > m.trust:
            return Refusal.NOT_TRUSTED
        refusal = misplaced(m, body)
        if refusal is None:
            _call(m, _without(known, name))
            m.happened.append("stands for itself")
        return refusal
    of = thing(m, canonical)
    if name == of.canonical:
        return Refusal.ALIAS_CYCLE
    if name in of.names:
        refusal = misplaced(m, body)
        if refusal is None:
            of.aliases[name] = max(of.aliases[name], m.trust)
            m.happened.append("called so again")
        return refusal
    if given is not None and given > m.trust:
        return Refusal.NOT_TRUSTED
    moving = known.aliases if given is None else {}
    after = Thing(of.canonical, of.aliases | moving | {name: m.trust})
    aliases = sum(len(each.aliases) for each in {id(each): each for each in m.things.values()}.values())
    if len(after.names) > NAMES_MAX or aliases >= ALIASES_MAX:
        return Refusal.ALIASES_FULL
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    if given is not None:
        m.happened.append("renamed")
        _call(m, _without(known, name))
    elif moving:
        m.happened.append("names moved")
    _call(m, after)
    return None


def _without(known: Thing, name: str) -> Thing:
    return Thing(known.canonical, {each: trust for each, trust in known.aliases.items() if each != name})


def _call(m: Memory, known: Thing) -> None:
    """What is known of one thing; nothing is kept of what has one name only."""
    _forget(m, [name for name, kept in m.things.items() if kept.canonical == known.canonical])
    _forget(m, known.names)
    if known.aliases:
        m.things |= dict.fromkeys(known.names, known)


def _forget(m: Memory, names: Iterable[str]) -> None:
    for each in names:
        m.things.pop(each, None)


def relate(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    ends: list[Node] = []
    for each in (body["source"], body["target"]):
        if m.unknown([each]):
            return Refusal.UNKNOWN_REFERENCE
        node = m.live(each)
        if node is None:
            return Refusal.NODE_FORGOTTEN
        ends.append(node)
    source, target = ends
    if source is target:
        return Refusal.RELATED_TO_ITSELF
    refusal = misplaced(m, body)
    if refusal is not None:
        return refusal
    key = source, body["relation"], target
    if key in m.edges:
        m.reinforce(m.edges[key], m.p.association_weight)
        m.happened.append("related again")
    else:
        m.link(source, body["relation"], target, m.p.association_weight)
    if key in m.relations and m.relations[key][1] > m.trust:
        m.happened.append("related with less trust")
    else:
        m.relations[key] = m.seq + 1, m.trust
    return None
