"""An engine through the socket of the service that holds a directory."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final

import httpx2

from yggdrasil_infra.forking import in_child
from yggdrasil_infra.http.wire.socket_file import find

from ..engines.remote import Remote
from ..engines.service_client import ServiceAwayError

_URL: Final = "http://localhost"  # nobody looks it up; HTTP wants a name
_LIMITS: Final = httpx2.Limits(max_connections=64, keepalive_expiry=20.0)


def attached(directory: Path, begin: Callable[[], object] | None = None) -> Remote | None:
    """Return an engine over the service that holds ``directory``; None when none answers.

    When that has ended, ``begin`` starts another one, or else whoever asks hears that it has. Raises
    UntrustedSocketError.
    """
    found = find(directory)
    if found is None:
        return None
    return Remote(_URL, transport=SocketTransport(directory, found.path, begin), owned=str(directory))


class SocketTransport(httpx2.BaseTransport):
    """Carries requests to the service of a directory, wherever its socket is by now. For any thread."""

    def __init__(self, directory: Path, path: Path, begin: Callable[[], object] | None) -> None:
        """Begin with the socket at ``path``, which has been looked at."""
        self._directory = directory
        self._begin = begin
        self._changing = Lock()
        self._now = _Through(path)
        in_child(self, SocketTransport._leave)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send, and once more where nobody was listening, who can have taken nothing. Raises ServiceAwayError."""
        through = self._now
        try:
            return through.handle_request(request)
        except httpx2.ConnectError:
            return self._anew(through).handle_request(request)

    def close(self) -> None:
        """Let go of all connections."""
        self._now.close()

    def _leave(self) -> None:
        """Begin with no connection in a forked process, whose parent may be in the midst of anything."""
        self._changing = Lock()
        self._now = _Through(self._now.path)

    def _anew(self, failed: "_Through") -> "_Through":
        with self._changing:
            if self._now is not failed:
                return self._now
            found = find(self._directory)
            if found is None and self._begin is not None:
                self._begin()
                found = find(self._directory)
            if found is None:
                raise ServiceAwayError(
                    f"the service of {self._directory} has ended. Open the directory again; opened with daemon=True, "
                    "it starts a service whenever there is none"
                )
            self._now = _Through(found.path)
            failed.close()
            return self._now


class _Through(httpx2.HTTPTransport):
    """Connections to the socket at ``path``."""

    def __init__(self, path: Path) -> None:
        super().__init__(uds=str(path), limits=_LIMITS)
        self.path = path

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send, unless the socket is gone: what is below leaves a socket open when it finds nobody to connect to."""
        if not self.path.exists():
            raise httpx2.ConnectError("its socket is gone", request=request)
        return super().handle_request(request)
