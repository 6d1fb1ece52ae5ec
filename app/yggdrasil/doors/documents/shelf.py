"""Named documents in a memory: what frameworks call a store, or files.

A document is an event with a key: the latest one under its key stands, what stood before is superseded and stays in the
history, and what is deleted is withdrawn. Its value is in the payload, and what is searched of it in the text. Each
namespace that it is in is a feature of it as well, so that a listing or a search of one sees nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from typing import Any, Final, cast
from urllib.parse import quote

import orjson

from yggdrasil_infra.clock import now_ms
from yggdrasil_projections.retrieval.answers import Timeline
from yggdrasil_projections.retrieval.asks import Where
from yggdrasil_projections.retrieval.errors import CommandRefusedError, UnknownMemoryError
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
from yggdrasil_schemas.limits import JUDGED_MAX, NAME_CHARS_MAX, RETURNED_MAX

from ...memory import Memory
from ...recording import Event, RecordManyError
from .written import DocumentError, Path, checked, shown, written

_PAGE: Final = 200
_MS_MAX: Final = 253_402_214_400_000  # the last day of the year 9999, beyond which there is no datetime
_KEPT: Final = "-kept"  # where what has no text is, so that no search comes to it over its neighbours
_SHELF: Final = re.compile(r"[a-z][a-z0-9-]{0,31}")
_PERSON: Final = b"yggdrasil-docs"
_BESIDE: Final = ("contested", "quarantine")


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it stands: its path and value, the reference of its latest version, and when it was written.

    ``score``, in [0, 1], is how relevant a search found it, None otherwise.
    """

    path: Path
    value: dict[str, Any]
    ref: str
    created_at: datetime
    updated_at: datetime
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """A document that is to stand from now on: its path, its value, and the text by which it is found, if any.

    ``moved`` is the document that it takes the place of under another path.
    """

    path: Path
    value: Mapping[str, Any]
    text: str | None = None
    moved: Document | None = None


