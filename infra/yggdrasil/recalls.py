"""The record of a reading: what was asked, what was returned, and by which means, so that it can be proved later."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.answers import Context, SimilarCases
from yggdrasil_projections.retrieval.asks import Ask, Purpose
from yggdrasil_projections.retrieval.errors import CommandRefusedError, NotReadyError, NotYetError
from yggdrasil_projections.service.reads import Speaker
from yggdrasil_schemas.vectors import Vector

_NAMED: Final = ("ranker", "tokenizer", "index")  # versions that have fields of their own; others are parameters
_Answered = TypeVar("_Answered", Context, SimilarCases)


def record_recall(
    submit: Callable[[Draft], Answer], ask: Ask, purpose: Purpose, answered: _Answered, by: Speaker
) -> _Answered:
    """Append the record of an answer through ``submit``, and return the answer with its ``recall_id``.

    It has ``recorded`` false when nothing could be appended. Raises CommandRefusedError when the memory did not take
    it, and InvalidCommandError for a speaker or a query that no command can name.
    """
    drafter = Drafter(ask.memory, by.source, by.process, by.origin)
    draft = drafter.draft("record_recall", _body(ask, purpose, answered), _content(ask), by.session)
    try:
        answer = submit(draft)
    except NotYetError:  # it is in the log, and will be folded
        return replace(answered, recall_id=draft.id, recorded=True)
    except (LogError, NotReadyError):
        return answered
    if answer.refused is not None:
        raise CommandRefusedError(answer.refused)
    return replace(answered, recall_id=draft.id, recorded=True)


def _body(ask: Ask, purpose: Purpose, answered: Context | SimilarCases) -> dict[str, Any]:
    parameters: dict[str, int | str] = {"k": ask.k}
    if ask.tokens_max is not None:
        parameters["tokens_max"] = ask.tokens_max
    parameters |= {name: version for name, version in answered.versions.items() if name not in _NAMED}
    return {
        "purpose": purpose,
        "as_of": answered.as_of,
        "returned": answered.refs,
        "parameters": parameters,
        **{name: answered.versions[name] for name in _NAMED},
    }


def _content(ask: Ask) -> dict[str, Any]:
    content: dict[str, Any] = {"text": ask.query}
    if ask.vector is not None:
        content["vector"] = Vector.of(ask.vector.model, ask.vector.data).model_dump()
    return content
