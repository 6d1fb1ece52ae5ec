"""``python -m benchmarks.behaviour.year [DIRECTORY] [--events N] [--seed N] [--out FILE] [--beside FILE]``.

Lives the year in DIRECTORY (a temporary one when left out), with whatever release of Yggdrasil is imported, and prints
its figures, as JSON into ``--out`` too. ``--beside`` names the figures of another run: both are printed as a table.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import orjson

from yggdrasil import Memory
from yggdrasil_producers.draft import Drafter

from .asking import found
from .living import Agent

EVENTS: Final = 60_000
MEMORY: Final = "bench/year"
_STRETCH: Final = 5_000

Figures = dict[str, float | None]


def main(arguments: list[str] | None = None) -> int:
    """Live the year as ``arguments`` say, and print what it has shown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.behaviour.year")
    parser.add_argument("directory", nargs="?", type=Path, help="where the memory is made; it must not exist")
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a file for the figures, as JSON")
    parser.add_argument("--beside", type=Path, help="the figures of another run, to print both as a table")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="yggdrasil-year-") as scratch:
        directory: Path = asked.directory or Path(scratch, "memories")
        if directory.exists():
            parser.error(f"{directory} exists; the year begins with an empty memory")
        figures = year(directory, asked.events, asked.seed)
    if asked.out:
        asked.out.write_bytes(orjson.dumps(figures, option=orjson.OPT_INDENT_2))
    print(table(orjson.loads(asked.beside.read_bytes()), figures) if asked.beside else table(figures))
    return 0


def year(directory: Path, events: int, seed: int) -> Figures:
    """Return the figures of a life of ``events`` events in the new directory ``directory``."""
    start = perf_counter()
    with Memory.open(directory, memory=MEMORY, partitions=1, embedder="none") as memory:
        operator = Memory(memory.engine, Drafter(MEMORY, "operator", "benchmark", "operator"))
        agent = Agent(memory, operator, seed, events)

        def tell(number: int) -> None:
            sys.stderr.write(f"{number:,} events, {perf_counter() - start:.0f} s\n")

        agent.live(tell)
        figures: Figures = {"events of the work": float(events), **agent.clock.figures(_STRETCH), **found(agent)}
    took = {"seconds in all": perf_counter() - start, "seconds of process time in all": process_time()}
    return figures | _on_disk(directory) | took


def _on_disk(directory: Path) -> Figures:
    """Return what ``yggdrasil stats`` says of the directory, and the bytes of its files."""
    command = [sys.executable, "-m", "yggdrasil", "stats", "--dir", str(directory), "--memory", MEMORY, "--json"]
    said = subprocess.run(command, capture_output=True, check=True)
    stats: dict[str, Any] = orjson.loads(said.stdout)
    (memory,) = stats["memories"]
    sizes = {
        part: float(sum(file.stat().st_size for file in (directory / part).rglob("*") if file.is_file()))
        for part in ("log", "graph", "views")
    }
    return {
        "commands": float(memory["seq"]),
        **{f"nodes, {kind}": float(count) for kind, count in memory["nodes"].items()},
        **{f"edges, {kind}": float(count) for kind, count in memory["edges"].items()},
        **{f"bound of {name}: used": bound["used"] / bound["most"] for name, bound in memory["bounds"].items()},
        **{f"nodes that are {flag}": float(count) for flag, count in memory["flags"].items()},
        **{f"on the disk, {part}: megabytes": size / 1e6 for part, size in sizes.items()},
    }


def table(*runs: Figures) -> str:
    """Return the figures of some runs side by side, as lines of a Markdown table; a dash where one has no such read."""
    names = list(dict.fromkeys(name for run in runs for name in run))
    return "\n".join(f"| {name} | {' | '.join(_shown(run.get(name)) for run in runs)} |" for name in names)


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1_000 or value == int(value) else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
