"""What a read is: a question as a value, what it is answered from, and the row of a table that every face follows.

A read is one file in ``reads``: the dataclass of what is asked, whose ``read`` answers it, and its row. The row goes
into ``table.READS``; the query service, the client, and what a memory offers in Python are made from it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Set
from contextlib import AbstractContextManager
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import orjson
from pydantic import Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from yggdrasil_infra.log import LogReader, Receipt
from yggdrasil_projections.graph.store.store import Frozen
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Role
from yggdrasil_schemas.problems import Kind

from .asks import Where, check_seq, check_text
from .errors import InvalidAskError
from .index.columns.vectors import ModelKey
from .index.index import MemoryIndex
from .past.moment import AsOf
from .past.otherwise import Otherwise
from .ranking.own.ranker import OwnRanker

A_co = TypeVar("A_co", covariant=True)
T = TypeVar("T")

READERS: Final[tuple[Role, ...]] = ("read", "audit")
"""Who may ask for what needs no more than to be read."""
_WHOLE_MAX: Final = 2**63 - 1
_TEXTS: Final = frozenset((str, NoneType))
_NUMBERS: Final = frozenset((int, NoneType))
_SEQS: Final = ("before", "since")  # which say where to go on, and are no times
_PART: Final = re.compile(r"\{([a-z_]{1,64})(?::path)?\}")
WAIT_S: Final = 10.0
"""How long a read waits for what it is to come after, unless it says otherwise."""


class Source(Protocol):
    """One memory, as a host lets it be read. All that opens it raises UnknownMemoryError where nothing was folded."""

    @property
    def memory(self) -> str:
        """Its id, ``tenant/agent``."""
        ...

    @property
    def partition(self) -> int:
        """The partition that it is in."""
        ...

    @property
    def log(self) -> LogReader:
        """The log, for what the stores do not keep. Read it outside of a turn: brokers may take long."""
        ...

    @property
    def folded(self) -> int:
        """The offset below which its partition is folded here. A graph that is opened later has folded that far."""
        ...

    @property
    def ranker(self) -> OwnRanker | None:
        """The ranker of somebody else's that the operator has named, if any."""
        ...

    @property
    def model(self) -> ModelKey | None:
        """The model and the dimension of the vectors that what is recorded here gets, if anything makes them."""
        ...

    def now_ms(self) -> int:
        """Return the present, by the host's clock, in Unix ms: for what holds now."""
        ...

    def resolved(self, query: "Query[Any]") -> None:
        """Take what is asked in full, with the present where the query leaves the moment open: so it is recorded."""
        ...

    def graph(self) -> AbstractContextManager[Graph]:
        """Hold a reader's turn with the graph. The fold and all other readers of the partition wait for that."""
        ...

    def indexed(self) -> AbstractContextManager[tuple[Graph, MemoryIndex]]:
        """Hold a reader's turn with the graph and its index, which is warm and at the same position."""
        ...

    def frozen(self) -> AbstractContextManager[Graph]:
        """Open the graph as it stands, and hold no turn while it is read: for what looks at all of a memory."""
        ...

    def found(self, find: Callable[[Graph, MemoryIndex], T]) -> AbstractContextManager[tuple[Graph, T]]:
        """Hold a turn while the index is asked, and open the graph as it stood then with what was found."""
        ...

    def standing(self, as_of: AsOf) -> "AbstractContextManager[Source]":
        """Open the memory as it stood at another moment, seen as it is seen here.

        Raises NoSuchMomentError, BeingBuiltError, and InvalidAskError for what is no moment of it.
        """
        ...

    def in_quarantine(self) -> Set[int]:
        """Return the nodes that are in quarantine today, which no past shows; none where an auditor asks for them."""
        ...

    def whole(self) -> AbstractContextManager[Frozen]:
        """Open every family of the memory's digest as it stands, and hold no turn while it is read."""
        ...


