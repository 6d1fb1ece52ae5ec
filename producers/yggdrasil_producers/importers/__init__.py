"""Importers: they turn what a source already knows into commands, with derived ids and the source's own time.

===========  ==============================================  ==========================================
module       function                                      one event is
===========  ==============================================  ==========================================
``git``      ``import_git(path, drafter)``                 a commit; mends, reverts, releases judge it
``chat``     ``import_chat(file, drafter)``                a turn (long ones become several)
``claims``   ``import_claims(file, drafter)``              a claim, and no event
``locomo``   ``import_locomo(file, drafter)``              a turn of a LoCoMo conversation
``commands`` ``import_commands(file)``                   as it was: commands that a store gave back
===========  ==============================================  ==========================================

``world`` has those of worlds: events, GeoJSON, GPX. ``exports`` has those of what people have elsewhere: mem0,
LangGraph, MCP's memory server, Claude, ChatGPT, notes.

Each returns an ``Import``: how much there is, and an iterator of drafts to append in order. Importing the same source
twice, a copy of it, or a later state of it gives the same commands for the same content, so the fold changes nothing.
Ids are derived for the drafter's source, so that nobody else can take them first; over HTTP it is the key's name.
Room for another source: it knows ``draft``, the source, and no log.
"""

from .chat import import_chat
from .claims import import_claims
from .commands import import_commands
from .git import import_git
from .locomo import import_locomo
from .run import Import, Unread

__all__ = ["Import", "Unread", "import_chat", "import_claims", "import_commands", "import_git", "import_locomo"]
