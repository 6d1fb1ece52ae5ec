"""The archive that is kept: 517 commands of all kinds, as they were accepted when archives began.

``python -m tests.past.golden`` writes it anew. That is for a new version of the rules, beside the old one: whoever has
packed a memory counts on its commands being accepted for ever.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.graph.golden.fixed_history import FOLDER, fixed_history
from tests.graph.list_log import ListLog
from yggdrasil_processors.past.packing import pack

ARCHIVE: Final = FOLDER / "accepted-rules-1.archive"
_COMMANDS: Final = 4_000  # of three memories; two thirds are refused
_MEMORY: Final = "tenant/a"


def write() -> None:
    ARCHIVE.unlink(missing_ok=True)
    with TemporaryDirectory() as scratch:
        pack(ListLog(fixed_history(_COMMANDS)), _MEMORY, ARCHIVE, Path(scratch))


if __name__ == "__main__":
    write()
