"""What tests say of what stands: statuses, rulings, slots, and when and by whom a claim holds."""

from hashlib import blake2b

from tests.graph.commands import command_id
from tests.graph.scenario import Check, Moment
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, OPEN_TO, Claim
from yggdrasil_schemas.graph.records import NOBODY, Ruling, Status, node_number
from yggdrasil_schemas.ids import id_bytes


def of_key(key: str) -> bytes:
    """The slot of a key."""
    return blake2b(key.encode(), digest_size=16, person=b"yggdrasil-key").digest()


def of_node(seq: int) -> bytes:
    """The slot that begins with what the command of this seq has made."""
    return node_number(seq).to_bytes(16, "big")


def stands(**expected: str) -> Check:
    """The statuses of nodes, by the names of their commands."""

    def check(moment: Moment) -> None:
        found = {name: Status(moment.node(name).status).name.lower() for name in expected}
        assert found == expected

    return check


def ruling(
    name: str, *, slot: bytes = b"", by: str = "", trust: int = 0, instead: str = "", reason: str = "",
    was: Status = Status.ACTIVE, self_approved: bool = False,
) -> Check:  # fmt: skip
    """All of what is kept of a node's standing; ``by`` and ``instead`` are names of commands."""

    def check(moment: Moment) -> None:
        command, other = id_bytes(command_id(by)) if by else NOBODY, moment.number(instead) or 0 if instead else 0
        expected = Ruling(slot, command, trust, other, reason, was, self_approved)
        assert moment.graph.ruling(moment.node(name)) == expected

    return check


def slot(which: bytes, *names: str, out: tuple[str, ...] = ()) -> Check:
    """These are in a slot, and those were in it, each by number."""

    def check(moment: Moment) -> None:
        numbers = [moment.node(name).number for name in names]
        assert moment.graph.slot(which) == sorted(numbers)
        assert moment.graph.ruled(which) == sorted([*numbers, *(moment.node(name).number for name in out)])

    return check


def held(name: str, *, begins: int | None = None, ends: int | None = None, closed: int | None = None) -> Check:
    """From when on and until when a claim says that it holds, and when another took its place."""

    def check(moment: Moment) -> None:
        expected = (begins, OPEN_FROM), (ends, OPEN_TO), (closed, OPEN_TO)
        claim = claim_of(moment, name)
        found = claim.begins, claim.ends, claim.closed
        assert found == tuple(unknown if moment_ is None else moment_ for moment_, unknown in expected)

    return check


def in_order(*names: str) -> Check:
    """What was before what: the last of these names comes after all others."""

    def check(moment: Moment) -> None:
        numbers = [0, *(moment.node(name).number for name in names)]
        assert [claim_of(moment, name).before for name in names] == numbers[:-1]

    return check


def lines(name: str, *expected: tuple[int, int]) -> Check:
    """Trust and weight of who says so, in the order in which they said it."""

    def check(moment: Moment) -> None:
        found = sorted(claim_of(moment, name).lines, key=lambda line: line.seq)
        assert [(line.trust, line.weight) for line in found] == list(expected)

    return check


def claim_of(moment: Moment, name: str) -> Claim:
    """What the node of a command claims."""
    found = moment.graph.claim(moment.node(name))
    assert found is not None, f"{name} is no claim"
    return found


def slot_of(moment: Moment, name: str) -> bytes:
    """The slot that a node is in, or was in."""
    return moment.graph.ruling(moment.node(name)).slot
