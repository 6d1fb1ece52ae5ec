"""What a worker commits in the group's name, and when it believes what was committed there.

An offset is committed with words: that all refusals below it are published, and which record was the last one. Whoever
folds the partition again believes them only if the log still holds that record: an operator may have moved the group,
and a log may have been cut off and grown again, and then other records stand at the same offsets.
"""

import re
from typing import Final, NamedTuple

from yggdrasil_infra.log import LogReader
from yggdrasil_projections.graph.store.chain import record_hash
from yggdrasil_projections.graph.store.store import GraphStore

PUBLISHED: Final = "folded, and refusals published"
_AGAIN: Final = "; folding again"
_WORDS: Final = re.compile(
    re.escape(PUBLISHED)
    + r"; topic (?P<topic>\S+); last record (?P<offset>\d+) (?P<hash>[0-9a-f]+)"
    + rf"(?P<again>{_AGAIN})?"
)


class Published(NamedTuple):
    """The offset below which every refusal has been published, and the words that said so."""

    below: int
    words: str


def words(store: GraphStore) -> str:
    """Return what the position of ``store`` is committed with."""
    last = store.state.last_offset
    of_record = store.record_hash(last) if last >= 0 else None
    if of_record is None:
        return PUBLISHED
    return f"{PUBLISHED}; topic {store.pin.topic_id}; last record {last} {of_record.hex()}"


def words_again(said: str) -> str:
    """Return what a store is committed with that folds again what ``said`` was said of: so far as it is, no further.

    The offset is then how far the store is, and what was published stands in the words alone.
    """
    return said.removesuffix(_AGAIN) + _AGAIN


def published(committed: tuple[int, str] | None, log: LogReader, partition: int) -> Published:
    """Return what is known to be published; nothing, below offset 0, when that cannot be believed.

    Raises LogError when brokers are away.
    """
    below = _published_below(committed, log, partition)
    return Published(below, committed[1] if below and committed is not None else "")


def _published_below(committed: tuple[int, str] | None, log: LogReader, partition: int) -> int:
    said = _WORDS.fullmatch(committed[1]) if committed is not None else None
    if committed is None or said is None or said["topic"] != log.topic_id:
        return 0
    last = int(said["offset"])
    if not log.start_offset(partition) <= last < log.end_offset(partition):
        return 0
    if said["again"] is None and last >= committed[0]:  # somebody has moved the group back
        return 0
    found = log.read(partition, last, 1)
    same = bool(found) and found[0].offset == last and record_hash(found[0]).hex() == said["hash"]
    return last + 1 if same else 0  # of what comes behind that record, the words say nothing
