"""The engine over HTTP: what it is told to append and asked goes to a query service, wherever that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from itertools import groupby
from typing import Any, Final, TypeVar

import httpx2
import orjson
from pydantic import TypeAdapter

from yggdrasil_infra.http.callers import CallerAnswer, spoken
from yggdrasil_infra.log import Receipt
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import (
    Became,
    Context,
    Described,
    Foretelling,
    Place,
    SimilarCases,
    Timeline,
)
from yggdrasil_projections.retrieval.asks import Ask, Speaker, Where
from yggdrasil_projections.retrieval.reads.drift import Drift
from yggdrasil_projections.retrieval.reads.episodic.episodes import Episode, Episodes
from yggdrasil_projections.retrieval.reads.episodic.what_next import AskNext, WhatNext
from yggdrasil_projections.retrieval.reads.episodic.working_memory import WorkingMemory
from yggdrasil_projections.retrieval.reads.explain import Explanation
from yggdrasil_projections.retrieval.reads.happened import Happenings
from yggdrasil_projections.retrieval.reads.knowledge.claims import AskClaims, Claims, Entity
from yggdrasil_projections.retrieval.reads.knowledge.conflicts import Contradictions
from yggdrasil_projections.retrieval.reads.knowledge.history import History
from yggdrasil_projections.retrieval.reads.knowledge.lineage import ClaimLineage, Dependents
from yggdrasil_projections.retrieval.reads.knowledge.rulings import Rulings
from yggdrasil_projections.retrieval.reads.neighbourhood import Neighbourhood
from yggdrasil_projections.retrieval.reads.overview import Overview
from yggdrasil_projections.service.reads import Lag
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import YggdrasilError

from .service_client import (
    Asked,
    Query,
    ServiceClient,
    answer_of,
    batches,
    body_of,
    quoted,
    receipt_of,
    spoken_of,
    written,
)

_DEADLINE_S: Final = 30.0  # what the service grants at most
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
        asked = Asked(draft.memory, "/commands", {"deadline_s": _DEADLINE_S}, body_of(draft), again=True, by=by)
        return answer_of(draft, orjson.loads(self._client.send(asked)))

    def submit_many(self, drafts: Iterable[Draft]) -> Iterator[tuple[Draft, Answer]]:
        """Append commands in order, up to a hundred of one memory in each request, and yield each with its answer.

        Raises as ``submit`` does.
        """
        for batch in (batch for _, said in groupby(drafts, self._together) for batch in batches(said)):
            query: Query = {"deadline_s": _DEADLINE_S}
            sent = {"commands": [body_of(draft) for draft in batch]}
            asked = Asked(batch[0].memory, "/commands/batch", query, sent, again=True, by=self._by(batch[0]))
            answers: list[dict[str, Any]] = orjson.loads(self._client.send(asked))["answers"]
            for draft, answer in zip(batch, answers, strict=True):
                yield draft, answer_of(draft, answer)

    # Asking

    def wait(self, memory: str, after: Receipt, deadline_s: float) -> None:
        """Return once the service has folded the record at ``after``. Raises NotYetError at the deadline."""
        query: Query = {"after": written(after), "deadline_s": min(deadline_s, _DEADLINE_S), "count": 1}
        self._client.send(Asked(memory, "/timeline", query, after=after))

    def context(self, ask: Ask, by: Speaker | None) -> Context:
        """Answer, and let the service record the recall, in the name of the key, if ``by`` is given."""
        return self._asked("/context", ask, by, Context)

    def similar_cases(self, ask: Ask, by: Speaker | None) -> SimilarCases:
        """Answer with cases, and let the service record the recall if ``by`` is given."""
        return self._asked("/similar-cases", ask, by, SimilarCases)

    def foretell(self, memory: str, text: str, features: Sequence[str]) -> Foretelling:
        """Return what the features of a situation foretell, and what follows them. Raises UnknownMemoryError."""
        sent = {"text": text, "features": list(features)}
        return self._read(Asked(memory, "/foretold", sent=sent, again=True), Foretelling)

    def explain(self, memory: str, action: str) -> Explanation:
        """Return the lineage of an action. Raises UnknownMemoryError and UnknownActionError."""
        return self._read(Asked(memory, f"/actions/{quoted(action)}", ref=action), Explanation)

    def describe(self, memory: str, ref: str) -> Described:
        """Return one memory by its reference. Raises UnknownMemoryError and UnknownNodeError."""
        return self._read(Asked(memory, f"/nodes/{quoted(ref)}", ref=ref), Described)

    def neighbourhood(self, memory: str, ref: str, count: int, depth: int = 1) -> Neighbourhood:
        """Return the ``count`` nearest edges around one memory. Raises UnknownNodeError and InvalidAskError."""
        query: Query = {"count": count, "depth": depth}
        return self._read(Asked(memory, f"/nodes/{quoted(ref)}/neighbours", query, ref=ref), Neighbourhood)

    def timeline(
        self, memory: str, *, session: str | None, before: int | None, count: int, where: Where | None = None
    ) -> Timeline:
        """Return at most ``count`` events and episodes with a seq below ``before``, of one session or of all."""
        query: Query = {"session": session, "before": before, "count": count}
        if where is not None:
            query = {**query, "where": orjson.dumps(where.given()).decode()}
        return self._read(Asked(memory, "/timeline", query), Timeline)

    def happened(self, memory: str, *, since: int, count: int) -> Happenings:
        """Return at most ``count`` live events, outcomes, episodes and concepts with a seq beyond ``since``, in order.

        The service hands over at most 1,000 at a time.
        """
        query: Query = {"since": since, "count": count}
        return self._read(Asked(memory, "/happened", query), Happenings)

    def working_memory(self, memory: str, *, session: str | None, count: int) -> WorkingMemory:
        """Return what is in mind in one open session or in all."""
        query: Query = {"session": session, "count": count}
        return self._read(Asked(memory, "/working-memory", query), WorkingMemory)

    def episodes(self, memory: str, *, session: str | None, before: int | None, count: int) -> Episodes:
        """Return at most ``count`` episodes with a seq below ``before``, of one session or of all."""
        query: Query = {"session": session, "before": before, "count": count}
        return self._read(Asked(memory, "/episodes", query), Episodes)

    def episode(self, memory: str, ref: str) -> Episode:
        """Return one episode. Raises UnknownNodeError, and InvalidAskError for what is none."""
        return self._read(Asked(memory, f"/episodes/{quoted(ref)}", ref=ref), Episode)

    def what_next(self, memory: str, ask: AskNext) -> WhatNext:
        """Return what usually comes next. Raises UnknownNodeError and InvalidAskError."""
        sent = {name: value for name, value in asdict(ask).items() if value}
        return self._read(Asked(memory, "/what-next", sent=sent, again=True, ref=ask.episode or ""), WhatNext)

    def history(self, memory: str, *, ref: str | None, key: str | None, standing: bool = False) -> History:
        """Return what was said in one slot, the first first. Raises UnknownMemoryError and UnknownNodeError."""
        query: Query = {"ref": ref, "key": key}
        if standing:
            query = {**query, "standing": "true"}
        return self._read(Asked(memory, "/history", query, ref=ref or ""), History)

    def claims(self, memory: str, ask: AskClaims) -> Claims:
        """Return the claims that are asked for: of now, unless it says of when."""
        query: dict[str, Any] = asdict(ask)
        if isinstance(ask.object, bool):
            query |= {"object": None, "flag": ask.object}
        return self._read(Asked(memory, "/claims", query), Claims)

    def lineage(self, memory: str, ref: str) -> ClaimLineage:
        """Return why a claim is believed. Raises UnknownNodeError and InvalidAskError."""
        return self._read(Asked(memory, f"/claims/{quoted(ref)}/lineage", ref=ref), ClaimLineage)

    def dependents(self, memory: str, ref: str, *, depth: int, count: int) -> Dependents:
        """Return what rests on a memory. Raises UnknownNodeError and InvalidAskError."""
        query: Query = {"depth": depth, "count": count}
        return self._read(Asked(memory, f"/nodes/{quoted(ref)}/dependents", query, ref=ref), Dependents)

    def entity(self, memory: str, name: str, *, valid_at: int | None, count: int) -> Entity:
        """Return a thing with what is claimed of it now, or at a moment."""
        return self._read(Asked(memory, f"/entities/{quoted(name)}", {"valid_at": valid_at, "count": count}), Entity)

    def contradictions(self, memory: str, *, count: int) -> Contradictions:
        """Return at most ``count`` conflicts. Raises UnknownMemoryError."""
        return self._read(Asked(memory, "/contradictions", {"count": count}), Contradictions)

    def rulings(self, memory: str) -> Rulings:
        """Return what people decided between claims. Raises UnknownMemoryError."""
        return self._read(Asked(memory, "/rulings"), Rulings)

    def drift(self, memory: str) -> Drift:
        """Return what the latest of a memory says of its habits."""
        return self._read(Asked(memory, "/drift"), Drift)

    def overview(self, memory: str) -> Overview:
        """Return the counts of a memory."""
        found = orjson.loads(self._client.send(Asked(memory, "/stats")))
        overview: Overview = _SHAPE(Overview).validate_python(found["overview"])
        return overview

    def became(self, memory: str, command_id: str) -> Became | None:
        """Return what became of a command; None when the fold has not met it."""
        answer = self._client.look(Asked(memory, f"/commands/{quoted(command_id)}"), "unknown_command")
        if answer is None:
            return None
        found: dict[str, Any] = orjson.loads(answer)
        receipt = receipt_of(found["receipt"])
        place = Place(found["seq"], receipt.partition, receipt.offset)
        return Became(found["id"], found["accepted"], place, found["reason"], found["detail"], found["as_of"])

    def digest(self, memory: str) -> tuple[str, int]:
        """Return the state digest of a memory, and the seq that it is of. Takes a key with the role audit."""
        found = orjson.loads(self._client.send(Asked(memory, "/digest")))
        return found["digest"], found["as_of"]

    def attested(self, memory: str, seq: int) -> str:
        """Return the digest at ``seq`` if the memory still stands there; the service keeps no earlier ones at hand."""
        digest, as_of = self.digest(memory)
        if as_of != seq:
            raise YggdrasilError(
                f"{memory} has moved on from seq {seq} to {as_of}; every host has computed the digest at {seq}, and "
                f"`yggdrasil replay --as-of {seq}` shows it"
            )
        return digest

    def caller(self) -> CallerAnswer:
        """Return who the key is: under which name it speaks, what it opens and may do."""
        return self._read(Asked("", "/caller"), CallerAnswer)

    def memories(self, tenant: str | None) -> list[str]:
        """Return the ids of the memories that the key opens, or of one tenant's, sorted."""
        found: list[str] = orjson.loads(self._client.send(Asked("", "")))["memories"]
        return [name for name in found if tenant is None or name.split("/", 1)[0] == tenant]

    def lags(self) -> list[Lag]:
        """Return nothing: how far the service is stands in its metrics, for those who run it."""
        return []

    def close(self) -> None:
        """Let go of all connections. Closing twice is allowed."""
        self._client.close()

    def _asked(self, path: str, ask: Ask, by: Speaker | None, kind: type[T]) -> T:
        sent: dict[str, Any] = {"query": ask.query, "record": by is not None}
        if ask.k is not None:
            sent["k"] = ask.k
        if ask.tokens_max is not None:
            sent["tokens_max"] = ask.tokens_max
        if by is not None and by.session is not None:
            sent["session"] = by.session
        if ask.min_confidence is not None:
            sent["min_confidence"] = ask.min_confidence
        if ask.more is not None:
            sent["more"] = ask.more
        if ask.deep:
            sent["deep"] = True
        if ask.similar:
            sent["similar"] = True
        if ask.features:
            sent["features"] = list(ask.features)
        if ask.where is not None:
            sent["where"] = ask.where.given()
        if ask.vector is not None:
            sent["vector"] = Vector.of(ask.vector.model, ask.vector.data).model_dump()
        said = spoken(by.source, by.process, by.origin) if self._owns and by is not None else {}
        return self._read(Asked(ask.memory, path, sent=sent, again=by is None, by=said), kind)

    def _together(self, draft: Draft) -> tuple[str, dict[str, str]]:
        """Return what the commands of one request have in common."""
        return draft.memory, self._by(draft)

    def _by(self, draft: Draft) -> dict[str, str]:
        return spoken_of(draft) if self._owns else {}

    def _read(self, asked: Asked, kind: type[T]) -> T:
        answer: T = _SHAPE(kind).validate_json(self._client.send(asked))
        return answer
