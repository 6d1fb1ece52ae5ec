"""What says in fewer words what others said, as the page has it."""

from collections.abc import Iterable
from typing import Any

from tests.graph.oracle.knowing.standing import say_whether_stale, supersede
from tests.graph.oracle.memory import STANDING, Memory, voice
from tests.graph.oracle.records import Name, Node, Ruling, by_number
from yggdrasil_schemas.refusals import Refusal

OUT = ("superseded", "rejected", "resolved")


def condensed_by(m: Memory, body: dict[str, Any]) -> list[Node] | Refusal:
    """What a command condenses that is left, by number; or why it is refused."""
    for each in body.get("condenses", []):
        refusal = m.not_corrigible(each)
        if refusal is not None:
            return refusal
    return _live(m, body.get("condenses", []))


def concluded(m: Memory, trust: int, condensed: list[Node]) -> int:
    """How far a digest is trusted: who concludes is trusted no more than what they condense."""
    if m.origin not in ("agent", "thinker", "import"):
        return trust
    return min([trust, *(node.trust for node in condensed)])


def gives_way(node: Node, trust: int) -> bool:
    """Whether it gives way to a digest that somebody says who is trusted so."""
    return node.status not in OUT and not node.protected and node.authority <= trust


def condense(m: Memory, name: Name, digest: Node, trust: int, condensed: Iterable[Node]) -> None:
    """What is condensed gives way, if the digest stands, or else is joined to it."""
    condensed = list(condensed)
    if digest.status in STANDING:
        for node in condensed:
            if node is not digest and gives_way(node, trust):
                m.happened.append("condensed")
                supersede(m, node, Ruling(b"", name, trust, digest))
    elif condensed:
        m.happened.append("condenses when it stands")
    join(m, digest, condensed)


def join(m: Memory, digest: Node, condensed: Iterable[Node]) -> None:
    """What is not out is joined to the digest."""
    for node in condensed:
        if node is not digest and node.status not in OUT and (node, "evidence", digest) not in m.edges:
            m.link(node, "evidence", digest)
            m.happened.append("joined to a digest")
            say_whether_stale(m, digest)


def condense_late(m: Memory, name: Name, digest: Node) -> None:
    """A digest stands now that has waited: what it condenses gives way as far as its own writer is trusted."""
    if not m.digests.get(digest.name):
        return
    named, stamped = m.digests[digest.name]
    own = own_words(digest)
    if own:
        m.happened.append("condenses late")
        condense(m, name, digest, min(stamped, *own), _live(m, named))


def own_words(digest: Node) -> list[int]:
    """How far its writer is trusted, if they still say so."""
    if digest.claim is None:
        return [digest.trust]
    mine = voice(digest.source, digest.process)
    return [line.trust for line in digest.claim.lines if line.seq == digest.seq or line.who == mine]


def fallen_digest(m: Memory, digest: Node) -> list[Node]:
    """What gave way to a digest, and could stand again, by number."""
    named = m.digests[digest.name][0] if digest.name in m.digests else []
    return [
        node
        for node in _live(m, named)
        if node.status == "superseded" and node.ruling is not None and node.ruling.instead is digest
    ]


def _live(m: Memory, named: list[Name]) -> list[Node]:
    found = (m.left(each) for each in named)
    return by_number({node for node in found if node is not None and node.live})
