"""The record of a reading: what was asked, what was returned, and by which means, so that it can be proved later."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from threading import Lock
from typing import Any, Final, TypeVar, cast

import numpy as np
import orjson

from yggdrasil_infra.log import LogError, NotFoldedError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask, Purpose, Speaker
from yggdrasil_projections.retrieval.errors import CommandRefusedError, NotReadyError, NotYetError
from yggdrasil_projections.retrieval.found import Answered
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.ranking.scoring.features import FEATURES
from yggdrasil_projections.retrieval.ranking.scoring.scorers import ONE
from yggdrasil_projections.retrieval.reads.experience.explain import Explanation
from yggdrasil_projections.retrieval.reads.learning.searched import Searched, clause_sent, vector_sent
from yggdrasil_projections.retrieval.reads.ranked.selecting import CHANCE, SELECTIONS
from yggdrasil_projections.retrieval.table import OF
from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.policy import Policy

from .source import Seen

_NAMED: Final = ("ranker", "tokenizer", "index")  # versions that have fields of their own; others are parameters
_UNRANKED: Final = {"ranker": "lineage/1", "tokenizer": "none", "index": "none"}
_NOT_OF_IT: Final = ("recorded", "read_id", "past", "past_ms", "withheld")
_PER_MILLE: Final = 1_000
RECALL_S: Final = 1.5
"""How long the record of a reading may keep its answer back."""
_AT_ONCE: Final = 32  # threads of a service that read, and some more
_T = TypeVar("_T")
_Found = TypeVar("_Found", Context, SimilarCases)
Submit = Callable[[Draft], Answer]


def recorded(submit: Submit, memory: str, query: Query[_T], answer: _T, by: Speaker, seen: Seen) -> _T:
    """Return an answer once it is recorded through ``submit``, as its row and the memory's policy say.

    What is recorded has the id of the command, and ``recorded`` true; it has it false when nothing could be appended,
    or not soon, or may not be. A recall raises CommandRefusedError when the memory did not take it, and
    InvalidCommandError for a speaker or a query that no command can name. Thinkers read without a trace.
    """
    if by.origin == "thinker" or OF[type(query)].recorded == "never":
        return answer
    if isinstance(query, Searched):
        search, found = cast("tuple[Any, Any]", (query, answer))
        return (
            cast("_T", record_recall(submit, search, found, by, seen.unsound, seen.policy)) if query.record else answer
        )
    drafter = Drafter(memory, by.source, by.process, by.origin)
    try:
        if isinstance(answer, Explanation):
            body = {"purpose": "explanation", "as_of": seen.seq, "returned": answer.refs, **_UNRANKED}
            draft = drafter.draft("record_recall", body)
            taken = _taken(submit, draft, by)
            return cast("_T", replace(answer, recall_id=draft.id, recorded=True)) if taken else answer
        if isinstance(answer, Answered) and seen.policy.reads_recorded:
            draft = drafter.draft("record_read", _read(query, answer, seen), {"payload": _asked(query, seen)})
            taken = _taken(submit, draft, by)
            return cast("_T", replace(answer, read_id=draft.id, recorded=True)) if taken else answer
    except (CommandRefusedError, InvalidCommandError, orjson.JSONEncodeError):  # the answer stands all the same
        return answer
    return answer


class Recording:
    """Submits records of readings, and lets no answer wait for one longer than ``seconds``.

    A log may take half a minute to say that it cannot be reached. Until it has said so, nothing else is begun: whoever
    reads then hears at once that it was not recorded. What was given up may yet reach the log; its id is in no answer.
    For any thread.
    """

    def __init__(self, submit: Callable[[Draft], Answer], seconds: float = RECALL_S) -> None:
        self._submit = submit
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(_AT_ONCE, "recall")
        self._counting = Lock()
        self._overdue = 0

    def submit(self, draft: Draft) -> Answer:
        """Return what the fold said of a command. Raises what the given ``submit`` raises, and NotReadyError instead
        of waiting longer.
        """
        if self._overdue:
            raise NotReadyError("what was to be recorded before has not reached the log yet")
        try:
            under_way = self._threads.submit(copy_context().run, self._submit, draft)
        except RuntimeError as error:  # closed
            raise NotReadyError("this host stops; ask another one, or try again in a moment") from error
        try:
            return under_way.result(self._seconds)
        except TimeoutError as error:
            if not under_way.cancel():
                with self._counting:
                    self._overdue += 1
                under_way.add_done_callback(self._done)  # at once, if it is done by now
            raise NotReadyError(f"the log has taken nothing for {self._seconds} s") from error

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _done(self, _: Future[Answer]) -> None:
        with self._counting:
            self._overdue -= 1


def record_recall(
    submit: Submit,
    query: Searched[_Found],
    found: _Found,
    by: Speaker,
    unsound: Sequence[int] = (),
    policy: Policy | None = None,
) -> _Found:
    """Return an answer to a search, from which ``unsound`` nodes were left out, once its recall is recorded.

    Raises as ``recorded`` does.
    """
    drafter = Drafter(query.ask.memory, by.source, by.process, by.origin)
    body, content = _recall(query.ask, query.purpose, found), _content(query.ask, found)
    if isinstance(found, Context) and policy is not None and policy.recall_features and found.found:
        content["payload"] = content.get("payload", {}) | {"features": _features(found)}
    if isinstance(found, Context) and (lots := _lots(found)):
        content["payload"] = content.get("payload", {}) | {"drawn": lots}
    if unsound:  # a proof leaves them out as well
        content["payload"] = content.get("payload", {}) | {"unsound": list(unsound)}
    draft = drafter.draft("record_recall", body, content, query.session)
    return replace(found, recall_id=draft.id, recorded=True) if _taken(submit, draft, by, query.record_bytes) else found


def _features(found: Context) -> dict[str, Any]:
    """Return the nine features of all that was found, principles left out, as a recall keeps them.

    18 bytes each, so 900 at most: whoever learns from what was used needs them as they were. Where chance chose, the
    chances of each in thousandths are there too.
    """
    rows = np.array([entry.scores.features for entry in found.found], "<i2")
    kept: dict[str, Any] = {"of": FEATURES, "after": len(found.principles), "rows": b64encode(rows.tobytes()).decode()}
    if found.versions.get("select") == SELECTIONS[CHANCE]:
        lots = [entry.drawn for entry in found.found]
        kept["chances"] = [_PER_MILLE if lot is None else max(1, lot.chance * _PER_MILLE // ONE) for lot in lots]
    return kept


def _lots(found: Context) -> list[list[int]]:
    """Return what chance has added: the place of each in what was returned, from 0, its rank, and its chance of 4,096.

    They are told without its text, and say nothing but how it came to be there.
    """
    places = enumerate(found.found, len(found.principles))
    return [[place, entry.drawn.rank, entry.drawn.chance] for place, entry in places if entry.drawn is not None]


def _taken(submit: Submit, draft: Draft, by: Speaker, about_bytes: int = 0) -> bool:
    """Return whether a record was appended. Raises CommandRefusedError when the memory did not take it."""
    if not by.may(about_bytes or len(draft.value)):
        return False
    try:
        answer = submit(draft)
    except (NotYetError, NotFoldedError):  # it is in the log, and will be folded
        return True
    except (LogError, NotReadyError):
        return False
    if answer.refused is not None:
        raise CommandRefusedError(answer.refused)
    return True


def _read(query: Query[Any], answer: Answered, seen: Seen) -> dict[str, Any]:
    """Return the body of a ``record_read``."""
    told: dict[str, Any] = orjson.loads(orjson.dumps(answer))
    digest = sha256(canonical_json({name: value for name, value in told.items() if name not in _NOT_OF_IT}))
    body: dict[str, Any] = {"read": OF[type(query)].name, "as_of": seen.seq, "digest": digest.hexdigest()}
    least = min(_trusts(answer), default=None)
    return body if least is None else body | {"trust_least": least}


def _trusts(shown: object) -> Iterator[int]:
    """Yield the trust of every memory that an answer shows."""
    if isinstance(shown, MemoryObject):
        yield shown.trust
    elif isinstance(shown, list):
        for each in cast("list[object]", shown):
            yield from _trusts(each)
    elif is_dataclass(shown):
        for each in fields(cast(Any, shown)):
            yield from _trusts(getattr(cast(Any, shown), each.name))


def _asked(query: Query[Any], seen: Seen) -> dict[str, Any]:
    """Return what was asked, as it would be sent, and which nodes were left out of the answer."""
    said: dict[str, Any] = orjson.loads(orjson.dumps(query.sent()))
    if seen.trust_min:
        said["trust_min"] = max(seen.trust_min, said.get("trust_min", 0))
    return said | {"unsound": list(seen.unsound)} if seen.unsound else said


def _recall(ask: Ask, purpose: Purpose, answered: Context | SimilarCases) -> dict[str, Any]:
    parameters: dict[str, int | float | str] = {} if ask.k is None else {"k": ask.k}
    if ask.tokens_max is not None:
        parameters["tokens_max"] = ask.tokens_max
    if ask.min_confidence is not None:
        parameters["min_confidence"] = ask.min_confidence
    if ask.deep:
        parameters["cases"] = purpose == "similar_cases"  # the purpose says that it was deep, and not which read it was
    if ask.similar:
        parameters["similar"] = True
    if ask.role is not None:
        parameters["role"] = ask.role
    parameters |= {name: version for name, version in answered.versions.items() if name not in _NAMED}
    return {
        "purpose": "deep" if ask.deep else purpose,
        "as_of": answered.as_of,
        "returned": answered.refs,
        "parameters": parameters,
        **({"perspectives": list(answered.perspectives)} if answered.perspectives else {}),
        **{name: answered.versions[name] for name in _NAMED},
    }


def _content(ask: Ask, found: Context | SimilarCases) -> dict[str, Any]:
    content: dict[str, Any] = {"text": ask.query}
    if ask.where is not None:  # who and what was asked about is nobody's business whose key is gone
        content["payload"] = {"where": ask.where.given()}
    if ask.more is not None:  # what had been told belongs to what was asked
        content["payload"] = content.get("payload", {}) | {"more": ask.more}
    understood = found.understood if isinstance(found, Context) else None  # with what of the memory it names
    if understood is not None:  # a proof takes it from here, and reads nothing again
        read = {name: each for name, each in understood.given().items() if name != "clauses"}
        content["payload"] = content.get("payload", {}) | {"understood": read}
    if ask.clauses:
        content["payload"] = content.get("payload", {}) | {"clauses": [clause_sent(each) for each in ask.clauses]}
    if ask.vector is not None:
        content["vector"] = vector_sent(ask.vector)
    return content
