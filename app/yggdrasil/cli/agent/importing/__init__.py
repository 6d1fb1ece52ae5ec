"""``yggdrasil import``: what another source already knows, as commands with derived ids.

``sources`` has the commands for what becomes a memory (git, chats, claims), ``exports`` those for what other memories
and conversations export, ``running`` what all of them do, ``folding`` one run. Room for another source.
"""

from .sources import app

__all__ = ["app"]
