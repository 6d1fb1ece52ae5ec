"""API keys: the file that they are in, and who calls with which of them.

Room for what knows keys and their file, and neither routes nor memories: ``keyfile`` reads and changes the file,
``keyring`` looks at it while a service runs.
"""

from .keyfile import Entry, new_key, read, renew, revoke
from .keyring import Keys

__all__ = ["Entry", "Keys", "new_key", "read", "renew", "revoke"]
