"""The record of a reading: what was asked, what was returned, and by which means, so that it can be proved later."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import Any, Final, TypeVar

from yggdrasil_infra.log import LogError, NotFoldedError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask, Purpose, Speaker
from yggdrasil_projections.retrieval.errors import CommandRefusedError, NotReadyError, NotYetError
from yggdrasil_schemas.commands.vectors import Vector

_NAMED: Final = ("ranker", "tokenizer", "index")  # versions that have fields of their own; others are parameters
RECALL_S: Final = 1.5
"""How long the record of a reading may keep its answer back."""
_AT_ONCE: Final = 32  # threads of a service that read, and some more
_Answered = TypeVar("_Answered", Context, SimilarCases)


def record_recall(
    submit: Callable[[Draft], Answer], ask: Ask, purpose: Purpose, answered: _Answered, by: Speaker
) -> _Answered:
    """Append the record of an answer through ``submit``, and return the answer with its ``recall_id``.

    It has ``recorded`` false when nothing could be appended, or not soon. Raises CommandRefusedError when the memory
    did not take it, and InvalidCommandError for a speaker or a query that no command can name.
    """
    drafter = Drafter(ask.memory, by.source, by.process, by.origin)
    draft = drafter.draft("record_recall", _body(ask, purpose, answered), _content(ask), by.session)
    try:
        answer = submit(draft)
    except (NotYetError, NotFoldedError):  # it is in the log, and will be folded
        return replace(answered, recall_id=draft.id, recorded=True)
    except (LogError, NotReadyError):
        return answered
    if answer.refused is not None:
        raise CommandRefusedError(answer.refused)
    return replace(answered, recall_id=draft.id, recorded=True)


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
            under_way = self._threads.submit(self._submit, draft)
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


def _body(ask: Ask, purpose: Purpose, answered: Context | SimilarCases) -> dict[str, Any]:
    parameters: dict[str, int | float | str] = {} if ask.k is None else {"k": ask.k}
    if ask.tokens_max is not None:
        parameters["tokens_max"] = ask.tokens_max
    if ask.min_confidence is not None:
        parameters["min_confidence"] = ask.min_confidence
    if ask.deep:
        parameters["cases"] = purpose == "similar_cases"  # the purpose says that it was deep, and not which read it was
    if ask.similar:
        parameters["similar"] = True
    parameters |= {name: version for name, version in answered.versions.items() if name not in _NAMED}
    return {
        "purpose": "deep" if ask.deep else purpose,
        "as_of": answered.as_of,
        "returned": answered.refs,
        "parameters": parameters,
        **{name: answered.versions[name] for name in _NAMED},
    }


def _content(ask: Ask) -> dict[str, Any]:
    content: dict[str, Any] = {"text": ask.query}
    if ask.where is not None:  # who and what was asked about is nobody's business whose key is gone
        content["payload"] = {"where": ask.where.given()}
    if ask.more is not None:  # what had been told belongs to what was asked
        content["payload"] = content.get("payload", {}) | {"more": ask.more}
    if ask.vector is not None:
        content["vector"] = Vector.of(ask.vector.model, ask.vector.data).model_dump()
    return content
