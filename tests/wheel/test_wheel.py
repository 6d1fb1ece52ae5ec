"""The wheel: what is compiled in it comes from the same source, and folds every log to the same memory."""

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.wheel import ROOT, WheelError, build, environment, settings, unpack
from tests.size import only_at_length, turns

LIVES = turns(12, 40)
# These look at the laws from the inside: they replace a law or a constant by another, which a compiled module forbids.
INSIDE = {"test_mutants", "test_rules_versions", "test_keys"}
# And these take minutes for what the digests of whole lives say as well.
LONG = {"test_oracle", "test_checkpoint", "test_damage", "test_gaps"}
ALL = sorted(path for path in (ROOT / "tests/graph").rglob("test_*.py") if path.stem not in INSIDE | LONG)
SOME = ("test_golden", "test_arithmetic", "test_event", "test_outcome", "test_recall", "test_sleep")
HERE = turns([path for path in ALL if path.stem in SOME], ALL)


@pytest.fixture(scope="module", params=turns(["here"], ["here", "in a bare environment, as a newcomer does"]))
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Built for this very processor, so that multiply and add may be one operation, unless the build forbids it."""
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-march=native")
        made = build(folder) if request.param == "here" else built_in_a_bare_environment(folder)
    yield unpack(made, folder / "unpacked")


def built_in_a_bare_environment(folder: Path) -> Path:
    """Return the wheel that pip builds with what the build asks for, and with nothing else."""
    venv.create(folder / "bare", with_pip=True)
    variables = os.environ | {"PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
    command = [str(folder / "bare/bin/python"), "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, "--no-deps", "--wheel-dir", str(folder), str(ROOT)], env=variables, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def compiled_sources() -> list[Path]:
    """What the build names, as files of this checkout."""
    packages = [ROOT / package for package in settings()["packages"]]
    patterns: list[str] = settings()["hooks"]["custom"]["modules"]
    found = [path for package in packages for pattern in patterns for path in package.parent.glob(pattern)]
    return [path for path in found if path.name != "__init__.py"]


def run(wheel: Path | None, *arguments: str) -> str:
    """Run Python on an unpacked wheel, or on this checkout, and return what it prints."""
    variables = environment(wheel) if wheel else dict(os.environ)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stdout[-4_000:] + done.stderr[-4_000:]
    return done.stdout


def lives(wheel: Path | None) -> list[dict[str, str]]:
    """The digests of random lives, folded by an unpacked wheel or by this checkout."""
    told = json.loads(run(wheel, "-m", "tests.wheel.lives", str(LIVES)))
    assert told["fold"].startswith(str(wheel or ROOT / "projections"))
    assert told["fold"].endswith(".so" if wheel else ".py")
    digests: list[dict[str, str]] = told["digests"]
    assert len(set(map(str, digests))) == LIVES
    return digests


def test_what_the_build_names_is_compiled_from_the_source_beside_it(wheel: Path) -> None:
    assert len(compiled_sources()) > 25
    for source in compiled_sources():
        inside = wheel / source.relative_to(ROOT).relative_to(*source.relative_to(ROOT).parts[:1])
        assert inside.read_bytes() == source.read_bytes()
        assert list(inside.parent.glob(f"{source.stem}.*.so")), f"{source} is not compiled; is there a C compiler?"


def test_a_process_that_finds_the_wheel_runs_its_compiled_parts(wheel: Path) -> None:
    names = [".".join(source.relative_to(ROOT).with_suffix("").parts[1:]) for source in compiled_sources()]
    program = "import importlib, sys; print(*(importlib.import_module(name).__file__ for name in sys.argv[1:]))"
    for file in run(wheel, "-c", program, *names).split():
        assert file.startswith(str(wheel))
        assert file.endswith(".so")
    assert run(wheel, "-m", "yggdrasil", "--version").endswith(", laws compiled\n")


def test_both_forms_fold_random_lives_to_the_same_digests(wheel: Path) -> None:
    assert lives(wheel) == lives(None)


@pytest.mark.parametrize("flag", ["-Ofast", "-ffast-math", "-ffp-contract=fast", "-funsafe-math-optimizations"])
def test_flags_that_change_results_are_refused(flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", f"-g {flag}")
    with pytest.raises(WheelError, match="CFLAGS let the compiler change results"):
        build(tmp_path)


def test_what_holds_for_the_laws_holds_for_the_compiled_ones(wheel: Path) -> None:
    """Golden logs, what was worked out by hand, the properties and the stores: the very same tests."""
    assert len(ALL) > 25
    assert len(HERE) == turns(len(SOME), len(ALL))
    said = run(wheel, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, HERE))
    assert " passed" in said.splitlines()[-1]
    assert "skipped" not in said


def test_without_a_compiler_the_wheel_is_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    wheel = build(tmp_path)
    assert wheel.name.endswith("-py3-none-any.whl")


@only_at_length
def test_a_compiler_that_fails_is_quoted_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorter: flags that are refused are quoted in the same way, by the same hook."""
    monkeypatch.setenv("CC", "false")
    with pytest.raises(WheelError, match="HATCH_BUILD_NO_HOOKS=true"):
        build(tmp_path)


def test_the_way_out_is_plain_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    monkeypatch.setenv("HATCH_BUILD_NO_HOOKS", "true")
    assert build(tmp_path).name.endswith("-py3-none-any.whl")
