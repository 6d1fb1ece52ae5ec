"""Import commands as they are: JSON lines such as ``yggdrasil export`` writes, each into the memory that it names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import SYSTEM_TENANT
from yggdrasil_schemas.limits import RECORD_BYTES_MAX

from ..draft import Draft
from ..errors import ImporterError
from .lines import regular
from .run import Import

_LINE_BYTES_MAX: Final = RECORD_BYTES_MAX + 2


def import_commands(file: str | Path) -> Import:
    """Import the commands in ``file``, a line each; ``total`` counts lines.

    The whole file is checked first, so that a malformed line is found before anything is appended. Ids stay as they
    are, so importing twice changes nothing. Raises ImporterError, naming the line.
    """
    path = Path(file)
    total = sum(1 for _ in _drafts(path))
    return Import(total, ([draft] for draft in _drafts(path)))


def _drafts(path: Path) -> Iterator[Draft]:
    regular(path)
    try:
        with path.open("rb") as lines:
            number = 0
            while line := lines.readline(_LINE_BYTES_MAX):
                number += 1
                yield _draft(line.rstrip(b"\r\n"), f"{path}, line {number}")
    except OSError as error:
        raise ImporterError(f"{path} cannot be read: {error.strerror}") from error


def _draft(line: bytes, place: str) -> Draft:
    decoded = decode(line)
    if not isinstance(decoded, Decoded):
        raise ImporterError(f"{place}: no command ({decoded.reason.code}). {decoded.reason.sentence}")
    command = decoded.command
    if command.memory.startswith(f"{SYSTEM_TENANT}/"):
        raise ImporterError(f"{place}: {command.memory} is the system's own; take the line out")
    return Draft(command.id, command.memory, line)
