"""The laws of roles and regards, as the page has them: how strong a node is under each perspective."""

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from tests.graph.oracle.records import ZERO, Node, Perspective, Regard, halved
from yggdrasil_schemas.graph.perspectives import perspective_key
from yggdrasil_schemas.refusals import Refusal

if TYPE_CHECKING:
    from tests.graph.oracle.memory import Memory

NEAR: Final = Decimal("1e-9")
ROLES_MAX: Final = 16
REGARDS_MAX: Final = 8


def define_role(m: "Memory", said: dict[str, Any]) -> Refusal | None:
    name, perspectives = said["name"], said.get("perspectives", [])
    if not perspectives:
        m.happened.append("a role ended" if m.roles.pop(name, None) else "no role to end")
        return None
    if name not in m.roles and len(m.roles) >= ROLES_MAX:
        return Refusal.ROLES_FULL
    own = {each.name: each.key for each in m.roles.get(name, [])}
    m.happened.append("a role again" if own else "a role defined")
    keys = dict[str, bytes]()
    renamed = [each for each in perspectives if each.get("formerly") in own]
    stay = [each for each in perspectives if each not in renamed and each["name"] in own]
    for each in renamed:
        keys[each["name"]] = own[each["formerly"]]
        m.happened.append("a perspective renamed")
    known = {each.name: each.key for role in sorted(m.roles) for each in m.roles[role]}
    for each in [*stay, *(each for each in perspectives if each not in renamed and each not in stay)]:
        said_of = each["name"]
        key = own[said_of] if each in stay else known.get(said_of, perspective_key(said_of))
        every = [one for role in m.roles.values() for one in role]
        elsewhere = said_of not in known and any(one.key == key and one.name != said_of for one in every)
        if key in keys.values() or (each not in stay and elsewhere):
            m.happened.append("a new one of an old name")
            key = perspective_key(f"{said_of}\0{m.seq + 1}")
        elif each not in stay and said_of in known:
            m.happened.append("of another role too")
        keys[said_of] = key
    m.roles[name] = [
        Perspective(keys[each["name"]], each["name"], tuple(each.get("keywords", []))) for each in perspectives
    ]
    return None


def keys_of(m: "Memory", body: dict[str, Any]) -> list[bytes]:
    """What stands for the perspectives that a command names, sorted."""
    names = body.get("perspectives", [])
    known = [each for role in m.roles.values() for each in role]
    if any(all(each.name != name for each in known) for name in names):
        m.happened.append("nobody's perspective")
    return sorted({each.key for each in known if each.name in names})


def begin(m: "Memory", node: Node, keys: list[bytes], trust: int) -> None:
    """What is kept stays as it is."""
    for key in keys:
        if key not in node.regards:
            value = max(m.p.regard_initial, node.salience)
            m.happened.append("regarded from the start")
            _keep(m, node, key, Regard(trust, m.tick, value, node.half_life, 0))


def regard(m: "Memory", node: Node, keys: Iterable[bytes], more: Decimal, trust: int, uses: int) -> list[Decimal]:
    """What it has more under each then."""
    gained: list[Decimal] = []
    for key in keys:
        old = node.regards.get(key)
        m.happened.append("regarded less" if more < 0 else "regarded anew" if old is None else "regarded more")
        value = node.salience if old is None else old.value
        after = max(value + more, ZERO)
        if more > 0 and after > m.p.regard_max:
            m.happened.append("as regarded as can be")
            after = max(value, m.p.regard_max)
        heard = max(trust, old.trust) if old is not None else trust
        used = max(0, (old.uses if old is not None else 0) + uses)
        _keep(m, node, key, Regard(heard, m.tick, after, node.half_life, used))
        gained.append(after - value if key in node.regards else ZERO)
    return gained


def move(m: "Memory", node: Node, given: dict[bytes, Decimal], since: int, uses: int, *, back: bool) -> list[Decimal]:
    """What a report gave is taken back, or given again; what it really had then."""
    moved: list[Decimal] = []
    for key, more in given.items():
        old = node.regards.get(key)
        if old is None:
            moved.append(ZERO)
            continue
        m.happened.append("regards taken back" if back else "regards given again")
        left = (-more if back else more) * halved(since, old.half_life)
        (gained,) = regard(m, node, [key], left, old.trust, uses)
        moved.append(-gained if back else gained)
    return moved


def settle(m: "Memory", node: Node) -> None:
    """From here on they fade as the node does."""
    if node.regards:
        m.happened.append("regards settled")
    for key, old in node.regards.items():
        node.regards[key] = Regard(old.trust, m.tick, old.value, node.half_life, old.uses)


def _keep(m: "Memory", node: Node, key: bytes, new: Regard) -> None:
    if key not in node.regards and len(node.regards) >= REGARDS_MAX:
        yielding = [each for each, kept in node.regards.items() if kept.trust <= new.trust]
        if not yielding:
            m.happened.append("no room for a regard")
            return
        ranked = sorted(yielding, key=lambda each: (node.regards[each].value, each))
        values = [node.regards[each].value for each in ranked[:2]]
        if len(values) > 1 and ZERO < values[1] - values[0] < NEAR:
            m.unsure.add(node.number)
        del node.regards[ranked[0]]
        m.happened.append("a regard gave way")
    node.flags.add("regarded")
    node.regards[key] = new
