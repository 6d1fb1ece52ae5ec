"""LangGraph's store over a memory: items are documents, and a namespace is a prefix of their keys.

``graph.compile(store=YggdrasilStore(memory))`` lets the nodes of a graph put, get and search, and what they put is in
the memory's log, history and answers like anything else that is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, cast

from yggdrasil_schemas.limits import RETURNED_MAX

from ..asynchronous import AsyncMemory
from ..memory import Memory
from . import needing
from .documents.shelf import Document, Documents, Put
from .documents.written import DocumentError

with needing("langgraph"):
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        validate_op_namespace,
    )

SHELF: Final = "langgraph"
_PLACE_MAX: Final = 2**62
_COMPARED: Final[dict[str, Callable[[float, float], bool]]] = {
    "$gt": lambda value, than: value > than,
    "$gte": lambda value, than: value >= than,
    "$lt": lambda value, than: value < than,
    "$lte": lambda value, than: value <= than,
}


class YggdrasilStore(BaseStore):
    """A ``BaseStore`` whose items are documents of a memory, in a directory or on a service.

    Items are listed with those first that were written last. A search with a ``query`` ranks them as the memory does,
    up to 50, with how relevant each is as its ``score``; a ``filter`` then leaves some of these out. ``index`` of a
    ``put`` says which fields are searched, False none; without it they are those of ``fields``, or the whole value.
    There is no ``ttl``. What the memory refuses is a DocumentError, which is a ValueError.
    """

    __slots__ = ("_run", "documents", "fields", "min_confidence", "record")

    def __init__(
        self,
        memory: Memory[Any] | AsyncMemory,
        *,
        fields: Sequence[str] | None = None,
        min_confidence: float | None = 0.0,
        record: bool = True,
    ) -> None:
        """``memory`` stays the caller's to close. ``record`` says whether searches are recorded, and can be proved.

        With ``min_confidence`` None a search may answer with nothing rather than guess, as the memory does by itself.
        """
        self._run: Callable[[Callable[[], list[Result]]], Awaitable[list[Result]]] = asyncio.to_thread
        if isinstance(memory, AsyncMemory):
            self._run, memory = memory.run, memory.memory
        self.documents = Documents(memory, SHELF)
        self.fields = None if fields is None else list(fields)
        self.min_confidence = min_confidence
        self.record = record

    def key(self, namespace: tuple[str, ...], key: str) -> str:
        """Return the key under which ``Memory.history`` has all versions of an item."""
        return self.documents.key((*namespace, key))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Answer all that reads as the store is before, and then write; of several puts to one item the last counts.

        Raises ValueError for what is no operation of a store, and DocumentError.
        """
        listed = [_in_tuples(op) for op in ops]
        puts: dict[tuple[tuple[str, ...], str], PutOp] = {}
        for op in listed:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                _check_ttl(op)
                puts[op.namespace, op.key] = op
        results = [self._answer(op) for op in listed]
        self._write(list(puts.values()))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do what ``batch`` does on another thread."""
        return await self._run(partial(self.batch, list(ops)))

    def _answer(self, op: Op) -> Result:
        match op:
            case GetOp():
                found = self.documents.get((*op.namespace, op.key))
                return None if found is None else _item(found)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return self._namespaces(op)
            case PutOp():
                return None
            case _:
                raise ValueError(f"a store answers gets, searches, puts and lists of namespaces, and not {type(op)}")

    def _write(self, puts: Sequence[PutOp]) -> None:
        gone = [(*op.namespace, op.key) for op in puts if op.value is None]
        kept = [
            Put((*op.namespace, op.key), op.value, self._searched(op.value, op.index))
            for op in puts
            if op.value is not None
        ]
        if gone:
            self.documents.delete(gone, "deleted from the store")
        if kept:
            self.documents.put_many(kept)

    def _searched(self, value: Mapping[str, Any], index: bool | Sequence[str] | None) -> str | None:
        """Return what is searched of a value; None for nothing."""
        fields = self.fields if index is None else index
        if fields is False:
            return None
        if fields is None or fields is True:
            return "\n".join(_told(value)) or None
        return "\n".join(text for field in fields for text in get_text_at_path(value, field)) or None

    def _search(self, op: SearchOp) -> list[SearchItem]:
        first, wanted = _page(op)
        if op.query:
            k = RETURNED_MAX if op.filter else min(wanted, RETURNED_MAX)
            how: dict[str, Any] = {"min_confidence": self.min_confidence, "record": self.record}
            found: Iterable[Document] = self.documents.search(op.query, op.namespace_prefix, k=max(1, k), **how)
        else:
            found = self.documents.under(op.namespace_prefix, **({} if op.filter else {"count": wanted}))
        fitting = (each for each in found if not op.filter or _fits(each.value, op.filter))
        return [_search_item(each) for each in islice(fitting, first, wanted)]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        heads = [_head(each.path) for each in conditions if each.match_type == "prefix"]
        within = max(heads, key=len, default=())
        found = {each.path[:-1] for each in self.documents.under(within)}
        matching = {namespace for namespace in found if all(_matches(each, namespace) for each in conditions)}
        namespaces = sorted({namespace[: op.max_depth] for namespace in matching})
        return namespaces[slice(*_page(op))]


def _in_tuples(op: Op) -> Op:
    """Return an operation whose namespaces are tuples: they are written as lists too, which the interface lets pass."""
    match op:
        case SearchOp():
            return op._replace(namespace_prefix=_tuple(op.namespace_prefix))
        case ListNamespacesOp():
            conditions = op.match_conditions or ()
            return op._replace(match_conditions=tuple(each._replace(path=_tuple(each.path)) for each in conditions))
        case GetOp() | PutOp():
            return op._replace(namespace=_tuple(op.namespace))
        case _:
            return op


def _tuple(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return a list as a tuple, and anything else as it is: what is neither the framework refuses."""
    return tuple(path) if isinstance(path, list) else path


