"""The directions in which texts differ most by each model of the pair: ``python -m benchmarks.recall.bases OUT.npz``.

They are the first right singular vectors of the vectors of some thousand paragraphs of manual pages in thirteen
languages (of this machine, from /usr/share/man). No shape asks of these: section 1 in English is left out. On other
pages other directions come out, so the file that a release brings is part of its model.
"""

import argparse
import gzip
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from yggdrasil_infra.embedders import minilm
from yggdrasil_infra.embedders.paired import UniversalEncoder

from ..measure import say

DIRECTIONS: Final = 256
_MANUALS: Final = Path("/usr/share/man")
_LANGUAGES: Final = ("de", "es", "fr", "ja", "ru", "zh_CN", "ko", "it", "pl", "pt_BR", "tr", "nl")
_SECTIONS: Final = (2, 3, 4, 5, 7, 8)
_OF_LANGUAGE, _OF_ENGLISH, _OF_PAGE = 300, 1_500, 3
_LENGTHS: Final = range(25, 701)
_ENDS: Final = (".PP", ".P", ".SH", ".TP", ".IP", ".SS", ".LP", ".Pp", ".It", ".Sh")
_WORDS: Final = (".B ", ".I ", ".BR", ".IR", ".RB", ".RI")
_ESCAPES: Final = re.compile(r"\\f(\[[^\]]*\]|\(..|.)|\\s[-+]?\d|\\\(..|\\\[[^\]]*\]|\\\*\(?..?|\\.")


def main() -> None:
    """Write the directions of both models into a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    texts = paragraphs(random.Random(1))
    say(f"  {len(texts)} paragraphs")
    first, second = minilm(), UniversalEncoder()
    both = [
        directions(np.array([model.numbers(text) for text in texts])).astype(np.float16) for model in (first, second)
    ]
    np.savez(out, first=both[0], second=both[1])


def directions(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the first right singular vectors of vectors taken at length 1, shape (numbers, directions)."""
    lengths = np.linalg.norm(numbers, axis=1, keepdims=True)
    found: npt.NDArray[np.float64] = np.linalg.svd(numbers / lengths, full_matrices=False)[2][:DIRECTIONS].T
    return found


def paragraphs(chance: random.Random) -> list[str]:
    """Return paragraphs of manual pages, some of each language and more of English."""
    found = [text for name in _LANGUAGES for text in _some([_MANUALS / name], _OF_LANGUAGE, chance)]
    return found + _some([_MANUALS / f"man{number}" for number in _SECTIONS], _OF_ENGLISH, chance)


def _some(folders: list[Path], count: int, chance: random.Random) -> list[str]:
    pages = sorted(page for folder in folders for page in folder.rglob("*.gz"))
    chance.shuffle(pages)
    found: dict[str, None] = {}
    for page in pages:
        of_page = [text for text in _paragraphs(page) if len(text) in _LENGTHS and _is_prose(text)]
        chance.shuffle(of_page)
        found.update(dict.fromkeys(of_page[:_OF_PAGE]))
        if len(found) >= count:
            break
    return list(found)


def _paragraphs(page: Path) -> Iterator[str]:
    lines: list[str] = []
    for line in gzip.decompress(page.read_bytes()).decode("utf-8", "replace").splitlines():
        if line.startswith(_ENDS) or not line.strip():
            yield _plain(lines)
            lines = []
        elif line.startswith(_WORDS):
            lines.append(line.partition(" ")[2].replace('"', ""))
        elif not line.startswith((".", "'")):
            lines.append(line)
    yield _plain(lines)


def _plain(lines: list[str]) -> str:
    return " ".join(_ESCAPES.sub("", " ".join(lines).replace("\\-", "-").replace("\\(aq", "'")).split())


def _is_prose(text: str) -> bool:
    return sum(each.isalpha() for each in text) > 0.6 * len(text)


if __name__ == "__main__":
    main()
