"""What is said of a wrong field: words, and never a regular expression or a kind of pydantic's."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from yggdrasil_infra.http.keys.keyfile import _FORMS as OF_KEYS
from yggdrasil_infra.http.keys.keyfile import KeyFile
from yggdrasil_infra.http.parameters import FORMS
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.commands.wording import placed, wording

LOOKAHEAD = "(?"  # only the exported schemas have one: pydantic's patterns know none
UNKNOWN = "has not the form that it must have"
INTERNAL = re.compile(r"Input should|string_|_type|_parsing|_error|\^|\\x|\$$")


def patterns_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(found := schema.get("pattern"), str) and LOOKAHEAD not in found.replace("(?:", ""):
            yield found
        for each in schema.values():
            yield from patterns_in(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from patterns_in(each)


def test_each_pattern_has_words() -> None:
    found = {each for command in COMMANDS.values() for each in patterns_in(command.model_json_schema())}
    found |= {*patterns_in(KeyFile.model_json_schema()), *FORMS}
    assert len(found) > 10
    for pattern in found:
        entry = {"type": "string_pattern_mismatch", "msg": "String should match", "ctx": {"pattern": pattern}}
        said = wording(entry, forms=FORMS | OF_KEYS)
        assert said != UNKNOWN and not INTERNAL.search(said), (pattern, said)
    unknown = {"type": "string_pattern_mismatch", "msg": "String should match '^x$'", "ctx": {"pattern": "^x$"}}
    assert wording(unknown) == UNKNOWN


class Within(BaseModel):
    x: int


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (int, "x", "must be a whole number"),
        (int, 1.5, "must be a whole number"),
        (float, "x", "must be a number"),
        (str, 7, "must be a text"),
        (bool, "x", "must be true or false"),
        (list[int], 7, "must be a list"),
        (dict[str, int], 7, "must be an object"),
        (Within, 7, "must be an object"),
        (Within, {}, "missing"),
        (Literal["a", "b"], "c", "must be a or b"),
        (Annotated[int, Field(gt=1)], 1, "more than 1"),
        (Annotated[int, Field(ge=1)], 0, "at least 1"),
        (Annotated[int, Field(lt=1)], 1, "less than 1"),
        (Annotated[int, Field(le=1)], 2, "at most 1"),
        (Annotated[str, Field(min_length=2)], "x", "fewer than 2 characters"),
        (Annotated[str, Field(max_length=2)], "xyz", "more than 2 characters"),
        (Annotated[list[int], Field(min_length=2)], [1], "1 entries, at least 2"),
    ],
)
def test_what_a_field_must_be(kind: Any, given: Any, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(given)
    assert wording(caught.value.errors()[0]) == said


def test_the_place_of_a_field_stands_before_what_is_wrong_with_it() -> None:
    missing = {"type": "missing", "loc": ("body", 0, "k" * 100)}
    assert placed(missing) == f"body.0.{'k' * 80}: missing"
    assert placed({"type": "value_error", "loc": (), "msg": "Value error, they differ"}) == "they differ"
