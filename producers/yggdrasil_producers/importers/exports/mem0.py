"""Import the memories of mem0: what ``get_all`` returns, as a list, as ``{"results": [...]}``, or a memory a line.

A memory is ``{"id", "memory", "user_id", "agent_id", "run_id", "metadata", "categories", "created_at", "updated_at"}``.
With its graph there are ``{"source", "relationship", "target"}`` in ``relations`` as well.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.limits import FEATURES_MAX, NAME_CHARS_MAX

from ...again import Named, called
from ...draft import Draft, Drafter
from ...stamps import Stamp
from ..features import cut, feature, plain
from ..run import Import, Seen, Unread, unseen
from ..turns import parts_of
from .elements import Element, Export
from .fields import fields_at, needed, text_at, time_at
from .files import Wanted

_WANTED: Final = Wanted.such_as(r".*\.jsonl?", "file such as memories.json")
_RELATIONS: Final = "relations"
_LISTS: Final = ("results", "memories", _RELATIONS)
_SCOPES: Final = {"user_id": "user", "agent_id": "agent", "app_id": "app", "run_id": "run", "actor_id": "actor"}
_SAID: Final = frozenset({"id", "memory", "text", "content", "score", "hash"})
_GONE: Final = ("deleted", "archived")
_VALUE_CHARS_MAX: Final = 64  # of metadata that is a feature: what is longer says more than a name


def import_mem0(file: str | Path, drafter: Drafter, seen: Seen = unseen) -> Import:
    """Import the memories in ``file``; ``total`` counts them.

    A memory is an event with its exact text, under the key ``import:mem0:ID``: so what a later export says of the same
    id takes the place of what an earlier one said. Whose it is, its categories, and what its metadata has of short
    values are features. A relation is a claim. Raises ImporterError for what cannot be read.
    """
    export = Export(Path(file), _WANTED, _LISTS)

    def steps(unread: Unread, seen: Seen) -> Iterator[list[Draft]]:
        for element in export.elements(unread, seen):
            with unread.noting(element.place):
                make = _relation if element.under == _RELATIONS else _memory
                drafts = make(element, drafter, unread)
                yield drafts

    return Import.of(steps, seen)


def _memory(element: Element, drafter: Drafter, unread: Unread) -> list[Draft]:
    fields = element.fields
    named = needed(fields, "a memory", "id")
    text = text_at(fields, "content") or needed(fields, "a memory", "memory", "text", "data")
    if text_at(fields, "state") in _GONE:  # as the backup of OpenMemory has it
        unread.add(element.place, "a memory that was deleted or archived there")
        return []
    features = _features(fields)
    if len(features) > FEATURES_MAX:
        unread.add(element.place, f"more than {FEATURES_MAX} features: the rest is in the payload alone")
    features = features[:FEATURES_MAX]
    at = time_at(fields, "updated_at", "created_at")
    kept = {name: value for name, value in fields.items() if name not in _SAID and value is not None} | {"id": named}
    run = text_at(fields, "run_id")
    parts = parts_of(text)
    drafts: list[Draft] = []
    for number, part in enumerate(parts, start=1):
        key = feature("mem0", f"{named}/{number}".encode() if number > 1 else named.encode())
        said = canonical_json([part, fields.get("updated_at"), features]).decode()
        known_as = Named("mem0", f"{named}/part{number}" if number > 1 else named, key)
        draft = drafter.record_event(
            part,
            features=features,
            payload=kept | ({"part": number, "parts": len(parts)} if len(parts) > 1 else {}),
            session=cut(plain(f"mem0/{run}".encode()), NAME_CHARS_MAX) if run else None,
            key=known_as.key,
            stamp=Stamp(drafter.derived_id("mem0", named, str(number), said), at),
        )
        drafts.append(called(draft, known_as))
    return drafts


def _features(fields: dict[str, Any]) -> list[str]:
    """Return whose a memory is, its categories, and its metadata, each once."""
    named = [(kind, text_at(fields, name)) for name, kind in _SCOPES.items()]
    categories = fields.get("categories")
    listed = cast(list[object], categories) if isinstance(categories, list) else []
    named += [("category", each) for each in listed if isinstance(each, str) and each]
    for name, value in fields_at(fields, "metadata").items():
        for each in cast(list[object], value) if isinstance(value, list) else [value]:
            if isinstance(each, str | int | float) and 0 < len(str(each)) <= _VALUE_CHARS_MAX and name != "outcome":
                shown = str(each).lower() if isinstance(each, bool) else str(each)
                named.append((cut(plain(name.encode()), _VALUE_CHARS_MAX), shown))
    return list(dict.fromkeys(feature(kind, value.encode()) for kind, value in named if kind and value))


def _relation(element: Element, drafter: Drafter, _: Unread) -> list[Draft]:
    fields = element.fields
    source, relation = needed(fields, "a relation", "source"), needed(fields, "a relation", "relationship", "relation")
    target = needed(fields, "a relation", "target", "destination")
    stamp = Stamp(drafter.derived_id("mem0", "relation", source, relation, target), time_at(fields, "created_at"))
    return [drafter.assert_claim(source, relation, {"entity": target}, stamp=stamp)]
