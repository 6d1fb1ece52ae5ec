"""What goes over the wire: commands without what the gateway stamps, and what became of them."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, TypeAlias, Union

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler, TypeAdapter, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from yggdrasil_schemas.commands import COMMANDS, Envelope
from yggdrasil_schemas.commands.documented import attribute_docstrings
from yggdrasil_schemas.commands.wire import CommandId, Name, Strict
from yggdrasil_schemas.limits import TRUST_MAX
from yggdrasil_schemas.moments import MomentSent

from .appends import BATCH_MAX, Appended
from .authority import SPOKEN_BY
from .moments import VALID

_Id: TypeAlias = CommandId | None
_Session: TypeAlias = Name | None
_At: TypeAlias = MomentSent | None
_Trust: TypeAlias = Annotated[int, Field(ge=0, le=TRUST_MAX)] | None


class ShownAs:
    """Shows a field in the OpenAPI document as another type, while any object is let in.

    The language of the log checks commands itself, once, and says what is wrong in its own words.
    """

    def __init__(self, shown: TypeAdapter[Any]) -> None:
        self._shown = shown

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Let any object in."""
        return core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())

    def __get_pydantic_json_schema__(self, own: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Show the other type."""
        return handler(self._shown.core_schema)


def _described(model: type[Strict], name: str, schema: dict[str, Any]) -> None:
    """Say in the schema of a field what it is for in ``model``, where it was declared."""
    if (text := attribute_docstrings(model).get(name)) is not None:
        schema["description"] = text


def _with_moments(body: Any) -> Any:
    """Return the model of a body with its points in time as they are sent: as texts too."""
    times = [name for name in VALID if name in body.model_fields]
    if not times:
        return body
    described = {name: Field(None, json_schema_extra=partial(_described, body, name)) for name in times}
    fields: dict[str, Any] = {name: (_At, described[name]) for name in times}
    return create_model(body.__name__, __base__=body, __doc__=body.__doc__, **fields)


def _sent(kind: str) -> type[Strict]:
    """Return the model of a command as it is sent to the gateway."""
    model: type[Envelope] = COMMANDS[kind]
    fields: dict[str, Any] = {
        "id": (
            _Id,
            Field(None, description="Your own UUIDv7 makes it safe to send the command again; made here if left out."),
        ),
        "session": (_Session, Field(None, description="The conversation or task that the command belongs to.")),
        "at": (
            _At,
            Field(None, description="When it happened; the present if left out."),
        ),
        "trust": (
            _Trust,
            Field(
                None, description="How far it is trusted at most, if less than the key is: 0 for a stranger's words."
            ),
        ),
    }
    for name in ("type", "body"):
        info = model.model_fields[name]
        fields[name] = (_with_moments(info.annotation) if name == "body" else info.annotation, info)
    info = model.model_fields["content"]
    shown = Field(json_schema_extra=partial(_described, model, "content"))
    fields["content"] = (Annotated[info.annotation, shown], ... if info.is_required() else info.default)
    return create_model(model.__name__, __base__=Strict, __doc__=model.__doc__, **fields)


_ANY_OF: Any = Union[tuple(_sent(kind) for kind in SPOKEN_BY)]  # noqa: UP007 - made at run time
Sent: Any = Annotated[_ANY_OF, Field(discriminator="type")]


_COMMANDS: Final[Any] = (list[Sent], Field(min_length=1, max_length=BATCH_MAX))
SENT: Final = ShownAs(TypeAdapter(Sent))
BATCH: Final = ShownAs(TypeAdapter(create_model("Batch", __base__=Strict, __doc__="Commands.", commands=_COMMANDS)))


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What became of a command. ``receipt`` goes into ``after`` of a read, which then sees the command.

    ``accepted``, ``seq``, ``as_of`` and ``known`` are null while the fold's word is not known here. ``known`` says that
    the memory had the command already, and that the answer is that of the first time.
    """

    id: str
    receipt: str
    accepted: bool | None
    seq: int | None
    reason: str | None
    detail: str | None
    as_of: int | None
    known: bool | None


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """What became of the commands of a batch, in their order."""

    answers: list[CommandAnswer]


def answer_of(command_id: str, appended: Appended) -> CommandAnswer:
    """Return the answer to a command."""
    receipt, said = appended.receipt.written, appended.said
    if said is None:
        return CommandAnswer(command_id, receipt, None, None, None, None, None, None)
    return CommandAnswer(command_id, receipt, said.accepted, said.seq, said.reason, said.detail, said.as_of, said.known)
