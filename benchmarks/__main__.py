"""``python -m benchmarks [NAME] [--quick] [--untimed] [--json] [--data PATH] ...``: measure; say which bars hold.

Without a name all benchmarks run, or with ``--untimed`` those that say of themselves that no bar is a timing, each in a
process of its own; a table is printed and ``benchmarks/results/`` gets the JSON. Those that ask the questions of LoCoMo
run only when ``--data`` names a copy of it. With a name the last line of the output is that benchmark's JSON object.
The exit code is 1 when a bar does not hold.

What is measured is the wheel of this checkout, with its compiled parts; it is built when the sources have changed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import orjson

from .measure import Report, Size, machine, say
from .wheel import environment, unpacked

BENCHMARKS: Final = {
    "fold": "folding.fold",
    "replay": "folding.replay",
    "growth": "folding.growth",
    "append": "folding.append",
    "vectors": "folding.vectors",
    "reads": "folding.reads",
    "footprint": "folding.footprint",
    "behaviour": "behaviour.benchmark",
    "kafka": "kafka.benchmark",
    "latency": "latency.benchmark",
    "locomo": "recall.locomo",
    "refusal": "recall.refusal",
    "shapes": "recall.shapes.benchmark",
    "exact": "recall.exact.benchmark",
    "asked": "recall.asked.benchmark",
    "steps": "recall.steps",
    "sets": "recall.sets.benchmark",
    "longtexts": "recall.sets.longtexts",
    "ledger": "ledger.benchmark",
    "poison": "poison.benchmark",
    "doors": "doors.benchmark",
    "segmentation": "thinking.segmentation",
    "next": "thinking.next",
    "episodic": "thinking.episodic",
    "worlds": "thinking.worlds.benchmark",
    "lifelong": "thinking.lifelong.benchmark",
    "hooks": "hooks.benchmark",
    "harness": "harness.benchmark",
    "digestion": "digestion.benchmark",
    "specialists": "perspectives.benchmark",
    "sleeping": "sleeping.benchmark",
    "scorer": "scoring.benchmark",
    "using": "using.benchmark",
    "grid": "places.benchmark",
    "past": "past.benchmark",
    "everyday": "everyday.benchmark",
    "idle": "idle",
}
NAMES: Final = tuple(BENCHMARKS)
ON_DATA: Final = {
    "locomo": "a file in LoCoMo's format",
    "refusal": "a file in LoCoMo's format",
    "sets": "a folder with a folder for each set (benchmarks/recall/sets/data.py)",
    "longtexts": "a folder with a folder for each set (benchmarks/recall/sets/data.py)",
}
TAKES: Final = {
    "locomo": ("data",),
    "refusal": ("data",),
    "shapes": ("data", "documents"),
    "sets": ("data",),
    "longtexts": ("data",),
    "segmentation": ("data", "documents", "repository"),
    "next": ("data",),
    "episodic": ("data",),
    "hooks": ("repository",),
    "poison": ("world", "seed"),
    "harness": ("world", "seed"),
    "specialists": ("world", "seed"),
    "sleeping": ("world", "seed"),
    "digestion": ("data", "seed", "draw"),
    "scorer": ("data", "world", "seed"),
    "using": ("world", "seed"),
    "grid": ("world", "seed"),
}
RESULTS: Final = Path(__file__).parent / "results"
_WIDTH: Final = 52


def main(arguments: list[str] | None = None, *, from_wheel: bool = False) -> int:
    """Run what ``arguments`` ask for, of the wheel if so; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("name", nargs="?", choices=NAMES, help="which benchmark (all of them when left out)")
    parser.add_argument("--quick", action="store_true", help="less to measure: under 40 seconds each")
    parser.add_argument("--untimed", action="store_true", help="only those whose bars any machine can be held to")
    parser.add_argument("--tiny", action="store_true", help=argparse.SUPPRESS)  # only shows that it runs
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.add_argument("--data", type=Path, help="what locomo, refusal, sets and longtexts ask of: a file or folder")
    parser.add_argument(
        "--documents",
        type=Path,
        help="the folder html of Debian's python3-doc, for shapes and segmentation (if it is not installed)",
    )
    parser.add_argument("--repository", type=Path, help="a git repository: for hooks; with releases, for segmentation")
    parser.add_argument(
        "--world",
        type=Path,
        help="for those that take one (docs/NAME.md): a file of attacks, or another world",
    )
    parser.add_argument("--seed", type=int, help="for those that draw: of what is drawn")
    parser.add_argument("--draw", type=int, help="for digestion: print so many claims of each set of --data")
    asked = parser.parse_args(arguments)
    size = Size.TINY if asked.tiny else Size.QUICK if asked.quick else Size.FULL
    paths = ("data", "documents", "repository", "world")
    given: dict[str, Path | int] = {name: path.absolute() for name in paths if (path := getattr(asked, name))}
    given |= {name: number for name in ("seed", "draw") if (number := getattr(asked, name)) is not None}
    if asked.name in ON_DATA and "data" not in given:
        parser.error(f"{asked.name} asks of data that is not in this project: give --data PATH, {ON_DATA[asked.name]}")
    for name, path in given.items():
        if isinstance(path, Path) and not path.exists():
            parser.error(f"--{name}: there is no {path}")
    if from_wheel:
        _from_wheel()
    if asked.name is None:
        return _all(tuple(filter(untimed, NAMES)) if asked.untimed else NAMES, size, asked.json, given)
    return _one(asked.name, size, asked.json, given)


