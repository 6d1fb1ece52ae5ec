"""The engine over HTTP: what it is told to append and asked goes to a query service, wherever that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby
from time import monotonic
from typing import Any, Final, TypeVar, cast

import httpx2
import orjson
from pydantic import TypeAdapter

from yggdrasil_infra.http.callers import UNRECORDED, CallerAnswer, spoken
from yggdrasil_infra.log import Receipt
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.asks import Speaker
from yggdrasil_projections.retrieval.past.against_log import AgainstLog
from yggdrasil_projections.retrieval.past.forks import Forked, ForkLineage
from yggdrasil_projections.retrieval.past.moment import AsOf, BeingBuiltError
from yggdrasil_projections.retrieval.past.otherwise import Differs, HistoryAnswer, Otherwise, Voids, WhatIf
from yggdrasil_projections.retrieval.query import NOW, At, Query
from yggdrasil_projections.retrieval.reads.learning.searched import Searched
from yggdrasil_projections.retrieval.reads.operations.moment import AskMoment
from yggdrasil_projections.retrieval.reads.operations.overview import AskDigest
from yggdrasil_projections.retrieval.table import OF
from yggdrasil_projections.service.moved import MovedAnswer
from yggdrasil_projections.service.reads import Admit, Lag, Progress
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.ids import tenant_of

from .service_client import (
    Asked,
    Parameters,
    ServiceClient,
    answer_of,
    batches,
    body_of,
    quoted,
    spoken_of,
)

_DEADLINE_S: Final = 30.0  # what the service grants at most
_STAND_S: Final = 2.0  # after which progress is told
# What reads an answer of a kind is made once: that takes as long as the service to answer.
_SHAPE: Final[Callable[[Any], TypeAdapter[Any]]] = cache(TypeAdapter)
T = TypeVar("T")


class Remote:
    """A query service at ``url``. Safe to use from several threads; a context manager.

    The service stamps who speaks: source, process and origin are those of the key. Raises what an engine in this
    process raises, AccessError for a key that does not open something, and ServiceError for what the service cannot do.
    """

    survives_fork: Final = True
    """Whether it may be used in a forked process: it has connections of its own there."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        transport: httpx2.BaseTransport | None = None,
        *,
        owned: str | None = None,
        patience_s: float | None = None,
    ) -> None:
        """Connect when something is asked. ``key`` opens what the service guards; see ``yggdrasil key``.

        ``transport`` carries requests in place of the network: through a socket's file, or within this process. Where
        it leads to the owner's socket in the directory ``owned``, commands and recalls are stamped as they are here.
        For ``patience_s``, 30 unless given, a request is sent again while the service says that it is busy.
        """
        self._client = ServiceClient(url, key, transport, owned, patience_s)
        self._owns = owned is not None

    # Appending

    def submit(self, draft: Draft) -> Answer:
        """Append a command, and return what the fold said of it.

        Raises LogError when the service or its log is away, and NotYetError when it was not folded within 30 s.
        """
        by = self._by(draft)
        asked = Asked(draft.memory, "/commands", {"deadline_s": _DEADLINE_S}, body_of(draft.value), again=True, by=by)
        return answer_of(draft, orjson.loads(self._client.send(asked)))

    def submit_many(self, drafts: Iterable[Draft], *, texts_first: bool = False) -> Iterator[tuple[Draft, Answer]]:
        """Append commands in order, up to a hundred of one memory in each request, and yield each with its answer.

        With ``texts_first`` the service gives them vectors afterwards, if it can. Raises as ``submit`` does.
        """
        for batch in (batch for _, said in groupby(drafts, self._together) for batch in batches(said)):
            query: Parameters = {"deadline_s": _DEADLINE_S, "vectors": "later" if texts_first else None}
            sent = {"commands": [body_of(draft.value) for draft in batch]}
            asked = Asked(batch[0].memory, "/commands/batch", query, sent, again=True, by=self._by(batch[0]))
            answers: list[dict[str, Any]] = orjson.loads(self._client.send(asked))["answers"]
            for draft, answer in zip(batch, answers, strict=True):
                yield draft, answer_of(draft, answer)

    # Asking

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once the service has folded the record at ``after``. Raises NotYetError at the deadline."""
        query: Parameters = {"after": after.written, "deadline_s": min(deadline_s, _DEADLINE_S), "count": 1}
        self._client.send(Asked(memory, "/timeline", query, after=after, by=UNRECORDED))

    def stand(
        self,
        memory: str,
        as_of: AsOf,
        deadline_s: float | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> None:
        """Return once the service has it as of a moment at hand. Raises NoSuchMomentError, and BeingBuiltError."""
        query: Parameters = {"as_of": as_of.written, "deadline_s": _STAND_S}
        self._built(Asked(memory, "/moment", query, by=UNRECORDED), OF[AskMoment].answer, deadline_s, progress)

    def ask(self, memory: str, query: Query[T], by: Speaker | None = None, at: At = NOW) -> T:
        """Let the service answer a query, and record it in the name of the key where that says so and ``by`` is given.

        Raises what the service says is wrong: NotYetError, UnknownMemoryError, and what the query's row names.
        """
        if at.otherwise is not None and at.as_of is not None:
            return self._ask_other(memory, query, at, at.otherwise, at.as_of)
        read = OF[type(query)]
        said = query.sent()
        named = {name: said.pop(name) for name in read.parts}
        path = read.path_of({name: quoted(value) for name, value in named.items()})
        if at.after is not None:
            said |= {"after": at.after.written, "deadline_s": min(at.deadline_s, _DEADLINE_S)}
        if at.trust_min:
            said["trust_min"] = max(at.trust_min, said.get("trust_min", 0))
        if at.as_of is not None:
            said |= {"as_of": at.as_of.written} | ({"quarantined": True} if at.quarantined else {})
        recorded = by is not None and said.get("record", True)
        if isinstance(query, Searched):
            query.check_of(memory)
            said["record"] = recorded
        about = str(next(iter(named.values()), said.get("ref") or said.get("episode") or ""))
        headers: Mapping[str, str] = UNRECORDED
        if by is not None and recorded:
            headers = spoken(by.source, by.process, by.origin) if self._owns else {}
        again = not (recorded and read.recorded == "recall")  # what is noticed twice is noticed more
        asked = Asked(memory, path, ref=about, after=at.after, by=headers, again=again)
        asked = replace(asked, sent=said) if read.method == "POST" else replace(asked, query=said)
        return cast("T", self._read(asked, read.answer))

    def suppose(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf | None = None,
        deadline_s: float | None = None,
        progress: Callable[[int, int], object] | None = None,
        trust_min: int = 0,
    ) -> tuple[AsOf, Voids]:
        """Let the service build a memory as it would stand; return of which moment, and what is void there."""
        found = self._supposed(memory, otherwise, as_of, {"trust_min": trust_min}, deadline_s, progress)
        return AsOf.of(found.moment), found.voids

    def differs(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf,
        deadline_s: float | None = None,
        trust_min: int = 0,
    ) -> Differs:
        """Return how its graph differs from that of reality at that moment."""
        return self._supposed(memory, otherwise, as_of, {"trust_min": trust_min}, deadline_s).differs

    def fork(
        self,
        memory: str,
        moment: AsOf,
        name: str,
        *,
        quarantined: bool = False,
        progress: Progress | None = None,
        admit: Admit | None = None,
    ) -> Forked:
        """Let the service make a fork, and return it once it is made. What is admitted the service knows."""
        sent = {"moment": moment.written, "name": name, "quarantined": quarantined, "deadline_s": _STAND_S}
        return self._built(Asked(memory, "/forks", sent=sent), Forked, None, progress)

    def lineage_of_fork(self, memory: str, progress: Progress | None = None) -> ForkLineage:
        """Return where a fork comes from."""
        asked = Asked(memory, "/fork-lineage", {"deadline_s": _STAND_S}, by=UNRECORDED)
        return self._built(asked, ForkLineage, None, progress)

    def compare(self, memory: str, other: str, trust_min: int = 0, progress: Progress | None = None) -> Differs:
        """Return how the graph of ``other`` differs from that of ``memory``."""
        query: Parameters = {"other": other, "trust_min": trust_min, "deadline_s": _STAND_S}
        return self._built(Asked(memory, "/compare", query, by=UNRECORDED), Differs, None, progress)

    def verify_against_log(self, memory: str, progress: Progress | None = None) -> AgainstLog:
        """Let the service compare a memory with what its log gives."""
        asked = Asked(memory, "/against-log", {"deadline_s": _STAND_S}, by=UNRECORDED)
        return self._built(asked, AgainstLog, None, progress)

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest at ``seq`` if the memory still stands there; the service keeps no earlier ones at hand."""
        found = self.ask(memory, AskDigest())
        if found.as_of != seq:
            raise YggdrasilError(
                f"{memory} has moved on from seq {seq} to {found.as_of}; every host has computed the digest at {seq}, "
                f"and `yggdrasil replay --as-of {seq}` shows it"
            )
        return found.digest

    def speaks_as(self, source: str) -> str:
        """Return the name in which the service lets ``source`` speak: that of the key, or its own as the owner's."""
        return source if self._owns else self.caller().name

    def caller(self) -> CallerAnswer:
        """Return who the key is: under which name it speaks, what it opens and may do."""
        return self._read(Asked("", "/caller"), CallerAnswer)

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of the memories that the key opens, or of one tenant's, sorted."""
        found: list[str] = orjson.loads(self._client.send(Asked("", "", {"forks": True})))["memories"]
        return [name for name in found if tenant is None or tenant_of(name) == tenant]

    def moved(
        self, since: str | None, prefix: str, count: int, opens: Callable[[str], bool] | None = None
    ) -> MovedAnswer:
        """Return memories that have moved since the ``place`` of an earlier answer, those that the key opens."""
        found = self._read(Asked("", "/moved", {"since": since, "count": count}), MovedAnswer)
        ours = [each for each in found.moved if each.memory.startswith(prefix)]
        return replace(found, moved=[each for each in ours if opens is None or opens(each.memory)])

    def lags(self) -> list[Lag]:
        """Return nothing: how far the service is stands in its metrics, for those who run it."""
        return []

    def close(self) -> None:
        """Let go of all connections. Closing twice is allowed."""
        self._client.close()

    def _ask_other(self, memory: str, query: Query[T], at: At, otherwise: Otherwise, as_of: AsOf) -> T:
        """Let the service answer a query in a history that never was."""
        read, said = OF[type(query)], query.sent()
        said.pop("record", None)
        least = max(at.trust_min, said.pop("trust_min", 0))
        asked = {"read": read.name, "arguments": said, "trust_min": least}
        answered = self._supposed(memory, otherwise, as_of, asked).other or HistoryAnswer()
        if answered.problem is not None:
            about = Asked(memory, "/what-if", ref=str(said.get("ref") or said.get("id") or ""))
            raise self._client.wrong(about, answered.problem, answered.problem["status"])
        return cast("T", _SHAPE(read.answer).validate_python(answered.answer))

    def _supposed(
        self,
        memory: str,
        otherwise: Otherwise,
        as_of: AsOf | None,
        asked: Mapping[str, Any],
        deadline_s: float | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> WhatIf:
        """Return what the service says of what would be, once that is built. Raises BeingBuiltError at the deadline."""
        sent: dict[str, Any] = {
            "without": otherwise.without,
            "without_source": otherwise.without_source,
            "without_session": otherwise.without_session,
            "policy": dict(otherwise.policy),
            "with_": [body_of(value) for value in otherwise.with_],
            "as_of": None if as_of is None else as_of.written,
            "deadline_s": _STAND_S,
        }
        by = spoken_of(otherwise.with_[0]) if self._owns and otherwise.with_ else {}
        request = Asked(memory, "/what-if", sent=sent | dict(asked), by=by)
        return self._built(request, WhatIf, deadline_s, progress)

    def _built(self, asked: Asked, kind: type[T], deadline_s: float | None, progress: Progress | None) -> T:
        """Return an answer once it is built, of which ``progress`` is told. Raises BeingBuiltError at the deadline."""
        until = None if deadline_s is None else monotonic() + deadline_s
        watched = replace(asked, watched=True)
        while True:
            try:
                return self._read(watched, kind)
            except BeingBuiltError as error:
                if progress is not None:
                    progress(error.done, error.total)
                if until is not None and monotonic() >= until:
                    raise

    def _together(self, draft: Draft) -> tuple[str, dict[str, str]]:
        """Return what the commands of one request have in common."""
        return draft.memory, self._by(draft)

    def _by(self, draft: Draft) -> dict[str, str]:
        return spoken_of(draft.value) if self._owns else {}

    def _read(self, asked: Asked, kind: type[T]) -> T:
        answer: T = _SHAPE(kind).validate_json(self._client.send(asked))
        return answer
