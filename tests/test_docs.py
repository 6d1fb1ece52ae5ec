"""The code in the documents is executed, so that it cannot rot."""

import doctest
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import yggdrasil.memory
from yggdrasil.cli.app import command
from yggdrasil_infra.http.wire.socket_file import find
from yggdrasil_projections.retrieval.text.stem import stem

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)


AGAIN = "\n--- again ---\n"
TWICE = f"""
import sys
for between in ({AGAIN!r}, ""):
    exec(compile(sys.argv[1], "<example>", "exec"), {{"__name__": "__main__"}})
    print(between, end="")
"""
"""Runs a block, and runs it again as if nothing had been imported or named: with one process, which takes a second."""

PYTHON_BLOCKS = [(document, block) for document in DOCUMENTS for block in blocks(document, "python")]


def test_the_readme_has_code_to_execute() -> None:
    assert any(document.name == "README.md" for document, _ in PYTHON_BLOCKS)


@pytest.mark.parametrize(("document", "block"), PYTHON_BLOCKS)
def test_python_blocks_run_as_they_stand(document: Path, block: str, tmp_path: Path) -> None:
    """Twice: whoever tries an example tries it again, on what the first run has left."""
    command = [sys.executable, "-c", TWICE, block]
    try:
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    finally:
        for lock in tmp_path.rglob("serve.lock"):  # an example may start a daemon, which would stay for a while
            if (served := find(lock.parent)) is not None:
                os.kill(served.pid, signal.SIGTERM)
    assert ran.returncode == 0, f"{document.name}:\n{ran.stderr}"
    shown = ran.stdout.split(AGAIN)
    assert len(shown) == 2 and all(map(str.strip, shown)), "the example shows nothing"


def test_the_facade_s_docstring_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testmod(yggdrasil.memory)
    assert results.attempted > 0
    assert results.failed == 0


TREES = ["schemas", "infra", "projections", "processors", "producers", "app", "benchmarks", "tests", "docs"]
MADE = {"infra/embedders/model"}  # by make, not part of the repository
SOURCES = {".", *TREES} | {
    path.relative_to(ROOT).as_posix()
    for top in TREES
    for path in (ROOT / top).rglob("*")
    if "__pycache__" not in path.parts and "node_modules" not in path.parts
}


def paths_in(text: str) -> set[str]:
    """What looks like a file or a folder of the repository: ``graph/fold.py``, ``tests/contract``."""
    words = {word.rstrip("./") for word in re.findall(r"(?<![\w./:-])(?:[\w.-]+/)*[\w.-]+/?", text)}
    rooted = {word for word in words if "/" in word and word.split("/")[0] in TREES}
    return rooted | {word for word in words if word.endswith(".py")}


def exists(path: str) -> bool:
    """``...`` stands for any folders; what begins anywhere in the tree may be named from there on."""
    pattern = re.compile(r"(?:.*/)?" + re.escape(path).replace(re.escape(".../"), "(?:.*/)?"))
    return path in MADE or any(pattern.fullmatch(source) for source in SOURCES)


def test_a_path_that_is_not_there_is_found() -> None:
    assert paths_in("see `infra/.../turns.py`, tests/contract and nothing/else") == {
        "infra/.../turns.py",
        "tests/contract",
    }
    assert exists("graph/fold.py") and exists("projections/.../laws/density.py") and exists("tests/contract")
    assert not exists("graph/folded.py") and not exists("infra/.../laws/density.py") and not exists("tests/contracts")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_the_paths_in_the_documents_are_there(document: Path) -> None:
    text = document.read_text()
    named = paths_in(text) - set(re.findall(r'Path\("([^"]+)"\)\.write_text\(', text))  # what its examples write
    assert not [path for path in sorted(named) if not exists(path)], f"{document.name} names what is not there"


TYPED = re.compile(r"\byggdrasil ((?:[a-z][a-z0-9-]* ?)+)([^`\n|)#;&>]*)")


def options(of: Any) -> set[str]:
    """Those of a command; of one that has several below it, such as ``import``, those of each."""
    below = getattr(of, "commands", {})
    return {one for name in below for one in options(below[name])} | {one for each in of.params for one in each.opts}


def unknown_options(text: str) -> list[str]:
    """What a text gives the command line that the command it names does not take."""
    found: list[str] = []
    for words, rest in TYPED.findall(text.replace("\\\n", " ")):
        of = command()
        for word in words.split():
            if (below := getattr(of, "commands", {}).get(word)) is None:
                break
            of = below
        if of is not command():
            given = re.findall(r"(?<=\s)--[a-z][a-z0-9-]*", f" {rest}")
            found += [f"{words.strip()} {one}" for one in given if one not in options(of) | {"--help"}]
    return found


def test_an_option_that_is_not_there_is_found() -> None:
    assert unknown_options("`yggdrasil retire NAME --reason ...`") == ["retire --reason"]
    assert unknown_options("$ yggdrasil import git . --dir=a --kafka b:1 | grep --count x") == []
    assert unknown_options("`yggdrasil import --kafka b`, and yggdrasil itself") == [], "one of its commands takes it"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_the_options_in_the_documents_are_there(document: Path) -> None:
    assert unknown_options(document.read_text()) == []


GLOSSARY = ROOT / "docs" / "glossary.md"
HEADINGS = {"how to read this page.", "values", "upward", "downward", "capacity", "nothing in it rises"}  # no terms


def glossary() -> list[str]:
    entries = re.findall(r"^\* (\*\*.+?\*\*):\s", GLOSSARY.read_text(), re.MULTILINE)
    return [term for entry in entries for term in re.findall(r"\*\*(.+?)\*\*", entry)]


def stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower())}


def test_a_term_of_the_glossary_is_in_use_and_explained_once_in_a_sentence() -> None:
    documents = [document.read_text() for document in DOCUMENTS if document != GLOSSARY]
    code = [path.read_text() for top in TREES[:6] for path in (ROOT / top).rglob("*.py")]
    text = "\n".join([*documents, *code]).lower()
    terms = glossary()
    assert len(terms) > 80
    assert len(set(terms)) == len(terms)
    forms = {term: re.escape(term).replace(r"\ ", r"[\s_-]+") + r"(?:e?s|e?d|ing)?" for term in terms}
    assert not [term for term, form in forms.items() if not re.search(rf"(?<![a-z]){form}(?![a-z])", text)]
    for entry in re.split(r"^\* ", GLOSSARY.read_text(), flags=re.MULTILINE)[1:]:
        explained, _, _ = entry.partition("\n\n")[0].partition(":")[2].replace("\n ", "").partition(" *")
        assert len(re.findall(r"\.(?=\s|$)", explained)) == 1, f"not one sentence: {explained}"


def test_the_glossary_is_in_order() -> None:
    for group in re.split(r"^## ", GLOSSARY.read_text(), flags=re.MULTILINE)[1:]:
        first = re.findall(r"^\* \*\*(.+?)\*\*", group, re.MULTILINE)
        assert first == sorted(first), group.split("\n")[0]


def test_what_the_laws_call_a_term_is_in_the_glossary() -> None:
    laws, _, _ = (ROOT / "docs" / "laws.md").read_text().partition("## How they are proved")
    known = stems(" ".join(glossary()))
    terms = re.findall(r"(?<!\*)\*{1,2}(?=[A-Za-z])([^*]+)(?<=\S)\*{1,2}(?!\*)", laws)
    assert len(terms) > 40
    assert not [term for term in terms if term.lower() not in HEADINGS and not known & stems(term.replace("_", " "))]


def test_links_between_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
