"""What a process shows to those who watch it: ``/metrics``, ``/livez`` and ``/readyz`` over HTTP.

A thread per connection, as the standard library has it, with three bounds of our own: how many connections there are,
how long one may take from its first byte to its last, and how large a request may be. When there are too many, the
oldest one goes: whoever holds connections open for nothing cannot keep a probe out.
"""

import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from socketserver import TCPServer
from types import TracebackType
from typing import Any, Final, Self, cast

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from yggdrasil_schemas.errors import YggdrasilError

Check = Callable[[], str | None]
"""Returns None when all is well, or else the reason in one sentence."""

CONNECTIONS_MAX: Final = 16  # a scraper, a kubelet, a person or two, and as many again
CONNECTION_S_MAX: Final = 5.0
REQUEST_BYTES_MAX: Final = 8_192  # Prometheus sends some 300 bytes
_TURN_S: Final = 0.25  # how often the server looks for connections that have taken too long
_LOGGER: Final = logging.getLogger("yggdrasil.probes")


class ProbesError(YggdrasilError):
    """The address for probes cannot be listened on."""


class Probes:
    """Serves the probes from daemon threads while its context is open.

    ``live`` is asked for ``/livez`` and ``ready`` for ``/readyz``: 200 and "ok", or 503 and the reason. They are called
    from several threads and must not wait for anything. What ``notes`` returns is said beside the ok of ``ready``.
    """

    def __init__(
        self,
        address: tuple[str, int],
        registry: CollectorRegistry,
        live: Check,
        ready: Check,
        notes: Check = lambda: None,
    ) -> None:
        """Name the address, a host or IP address and a port; port 0 takes any that is free. Nothing is opened yet."""
        self._address = address
        self._pages: dict[str, _Page] = {
            "/metrics": lambda accept: _metrics(registry, accept),
            "/livez": lambda _: _probe(live),
            "/readyz": lambda _: _probe(ready, notes),
        }
        self._server: _Server | None = None

    @property
    def port(self) -> int:
        """The port that is listened on. Raises ProbesError outside the context."""
        if self._server is None:
            raise ProbesError("the probes are not served; enter their context first")
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        """Listen. Raises ProbesError when the address cannot be had."""
        host, port = self._address
        try:
            self._server = _Server(self._address, self._pages)
        except (OSError, OverflowError) as error:
            raise ProbesError(
                f"cannot listen on {host}:{port} for metrics and probes: {error}. "
                "Name an address of this machine and a free port; another process may have this one."
            ) from error
        threading.Thread(target=self._server.serve_forever, args=(_TURN_S,), name="probes", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop listening, and end the connections that are open."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server.end_all()
            self._server = None


_Reply = tuple[int, str, bytes]
"""Status, content type, body."""
_Page = Callable[[str], _Reply]
"""Takes the request's Accept header."""


def _text(status: int, text: str) -> _Reply:
    return status, "text/plain; charset=utf-8", (" ".join(text.split()) + "\n").encode("utf-8", "backslashreplace")


def _probe(check: Check, notes: Check = lambda: None) -> _Reply:
    if reason := check():
        return _text(503, reason)
    note = notes()
    return _text(200, "ok" if note is None else f"ok, but {note}")


def _metrics(registry: CollectorRegistry, accept: str) -> _Reply:
    encode, content_type = choose_encoder(accept)
    return 200, content_type, encode(registry)


class _Server(ThreadingHTTPServer):
    request_queue_size = CONNECTIONS_MAX
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], pages: dict[str, _Page]) -> None:
        self.pages: Final = pages
        self._slots = threading.Semaphore(CONNECTIONS_MAX)
        self._lock = threading.Lock()
        self._open: dict[socket.socket, float] = {}  # in the order of their coming, each with when it must be done
        found = socket.getaddrinfo(*address, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        self.address_family = found[0][0]
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind without looking up the host's name, as HTTPServer does: that can take seconds, and nothing uses it."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Hand a connection to a thread of its own; when all are taken, end the oldest one first."""
        if not self._slots.acquire(blocking=False):
            self._end(1)
            if not self._slots.acquire(timeout=_TURN_S):  # threads that hang in a check: nothing can be served now
                super().shutdown_request(request)
                return
        with self._lock:
            self._open[request] = time.monotonic() + CONNECTION_S_MAX
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection and free its place."""
        with self._lock:
            known = self._open.pop(request, None)
        super().shutdown_request(request)
        if known is not None:
            self._slots.release()

    def service_actions(self) -> None:
        """End the connections whose time is over."""
        now = time.monotonic()
        with self._lock:
            late = sum(1 for due in self._open.values() if due <= now)
        self._end(late)

    def end_all(self) -> None:
        """End every connection."""
        self._end(CONNECTIONS_MAX)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say at most in the debug log that a client went away in the middle."""
        _LOGGER.debug("a connection from %s ended early", client_address[0], exc_info=True)

    def _end(self, count: int) -> None:
        """Wake the threads of the ``count`` oldest connections: to them it is as if the client had gone."""
        with self._lock:
            for connection in list(self._open)[:count]:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


class _Head:
    """Reads the lines of a request's head, as long as they are not too many bytes together."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream = stream
        self._left = REQUEST_BYTES_MAX

    def readline(self, size: int) -> bytes:
        line = self._stream.readline(min(size, self._left + 1))
        self._left -= len(line)
        if self._left < 0:
            raise LineTooLong("request")
        return line

    def close(self) -> None:
        self._stream.close()


class _Handler(BaseHTTPRequestHandler):
    server_version = "yggdrasil"
    sys_version = ""

    def setup(self) -> None:
        super().setup()
        self.rfile = cast(BufferedIOBase, _Head(self.rfile))

    def handle_one_request(self) -> None:
        """Answer the one request of this connection. Another one takes another connection."""
        self.close_connection = True
        self.requestline, self.request_version, self.command = "", "HTTP/1.0", ""
        try:
            self.raw_requestline = self.rfile.readline(REQUEST_BYTES_MAX + 1)
        except LineTooLong:
            self._reply(_text(414, "the request is too long"))
            return
        if self.raw_requestline and self.parse_request():
            self._reply(self._answer())

    def _answer(self) -> _Reply:
        page = cast(_Server, self.server).pages.get(self.path.partition("?")[0])
        if page is None:
            return _text(404, "there are /metrics, /livez and /readyz")
        if self.command not in {"GET", "HEAD"}:
            return _text(405, "only GET and HEAD are allowed")
        try:
            return page(self.headers.get("Accept", ""))
        except Exception as error:  # whoever watches must learn that this is broken; the process goes on
            _LOGGER.exception("the answer to %s failed", self.path)
            return _text(503, f"the answer failed: {type(error).__name__}: {error}")

    def _reply(self, reply: _Reply) -> None:
        status, content_type, body = reply
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if status == 405:
            self.send_header("Allow", "GET, HEAD")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are many and all alike."""
