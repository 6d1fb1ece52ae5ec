"""Import the graph of the official memory server of MCP: ``memory.jsonl``, or what ``read_graph`` returns.

A line is ``{"type": "entity", "name", "entityType", "observations"}`` or ``{"type": "relation", "from", "to",
"relationType"}``.
"""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, cast

from yggdrasil_schemas.limits import OBJECT_CHARS_MAX
from yggdrasil_schemas.names import composed, text_digest

from ...claims import Claimed, object_of
from ...draft import Draft, Drafter
from ...stamps import Stamp
from ..facts import named
from ..run import Import, NotUnderstoodError, Seen, Unread, shown, unseen
from .elements import Element, Export
from .fields import text_at
from .files import Wanted

IS_A: Final = "is_a"
OBSERVATION: Final = "observation"
_WANTED: Final = Wanted.such_as(r"memory.*\.jsonl?", "memory.jsonl")
_LISTS: Final = ("entities", "relations")


def import_mcp_memory(file: str | Path, drafter: Drafter, seen: Seen = unseen) -> Import:
    """Import the entities and relations in ``file``; ``total`` counts them.

    An entity is a claim that it ``is_a`` thing of its type, and one for each observation; a relation is a claim between
    two things. They have no time of their own. Raises ImporterError for what cannot be read.
    """
    export = Export(Path(file), _WANTED, _LISTS)

    def steps(unread: Unread, seen: Seen) -> Iterator[list[Draft]]:
        for element in export.elements(unread, seen):
            with unread.noting(element.place):
                drafts = _drafts(element, drafter, unread)
                yield drafts

    return Import.of(steps, seen)


def _drafts(element: Element, drafter: Drafter, unread: Unread) -> list[Draft]:
    sort = element.fields.get("type") or {"entities": "entity", "relations": "relation"}.get(element.under or "")
    if sort == "entity":
        return list(_entity(element, drafter, unread))
    if sort == "relation":
        source, target = named("from", element.fields), composed(named("to", element.fields))
        relation = named("relationType", element.fields)
        stamp = Stamp(drafter.derived_id("mcp-memory", source, relation, target))
        return [drafter.assert_claim(source, relation, {"entity": target}, stamp=stamp)]
    raise NotUnderstoodError(f"expected 'type' to be entity or relation, and got {shown(sort)}", "no part of a graph")


def _entity(element: Element, drafter: Drafter, unread: Unread) -> Iterator[Draft]:
    fields = element.fields
    name, sort = named("name", fields), named("entityType", fields)
    stamp = Stamp(drafter.derived_id("mcp-memory", name, IS_A, sort))
    yield drafter.assert_claim(name, IS_A, sort, text=f"{name} is a {sort}", stamp=stamp)
    given = fields.get("observations")
    if not isinstance(given, list):
        unread.add(element.place, "an entity without a list of observations", hides=True)
        return
    for number, said in enumerate(dict.fromkeys(map(_observed, cast(list[object], given))), start=1):
        with unread.noting(f"{element.place}, observation {number}"):
            if said is None:
                raise NotUnderstoodError("expected an observation, a text with something in it", "no observation")
            draft = _observation(name, said, drafter)
            yield draft


def _observed(given: Any) -> str | None:
    """Return an observation: a text, or, as some forks of the server have it, an object with one."""
    if isinstance(given, dict):
        return text_at(cast(dict[str, Any], given), "content", "text")
    return given if isinstance(given, str) and given.strip() else None


def _observation(name: str, said: str, drafter: Drafter) -> Draft:
    """Say an observation as the tools of that server do here: exactly, though claims compare texts without case."""
    exact: Claimed = {"qualifiers": {"exact": blake2b(said.encode(), digest_size=16).hexdigest()}}
    apart = len(said) > OBJECT_CHARS_MAX or "entity" in object_of(said)[0]  # too long to be an object, or as a thing is
    return drafter.assert_claim(
        name,
        OBSERVATION,
        {"digest": text_digest(said)} if apart else said,
        claimed=exact,
        text=f"{name}: {said}",
        stamp=Stamp(drafter.derived_id("mcp-memory", name, OBSERVATION, said)),
    )