class Query(ABC, Generic[A_co]):
    """A question to one memory; a frozen dataclass of what is asked, whose answer is an ``A_co``.

    Its fields are the parameters in Python, over HTTP and of the client. Their annotations hold the bounds of what may
    come over HTTP, and another name there (pydantic's ``Field`` with its ``alias``), and ``OnTheWire`` where another
    type comes. What is wrong for everybody is checked when it is made, and raises InvalidAskError.
    """

    __slots__ = ()

    @abstractmethod
    def read(self, source: Source, /) -> A_co:
        """Answer it. Raises what its row names, and UnknownMemoryError."""

    def sent(self) -> dict[str, Any]:
        """Return what is sent of it over HTTP, by parameter; what is not given is left out."""
        return sent_of(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed(Query[A_co]):
    """A query that says itself where the memory has to stand; newer ones leave that to ``memory.after``.

    ``after`` is where a command stands, as ``became`` says: the answer then has folded it.
    """

    after: Receipt | None = None


class OnTheWire(NamedTuple):
    """In the annotation of a field: the type of what is sent for it, where that is another than its own."""

    type: Any


@dataclass(frozen=True, slots=True)
class At:
    """How a memory is read: where it has to stand, and what of it is seen.

    It has folded ``after``, which is waited for that long. Nothing is there that is trusted less than ``trust_min``, 0
    to 4. Whatever searches asks for ``role``, and under ``perspectives``. With ``as_of`` it is read as it stood at that
    moment; what has been taken into quarantine since is withheld, unless an auditor asks for it with ``quarantined``.
    With ``otherwise`` it is read as it would have stood then, if that had been so.
    """

    after: Receipt | None = None
    deadline_s: float = WAIT_S
    trust_min: int = 0
    role: str | None = None
    perspectives: tuple[str, ...] = ()
    as_of: AsOf | None = None
    quarantined: bool = False
    otherwise: Otherwise | None = None


NOW: Final = At()


@dataclass(frozen=True, slots=True)
class Read(Generic[A_co]):
    """All that is said of a read beyond its parameters.

    ``name`` is its operation in the OpenAPI document, after which generated clients name what they make: it stays.
    ``route`` is its method and path below that of the memory; the parts of the path are fields of ``query``.
    ``problems`` are what it may raise beside what every read may; ``roles`` may ask it. ``told`` is what the document
    says of it, and ``documented`` the shape there, where more than the ``answer`` may come. ``recorded`` says by which
    command it stays in the log: as a recall always, as a read where the memory's policy says so, or never. ``moments``
    are parameters over HTTP that name a past, which is built first. ``example`` are arguments in Python, with which
    every face is tried; ``<event>``, ``<episode>`` and ``<claim>`` stand for ids.
    """

    name: str
    query: type[Query[A_co]]
    answer: type[A_co]
    route: str
    summary: str
    told: str
    problems: tuple[Kind, ...] = ()
    roles: tuple[Role, ...] = READERS
    documented: Any = None
    recorded: Literal["recall", "read", "never"] = "read"
    moments: tuple[str, ...] = ()
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])
    in_python: str = ""

    @property
    def called(self) -> str:
        """The name of its method in Python, which is its own unless ``in_python`` says another."""
        return self.in_python or self.name

    @property
    def method(self) -> str:
        """GET or POST."""
        return self.route.split(" ")[0]

    @property
    def path(self) -> str:
        """The path below that of the memory, with the names of its parts in braces."""
        return self.route.split(" ")[1]

    @property
    def parts(self) -> list[str]:
        """The names in its path, as they are over HTTP."""
        return _PART.findall(self.path)

    def path_of(self, named: Mapping[str, str]) -> str:
        """Return the path in which its parts are given."""
        return _PART.sub(lambda part: named[part[1]], self.path)


class Parameter(NamedTuple):
    """One parameter of a query: its name in Python and over HTTP, what may come there, and what it is if nothing does.

    ``default`` is pydantic's ``PydanticUndefined`` where it has to be given; ``plain`` are its types without bounds.
    """

    name: str
    wire: str
    type: Any
    default: Any
    description: str | None
    plain: frozenset[Any]


@cache
def parameters_of(query: type[Query[Any]]) -> tuple[Parameter, ...]:
    """Return the parameters of a query in their order: all of its fields but ``after``."""
    hints, plain = get_type_hints(query, include_extras=True), get_type_hints(query)
    found: list[Parameter] = []
    for each in fields(cast(Any, query)):  # which is a dataclass
        if each.name == "after":
            continue
        hint = hints[each.name]
        said = FieldInfo.from_annotation(hint)
        sent = next((extra.type for extra in said.metadata if isinstance(extra, OnTheWire)), None)
        sent = hint if sent is None else Annotated[sent, Field(description=said.description)]
        default = PydanticUndefined if each.default is MISSING else each.default
        if said.default is not PydanticUndefined:
            default = said.default
        found.append(
            Parameter(
                each.name, said.alias or each.name, sent, default, said.description, _alternatives(plain[each.name])
            )
        )
    return tuple(found)


def check_types(query: Query[Any]) -> None:
    """Raise InvalidAskError for what has to be a text, such as a reference, or a whole number, and is none."""
    for each in parameters_of(type(query)):
        given = getattr(query, each.name)
        if given is None and NoneType in each.plain:
            continue
        if each.plain <= _TEXTS:
            check_text(each.name, given)
        elif each.plain <= _NUMBERS:
            if each.name in _SEQS:
                check_seq(each.name, given)
            if type(given) is not int or abs(given) > _WHOLE_MAX:
                raise InvalidAskError(f"{each.name} takes a whole number below 2^63, and not {str(given)[:40]!r}")


def _alternatives(hint: Any) -> frozenset[Any]:
    return frozenset(get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,))


def sent_of(query: Query[Any]) -> dict[str, Any]:
    """Return the values of all parameters of a query over HTTP, but for what is not given; a filter is JSON."""
    said = {each.wire: getattr(query, each.name) for each in parameters_of(type(query))}
    said |= {name: orjson.dumps(each.given()).decode() for name, each in said.items() if isinstance(each, Where)}
    return {name: value for name, value in said.items() if value is not None and value is not False and value != ()}
