"""What is otherwise in a history that never was, what that makes void, and how it differs: values, and no stores.

A *void* is a command that keeps its seq and changes nothing: one that was left out, or one that the laws refuse there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final, Self, cast

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.limits import RECORD_BYTES_MAX
from yggdrasil_schemas.names import composed
from yggdrasil_schemas.policy import DEFAULT, changed, check_changes

from ..asks import check_text
from ..errors import InvalidAskError

WITHOUT_MAX: Final = 1_000
"""So many commands can be named that never happened."""
WITH_MAX: Final = 100
"""So many commands can come at the end."""
REFUSALS_MAX: Final = 200
"""So many of the commands that were refused are listed."""
_NAME_CHARS_MAX: Final = 256
_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What is otherwise: equal ones make equal histories, in whatever order things were named.

    ``without`` are ids, sorted; ``policy`` are constants with their values, by name; ``with_`` are the values of the
    records that come at the end. In ``quarantined``, of a past, are nodes, and ``taken_out`` are the ids of commands of
    which what they did beside a node is, both sorted: it is so today, and nobody asks for that.
    """

    without: tuple[str, ...] = ()
    without_source: str | None = None
    without_session: str | None = None
    policy: tuple[tuple[str, int | float], ...] = ()
    with_: tuple[bytes, ...] = ()
    quarantined: tuple[int, ...] = ()
    taken_out: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        without: str | Iterable[str] = (),
        without_source: str | None = None,
        without_session: str | None = None,
        policy: Mapping[str, int | float] | None = None,
        with_: Sequence[bytes] = (),
    ) -> Self:
        """Return what is meant. Raises InvalidAskError for what is no id, no name or no policy, and for too much."""
        named = sorted({_id(each) for each in ((without,) if isinstance(without, str) else without)})
        if len(named) > WITHOUT_MAX:
            raise InvalidAskError(f"without takes at most {WITHOUT_MAX:,} ids, and not {len(named):,}")
        if len(with_) > WITH_MAX:
            raise InvalidAskError(f"with_ takes at most {WITH_MAX} commands, and not {len(with_)}")
        if any(len(value) > RECORD_BYTES_MAX for value in with_):
            raise InvalidAskError(f"a command of with_ has at most {RECORD_BYTES_MAX:,} bytes")
        for name, given in (("without_source", without_source), ("without_session", without_session)):
            if given is not None and not 0 < len(check_text(name, given)) <= _NAME_CHARS_MAX:
                raise InvalidAskError(f"{name} takes a name of 1 to {_NAME_CHARS_MAX} characters")
        source, session = (each and composed(each) for each in (without_source, without_session))
        return cls(tuple(named), source, session, _policy(policy or {}), tuple(with_))

    @property
    def key(self) -> str:
        """A name for it, of 32 characters: equal for equals."""
        parts = [self.without, self.without_source, self.without_session, self.policy]
        said = canonical_json({"otherwise": parts}) + b"".join(
            len(value).to_bytes(4, "big") + value for value in self.with_
        )
        return blake2b(said, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class VoidCommand:
    """A command that was accepted in reality, and that the laws refuse in the other history; ``reason`` is a code.

    ``trust`` is how far it is trusted, 0 to 4.
    """

    id: str
    seq: int
    type: str
    reason: str
    detail: str = ""
    trust: int = 0


@dataclass(frozen=True, slots=True)
class Voids:
    """What is void in another history.

    ``left_out`` is how many commands were left out as asked, and ``refused`` how many the laws refuse there, since they
    name what never happened or rest on it. ``refusals`` are the first 200 of these, in their order.
    """

    left_out: int = 0
    refused: int = 0
    refusals: tuple[VoidCommand, ...] = ()

    def seen(self, trust_min: int) -> "Voids":
        """Return it as somebody sees it who trusts nothing below that: all is counted, and the rest listed."""
        return replace(self, refusals=tuple(each for each in self.refusals if each.trust >= trust_min))


@dataclass(frozen=True, slots=True)
class NodeStrength:
    """How strong a node is at the tick of its memory, and its status."""

    salience: float
    permanence: float
    impact: float
    status: str


@dataclass(frozen=True, slots=True)
class NodeDiffers:
    """A node that differs: what it ``was`` in reality, and ``would_be`` in the other history; None: it is not there.

    ``ref`` is its reference, empty where its record is not the one that was folded; ``text`` is at most 200 characters.
    """

    ref: str
    kind: str
    text: str
    was: NodeStrength | None
    would_be: NodeStrength | None


@dataclass(frozen=True, slots=True)
class Differs:
    """What differs between two graphs of one memory: in reality, and in a history that never was.

    ``nodes`` and ``other_nodes`` count nodes by kind in each, ``edges`` and ``other_edges`` edges. ``gone`` counts by
    kind what is only in reality, and ``new`` what is only in the other. Of what is in both, ``statuses`` counts changes
    of status, such as ``superseded -> active``, and ``moved`` is how many have another salience, permanence or impact,
    by a hundredth or more. ``strongest`` are the greatest differences of all, at most 20, the strongest first.
    """

    nodes: dict[str, int]
    other_nodes: dict[str, int]
    edges: int
    other_edges: int
    gone: dict[str, int]
    new: dict[str, int]
    statuses: dict[str, int]
    moved: int
    strongest: list[NodeDiffers]


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """What a read answers in one history: its `answer`, or the `problem` with which it ends, as an error over HTTP."""

    answer: Any = None
    problem: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What would be at a `moment`, beside what is: `real` and `other` answer the read, if one was asked.

    `as_of` is the seq of reality then. At most 200 refusals are listed of `voids`, and 20 nodes of what `differs`.
    """

    memory: str
    moment: str
    as_of: int
    voids: Voids
    differs: Differs
    real: HistoryAnswer | None = None
    other: HistoryAnswer | None = None


def _id(given: object) -> str:
    text = given.strip().lower() if isinstance(given, str) else ""
    if not _ID.fullmatch(text):
        raise InvalidAskError(f"without takes ids of commands, and not {str(given)[:40]!r}")
    return text


def _policy(given: Mapping[str, Any]) -> tuple[tuple[str, int | float], ...]:
    if not isinstance(cast(object, given), Mapping):  # of a program without types
        raise InvalidAskError(f"policy takes constants by their names, and not {given!r:.40}")
    try:
        checked = check_changes(given)
    except (TypeError, ValueError) as error:
        named = ", ".join(map(str, given))
        raise InvalidAskError(f"policy takes constants of `set_policy`, and not {named:.80}: {error}") from error
    if changed(DEFAULT, checked).conflict():
        raise InvalidAskError("the constants of that policy contradict each other")
    return tuple(sorted(checked.items()))
