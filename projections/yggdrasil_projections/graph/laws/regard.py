"""How strong a memory is under each perspective: what is used under one grows strong under it (003, 3.4 and 3.6).

A strength is kept from the first time that something is said or used under a perspective. Until then, and for whoever
asks under none, it is the memory's own. It fades as the memory's own does.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.perspectives import Regard
from yggdrasil_schemas.graph.records import Node
from yggdrasil_schemas.limits import PERSPECTIVES_MAX

_KEPT_MAX: Final = PERSPECTIVES_MAX


def keys_of(graph: Graph, names: Sequence[str]) -> tuple[bytes, ...]:
    """Return the keys of perspectives that roles of the memory have, sorted; a name that none has is left out."""
    if not names:
        return ()
    wanted = frozenset(names)
    keys = {each.key for role in graph.roles.values() for each in role.perspectives if each.name in wanted}
    return tuple(sorted(keys))


def strength(graph: Graph, node: Node, keys: Sequence[bytes]) -> float:
    """Return how strong a node is now under the strongest of some perspectives: its own salience where none is kept.

    In units of salience, from 0 to ``salience_max``.
    """
    tick = graph.header.tick
    kept = {each.key: each for each in graph.regards(node)} if keys else {}
    if not any(key in kept for key in keys):
        return decayed(node.salience, tick - node.tick, node.half_life)
    return max([_now(kept[key], tick) for key in keys if key in kept])


def begin(graph: Graph, node: Node, keys: Sequence[bytes], trust: int) -> None:
    """Let a settled node matter under perspectives, by ``regard_initial`` each; what is kept stays as it is.

    It begins with its own salience where that is more: else it would be weaker under a perspective that was named than
    under any that was not.
    """
    if not keys:
        return
    tick, half_life = graph.header.tick, node.half_life
    value = max(graph.header.policy.regard_initial, node.salience)
    for key in keys:
        kept = graph.regards(node)
        if all(each.key != key for each in kept):
            _keep(graph, node, kept, Regard(key, trust, tick, value, half_life, 0))


def regard(
    graph: Graph, node: Node, keys: Sequence[bytes], gain: float, trust: int, uses: int = 1
) -> tuple[float, ...]:
    """Let a settled node gain, or lose, so much under perspectives, within [0, ``regard_max``].

    One of which nothing is kept begins at the node's own salience. What is above the bound already gains nothing, and
    keeps what it has: a gain never makes it weaker. Returns what it really gained under each.
    """
    policy, tick = graph.header.policy, graph.header.tick
    gained: list[float] = []
    for key in keys:
        kept = graph.regards(node)
        old = next((each for each in kept if each.key == key), None)
        before = node.salience if old is None else _now(old, tick)
        value = max(0.0, min(before + gain, max(before, policy.regard_max)))
        heard = trust if old is None else max(old.trust, trust)
        used = max(0, (0 if old is None else old.uses) + uses)
        is_kept = _keep(graph, node, kept, Regard(key, heard, tick, value, node.half_life, used))
        gained.append(value - before if is_kept else 0.0)
    return tuple(gained)


def change_again(
    graph: Graph, node: Node, gains: Iterable[tuple[bytes, float]], elapsed: int, uses: int
) -> tuple[float, ...]:
    """Take from a settled node what a report gave it under perspectives, or give it again, where something is kept.

    ``gains`` were given ``elapsed`` ticks ago, and have faded since as what is kept has. Returns what it gained.
    """
    kept = {each.key: each for each in graph.regards(node)}
    gained: list[float] = []
    for key, gain in gains:
        old = kept.get(key)
        left = 0.0 if old is None else decayed(gain, elapsed, old.half_life)
        gained += (0.0,) if old is None else regard(graph, node, (key,), left, old.trust, uses)
    return tuple(gained)


def settle_regards(graph: Graph, node: Node) -> None:
    """Let what is kept of a settled node fade from here on as the node does: its half-life is another one now."""
    kept, tick = graph.regards(node), graph.header.tick
    if kept:
        again = [each._replace(tick=tick, value=_now(each, tick), half_life=node.half_life) for each in kept]
        graph.note_regards(node, tuple(again))


def faded(graph: Graph, node: Node, threshold: float) -> bool:
    """Whether a node is weaker than a threshold under each perspective of which something is kept."""
    tick = graph.header.tick
    return all(_now(each, tick) < threshold for each in graph.regards(node))


def _keep(graph: Graph, node: Node, kept: tuple[Regard, ...], new: Regard) -> bool:
    """Keep one more, or another, of what is kept, if there is room: for it the weakest goes that is trusted no more."""
    others = [each for each in kept if each.key != new.key]
    if len(others) >= _KEPT_MAX:
        tick = graph.header.tick
        yielding = [each for each in others if each.trust <= new.trust]
        if not yielding:
            return False
        others.remove(min(yielding, key=lambda each: (_now(each, tick), each.key)))
    graph.note_regards(node, tuple(sorted([*others, new])))
    return True


def _now(kept: Regard, tick: int) -> float:
    return decayed(kept.value, tick - kept.tick, kept.half_life)
