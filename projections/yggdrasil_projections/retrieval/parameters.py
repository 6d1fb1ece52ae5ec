"""The parameters that several reads have: their bounds over HTTP, and what the document says of them."""

from typing import Annotated, Final

from pydantic import Field

from yggdrasil_schemas.commands.knowledge import Entity
from yggdrasil_schemas.commands.wire import CommandId, NodeRef
from yggdrasil_schemas.limits import NAME_CHARS_MAX, SEQ_MAX

COUNT: Final = 20
"""How many are returned unless something else is asked for."""
COUNT_MAX: Final = 200

Reference = Annotated[NodeRef, Field(description="A reference: the id of a command, or `feature:NAME`.")]
CommandRef = Annotated[CommandId, Field(description="The id of a command.")]
Thing = Annotated[Entity, Field(description="A thing, by any of its names.")]
Count = Annotated[int, Field(ge=1, le=COUNT_MAX)]
CountOfMany = Annotated[int, Field(50, ge=1, le=COUNT_MAX)]
"""A count that is 50 over HTTP unless given, whatever it is in Python."""
SessionNamed = Annotated[str, Field(min_length=1, max_length=NAME_CHARS_MAX)]
Seq = Annotated[int, Field(ge=0, le=SEQ_MAX)]