def _page(op: SearchOp | ListNamespacesOp) -> tuple[int, int]:
    """Return the places from which and up to which something is wanted. Raises DocumentError."""
    if op.offset < 0 or op.limit < 0:
        raise DocumentError(f"limit and offset are 0 or more, and these are {op.limit} and {op.offset}")
    return min(op.offset, _PLACE_MAX), min(op.offset + op.limit, _PLACE_MAX)


def _item(found: Document) -> Item:
    *namespace, key = found.path
    return Item(
        value=found.value,
        key=key,
        namespace=tuple(namespace),
        created_at=found.created_at,
        updated_at=found.updated_at,
    )


def _search_item(found: Document) -> SearchItem:
    *namespace, key = found.path
    return SearchItem(tuple(namespace), key, found.value, found.created_at, found.updated_at, found.score)


def _check_ttl(op: PutOp) -> None:
    if op.ttl is not None:
        raise NotImplementedError(
            "this store keeps what it is given until that is deleted: leave ttl out. What is not used fades from the "
            "memory's answers by itself"
        )


def _told(value: object, name: str = "") -> Iterable[str]:
    """Yield what a value says, each of its leaves in a line with its names."""
    if isinstance(value, Mapping):
        for key, entry in cast(Mapping[str, object], value).items():
            yield from _told(entry, f"{name} {key}".strip())
    elif isinstance(value, list | tuple):
        for entry in cast(Sequence[object], value):
            yield from _told(entry, name)
    elif value is not None:
        yield f"{name}: {value}" if name else str(value)


def _head(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a pattern begins with, up to the first part that may be any."""
    return path[: path.index("*")] if "*" in path else path


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"a namespace is matched by its prefix or its suffix, and not by its {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", found) for wanted, found in zip(path, part, strict=True))


def _fits(value: object, wanted: object) -> bool:
    """Whether a value is as a filter wants it: equal, equal in the fields that it names, or in the order it says."""
    if isinstance(wanted, Mapping):
        fields = cast(Mapping[str, object], wanted)
        if any(name.startswith("$") for name in fields):
            return all(_compares(value, operator, than) for operator, than in fields.items())
        if not isinstance(value, Mapping):
            return False
        has = cast(Mapping[str, object], value)
        return all(_fits(_at(has, name), than) for name, than in fields.items())
    if isinstance(wanted, list | tuple):
        entries = cast(Sequence[object], wanted)
        if not isinstance(value, list | tuple):
            return False
        held = cast(Sequence[object], value)
        return len(held) == len(entries) and all(map(_fits, held, entries))
    return value == wanted


def _at(value: Mapping[str, object], name: str) -> object:
    """Return what a field has; where there is no such field, and its name has dots, what is at that path."""
    if name in value or "." not in name:
        return value.get(name)
    found: object = value
    for part in name.split("."):
        found = _entries(found).get(part)
    return found


def _entries(value: object) -> Mapping[str, object]:
    return cast(Mapping[str, object], value) if isinstance(value, Mapping) else {}


def _compares(value: object, operator: str, than: object) -> bool:
    if operator == "$eq":
        return value == than
    if operator == "$ne":
        return value != than
    compared = _COMPARED.get(operator)
    if compared is None:
        known = ", ".join(["$eq", "$ne", *_COMPARED])
        raise DocumentError(f"a filter compares by {known}, and not by {operator[:40]}")
    try:
        return compared(float(cast(Any, value)), float(cast(Any, than)))
    except (TypeError, ValueError):  # what is no number is neither more nor less than one
        return False
