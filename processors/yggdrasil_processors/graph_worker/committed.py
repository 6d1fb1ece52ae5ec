"""What a worker commits in the group's name, and when it believes what was committed there.

An offset is committed with words: that all refusals below it are published, and which record was the last one. Whoever
folds the partition again believes them only if the log still holds that record: an operator may have moved the group,
and a log may have been cut off and grown again, and then other records stand at the same offsets.
"""

import re
from typing import Final

from yggdrasil_infra.log import LogReader
from yggdrasil_projections.graph.store.chain import record_hash
from yggdrasil_projections.graph.store.store import GraphStore

PUBLISHED: Final = "folded, and refusals published"
_WORDS: Final = re.compile(
    re.escape(PUBLISHED) + r"; topic (?P<topic>\S+); last record (?P<offset>\d+) (?P<hash>[0-9a-f]+)"
)


def words(store: GraphStore) -> str:
    """Return what the position of ``store`` is committed with."""
    last = store.state.last_offset
    of_record = store.record_hash(last) if last >= 0 else None
    if of_record is None:
        return PUBLISHED
    return f"{PUBLISHED}; topic {store.pin.topic_id}; last record {last} {of_record.hex()}"


def published_below(committed: tuple[int, str] | None, log: LogReader, partition: int) -> int:
    """Return the offset below which every refusal has been published; 0 when that cannot be believed.

    Raises LogError when brokers are away.
    """
    said = _WORDS.fullmatch(committed[1]) if committed is not None else None
    if committed is None or said is None or said["topic"] != log.topic_id:
        return 0
    last = int(said["offset"])
    if not log.start_offset(partition) <= last < min(committed[0], log.end_offset(partition)):
        return 0
    found = log.read(partition, last, 1)
    same = bool(found) and found[0].offset == last and record_hash(found[0]).hex() == said["hash"]
    return last + 1 if same else 0  # of what comes behind that record, the words say nothing
