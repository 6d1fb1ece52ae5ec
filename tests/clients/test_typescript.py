"""The TypeScript package: its types are those of the service, it compiles strictly, and its own tests pass."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.clients.generated import PHRASES, TYPES, generate, phrases
from tests.clients.packages import PACKAGE, ROOT, lay_out, run, tool
from tests.service.processes import Process, serving
from tests.test_docs import blocks
from tests.test_tidy import tracked

DOORS = ROOT / "docs" / "doors.md"
PAGE = ROOT / "docs" / "doors" / "typescript.md"
WRITTEN = "http://127.0.0.1:8787"  # the address in the page


@pytest.fixture(scope="module")
def built() -> None:
    run([tool("tsc"), "--project", "tsconfig.build.json"])


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, "--data", str(folder / "data"), "--embedder", "off") as process:
        process.until(200)
        yield process


def test_the_types_are_those_of_the_running_service(tmp_path: Path) -> None:
    generate(tmp_path / "openapi.ts")
    same = (tmp_path / "openapi.ts").read_text() == TYPES.read_text()
    assert same, "the service's OpenAPI document has changed: run `make clients`"


def test_the_phrases_are_those_of_the_rule() -> None:
    assert PHRASES.read_text("utf-8") == phrases(), "the lists have changed: run `make clients`"


def test_it_compiles_strictly() -> None:
    run([tool("tsc")])
    options = json.loads((PACKAGE / "tsconfig.json").read_text())["compilerOptions"]
    assert options["strict"] and options["noUncheckedIndexedAccess"] and options["exactOptionalPropertyTypes"]


def test_its_own_tests_pass() -> None:
    told = run(["node", "--test", "--test-timeout=120000", "--test-reporter=tap", "tests/*.test.ts"])
    passed = re.search(r"^# pass (\d+)$", told, re.MULTILINE)
    assert passed is not None and int(passed[1]) > 20, told


@pytest.mark.usefixtures("built")
def test_the_blocks_of_the_pages_compile_and_run(service: Process, tmp_path: Path) -> None:
    found = [*blocks(PAGE, "ts"), *blocks(DOORS, "ts")]
    assert len(found) >= 4
    lay_out(tmp_path)
    options = {**json.loads((PACKAGE / "tsconfig.json").read_text()), "include": ["*.ts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(options))
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for number, block in enumerate(found):
        (tmp_path / f"block{number}.ts").write_text(block.replace(WRITTEN, service.url))
    run([tool("tsc")], tmp_path)
    for number in range(len(found)):
        for _ in range(2):  # whoever tries an example tries it again
            assert run(["node", f"block{number}.ts"], tmp_path).strip(), "the example shows nothing"


@pytest.mark.usefixtures("built")
def test_the_package_has_what_it_exports_and_nothing_else() -> None:
    exported = json.loads((PACKAGE / "package.json").read_text())["exports"]
    for files in exported.values():
        for path in files.values():
            assert (PACKAGE / path).is_file(), path


def test_versions_are_exact_and_no_address_is_locked() -> None:
    package = json.loads((PACKAGE / "package.json").read_text())
    for name, asked in (package["dependencies"] | package["devDependencies"]).items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", asked), (name, asked)
    lock = json.loads((PACKAGE / "package-lock.json").read_text())
    for name, locked in lock["packages"].items():
        assert "resolved" not in locked, name
        assert not name or locked["integrity"].startswith("sha512-"), name
    hosts = {urlsplit(address).hostname for address in re.findall(r'https?://[^"\s]+', json.dumps(lock))}
    assert hosts <= {"github.com", "opencollective.com", "tidelift.com"}, hosts  # where to thank authors


def test_nothing_that_was_installed_or_built_is_committed() -> None:
    assert not [path for path in tracked("producers") if "node_modules" in path or "/dist/" in path]
