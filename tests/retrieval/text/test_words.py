from pathlib import Path

import pytest

from yggdrasil import Memory


@pytest.mark.parametrize(
    "query",
    [
        "lexical_index",
        "What about graph/lexical_index.py?",
        '"lexical" OR NOT (index',
        "\N{ADLAM SMALL LETTER ALIF}\N{ADLAM SMALL LETTER DAALI}index lexical",  # younger than SQLite's Unicode
        "½lexical٣ lexical",
    ],
)
def test_any_query_can_be_asked(tmp_path: Path, query: str) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        event = memory.record_event("The lexical_index is a view", features=["file:graph/lexical_index.py"])
        assert memory.get_context(query).refs == [event]
