"""What commands may say beside their bodies, as the arguments of whoever drafts them."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from yggdrasil_schemas.commands.decisions import Thinker
from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.commands.vectors import Vector

from .stamps import Stamp


class Placed(TypedDict, total=False):
    """Where a command belongs and what it is found by: the session, an importer's stamp, the vector of its text."""

    session: str | None
    stamp: Stamp
    vector: Vector | None


class Noted(Placed, total=False):
    """What a note may have beside its text: its sort, a title, other names, and a reason, which is never searched."""

    note: NoteKind | None
    name: str | None
    aliases: Sequence[str]
    rationale: str | None
    perspectives: Sequence[str]
    prominence: int | None


class Said(Placed, total=False):
    """What any command may say beside its body: ``text`` for people, and the rest."""

    text: str | None


class Decided(Said, total=False):
    """What a decision may say beside its body: also who decided, where that is a thinker."""

    thinker: Thinker | Mapping[str, Any] | None
