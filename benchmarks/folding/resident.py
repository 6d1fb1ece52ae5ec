"""A process whose memory is measured: ``python -m benchmarks.folding.resident PATH TASK COUNT CACHE``.

``full`` fills one memory to COUNT nodes; ``again`` opens what that left and folds 2,000 commands more; ``many`` makes
COUNT memories of 20 commands each; ``claims`` makes COUNT claims in one.
"""

import gc
import resource
import sys
from pathlib import Path
from typing import Any, Final

import orjson

from yggdrasil_infra.log import LogRecord
from yggdrasil_infra.rocks.database import Rocks
from yggdrasil_projections.graph.store import families
from yggdrasil_projections.graph.store.store import CACHED_RECORDS_MAX

from ..measure import GC_OF_HOSTS
from .growth import VARIED
from .hosts import FoldingHost, PassingLog
from .workload import Shape, drafts, records

MEMORY: Final = "bench/agent"
SMALL_COMMANDS: Final = 20
_AGAIN_COMMANDS: Final = 2_000
_CLAIMS: Final = Shape(claims=0.865)  # nearly all that are no outcome and no recall
_FEW: Final = Shape(topics=5)  # what a memory of 20 commands is about


def main(arguments: list[str]) -> None:
    """Do what the arguments say and print what it took."""
    gc.set_threshold(*GC_OF_HOSTS)
    path, task, number, cache = Path(arguments[0]), arguments[1], int(arguments[2]), int(arguments[3])
    path.mkdir(parents=True, exist_ok=True)
    log = _as_left(path / "last") if task == "again" else PassingLog()
    host = FoldingHost(path / "store", cache or CACHED_RECORDS_MAX, log)
    before = resident_bytes()
    work = {"full": _fill, "again": _go_on, "many": _make_many, "claims": _claim}[task]
    commands = work(host, number)
    gc.collect()
    found: dict[str, Any] = {"commands": commands, "before": before, "after": resident_bytes()}
    if task == "claims":
        found |= {"nodes": host.header(MEMORY).nodes, **_disk(host, commands)}
    if task == "full":
        (path / "last").write_bytes(orjson.dumps([host.log.end, (host.log.last.value or b"").decode()]))
        found |= {"nodes": host.header(MEMORY).nodes, "edges": host.header(MEMORY).edges, **_disk(host, commands)}
    host.close()
    print(orjson.dumps(found).decode())


def resident_bytes() -> int:
    """Return the resident memory of this process; its peak where the system does not tell the present."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # bytes there, kilobytes elsewhere


def _as_left(note: Path) -> PassingLog:
    """Return a log that stands where ``full`` left it, with its last record."""
    end, value = orjson.loads(note.read_bytes())
    log = PassingLog(end - 1)
    log.extend([LogRecord(0, end - 1, MEMORY.encode(), value.encode(), 0)])
    return log


def _fill(host: FoldingHost, nodes: int) -> int:
    said = drafts(VARIED, memory=MEMORY)
    host.fold(records(said, 100))
    while host.header(MEMORY).nodes < nodes:
        host.fold(records(said, 500, host.log.end))
    return host.log.end


def _go_on(host: FoldingHost, _nodes: int) -> int:
    host.fold(records(drafts(VARIED, seed=2, memory=MEMORY), _AGAIN_COMMANDS, host.log.end))
    return _AGAIN_COMMANDS


def _make_many(host: FoldingHost, memories: int) -> int:
    for number in range(memories):
        said = drafts(_FEW, seed=number, memory=f"bench/small-{number}")
        host.fold(records(said, SMALL_COMMANDS, host.log.end))
    return memories * SMALL_COMMANDS


def _claim(host: FoldingHost, claims: int) -> int:
    while host.log.end < claims:
        host.fold(records(drafts(_CLAIMS, seed=host.log.end, memory=MEMORY), 500, host.log.end))
    return host.log.end


def _disk(host: FoldingHost, commands: int) -> dict[str, float]:
    """Return bytes per command on the disk, merged into as few files as RocksDB can, and before compression."""
    rocks: Rocks = host.store._db  # pyright: ignore[reportPrivateUsage]
    host.store.flush()
    for handle in rocks._families.values():  # pyright: ignore[reportPrivateUsage]
        handle.compact_range(None, None)
    disk = host.store.disk_bytes()
    figures = {"disk_all": sum(disk.values()) / commands}
    for family in (families.IDENTITY, families.RECORD_HASHES):
        raw = sum(len(key) + len(value) for key, value in rocks.scan(family, b""))
        figures |= {f"disk_{family}": disk[family] / commands, f"raw_{family}": raw / commands}
    return figures


if __name__ == "__main__":
    main(sys.argv[1:])
