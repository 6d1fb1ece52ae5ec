"""Open a store for reading while another process may write to it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from yggdrasil_infra.locks import has_writer
from yggdrasil_infra.rocks.database import StorageDamagedError
from yggdrasil_infra.rocks.scrubbing import small_budget
from yggdrasil_projections.graph.store.store import GraphStore, Pin

_TRIES: Final = 5


@contextmanager
def store_beside(path: Path) -> Generator[GraphStore]:
    """Open the store at ``path`` as it is now; the files of a writer beside it come and go.

    Raises StorageError, and StoreError for the format of another release.
    """
    for left in reversed(range(_TRIES)):
        try:
            pin = GraphStore.pin_at(path, small_budget()) or Pin("", 1, 0)
            store = GraphStore(path, pin, small_budget(), read_only=True)
        except StorageDamagedError:
            if not left or not has_writer(path):
                raise
            continue
        with store:
            yield store
        return
