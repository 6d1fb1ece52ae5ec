"""A new subject is one room a floor: a toy is added to a copy, works on every face, and costs so many files by hand."""

import os
import shutil
import subprocess
import sys
from typing import Any, Final

import orjson
import pytest

from tests.faces.toy.subject import COMMAND, ERROR, READ, ROOT, written

PACKAGES: Final = (
    "app/yggdrasil", "infra/yggdrasil_infra", "processors/yggdrasil_processors", "producers/yggdrasil_producers",
    "projections/yggdrasil_projections", "schemas/yggdrasil_schemas", "tests/faces",
)  # fmt: skip


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the faces of the copy tell."""
    house = tmp_path_factory.mktemp("toy")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, house / package, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    (house / "tests" / "__init__.py").write_text("")
    for part in (ERROR, READ, COMMAND):
        written(house, part)
    path = os.pathsep.join([str(house), *(str((house / package).parent) for package in PACKAGES)])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    for module in ("tests.faces.exports", "tests.faces.toy.asked"):  # the first is `make faces`
        command = [sys.executable, "-m", module]
        ran = subprocess.run(command, check=False, cwd=house, env=environment, capture_output=True, timeout=120)
        assert ran.returncode == 0, ran.stderr.decode()
    found: dict[str, Any] = orjson.loads(ran.stdout)
    return found


def test_it_costs_so_many_files_by_hand() -> None:
    assert len(READ) <= 3
    assert len(COMMAND) <= 5
    assert len(ERROR) <= 1


def test_it_answers_on_every_face(told: dict[str, Any]) -> None:
    assert told["accepted"] and told["answers"] == [True, True, True]
    assert told["shown"] == [True, 0, True]
    assert told["said"] == [True, True, 0, 2], "on the command line too, which says what is missing"
    assert told["documented"] == "toasts"
    assert told["exported"], "make faces exports what it answers with and raises"


def test_its_problem_its_refusal_and_its_bounds_are_told_on_every_face(told: dict[str, Any]) -> None:
    assert told["nobody"] == ["NoToastsError", "NoToastsError", "urn:yggdrasil:problem:no_toasts", 4]
    assert told["refused"] == ["CommandRefusedError", "CommandRefusedError"]
    assert told["later"] == ["NoToastsError", "NoToastsError"]
    assert (told["malformed"], told["unbounded"]) == (422, 422)
