"""A build hook: what every record passes through goes into the wheel compiled, by mypyc, beside its source.

The source is the same, word for word; docs/decisions/0011-one-source-compiled-in-the-wheel.md says why and what holds
both forms together. An editable install compiles nothing, so an edited law is never hidden behind a library.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SETUP: Final = """\
import sys
from mypyc.build import mypycify
from setuptools import setup

options = ["--ignore-missing-imports", "--follow-imports=silent"]  # some of what we depend on has no types
setup(name="yggdrasil", ext_modules=mypycify([*options, *sys.argv.pop().split(",")], group_name="yggdrasil"))
"""
# The laws need the same bits on every machine. Where the processor can, a compiler rounds `a * b + c` once instead of
# twice unless it is told not to, and random lives then have other digests.
_EXACT: Final = "-ffp-contract=off"
_INEXACT: Final = ("fast", "math", "signed-zeros")  # -Ofast, -ffp-contract=fast, -funsafe-math-optimizations, ...
_ASKED: Final = ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS")  # whatever setuptools hands on to the compiler
_BUILT: Final = "built"
_WITHOUT: Final = "HATCH_BUILD_NO_HOOKS=true builds a wheel without compiled parts; it does the same, more slowly."


class CompiledBuildHook(BuildHookInterface[Any]):
    """Compiles the modules that the option ``modules`` names, as patterns below the folders of the packages."""

    _folder: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what has to go into the wheel. Raises RuntimeError with what the compiler says."""
        if version == "editable":
            return
        compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
        if shutil.which(compiler.split()[0]) is None:
            self.app.display_warning(f"There is no C compiler ({compiler}), so nothing in this wheel is compiled.")
            return
        for name in _ASKED:
            _check_exact(name, os.environ.get(name, ""))
        self._folder = TemporaryDirectory(prefix="yggdrasil-wheel-")
        place = Path(self._folder.name)
        for package in self.build_config.packages:
            shutil.copytree(
                Path(self.root, package),
                place / Path(package).name,
                ignore=shutil.ignore_patterns("__pycache__", "*.so"),
            )
        modules = [module for pattern in self.config["modules"] for module in sorted(place.glob(pattern))]
        sources = [str(module.relative_to(place)) for module in modules if module.name != "__init__.py"]
        (place / "setup.py").write_text(_SETUP)
        built = subprocess.run(
            [sys.executable, "setup.py", "build_ext", "--build-lib", _BUILT, ",".join(sources)],
            cwd=place,
            env=os.environ | {"CFLAGS": f"{os.environ.get('CFLAGS', '')} {_EXACT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if built.returncode:
            raise RuntimeError(f"{built.stdout}\nThe wheel's compiled parts were not built. {_WITHOUT}")
        found = (place / _BUILT).rglob("*.so")
        build_data["force_include"] |= {str(path): str(path.relative_to(place / _BUILT)) for path in found}
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what the wheel now holds."""
        if self._folder is not None:
            self._folder.cleanup()


def _check_exact(name: str, given: str) -> None:
    """Raise RuntimeError if a variable asks the compiler for other results than IEEE 754 has."""
    for flag in given.split():
        if flag.startswith(("-O", "-f", "-m")) and any(word in flag for word in _INEXACT):
            raise RuntimeError(
                f"{name} let the compiler change results: {flag}. The laws need the same bits everywhere."
            )
