"""What helped when something failed: recoveries, ranked by what came of those who used them."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.experience import KIND_PREFIX
from yggdrasil_schemas.graph.records import Node
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed

from ...asks import check_count, check_text
from ...errors import InvalidAskError
from ...found import Answered
from ...index.index import MemoryIndex
from ...lens import stands
from ...memories import MemoryObject, content_of, describe
from ...parameters import COUNT, COUNT_MAX, Count
from ...query import Query, Read, Source
from ...records import fields_in
from ...text.said import names_in
from ..knowledge.claims import claims_about
from .registered import Name

RECOVERY: Final = "recovery"
"""What a claim says of a failure that says what helped."""
FAILURE: Final = "failure:"
"""What the name of a failure begins with: a kind of outcomes, and a thing that is spoken of."""
_LOOKED_AT_MAX: Final = 512  # the latest claims of one failure


@dataclass(frozen=True, slots=True)
class Recovery:
    """A recovery, and how well it works: ``worth``, in [-1, 1], by what using it has come to mean.

    ``used`` counts how often it was really used.
    """

    memory: MemoryObject
    worth: float
    used: int


@dataclass(frozen=True, slots=True)
class Recoveries(Answered):
    """What helped when something failed, what worked best first. ``left_out`` counts those that are not shown."""

    failure: str = ""
    recoveries: list[Recovery] = field(default_factory=list[Recovery])
    left_out: int = 0
    as_of: int = 0


def failure_of(kind: str) -> str:
    """Return the thing that a failure is: ``failure:loop`` for "loop", "failure:loop" and "outcome:failure:loop"."""
    return FAILURE + composed(kind).removeprefix(KIND_PREFIX).removeprefix(FAILURE)


def recoveries_of(graph: Graph, numbers: Sequence[int]) -> list[Node]:
    """Return the recoveries among the latest of some claims that stand."""
    nodes = (graph.node(number) for number in numbers[-_LOOKED_AT_MAX:])
    return [
        node
        for node in nodes
        if node is not None
        and stands(node)
        and (claim := graph.claim(node)) is not None
        and claim.predicate == RECOVERY
    ]


def worth_of(node: Node) -> float:
    """Return how well it works to use a memory, in [-1, 1]: what its use has come to mean, as far as that is known.

    The valence is learnt from reports of use, and from outcomes of what it informed (003, section 3.6).
    """
    return node.valence / 10.0


def best_first(graph: Graph, nodes: Iterable[Node]) -> list[Node]:
    """Return recoveries in order of what worked: by their worth, then by impact, use, and what is said for them."""

    def rank(node: Node) -> tuple[float, ...]:
        claim = graph.claim(node)
        said = 0 if claim is None else sum(line.weight for line in claim.lines)
        return -worth_of(node), -node.impact, -node.usage, -said, -node.number

    return sorted(nodes, key=rank)


@dataclass(frozen=True, slots=True)
class AskRecoveries(Query[Recoveries]):
    """Return what helped when something failed, what worked best first.

    ``kind`` names the failure: "loop" or "failure:loop". ``about`` is a feature or a thing that a recovery is for as
    well, by its object or its qualifiers. Raises InvalidAskError.
    """

    kind: Annotated[Name, Field(description="The kind of the failure, such as `loop` or `failure:loop`.")]
    _: KW_ONLY
    about: Annotated[Name | None, Field(description="What it was about too.")] = None
    count: Count = COUNT

    def __post_init__(self) -> None:
        for name in ("kind", "about"):
            given = getattr(self, name)
            if given is not None and not 1 <= len(check_text(name, given)) <= NAME_CHARS_MAX:
                raise InvalidAskError(f"{name} is a name of 1 to {NAME_CHARS_MAX} characters")
        check_count("count", self.count, COUNT_MAX)

    def read(self, source: Source, /) -> Recoveries:
        """Answer it."""
        failure = failure_of(self.kind)

        def find(graph: Graph, index: MemoryIndex) -> list[int]:
            return claims_about(graph, index, failure)

        with source.found(find) as (graph, likely):
            found = recoveries_of(graph, likely)
            if self.about is not None:
                about = composed(self.about)
                found = [node for node in found if _is_about(graph, node, about)]
            best = best_first(graph, found)[: self.count]
            shown = [Recovery(describe(graph, node), worth_of(node), node.usage) for node in best]
            return Recoveries(failure, shown, len(found) - len(shown), graph.header.seq)


def _is_about(graph: Graph, node: Node, about: str) -> bool:
    record = fields_in(content_of(graph, node.number))
    return about in names_in(record) or about in record["body"].get("qualifiers", {}).values()


RECOVERIES: Final = Read(
    "recoveries",
    AskRecoveries,
    Recoveries,
    "GET /recoveries",
    "What helped when something failed",
    """Return the claims that say what helps against a kind of failure, what worked best first.

What worked is learnt from reports of use, and from outcomes of what a recovery informed.""",
    example={"kind": "failure:loop"},
)
