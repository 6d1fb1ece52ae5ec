"""A plain HTTP client, so that nothing between the test and the service makes anything better than it is."""

import http.client
import socket
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import orjson


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    def problem(self, status: int, name: str) -> dict[str, Any]:
        """The body of a problem, after looking at all that a problem has."""
        assert (self.status, self.headers["content-type"]) == (status, "application/problem+json"), self.body
        found: dict[str, Any] = self.json
        assert found["type"] == f"urn:yggdrasil:problem:{name}", found
        assert found["status"] == status
        assert found["title"] and found["detail"] and found["remedy"]
        assert found["instance"] == f"urn:yggdrasil:request:{self.headers['x-request-id']}"
        return found


class Client:
    """One connection, for one thread; ``memory`` is the path of a memory that ``post`` and ``get`` begin at."""

    def __init__(self, url: str, key: str | None = None, memory: str = "me/agent") -> None:
        self.url = url
        self._at = url.removeprefix("http://")
        self.key = key
        self.memory = memory
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        made = http.client.HTTPConnection(self._at, timeout=240)
        made.connect()
        made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or each request waits for an ACK
        return made

    def send(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        said = {} if body is None else {"Content-Type": "application/json"}
        if self.key is not None:
            said["Authorization"] = f"Bearer {self.key}"
        said |= headers or {}
        if self._connection.sock is None:
            self._connection = self._connect()
        self._connection.request(method, path, body, said)
        answer = self._connection.getresponse()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def post(self, path: str, body: Any) -> Reply:
        return self.send("POST", f"/v1/memories/{self.memory}{path}", orjson.dumps(body))

    def get(self, path: str) -> Reply:
        return self.send("GET", f"/v1/memories/{self.memory}{path}")

    def event(self, text: str, **body: Any) -> dict[str, Any]:
        reply = self.post("/commands", {"type": "record_event", "body": body, "content": {"text": text}})
        assert reply.status == 200, reply.body
        found: dict[str, Any] = reply.json
        return found

    def ask(self, query: str, **more: Any) -> dict[str, Any]:
        reply = self.post("/context", {"query": query, **more})
        assert reply.status == 200, reply.body
        found: dict[str, Any] = reply.json
        return found

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class HalfSent:
    """A command whose body is half sent: the request is under way until it is finished or given up."""

    def __init__(self, url: str, memory: str, command: dict[str, Any]) -> None:
        self._body = orjson.dumps(command)
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=240)
        self._connection.putrequest("POST", f"/v1/memories/{memory}/commands")
        self._connection.putheader("Content-Type", "application/json")
        self._connection.putheader("Content-Length", str(len(self._body)))
        self._connection.endheaders(self._body[:5])

    def finish(self) -> Reply:
        self._connection.send(self._body[5:])
        answer = self._connection.getresponse()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def close(self) -> None:
        self._connection.close()
