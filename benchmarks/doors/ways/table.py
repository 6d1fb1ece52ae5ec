"""The list of doors."""

from collections.abc import Mapping
from typing import Final

from . import agents, facade, stores
from .way import Door, refusals

FACADE: Final = Door(facade.directory, refusals, keyed=False)
"""In a directory of its own, with no service between: what the least is that a call costs."""

DOORS: Final[Mapping[str, Door]] = {
    "service": Door(facade.service, refusals),
    "socket": Door(facade.directory, refusals, keyed=False),
    "async": Door(facade.awaited, refusals),
    "command_line": Door(facade.command_line, keyed=False, keeps=True, dear=True),
    "mcp_http": Door(agents.mcp_http, agents.mcp_errors, ends=True),
    "mcp_graph": Door(agents.mcp_graph, agents.mcp_errors, ends=True),
    "mcp_stdio": Door(agents.mcp_stdio, agents.mcp_errors, dear=True),
    "langgraph": Door(stores.langgraph, stores.langgraph_errors, rooms=True),
    "langchain": Door(stores.langchain, refusals),
    "claude_memory": Door(stores.claude_memory, stores.claude_errors),
    "claude_memory_async": Door(stores.claude_memory_async, stores.claude_errors),
    "pydantic_ai": Door(agents.pydantic_ai, silent=True),
    "pydantic_ai_tools": Door(agents.pydantic_ai_tools),
    "openai_session": Door(stores.openai_session, stores.openai_errors, rooms=True),
    "openai_tools": Door(agents.openai_tools),
    "agent_framework": Door(agents.agent_framework, silent=True),
    "agent_framework_tools": Door(agents.agent_framework_tools),
    "hooks": Door(agents.hooks, silent=True, keeps=True, dear=True),
}
"""Those that stand in one environment. What a call costs is told in times of the first."""

APART: Final[Mapping[str, Door]] = {
    "strands": Door(stores.strands, stores.strands_errors, deaf=True),
    "google_adk": Door(stores.google_adk, stores.adk_errors, rooms=True),
}
"""Those that need an environment of their own: `make test-doors`."""
