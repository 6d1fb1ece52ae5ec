"""Show that the oracle bites: ``python -m tests.graph.mutants`` breaks the laws in many places, one at a time.

Each mutation is made in a copy of the package, and a process that imports the copy tells lives to fold and oracle
until they part. Prints a table as Markdown: what was broken, after how many commands that was caught, and by what.
Words as arguments choose mutations by file or description. Ends with 1 when one was not caught.
"""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.graph.mutants.mutations import MUTATIONS, PACKAGE, Mutation
from tests.graph.open_rules import open_rules
from tests.graph.oracle.trials.crowds import (
    BEYOND_CHANCE,
    FEATURES_FADE,
    FEWER_EDGES,
    FEWER_NODES,
    FROM_BELOW,
    FULL_OF_CLAIMS,
    FULL_SLOT,
    HEIRS_OF_HEIRS,
    MADE_ANEW,
    MANY_CONCEPTS,
    MANY_NAMES,
    MANY_TAINTS,
    MANY_VIEWS,
    MUCH_SLEEP,
    TO_AND_FRO,
)
from tests.graph.oracle.trials.trial import sampled, told

ROOT: Final = Path(__file__).parents[3]
TESTS: Final = ROOT / "tests" / "graph"
LIVES_MAX: Final = 130
CROWDS: Final = (
    BEYOND_CHANCE,
    FULL_SLOT,
    FULL_OF_CLAIMS,
    MADE_ANEW,
    MANY_NAMES,
    MANY_VIEWS,
    HEIRS_OF_HEIRS,
    FEATURES_FADE,
    FROM_BELOW,
    MANY_TAINTS,
    MANY_CONCEPTS,
    FEWER_NODES,
    FEWER_EDGES,
    MUCH_SLEEP,
    TO_AND_FRO,
)


def main(arguments: list[str]) -> int:
    """Hunt what ``arguments`` choose; with ``--hunt FOLDER LIVES``, as this starts itself, only one fold."""
    if arguments[:1] == ["--hunt"]:
        _say(json.dumps(hunt(arguments[1], int(arguments[2]))))
        return 0
    return _table(arguments)


def _table(words: list[str]) -> int:
    chosen = [each for each in MUTATIONS if not words or any(word in f"{each.file} {each.says}" for word in words)]
    _say("| file | what was broken | commands until caught | caught by |\n|---|---|---:|---|")
    missed = 0
    for mutation in chosen:
        found = hunted(mutation)
        missed += not found["by"]
        commands = f"{found['commands']:,}" if found["by"] else f"not in {found['commands']:,}"
        _say(f"| `{mutation.file}` | {mutation.says} | {commands} | {found['by'] or '-'} |")
    _say(f"\n{len(chosen) - missed} of {len(chosen)} caught.")
    return missed > 0


def hunted(mutation: Mutation, lives: int = LIVES_MAX) -> dict[str, Any]:
    """Return the number of ``commands`` told to the broken fold, and ``by`` what it was caught, if it was."""
    with TemporaryDirectory() as folder:
        package = Path(folder, PACKAGE.name)
        copytree(PACKAGE, package, ignore=ignore_patterns("__pycache__"))
        source = mutation.source(package)
        text = source.read_text(encoding="utf-8")
        if text.count(mutation.old) != 1:
            raise ValueError(f"{mutation.file}: {mutation.old!r} occurs {text.count(mutation.old)} times, not once")
        source.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
        path = os.pathsep.join([folder, *sys.path])  # whatever else there is comes from where it comes from here
        environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        if mutation.by_hand:
            return _worked_out(mutation.by_hand, environment)
        command = [sys.executable, "-m", "tests.graph.mutants", "--hunt", folder, str(lives)]
        printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE).stdout
    found: dict[str, Any] = json.loads(printed)
    return found


def _worked_out(name: str, environment: dict[str, str]) -> dict[str, Any]:
    """Return whether the tests in a file below tests/graph catch it."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", str(TESTS / name)]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    told = done.stdout.splitlines()[-1]
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{name} cannot be run: {told}")
    return {"commands": 0, "by": f"tests/graph/{name}" if done.returncode else ""}


def hunt(folder: str, lives: int) -> dict[str, Any]:
    """Tell lives, and the crowds after all of them, to the fold in ``folder`` until it is caught."""
    if not PACKAGE.is_relative_to(folder):
        raise RuntimeError(f"the fold comes from {PACKAGE}, not from {folder}")
    commands = 0
    tells = [partial(sampled, start) for start in range(lives)]
    crowds = [partial(told, crowd) for crowd in CROWDS] if lives == LIVES_MAX else []
    for tell in [*tells, *crowds]:
        try:
            with open_rules():
                trial = tell()
        except Exception as error:  # a broken fold may break in any way
            return {"commands": commands, "by": f"raises {type(error).__name__}"}
        commands += trial.told
        if trial.failure:
            return {"commands": commands, "by": trial.caught}
    return {"commands": commands, "by": ""}


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
