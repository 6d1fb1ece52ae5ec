"""A mark in the directory of a database that was found to be damaged: until it is mended, nobody takes it for whole.

A block that is read once an hour may be damaged for as long. Whoever meets it leaves this file beside the tables, which
RocksDB leaves alone, and the next process need not meet it again. It goes wherever the directory goes, and a database
that is made anew has none.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..private import FILE_MODE

MARK: Final = "DAMAGED"
_CHARS_MAX: Final = 4_000


def mark(path: Path, why: str) -> None:
    """Leave a mark in the directory ``path``; where nothing can be written, whoever comes next meets it again."""
    with suppress(OSError):
        marked = os.open(path / MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        try:
            os.write(marked, why[:_CHARS_MAX].encode())
            os.fsync(marked)
        finally:
            os.close(marked)


def marked(path: Path) -> str | None:
    """Return what was said of the damage to the database in ``path``, None when it bears no mark."""
    try:
        return (path / MARK).read_text(errors="replace")
    except OSError:
        return None
