"""The door for MCP, the protocol by which assistants and editors reach tools: over stdio, and over HTTP at ``/mcp``.

``loop`` has the tools of the loop, ``graph`` those of the official memory server over ``graph_view``, ``guide`` the
resources and prompts. They are written once over ``AsyncMemory``; ``server`` puts them together, ``stdio`` and
``over_http`` say where the memory comes from. Room for another toolset. The SDK comes with the extra ``mcp``, so what
is needed of this is imported late.
"""
