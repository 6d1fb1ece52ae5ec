"""What people have in other memories and in conversations: their exports, as events, claims and documents.

==============  ======================  ====================================================
module          function                one unit is
==============  ======================  ====================================================
``mem0``        ``import_mem0``         a memory, an event under its id; a relation is a claim
``langgraph``   ``import_langgraph``    an item of a store, a document
``mcp_memory``  ``import_mcp_memory``   an entity with its observations, a relation: claims
``claude``      ``import_claude``       a message of a conversation
``chatgpt``     ``import_chatgpt``      a message of a conversation
``markdown``    ``import_markdown``     a section of a note under a heading
==============  ======================  ====================================================

Strangers wrote these files: a file may be of any size, an element has a bound, and what is not understood is counted by
reason and named by its place while the rest is imported. Room for another export: it reads elements or a folder.
"""

from .chatgpt import import_chatgpt
from .claude import import_claude
from .files import bytes_at
from .langgraph import import_langgraph
from .markdown import import_markdown
from .mcp_memory import import_mcp_memory
from .mem0 import import_mem0

__all__ = [
    "bytes_at",
    "import_chatgpt",
    "import_claude",
    "import_langgraph",
    "import_markdown",
    "import_mcp_memory",
    "import_mem0",
]
