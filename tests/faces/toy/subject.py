"""What is written by hand for the toy subject: new files, and edits of old ones, by what they are for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.faces.exports import FILE

ROOT: Final = FILE.parents[2]
_READS: Final = "projections/yggdrasil_projections/retrieval"
_COMMANDS: Final = "schemas/yggdrasil_schemas/commands"
_GRAPH: Final = "projections/yggdrasil_projections/graph"


class Edit(NamedTuple):
    """A line of an old file, and what is written above it."""

    line: str
    above: str


ERROR: Final[Mapping[str, str | list[Edit]]] = {
    f"{_READS}/errors.py": [
        Edit(
            "class UnknownMemoryError(YggdrasilError):",
            '''class NoToastsError(YggdrasilError):
    """Nobody was toasted."""

    kind = Kind("no_toasts", 404, "No toasts", "Toast somebody first.", ExitCode.NOT_FOUND)


''',
        ),
        Edit("    UnknownCommandError,\n", "    NoToastsError,\n"),
    ]
}
READ: Final[Mapping[str, str | list[Edit]]] = {
    f"{_READS}/reads/experience/toasts.py": '''"""Who was toasted."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Final

from pydantic import Field

from yggdrasil_schemas.moments import Moment, MomentSent

from ...asks import asked_moment
from ...errors import NoToastsError
from ...found import Answered
from ...memories import MemoryObject, describe
from ...query import OnTheWire, Read, Source, Timed


@dataclass(frozen=True, slots=True)
class Toasts(Answered):
    """Who was toasted, the latest first."""

    toasted: list[MemoryObject]
    as_of: int


@dataclass(frozen=True, slots=True)
class AskToasts(Timed[Toasts]):
    """Return who was toasted since a moment, at most ``count``. Raises NoToastsError."""

    since: Annotated[Moment | None, OnTheWire(MomentSent | None), Field(description="Since then.")] = None
    _: KW_ONLY
    count: Annotated[int, Field(ge=1, le=20)] = 5

    def __post_init__(self) -> None:
        if self.since is not None:
            object.__setattr__(self, "since", asked_moment("since", self.since))

    def read(self, source: Source, /) -> Toasts:
        """Answer it."""
        with source.graph() as graph:
            shown = [describe(graph, graph.expect(number)) for number in graph.node_table().keys.tolist()]
            found = [one for one in shown if one.salience > 1.6 and one.at >= (self.since or 0)]
            if not found:
                raise NoToastsError(f"{source.memory}: nobody was toasted")
            return Toasts(found[::-1][: self.count], graph.header.seq)


TOASTS: Final = Read(
    "toasts",
    AskToasts,
    Toasts,
    "GET /toasts",
    "Who was toasted",
    """Return who was toasted `since` a moment, the latest first.""",
    (NoToastsError.kind,),
    example={"since": "2020-01-01", "count": 2},
)
''',
    f"{_READS}/table.py": [
        Edit("from .reads.knowledge.claims import", "from .reads.experience.toasts import TOASTS\n"),
        Edit("    HAPPENED,\n", "    TOASTS,\n"),
    ],
    "app/yggdrasil/readings.py": [
        Edit(
            "from yggdrasil_projections.retrieval.reads.knowledge.claims import",
            "from yggdrasil_projections.retrieval.reads.experience.toasts import AskToasts\n",
        ),
        Edit("    happened = asked(AskHappened)\n", "    toasts = asked(AskToasts)\n"),
    ],
}
COMMAND: Final[Mapping[str, str | list[Edit]]] = {
    f"{_COMMANDS}/toasting.py": '''"""What is toasted."""

from typing import Literal

from .envelope import Envelope
from .wire import Name, NodeRef, Strict


class ToastBody(Strict):
    """Somebody is toasted."""

    node: NodeRef
    """Who."""
    drink: Name
    """With what."""


class Toast(Envelope):
    """Toast somebody."""

    number = 60
    roles = ("append",)
    type: Literal["toast"]
    body: ToastBody
''',
    f"{_COMMANDS}/__init__.py": [
        Edit("\n__all__ = [", "from .toasting import Toast\n"),
        Edit("    | ReportUse\n", "    | Toast\n"),
    ],
    f"{_GRAPH}/laws/learning/toasting.py": '''"""The law of toasts."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Toast
from yggdrasil_schemas.refusals import Refusal, Refused

from ..reference import resolve


def toast(graph: Graph, command: Toast, _seq: int, _record: bytes) -> Refused | None:
    """Let who is toasted be noticed."""
    number = resolve(graph, command.body.node)
    if isinstance(number, Refused):
        return number
    node = None if number is None else graph.settled(number)
    if node is None:
        return Refused(Refusal.NODE_FORGOTTEN)
    node.salience = min(node.salience + 1.0, graph.header.policy.salience_max)
    return None
''',
    f"{_GRAPH}/rules.py": [
        Edit("    RetireThinker,\n    SetPolicy,\n", "    Toast,\n"),
        Edit("from .laws.learning.use import", "from .laws.learning.toasting import toast\n"),
        Edit("        law_of(ReportUse, report_use),\n", "        law_of(Toast, toast),\n"),
    ],
    "app/yggdrasil/memory.py": [
        Edit(
            "    def resend(self",
            '''    def toast(self, node: str, drink: str) -> str:
        """Toast somebody, and return the command's id. Refused: ``unknown_reference``, ``node_forgotten``."""
        return self._submit(self._drafter.draft("toast", {"node": node, "drink": drink}))

''',
        )
    ],
}


def written(house: Path, part: Mapping[str, str | list[Edit]]) -> None:
    """Write a part of the subject into a copy of the packages at ``house``."""
    for name, what in part.items():
        file = house / name
        if isinstance(what, str):
            file.write_text(what, encoding="utf-8")
            continue
        text = file.read_text(encoding="utf-8")
        for edit in what:
            assert text.count(edit.line) == 1, f"{name}: {edit.line!r} stands there {text.count(edit.line)} times"
            text = text.replace(edit.line, edit.above + edit.line)
        file.write_text(text, encoding="utf-8")
