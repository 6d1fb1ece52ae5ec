"""What a recall had asked, as its record says it: so that the same can be asked again, of this state or of another."""

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson

from yggdrasil_schemas.commands import ClearContent, RecordRecall
from yggdrasil_schemas.commands.vectors import Vector

from ...answers import Context, SimilarCases
from ...asks import Ask, Clause, QueryVector, Where
from ...errors import InvalidAskError
from ...questions.understood import Understood
from ..learning.cases import similar_cases
from ..learning.context import search_context


def is_of_cases(command: RecordRecall) -> bool:
    """Whether a recall asked for similar cases, and not for context."""
    body = command.body
    return body.parameters.get("cases") is True if body.purpose == "deep" else body.purpose == "similar_cases"


def search_for(command: RecordRecall) -> Callable[..., Context | SimilarCases]:
    """Return the read that a recall is the record of."""
    if is_of_cases(command):
        return similar_cases
    return partial(search_context, follows="followed" in command.body.parameters)


def asked_in(command: RecordRecall) -> Ask:
    """Return what a recall had asked. Raises InvalidAskError when its content is sealed, or says no such thing."""
    content = command.content
    if not isinstance(content, ClearContent):
        raise InvalidAskError("the question is sealed or was not recorded: open it with its key first")
    wanted: dict[str, Any] = dict(command.body.parameters)
    payload: dict[str, Any] = content.payload or {}
    given: Any = payload.get("where", {})
    vector, read = content.vector, payload.get("understood")
    try:
        clauses = tuple(map(_clause, payload.get("clauses", ())))
        return Ask(
            command.memory,
            content.text or "",
            k=wanted.get("k"),
            tokens_max=wanted.get("tokens_max"),
            vector=None if vector is None else QueryVector(vector.model, vector.values),
            deep=command.body.purpose == "deep",
            where=Where(**given),
            min_confidence=wanted.get("min_confidence"),
            more=payload.get("more"),
            similar=wanted.get("similar", False),
            full="shown" not in wanted,  # those from before there were excerpts had all texts whole
            clauses=clauses,
            role=wanted.get("role"),
            perspectives=tuple(command.body.perspectives),
            understood=None if read is None else Understood.of(read | {"clauses": [one.text for one in clauses]}),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        said = orjson.dumps(wanted | ({"where": given} if given else {})).decode()
        raise InvalidAskError(f"the recall's parameters cannot be asked again: {said}") from error


def _clause(said: dict[str, Any]) -> Clause:
    vector = said.get("vector")
    made = None if vector is None else Vector(**vector)
    asked = None if made is None else QueryVector(made.model, made.values)
    return Clause(said["text"], asked, said.get("otherwise", False))