class Documents:
    """The documents on one shelf of a memory. Safe to use from several threads, and beside other clients.

    What two clients write to one path at a time stands as the later wrote it, and the history has both. A document of
    somebody who is trusted more is not changed: DocumentError says so. Raises what the memory raises.
    """

    def __init__(self, memory: Memory[Any], shelf: str) -> None:
        """``shelf`` keeps these documents apart from others in the memory: small letters, digits and dashes."""
        if not _SHELF.fullmatch(shelf):
            raise DocumentError(
                f"a shelf is called by 1 to 32 small letters, digits and dashes, and not {shelf[:80]!r}"
            )
        self.memory = memory
        self.shelf = shelf

    def key(self, path: Path) -> str:
        """Return the key under which ``Memory.history`` has all versions of a document. Raises DocumentError.

        It is readable where it is short enough; no part of a path can pose as two, or as another shelf.
        """
        checked(path)
        written = f"{self.shelf}:" + "/".join(quote(part, safe="@:") for part in path)
        return written if len(written) <= NAME_CHARS_MAX else f"{self.shelf}:#{self._digest(path).hex()}"

    def where(self, namespace: Path = (), *, searched: bool = False) -> Where:
        """Return the filter that admits the documents in a namespace and below it, and nothing else.

        With ``searched`` only those that have a text. Raises DocumentError.
        """
        sessions = [self.shelf] if searched else None
        return Where(features_all=[self._feature(namespace)], kinds=["event"], statuses=["active"], sessions=sessions)

    def get(self, path: Path) -> Document | None:
        """Return the document at ``path``, None where there is none. Raises DocumentError for what is no path."""
        return next((found for found in map(self._document, self._standing(path)) if found is not None), None)

    def put(self, path: Path, value: Mapping[str, Any], text: str | None = None) -> str:
        """Let a document stand at ``path``, and return the reference of this version. Raises DocumentError."""
        return self.put_many([Put(path, value, text)])[0]

    def put_many(self, puts: Sequence[Put]) -> list[str]:
        """Let documents stand, and return the references of these versions. Raises DocumentError.

        All are looked at before the first is written. Those that may not be changed are left as they are, and the rest
        is written.
        """
        before = [self._standing(put.path) for put in puts]
        now = now_ms()
        events = [self._event(put, known, now) for put, known in zip(puts, before, strict=True)]
        try:
            refs = self._recorded(events)
        except (CommandRefusedError, InvalidCommandError) as error:
            raise DocumentError(f"a document was not taken: {error}") from error
        overwritten = [(put, ref) for put, ref, known in zip(puts, refs, before, strict=True) if known]
        kept = [(put, ref) for put, ref in overwritten if self.memory.describe(ref).memory.status in _BESIDE]
        if kept:  # what does not stand would come up as a contradiction for ever
            self._judge([ref for _, ref in kept], "somebody trusted more has written this document")
            raise DocumentError(
                f"{shown(kept[0][0].path)} was written by somebody who is trusted more, or is pinned, and stands as "
                "it was: let them change it, or write to another path"
            )
        return refs

    def delete(self, paths: Iterable[Path], reason: str = "deleted") -> int:
        """Withdraw the documents at ``paths``, and return how many there were. Raises DocumentError.

        They are in no answer from now on, and stay in the history.
        """
        standing = [self._standing(path) for path in paths]
        self._judge([each.ref for found in standing for each in found], reason)
        return sum(map(bool, standing))

    def under(self, namespace: Path = (), *, count: int = _PAGE) -> Iterator[Document]:
        """Yield the documents in a namespace and those below it, the latest written first.

        They are read as they are drawn, about ``count`` at first. What is written meanwhile is yielded once, as it was
        when it was read.
        """
        seen: set[str] = set()
        paths: set[Path] = set()
        pages = 2
        while pages > 1:  # what was written while pages were read is in none of them: it stands before the first
            pages = 0
            for page in self._pages(self.where(namespace), count):
                pages += 1
                for each in page.memories:
                    if each.ref in seen:
                        break
                    seen.add(each.ref)
                    found = self._document(each, namespace)
                    if found is not None and found.path not in paths:
                        paths.add(found.path)
                        yield found
                else:
                    continue
                break

    def search(
        self,
        query: str,
        namespace: Path = (),
        *,
        k: int = 10,
        min_confidence: float | None = 0.0,
        record: bool = True,
    ) -> list[Document]:
        """Return at most ``k`` (up to 50) documents that are relevant to ``query``, as the memory ranks them.

        What has faded is found as well, and each of several documents that say the same. The recall is recorded unless
        ``record`` is false; with ``min_confidence`` None the memory may refuse to answer, as it does by default.
        """
        asked: dict[str, Any] = {
            "min_confidence": min_confidence,
            "deep": True,
            "record": record,
            "similar": True,
            "full": True,
        }
        where = self.where(namespace, searched=True)
        try:
            context = self.memory.get_context(query, k=min(k, RETURNED_MAX), where=where, **asked)
        except UnknownMemoryError:
            return []
        found = [(self._document(each.memory, namespace), each.scores.relevance) for each in context.found]
        return [replace(document, score=score) for document, score in found if document is not None]

    def _standing(self, path: Path) -> list[MemoryObject]:
        """Return what stands under the key of a path: nothing, one, or more that contest each other."""
        try:
            return self.memory.history(key=self.key(path), standing=True).memories
        except UnknownMemoryError:
            return []

    def _document(self, each: MemoryObject, namespace: Path = ()) -> Document | None:
        """Return what stands as a document in a namespace of this shelf; None for anything else."""
        said = each.payload or {}
        path, value, created = said.get("path"), said.get("value"), said.get("created")
        if each.status != "active" or not isinstance(path, list) or not isinstance(value, dict) or each.at is None:
            return None
        first, *rest = cast(list[object], path) or [None]
        parts = tuple(part for part in rest if isinstance(part, str))
        if first != self.shelf or len(parts) != len(rest) or parts[: len(namespace)] != namespace:
            return None
        try:
            key = self.key(parts)
        except DocumentError:
            return None
        if each.keyed != key:
            return None
        since = min(created, each.at) if isinstance(created, int) else each.at
        return Document(parts, cast(dict[str, Any], value), each.ref, _moment(since), _moment(each.at))

    def _event(self, put: Put, before: list[MemoryObject], now: int) -> Event:
        known = put.moved or next((found for found in map(self._document, before) if found is not None), None)
        created = now if known is None else round(known.created_at.timestamp() * 1000)
        value, text = written(put.path, put.value, put.text)
        payload = {"path": [self.shelf, *put.path], "value": value, "created": created}
        return Event(
            text,
            [self._feature(put.path[:end]) for end in reversed(range(len(put.path)))],
            payload,
            self.shelf if text else self.shelf + _KEPT,
            key=self.key(put.path),
            supersedes=put.moved.ref if put.moved else None,
            at=now,
        )

    def _recorded(self, events: list[Event]) -> list[str]:
        """Append events and return their ids: one by one as they are, several with each durable write."""
        if len(events) == 1 and events[0].supersedes is None:
            it = events[0]
            said: dict[str, Any] = {"features": it.features, "payload": it.payload, "session": it.session}
            return [self.memory.record_event(it.text, key=it.key, at=it.at, **said)]
        try:
            return self.memory.record_many(events)
        except RecordManyError as error:
            raise (error.__cause__ if isinstance(error.__cause__, YggdrasilError) else error) from error

    def _judge(self, refs: Sequence[str], reason: str) -> None:
        """Withdraw all of ``refs``, 64 with each command. Raises DocumentError where that takes more trust."""
        left = iter(refs)
        try:
            while some := list(islice(left, JUDGED_MAX)):
                self.memory.judge(dict.fromkeys(some, "reject"), reason=reason[:NAME_CHARS_MAX])
        except CommandRefusedError as error:
            raise DocumentError(f"a document stays as it is: {error}") from error

    def _pages(self, where: Where, count: int) -> Iterator[Timeline]:
        before: int | None = None
        try:
            while True:
                page = self.memory.timeline(where=where, before=before, count=max(1, min(count, _PAGE)))
                yield page
                before, count = page.before, _PAGE
                if before is None:
                    return
        except UnknownMemoryError:
            return

    def _feature(self, namespace: Path) -> str:
        """Return the feature of a namespace: of digits, which no question names and no embedder reads."""
        if namespace:
            checked(namespace)
        return f"in:{int.from_bytes(self._digest(namespace), 'big'):039d}"

    def _digest(self, path: Path) -> bytes:
        return blake2b(orjson.dumps([self.shelf, *path]), digest_size=16, person=_PERSON).digest()


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(min(max(0, ms), _MS_MAX) / 1000, UTC)
