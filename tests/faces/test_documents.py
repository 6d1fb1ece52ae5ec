"""The tables of the documents name what there is, and nothing else."""

import re
from pathlib import Path

from yggdrasil_projections.graph.store.families import ALL

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_architecture_names_every_family() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    table = page.partition("| family | key | value |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(ALL)
