"""How far what is said is trusted in a memory: as its writer is, and no more than what it comes from.

Trust is fixed when something is said (001, section 4, trust tiers): a conclusion is trusted no more than the least of
what it was made of, and an agent no more than what came into its session. So no detour makes a word truer.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from yggdrasil_schemas.commands import Envelope
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.graph.records import WHO_BYTES, Node, Taint
from yggdrasil_schemas.limits import TAINTS_MAX

from ..working_set import Graph
from .authority import trust_of, voice_of

FOREIGN: Final = 0
_CONCLUDING: Final = ("agent", "thinker", "import")


def trust_here(graph: Graph, command: Envelope) -> int:
    """Return how far the writer of a command is trusted: an agent as a stranger, where its session took in one's word.

    What reads of strangers is in its mind from then on, and nobody can tell which of its words are theirs.
    """
    return trust_of(command) if taint_of(graph, command) is None else FOREIGN


def taint_of(graph: Graph, command: Envelope) -> Taint | None:
    """Return what the session of an agent's command took in that is foreign, within ``taint_ticks``; None if nothing.

    Others are not swayed: what a tool measures, and what a person says, is their own word.
    """
    if command.origin != "agent" or not graph.taints:
        return None
    header = graph.header
    taint = graph.taints.get(_place(command))
    return None if taint is None or header.tick - taint.tick >= header.policy.taint_ticks else taint


def take_in(graph: Graph, command: Envelope, root: bytes) -> None:
    """Note that the session of a command takes in something foreign, which is the word of ``root``.

    Of more sessions than are kept the one that did so longest ago is forgotten; as each event is a tick, that is over.
    """
    header, taints, place = graph.header, graph.taints, _place(command)
    if not header.policy.taint_ticks:
        return
    taints[place] = graph.changed_taints[place] = Taint(header.tick, root)
    if len(taints) > TAINTS_MAX:
        oldest = min(taints, key=lambda each: (taints[each].tick, each))  # any order: no ties
        del taints[oldest]
        graph.changed_taints[oldest] = None


def derived(graph: Graph, command: Envelope, causes: Iterable[Node], informed: Iterable[int]) -> int:
    """Return how far an event is trusted, by its writer, its causes, and what recalls showed that led to it.

    What a tool measures, and what a person says, is no conclusion from its causes. What came into the session before is
    left out.
    """
    trust = trust_of(command)
    if command.origin not in _CONCLUDING:
        return trust
    shown = (graph.recalls.get(seq) for seq in informed)
    least = [recall.least for recall in shown if recall is not None]
    return min([trust, *[cause.trust for cause in causes], *least])


def concluded(command: Envelope, trust: int, sources: Iterable[Node]) -> int:
    """Return how far what is said with some ``trust`` is trusted, if it says again what ``sources`` said.

    A person or a tool says it anew, in their own name.
    """
    return min([trust, *[each.trust for each in sources]]) if command.origin in _CONCLUDING else trust


def _place(command: Envelope) -> bytes:
    """Return 8 bytes that stand for a session, or, where none is named, for whoever speaks."""
    named = f"session\0{command.session}" if command.session != SESSION_DEFAULT else voice_of(command)
    return blake2b(named.encode(), digest_size=WHO_BYTES, person=b"yggdrasil-taint").digest()
