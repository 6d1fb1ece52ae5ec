"""Is the log the one that a store was folded from? A store keeps the hash of each record, so what changed has a name.

Two rows of hashes are walked side by side, the kept ones and those of the log as it is now. Where they part, a window
of both says how: a record was altered, is missing, stands there twice, or has changed places with another.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from yggdrasil_infra.log import LogDamagedError, LogReader, RecordMissingError
from yggdrasil_projections.graph.store.chain import CHAIN_START, chained, record_hash
from yggdrasil_projections.graph.store.projector import BATCH_RECORDS_MAX
from yggdrasil_projections.graph.store.store import GraphStore

WINDOW: Final = 64
"""So far apart may be what has changed places, and so many may be missing in a row, to be told as that."""
LISTED_MAX: Final = 20
"""So many differences are listed; all are counted."""
_PAGE: Final = 10_000  # kept hashes, at 50 bytes each
_UNREADABLE_MAX: Final = 1_000  # in a row: then the log is lost from there on, and each try may wait for a disk

How = Literal["altered", "missing", "doubled", "swapped", "added", "unreadable", "kept"]
Progress = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class LogDiffers:
    """One record of the log that is not as it was folded: where, how, and ``other``, an offset that belongs to it.

    ``altered``: the record at ``offset`` says something else. ``missing``: what was folded from there is not in the log
    any more. ``doubled``: the record at ``other`` stands at ``offset`` once more. ``swapped``: those at ``offset`` and
    ``other`` have changed places. ``added``: a record stands there that was not folded. ``unreadable``: the log cannot
    vouch for it, and ``why`` says what it found. ``kept``: the log is what was folded, and the store's own list of
    hashes was altered.
    """

    how: How
    partition: int
    offset: int
    other: int | None = None
    why: str = ""

    def __str__(self) -> str:
        at, partition = self.offset, self.partition
        match self.how:
            case "altered":
                return f"the record at offset {at} of partition {partition} was altered since it was folded"
            case "missing":
                return f"the record that was folded from offset {at} of partition {partition} is missing from the log"
            case "doubled":
                return f"the record at offset {self.other} of partition {partition} is doubled: it stands at {at} too"
            case "swapped":
                return f"the records at offsets {at} and {self.other} of partition {partition} were swapped"
            case "added":
                return f"the record at offset {at} of partition {partition} was added: it was not folded"
            case "unreadable":
                return f"the record at offset {at} of partition {partition} cannot be read: {self.why}"
            case "kept":
                return (
                    f"the store's hash of the record at offset {at} of partition {partition} was altered; the log "
                    "itself gives the chain that the store stands at"
                )


@dataclass(slots=True)
class OfLog:
    """How the log differs from what was folded: the first differences, at most 20, and how many there are in all."""

    first: list[LogDiffers] = field(default_factory=list[LogDiffers])
    count: int = 0

    def add(self, one: LogDiffers) -> None:
        """Count a difference, and list it while there is room."""
        self.count += 1
        if len(self.first) < LISTED_MAX:
            self.first.append(one)


class _Seen(NamedTuple):
    """A record's offset and hash; of one that cannot be read there is no hash, and ``why`` says what the log says."""

    offset: int
    hash: bytes
    why: str = ""
    missing: bool = False


def compare_records(log: LogReader, store: GraphStore, progress: Progress | None = None) -> OfLog:
    """Compare what ``store`` was folded from with what ``log`` holds there now.

    ``progress`` counts the records that are read. Raises LogError, also where 1,000 records in a row cannot be read.
    """
    found = OfLog()
    partition, position = store.pin.partition, store.state.position
    chain, kept_chain = _Chain(position), _Chain(position)
    kept = _Window(kept_chain.through(_kept(store)))
    now = _Window(chain.through(_in_log(log, store, progress)))
    recent: deque[_Seen] = deque(maxlen=WINDOW)
    while kept.fill():
        now.fill()
        if now.rows and kept.rows[0].hash == now.rows[0].hash:
            recent.append(kept.rows.popleft())
            now.rows.popleft()
            continue
        for one in _parted(partition, kept.rows, now.rows, recent):
            found.add(one)
    moved = found.count  # then places have moved too, and what is left was only not folded yet
    while now.fill() and now.rows[0].offset < position:
        more = _more(partition, now.rows.popleft(), recent)
        if not moved:
            found.add(more)
    if found.count and chain.value == store.state.chain:
        return OfLog([LogDiffers("kept", partition, one.offset) for one in found.first], found.count)
    if not found.count and kept_chain.value != store.state.chain:
        found.add(LogDiffers("kept", partition, store.state.last_offset))
    return found


