"""How much memory and disk the graphs take; each measured in a process of its own."""

import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import orjson

from ..measure import Report, Size

SMALL_CACHE_RECORDS: Final = 50_000
_MB: Final = 1 << 20


def run(size: Size, scratch: Path) -> Report:
    """Fill one memory, open it again with a small cache, and make many small ones."""
    nodes = size.pick(300, 49_900, 49_900)  # the cap is 50,000: at the end the next commands would prune
    memories = size.pick(20, 2_500, 10_000)
    full = _measured(scratch / "full", "full", nodes)
    again = _measured(scratch / "full", "again", nodes, SMALL_CACHE_RECORDS)
    known = _measured(scratch / "claims", "claims", size.pick(300, 20_000, 20_000))
    many = _measured(scratch / "many", "many", memories)
    commands = full["commands"]
    report = Report("footprint")
    report.figures = {
        "full_nodes": full["nodes"],
        "full_edges": full["edges"],
        "full_commands": commands,
        "full_resident_mb": _grown(full),
        "full_resident_mb_small_cache": _grown(again),
        "small_cache_records": SMALL_CACHE_RECORDS,
        "claims": known["commands"],
        "claims_resident_kb_each": _grown(known) * 1024 / known["commands"],
        "claims_bytes_each_on_disk": known["disk_all"],
        "process_before_mb": full["before"] / _MB,
        "small_memories": memories,
        "small_memories_resident_mb": _grown(many),
        "small_memory_resident_kb": _grown(many) * 1024 / memories,
        "identity_bytes_per_command_on_disk": full["disk_identity"] + full["disk_record_hashes"],
        "identity_bytes_per_command_raw": full["raw_identity"] + full["raw_record_hashes"],
        "of_which_identity_on_disk": full["disk_identity"],
        "of_which_record_hash_on_disk": full["disk_record_hashes"],
        "store_bytes_per_command_on_disk": full["disk_all"],
    }
    return report


def _grown(found: dict[str, Any]) -> float:
    return float(found["after"] - found["before"]) / _MB


def _measured(path: Path, task: str, number: int, cache: int = 0) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.folding.resident", str(path), task, str(number), str(cache)]
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = orjson.loads(done.stdout.splitlines()[-1])
    return found
