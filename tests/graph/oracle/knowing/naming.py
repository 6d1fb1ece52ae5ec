"""The laws of predicates, names and relations, as the page has them."""

from collections.abc import Iterable
from typing import Any, Final

from tests.graph.oracle.decisions import misplaced
from tests.graph.oracle.memory import Memory
from tests.graph.oracle.records import Act, EdgeKey, Name, Node, Thing
from tests.graph.oracle.regards import define_role
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.graph.predicates import KNOWN
from yggdrasil_schemas.refusals import Refusal

PREDICATES_MAX: Final = 256
NAMES_MAX: Final = 9
ALIASES_MAX: Final = 10_000
UNDEFINED: Final = Definition("many", "confidence", False, 1, 0, "")
UNDEFINED_OF_ONE: Final = UNDEFINED._replace(cardinality="one")


def define(m: Memory, _name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
    if not m.by_operator:
        return Refusal.NOT_ALLOWED
    if "role" in body:
        return define_role(m, body["role"])
    predicate = body["predicate"]
    if predicate not in m.predicates and len(m.predicates) >= PREDICATES_MAX:
        return Refusal.PREDICATES_FULL
    m.predicates[predicate] = Definition(
        body.get("cardinality", "one"),
        body.get("resolution", "confidence"),
        body.get("review", False),
        body.get("confirmations", 1),
        body.get("perish_ticks", 0),
        body.get("authority") or "",
        body.get("symmetric", False),
        body.get("confirm_by", "sources"),
        body.get("confirm_gap", 1),
    )
    return None


def meaning(m: Memory, predicate: str, value: dict[str, Any] | None = None) -> Definition:
    """What a predicate means at present, of such an object."""
    single = value is not None and not value.keys().isdisjoint(("decimal", "flag"))
    return m.predicates.get(predicate) or KNOWN.get(predicate) or (UNDEFINED_OF_ONE if single else UNDEFINED)


def thing(m: Memory, name: str) -> Thing:
    """What a name is one of the names of."""
    return m.things.get(name) or Thing(name)


def alias_entity(m: Memory, command: Name, body: dict[str, Any], _session: str) -> Refusal | None:
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
    act = Act(m.trust, (name, canonical, known.canonical, known.said.get(name, [])))
    if canonical is None:
        return _tell_apart(m, command, body, known, act)
    of, rest = thing(m, canonical), list[Thing]()
    if of.aliases.get(canonical, m.trust) < m.trust:
        m.happened.append("its own thing by more trust")
        rest = [_without(of, canonical)]
        known, of = rest[0] if known is of else known, Thing(canonical)
        given = known.aliases.get(name)
    if name == of.canonical:
        return Refusal.ALIAS_CYCLE
    if name in of.names:
        refusal = misplaced(m, body)
        if refusal is None:
            call(m, said_so(of, {name: [(m.trust, m.seq + 1)]}))
            m.acts[command] = act
            m.happened.append("called so again")
        return refusal
    if given is not None and given > m.trust:
        return Refusal.NOT_TRUSTED
    moving = known.said if given is None else {}
    if any(trust > m.trust for said in moving.values() for trust, _ in said):
        return Refusal.NOT_TRUSTED
    after = said_so(of, moving | {name: [(m.trust, m.seq + 1)]})
    if full(m, of, after):
        return Refusal.ALIASES_FULL
    refusal = misplaced(m, body)
    if refusal is None:
        m.acts[command] = act
        m.happened += ["renamed"] * (given is not None) + ["names moved"] * bool(moving)
        for each in (*rest, *([_without(known, name)] if given is not None else []), after):
            call(m, each)
    return refusal


def _tell_apart(m: Memory, command: Name, body: dict[str, Any], known: Thing, act: Act) -> Refusal | None:
    name = body["name"]
    if name not in known.aliases:
        return Refusal.NOT_AN_ALIAS
    if known.aliases[name] > m.trust:
        return Refusal.NOT_TRUSTED
    refusal = misplaced(m, body)
    if refusal is None:
        call(m, _without(known, name))
        m.acts[command] = act
        m.happened.append("stands for itself")
    return refusal


def said_so(known: Thing, more: dict[str, list[tuple[int, int]]]) -> Thing:
    """A thing with more names; of each a few of those who gave it are kept, the most trusted, then the youngest."""
    said = {name: sorted({*known.said.get(name, []), *more.get(name, [])})[-4:] for name in {*known.said, *more}}
    return Thing(known.canonical, {name: said[name] for name in sorted(said)})


def unsaid(known: Thing, name: str, seqs: list[int]) -> Thing:
    """A thing of which some do not say any more that it has a name."""
    left = [each for each in known.said.get(name, []) if each[1] not in seqs]
    return Thing(
        known.canonical,
        {each: left if each == name else said for each, said in known.said.items() if each != name or left},
    )


def full(m: Memory, before: Thing, after: Thing) -> bool:
    """Whether there is no room for the names of a thing."""
    aliases = sum(len(each.aliases) for each in {id(each): each for each in m.things.values()}.values())
    return len(after.names) > NAMES_MAX or (len(after.names) > len(before.names) and aliases >= ALIASES_MAX)


def _without(known: Thing, name: str) -> Thing:
    return Thing(known.canonical, {each: said for each, said in known.said.items() if each != name})


def call(m: Memory, known: Thing) -> None:
    """What is known of one thing; nothing is kept of what has one name only."""
    _forget(m, [name for name, kept in m.things.items() if kept.canonical == known.canonical])
    _forget(m, known.names)
    if known.aliases:
        m.things |= dict.fromkeys(known.names, known)


def _forget(m: Memory, names: Iterable[str]) -> None:
    for each in names:
        m.things.pop(each, None)


def relate(m: Memory, command: Name, body: dict[str, Any], _session: str) -> Refusal | None:
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
    if key in m.relations and m.relations[key][-1][1] > m.trust:
        m.happened.append("related with less trust")
    related_by(m, key, m.seq + 1, m.trust)
    m.acts[command] = Act(m.trust, key)
    return None


def related_by(m: Memory, key: EdgeKey, seq: int, trust: int) -> None:
    """One more says how two things are related; a few are kept, the most trusted, then the youngest."""
    m.relations[key] = sorted([*m.relations.get(key, []), (seq, trust)], key=lambda each: each[::-1])[-4:]
