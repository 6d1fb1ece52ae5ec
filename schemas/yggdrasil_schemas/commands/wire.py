"""What every model on the wire is made of: strict models, and the forms of ids and names."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, StringConstraints, TypeAdapter, ValidationError
from pydantic_core import CoreSchema

from .. import limits
from .documented import attribute_docstrings

_UUID: Final = r"^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
# A part begins with a letter, a digit or an underscore: an id becomes a path, a URL, an argument sooner or later.
_MEMORY: Final = r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$"

CommandId = Annotated[str, StringConstraints(pattern=_UUID)]
"""A UUIDv7 or UUIDv8 in canonical lower case."""
MemoryId = Annotated[str, StringConstraints(pattern=_MEMORY)]
"""``tenant/agent``; each part 1 to 64 of ``A-Z a-z 0-9 . _ -``, the first no dot or dash."""
PRINTABLE: Final = r"[^\x00-\x1f\x7f-\x9f]"  # names reach terminals and logs, so they hold no control characters
Name = Annotated[str, StringConstraints(pattern=rf"^{PRINTABLE}{{1,{limits.NAME_CHARS_MAX}}}$")]
_SNAPSHOT: Final = r"^[A-Za-z_][A-Za-z0-9._-]{0,63}$"
SnapshotName = Annotated[str, StringConstraints(pattern=_SNAPSHOT)]
"""What a moment is called: 1 to 64 of ``A-Z a-z 0-9 . _ -``, the first a letter or ``_``, so no seq and no date."""
PerspectiveName = Annotated[str, StringConstraints(pattern=rf"^{PRINTABLE}{{1,{limits.PERSPECTIVE_CHARS_MAX}}}$")]
"""What an agent cares about, such as ``Cost``; a role that a memory defines has up to eight of them."""
Feature = Annotated[str, StringConstraints(pattern=rf"^{PRINTABLE}{{1,{limits.FEATURE_CHARS_MAX}}}$")]
_REF: Final = rf"{_UUID}|^feature:{PRINTABLE}{{1,{limits.FEATURE_CHARS_MAX}}}$"
NodeRef = Annotated[str, StringConstraints(pattern=_REF)]
"""A node as agents name it: the id of the command that made it, or ``feature:`` and the feature's name."""
_AS_REF: Final[TypeAdapter[str]] = TypeAdapter(NodeRef)
REF_EXAMPLE: Final = "01a21676-f337-78a0-9964-829a716af9e9"
FORMS: Final = {
    _UUID: f"no id of a command, which looks like {REF_EXAMPLE}",
    _REF: f"no reference, which looks like {REF_EXAMPLE}, or is feature: and a name",
    _MEMORY: "no id of a memory, which is two names with a slash between, each 1 to 64 letters, digits and . _ -",
    _SNAPSHOT: "1 to 64 letters, digits and . _ -, of which the first is a letter or _, such as before-release",
}
"""What a text is not that has not the form of a pattern."""
Count = Annotated[int, Field(ge=0, le=limits.SEQ_MAX)]
UNIQUE: Final[dict[str, Any]] = {"uniqueItems": True}  # for the exported schema; a validator holds it here
# A list made anew costs a tenth of one that pydantic copies; the exported schema still shows the default.
EMPTY: Final[dict[str, Any]] = {"default": []}


def is_ref(text: str) -> bool:
    """Whether a text has the form of a reference; whether it refers to anything is for a memory to say."""
    try:
        _AS_REF.validate_python(text)
    except ValidationError:
        return False
    return True


class Strict(BaseModel):
    """Base of every model on the wire: no coercion, no unknown fields, finite numbers only."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema, with what stands below each field in the source.

        Pydantic would read that whenever a model is made, which was a fifth of the time in which any command starts.
        """
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema)["properties"]
        for name, text in attribute_docstrings(cls).items():
            if name in properties:  # and none of the class, which nobody sends
                properties[name].setdefault("description", text)
        return schema


def each_once(name: str, entries: list[str]) -> list[str]:
    """Return ``entries``. Raises ValueError when one occurs twice."""
    if len(set(entries)) != len(entries):
        raise ValueError(f"{name} must be unique")
    return entries


Perspectives = Annotated[
    list[PerspectiveName],
    Field(default_factory=list[str], max_length=limits.PERSPECTIVES_MAX, json_schema_extra=UNIQUE | EMPTY),
]
"""Perspectives by name, each once. One that no role of the memory has changes nothing."""
