"""Whoever opens a door without its library is told which extra brings it."""

import importlib
import sys
from traceback import format_exception
from typing import Final

import pytest

LIBRARIES: Final = {
    "agent_framework": ("agent_framework", "agent-framework"),
    "claude_memory": ("anthropic", "anthropic"),
    "google_adk": ("google", "google-adk"),
    "langchain": ("langchain_core", "langgraph"),
    "langgraph": ("langgraph", "langgraph"),
    "openai_agents": ("agents", "openai-agents"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
}


@pytest.mark.parametrize("door", LIBRARIES)
def test_a_door_without_its_library_names_the_extra(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library, extra = LIBRARIES[door]
    for name in [name for name in sys.modules if name == library or name.startswith(f"{library}.")]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"yggdrasil.doors.{door}", raising=False)
    with pytest.raises(ModuleNotFoundError) as missing:
        importlib.import_module(f"yggdrasil.doors.{door}")
    assert f"pip install 'yggdrasil-substrate[{extra}]'" in "".join(format_exception(missing.value))
