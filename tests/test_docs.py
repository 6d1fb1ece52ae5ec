"""The code in the documents is executed, so that it cannot rot."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import yggdrasil.memory

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


PYTHON_BLOCKS = [(document, block) for document in DOCUMENTS for block in blocks(document, "python")]


def test_the_readme_has_code_to_execute() -> None:
    assert any(document.name == "README.md" for document, _ in PYTHON_BLOCKS)


@pytest.mark.parametrize(("document", "block"), PYTHON_BLOCKS)
def test_python_blocks_run_as_they_stand(document: Path, block: str, tmp_path: Path) -> None:
    for _ in range(2):  # whoever tries an example tries it again, on what the first run has left
        ran = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{document.name}:\n{ran.stderr}"
        assert ran.stdout.strip(), "the example shows nothing"


def test_the_facade_s_docstring_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(yggdrasil.memory)
    assert results.attempted > 0
    assert results.failed == 0


def test_links_between_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
