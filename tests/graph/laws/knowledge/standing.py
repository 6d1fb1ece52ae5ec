"""What tests say of what stands: statuses, rulings, slots."""

from hashlib import blake2b

from tests.graph.commands import command_id
from tests.graph.scenario import Check, Moment
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


def ruling(name: str, *, slot: bytes = b"", by: str = "", trust: int = 0, instead: str = "", reason: str = "") -> Check:
    """All of what is kept of a node's standing; ``by`` and ``instead`` are names of commands."""

    def check(moment: Moment) -> None:
        command = id_bytes(command_id(by)) if by else NOBODY
        expected = Ruling(slot, command, trust, moment.number(instead) or 0 if instead else 0, reason)
        assert moment.graph.ruling(moment.node(name)) == expected

    return check


def slot(which: bytes, *names: str, out: tuple[str, ...] = ()) -> Check:
    """These are in a slot, and those were in it, each by number."""

    def check(moment: Moment) -> None:
        numbers = [moment.node(name).number for name in names]
        assert moment.graph.slot(which) == sorted(numbers)
        assert moment.graph.ruled(which) == sorted([*numbers, *(moment.node(name).number for name in out)])

    return check
