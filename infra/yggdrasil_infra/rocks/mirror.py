"""A database where nothing can be written, seen through a directory where something can.

rocksdict writes a file of its own beside the tables, even when it only reads. So on a file system that is only read it
is given a directory of links to them, with a copy of that file.
"""

import shutil
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

from ..forking import in_child


class Mirror:
    """A temporary directory, removed when it is no longer used in the process that made it.

    That of ``tempfile`` is removed by a forked process too, as that ends.
    """

    def __init__(self) -> None:
        """Make it. Raises OSError where there is no room for one."""
        self.name = mkdtemp(prefix="yggdrasil-read-only-")
        self._removal = finalize(self, shutil.rmtree, self.name, ignore_errors=True)
        in_child(self, Mirror._leave)

    def cleanup(self) -> None:
        """Remove it now."""
        self._removal()

    def _leave(self) -> None:
        self._removal.detach()


def mirrored(path: Path) -> Mirror:
    """Return a directory with links to all that is in ``path`` now. Raises OSError where there is no room for one."""
    made = Mirror()
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