def _one(name: str, size: Size, json_only: bool, given: Mapping[str, Path | int]) -> int:
    scratch = Path(tempfile.mkdtemp(prefix="yggdrasil-benchmark-"))
    try:
        report: Report = import_module(f"benchmarks.{BENCHMARKS[name]}").run(size, scratch, **_taken(name, given))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    found = orjson.loads(report.line())
    if not json_only:
        print(" ".join(f"{key}={value}" for key, value in machine().items()))
        _table([found])
    print(report.line())
    return _code([found], size)


def _taken(name: str, given: Mapping[str, Path | int]) -> dict[str, Path | int]:
    """Return what a benchmark takes of the paths, and the seed, that are given."""
    return {taken: given[taken] for taken in TAKES.get(name, ()) if taken in given}


def untimed(name: str) -> bool:
    """Whether no bar of a benchmark is a timing: its module says so."""
    return getattr(import_module(f"benchmarks.{BENCHMARKS[name]}"), "UNTIMED", False)


def _all(names: Sequence[str], size: Size, json_only: bool, given: Mapping[str, Path | int]) -> int:
    found: list[dict[str, Any]] = []
    for name in names:
        if name in ON_DATA and "data" not in given:
            say(f"{name}: not run, since it asks of data that is not in this project: --data PATH, {ON_DATA[name]}")
            continue
        say(f"{name} ...")
        command = [
            sys.executable,
            "-m",
            "benchmarks",
            name,
            "--json",
            *([] if size is Size.FULL else [f"--{size.value}"]),
            *(f"--{taken}={path}" for taken, path in _taken(name, given).items()),
        ]
        done = subprocess.run(command, cwd=RESULTS.parent.parent, stdout=subprocess.PIPE, check=False)
        if not done.stdout:
            say(f"{name} failed with exit code {done.returncode}; its own message stands above")
            return 2
        found.append(orjson.loads(done.stdout.splitlines()[-1]))
    whole = {"at": datetime.now(UTC).isoformat(), "size": size.value, "machine": machine(), "benchmarks": found}
    if size is not Size.TINY:
        RESULTS.mkdir(exist_ok=True)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        (RESULTS / f"{stamp}.json").write_bytes(orjson.dumps(whole, option=orjson.OPT_INDENT_2))
    if json_only:
        print(orjson.dumps(whole).decode())
    else:
        print(" ".join(f"{key}={value}" for key, value in machine().items()))
        _table(found)
    return _code(found, size)


def _table(found: list[dict[str, Any]]) -> None:
    for report in found:
        print(f"\n{report['name']}")
        for name, value in report["figures"].items():
            print(f"  {name:<{_WIDTH}} {value:>14,.6g}")
        for bar in report["bars"]:
            verdict = "holds" if bar["holds"] else "DOES NOT HOLD"
            print(f"  {bar['what']}: {bar['value']:.4g}, bar {bar['bar']:g}: {verdict}")
    print()


def _code(found: list[dict[str, Any]], size: Size) -> int:
    """Return 1 when a bar does not hold, and say which; a tiny run is too short to judge by."""
    broken = [f"{report['name']}: {bar['what']}" for report in found for bar in report["bars"] if not bar["holds"]]
    for what in broken:
        say(f"bar does not hold: {what}")
    return 1 if broken and size is not Size.TINY else 0


def _from_wheel() -> None:
    """Begin anew as a process that runs the wheel, unless this one does."""
    variables = environment(unpacked())
    if os.environ.get("PYTHONPATH") != variables["PYTHONPATH"]:
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]], variables)


if __name__ == "__main__":
    sys.exit(main(from_wheel=True))
