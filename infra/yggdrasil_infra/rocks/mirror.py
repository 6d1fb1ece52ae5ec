"""A database where nothing can be written, seen through a directory where something can.

rocksdict writes a file of its own beside the tables, even when it only reads. So on a file system that is only read it
is given a directory of links to them, with a copy of that file.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory


def mirrored(path: Path) -> "TemporaryDirectory[str]":
    """Return a directory with links to all that is in ``path`` now. Raises OSError where there is no room for one."""
    made = TemporaryDirectory(prefix="yggdrasil-read-only-")
    try:
        for file in path.iterdir():
            if file.suffix == ".json":
                shutil.copyfile(file, Path(made.name, file.name))
            else:
                Path(made.name, file.name).symlink_to(file)
    except BaseException:
        made.cleanup()
        raise
    return made