class _Chain:
    """The log chain over the rows that passed through, below an offset."""

    def __init__(self, end: int) -> None:
        self.value = CHAIN_START
        self._end = end

    def through(self, rows: Iterator[_Seen]) -> Iterator[_Seen]:
        for row in rows:
            if row.offset < self._end:
                self.value = chained(self.value, row.hash)
            yield row


class _Window:
    """The next rows of a walk, so many that both sides can be looked at together."""

    def __init__(self, source: Iterator[_Seen]) -> None:
        self.rows: deque[_Seen] = deque()
        self._source = source

    def fill(self) -> bool:
        """Read on until the window is full; return whether anything is left."""
        while len(self.rows) <= WINDOW and (row := next(self._source, None)) is not None:
            self.rows.append(row)
        return bool(self.rows)


def _kept(store: GraphStore) -> Iterator[_Seen]:
    first = 0
    while page := store.record_hashes(first, _PAGE):
        for offset, of_record in page:
            yield _Seen(offset, of_record)
        first = page[-1][0] + 1


def _in_log(log: LogReader, store: GraphStore, progress: Progress | None) -> Iterator[_Seen]:
    """Yield what the log holds up to where the store stands, and then what is needed of the rest to tell it apart."""
    partition, position = store.pin.partition, store.state.position
    offset, end, count, unread = log.start_offset(partition), log.end_offset(partition), BATCH_RECORDS_MAX, 0
    while offset < end:
        try:
            records = log.read(partition, offset, count)
        except LogDamagedError as error:
            if count > 1:
                count = 1  # one by one, until there is something to read again
                continue
            if (unread := unread + 1) > _UNREADABLE_MAX:
                raise
            yield _Seen(offset, b"", str(error), isinstance(error, RecordMissingError))
            offset += 1
            continue
        if not records:
            return
        count, unread = BATCH_RECORDS_MAX if not unread else min(BATCH_RECORDS_MAX, 2 * count), 0
        yield from (_Seen(record.offset, record_hash(record)) for record in records)
        offset = records[-1].offset + 1
        if progress is not None:
            progress(sum(record.offset < position for record in records))


def _parted(partition: int, kept: deque[_Seen], now: deque[_Seen], recent: deque[_Seen]) -> Iterator[LogDiffers]:
    """Say how the first of ``kept`` and the first of ``now`` differ, and take away what is told with that."""
    own = kept[0]
    if not now:
        yield LogDiffers("missing", partition, kept.popleft().offset)
        return
    other = now[0]
    if other.why:
        now.popleft()
        how: How = "missing" if other.missing else "unreadable"
        yield LogDiffers(how, partition, kept.popleft().offset, why=other.why)
        return
    later = next((at for at in range(1, len(kept)) if kept[at].hash == other.hash), None)
    sooner = next((at for at in range(1, len(now)) if now[at].hash == own.hash), None)
    if later is not None and later == sooner:
        yield LogDiffers("swapped", partition, own.offset, kept[later].offset)
        now[later] = kept[later]  # both places are told
        kept.popleft()
        now.popleft()
    elif _same_next(kept, now):
        kept.popleft()
        now.popleft()
        yield LogDiffers("altered", partition, own.offset)
    elif sooner is not None and (later is None or sooner <= later):
        for _ in range(sooner):
            yield _more(partition, now.popleft(), recent)
    elif later is not None:
        for _ in range(later):
            yield LogDiffers("missing", partition, kept.popleft().offset)
    else:
        kept.popleft()
        now.popleft()
        yield LogDiffers("altered", partition, own.offset)


def _same_next(kept: deque[_Seen], now: deque[_Seen]) -> bool:
    """Whether both go on alike after one record each."""
    if len(kept) == 1 or len(now) == 1:
        return len(kept) == len(now)
    return kept[1].hash == now[1].hash


def _more(partition: int, one: _Seen, recent: deque[_Seen]) -> LogDiffers:
    """Say what a record is that was not folded: one that stood before, or another."""
    first = next((each.offset for each in reversed(recent) if each.hash == one.hash), None)
    return LogDiffers("added" if first is None else "doubled", partition, one.offset, first)
