"""What is too large, malformed, too slow or no HTTP at all is refused clearly, and the service goes on."""

import select
import socket
from collections.abc import Iterator

import orjson
import pytest

from tests.service.client import Client, Reply
from yggdrasil.serving import Serving
from yggdrasil_infra.http import bodies
from yggdrasil_infra.http.wire import connection
from yggdrasil_schemas.limits import RECORD_BYTES_MAX

COMMANDS = "/v1/memories/me/agent/commands"
EVENT = {"type": "record_event", "body": {}}
JSON = "Content-Type: application/json\r\n"
WRONG = (405, "method_not_allowed")


@pytest.fixture(autouse=True)
def goes_on(serving: Serving) -> Iterator[None]:
    yield
    with Client(serving.url) as client:
        assert client.event("Still here")["accepted"]


def raw(serving: Serving, sent: bytes, *, end: bool = False) -> bytes:
    """Send bytes and return all that comes back until the service closes the connection."""
    host, port = serving.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=240) as connection:
        connection.sendall(sent)
        if end:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        while part := connection.recv(65_536):
            found += part
    return found


def parsed(answer: bytes) -> Reply:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Reply(int(first.split()[1]), headers, body)


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"a": NaN}', b"\xff", b'{"a": 1}}', b"[" * 100_000, b'"\xed\xa0\x80"', b"'a'"], ids=repr
)
def test_what_is_no_json(client: Client, body: bytes) -> None:
    reply = client.send("POST", COMMANDS, body)
    assert reply.status == (422 if not body else 400)
    reply.problem(reply.status, "not_json" if body else "invalid")


@pytest.mark.parametrize("body", [[], "text", 1, None, True, [EVENT]], ids=repr)
def test_json_that_is_no_object(client: Client, body: object) -> None:
    client.send("POST", COMMANDS, orjson.dumps(body)).problem(422, "invalid")
    client.send("POST", "/v1/memories/me/agent/context", orjson.dumps(body)).problem(422, "invalid")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"type": "unknown"}, "unknown_type"),
        ({"type": 1}, "unknown_type"),
        ({"type": None}, "unknown_type"),
        ({"body": None}, "invalid_body"),
        ({"body": {"features": "deploy"}}, "invalid_body"),
        ({"body": {"features": ["a", 1, "a"]}}, "invalid_body"),
        ({"body": {"unknown": 1}}, "invalid_body"),
        ({"id": ""}, "invalid_envelope"),
        ({"id": 0}, "invalid_envelope"),
        ({"id": "01a2027e-a896-4aac-bed7-03de4d7b9078"}, "invalid_envelope"),
        ({"at": "one"}, "invalid_envelope"),
        ({"at": 1.0}, "invalid_envelope"),
        ({"session": ""}, "invalid_envelope"),
        ({"session": "a\x1bb"}, "invalid_envelope"),
        ({"extra": 1}, "invalid_envelope"),
        ({"content": "text"}, "invalid_content"),
        ({"content": {"text": 1}}, "invalid_content"),
    ],
    ids=repr,
)
def test_a_malformed_command(client: Client, change: dict[str, object], reason: str) -> None:
    assert client.post("/commands", EVENT | change).problem(422, "invalid")["reason"] == reason


def test_a_feature_that_is_named_twice_is_taken_once(client: Client) -> None:
    sent = EVENT | {"body": {"features": ["deploy", "friday", "deploy"]}}
    ref = client.post("/commands", sent).json["id"]
    assert client.get(f"/nodes/{ref}").json["memory"]["features"] == ["deploy", "friday"]


def test_a_payload_that_is_too_deep(client: Client) -> None:
    deep: object = 1
    for _ in range(20):
        deep = [deep]
    sent = EVENT | {"content": {"payload": {"deep": deep}}}
    assert client.post("/commands", sent).problem(422, "invalid")["reason"] == "too_deep"


def test_nothing_of_a_batch_is_appended_when_one_is_malformed(client: Client) -> None:
    client.event("First")
    before = client.get("/digest").json
    problem = client.post("/commands/batch", {"commands": [EVENT, EVENT | {"type": "sleep", "body": 1}]})
    assert problem.problem(422, "invalid")["detail"].startswith("commands.1: ")
    assert client.get("/digest").json == before
    wrong: list[object] = [[], [EVENT] * 101, {}, [1], None]
    for commands in wrong:
        client.post("/commands/batch", {"commands": commands}).problem(422, "invalid")
    client.post("/commands/batch", {"commands": [EVENT], "more": 1}).problem(422, "invalid")


@pytest.mark.parametrize(
    "change",
    [{"k": 0}, {"k": 51}, {"k": "5"}, {"k": 5.5}, {"k": True}, {"tokens_max": 0}, {"query": 1}, {"query": None},
     {"extra": 1}, {"record": "yes"}, {"after": "1"}, {"after": "1-2-3"}, {"after": 1}, {"deadline_s": -1},
     {"deadline_s": 31}, {"deadline_s": "1"}, {"session": ""}, {"vector": {}}, {"vector": {"model": "m"}},
     {"deep": 1}, {"features": "deploy"}, {"features": [""]}, {"features": ["f"] * 33}, {"features": [1]},
     {"where": "ops"}, {"where": {"sessions": []}}, {"where": {"sessions": "ops"}}, {"where": {"kinds": ["feature"]}},
     {"where": {"origins": ["human"]}}, {"where": {"sources": ["s"] * 33}}, {"where": {"features_any": [""]}},
     {"where": {"since": "2026"}}, {"where": {"since": -1}}, {"where": {"since": 2, "until": 1}},
     {"where": {"session": ["ops"]}}, {"vector": {"model": "m", "dimension": 3, "data": "AAAA!"}},
     {"vector": {"model": "m", "dimension": 2, "data": "AAAA"}}],
    ids=repr,
)  # fmt: skip
def test_a_malformed_question(client: Client, change: dict[str, object]) -> None:
    client.post("/context", {"query": "q"} | change).problem(422, "invalid")
    client.post("/similar-cases", {"query": "q"} | change).problem(422, "invalid")


def test_a_filter_that_could_admit_nothing_says_what_to_do(client: Client) -> None:
    sent = {"query": "q", "where": {"sessions": []}}
    detail = client.post("/context", sent).problem(422, "invalid")["detail"]
    assert detail == "sessions is empty, and would admit nothing: leave it out to admit whatever there is"


@pytest.mark.parametrize(
    "sent",
    [{"text": 1}, {"text": "a" * 131_073}, {"query": "q"}, {"features": "deploy"}, {"features": [""]}, {"after": "1"},
     {"features": ["f"] * 33}, {"features": ["a" * 129]}, {"deadline_s": -1}, []],
    ids=lambda sent: repr(sent)[:40],
)  # fmt: skip
def test_a_malformed_situation(client: Client, sent: object) -> None:
    client.send("POST", "/v1/memories/me/agent/foretold", orjson.dumps(sent)).problem(422, "invalid")


@pytest.mark.parametrize("query", ["afte=0-0", "after=", "after=x", "deadline_s=x", "deadline_s=-1", "deadline_s=nan"])
def test_malformed_parameters(client: Client, query: str) -> None:
    client.get(f"/timeline?{query}").problem(422, "invalid")


@pytest.mark.parametrize(
    "query", ["since=-1", "since=x", "since=144115188075855872", "count=0", "count=1001", "sinc=1"]
)
def test_malformed_pages_of_a_thinker(client: Client, query: str) -> None:
    client.get(f"/happened?{query}").problem(422, "invalid")


@pytest.mark.parametrize(
    "path",
    ["/episodes?before=-1", "/episodes?count=201", "/episodes?session=", "/episodes/x", "/working-memory?count=0",
     "/working-memory?before=1"],
)  # fmt: skip
def test_malformed_questions_of_episodes(client: Client, path: str) -> None:
    client.get(path).problem(422, "invalid")


@pytest.mark.parametrize(
    "sent",
    [{"count": 0}, {"count": 51}, {"episode": "x"}, {"session": ""}, {"of": 1}, {"text": "a", "session": "s"}, []],
    ids=repr,
)
def test_a_malformed_question_of_what_is_next(client: Client, sent: object) -> None:
    client.send("POST", "/v1/memories/me/agent/what-next", orjson.dumps(sent)).problem(422, "invalid")


@pytest.mark.parametrize("memory", ["me/-agent", "me/" + "a" * 65, ".me/agent", "me/a%00b", "m%C3%A9/agent", "me/a%0a"])
def test_malformed_names(client: Client, memory: str) -> None:
    client.send("GET", f"/v1/memories/{memory}/stats").problem(422, "invalid")


@pytest.mark.parametrize("said", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_what_is_not_sent_as_json(client: Client, said: str) -> None:
    """So no page of the web can make a browser write here: it would have to ask first, and gets no leave."""
    reply = client.send("POST", COMMANDS, orjson.dumps(EVENT), {"Content-Type": said})
    reply.problem(415, "unsupported_media_type")
    asked = client.send("OPTIONS", COMMANDS, headers={"Origin": "http://evil.example"})
    asked.problem(403, "forbidden")
    assert "access-control-allow-origin" not in asked.headers


def test_a_body_that_is_too_large(client: Client, serving: Serving) -> None:
    large = orjson.dumps(EVENT | {"content": {"text": "a" * RECORD_BYTES_MAX}})
    client.send("POST", COMMANDS, large).problem(413, "too_large")
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (large[:200_000], large[200_000:])) + b"0\r\n\r\n"
    head = f"POST {COMMANDS} HTTP/1.1\r\nHost: localhost\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n".encode()
    parsed(raw(serving, head + chunks)).problem(413, "too_large")


def test_a_body_that_never_ends(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LINGER_S", 0.2)
    head = f"POST {COMMANDS} HTTP/1.1\r\nHost: localhost\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n".encode()
    parsed(raw(serving, head + b"40000\r\n" + b"a" * 262_144 + b"\r\n10\r\nabc")).problem(413, "too_large")
    said = f"POST {COMMANDS} HTTP/1.1\r\nHost: localhost\r\n{JSON}Content-Length: 99999999999\r\n\r\n".encode()
    parsed(raw(serving, said + b"a" * 100)).problem(413, "too_large")


def test_a_body_that_comes_too_slowly(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_S_MAX", 0.2)
    head = f"POST {COMMANDS} HTTP/1.1\r\nHost: localhost\r\n{JSON}Content-Length: 100\r\n\r\n".encode()
    parsed(raw(serving, head + b"{")).problem(408, "request_timeout")


def test_a_head_that_comes_too_slowly(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD_S_MAX", 0.2)
    assert raw(serving, b"") == b""
    assert raw(serving, b"GET /livez HTTP/1.1\r\nHost") == b""


def test_a_client_that_takes_no_answer(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_S_MAX", 0.2)
    host, port = serving.url.removeprefix("http://").split(":")
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect((host, int(port)))
        client.sendall(b"GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 8)
        poll = select.poll()
        poll.register(client, 0)  # the end alone: the service ends it, and not we
        assert poll.poll(60_000)


@pytest.mark.parametrize(
    "sent",
    [b"nonsense\r\n\r\n", b"GET /livez HTTP/1.1\r\nHost: localhost\r\nBad\x00: b\r\n\r\n",
     b"POST /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", b"GET /livez HTTP/1.1\r\n\r\n",
     b"GET /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n",
     b"GET /v1/memories HTTP/1.1\r\nHost: localhost\r\nyggdrasil-record: false\r\nYggdrasil-Record: true\r\n\r\n",
     b"GET /v1/memories HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a\r\nOrigin: http://localhost\r\n\r\n",
     b"POST /v1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"],
    ids=repr,
)  # fmt: skip
def test_what_is_no_http(serving: Serving, sent: bytes) -> None:
    parsed(raw(serving, sent, end=True)).problem(400, "bad_request")


def test_a_head_that_is_too_large(serving: Serving) -> None:
    parsed(raw(serving, b"GET /livez HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 100_000)).problem(431, "head_too_large")
    parsed(raw(serving, b"GET /" + b"a" * 100_000)).problem(431, "head_too_large")


def test_a_chunk_that_is_none(serving: Serving) -> None:
    head = f"POST {COMMANDS} HTTP/1.1\r\nHost: localhost\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n".encode()
    parsed(raw(serving, head + b"zz\r\n", end=True)).problem(400, "bad_request")


def test_what_is_not_there(client: Client) -> None:
    client.send("GET", "/").problem(404, "not_found")
    client.send("GET", "/v1/memories/me/agent/nothing").problem(404, "not_found")
    reply = client.send("DELETE", COMMANDS)
    reply.problem(405, "method_not_allowed")
    assert reply.headers["allow"] == "POST"
    client.get("/commands/batch").problem(405, "method_not_allowed")


def test_what_a_memory_does_not_have(client: Client) -> None:
    for path in (
        "/stats",
        "/timeline",
        "/happened",
        "/working-memory",
        "/episodes",
        "/episodes/01a2027e-a896-7aac-bed7-03de4d7b9078",
        "/digest",
        "/nodes/feature:a",
        "/commands/01a2027e-a896-7aac-bed7-03de4d7b9078",
    ):
        client.get(path).problem(404, "unknown_memory")
    for path in ("/context", "/similar-cases"):
        client.post(path, {"query": "Anything?"}).problem(404, "unknown_memory")
    assert client.memory not in client.send("GET", "/v1/memories").json["memories"], "asking makes no memory"
    event = client.event("Something", features=["path:src/parse.py"])
    other = event["id"].replace("-7", "-8", 1)
    client.get(f"/nodes/{other}").problem(404, "unknown_node")
    client.get(f"/episodes/{other}").problem(404, "unknown_node")
    client.get(f"/episodes/{event['id']}").problem(422, "invalid")
    client.post("/what-next", {"episode": other}).problem(404, "unknown_node")
    client.get("/nodes/feature:b").problem(404, "unknown_node")
    client.get(f"/actions/{other}").problem(404, "unknown_action")
    client.get(f"/commands/{other}").problem(404, "unknown_command")
    assert client.get("/nodes/feature:path:src/parse.py").json["memory"]["text"] == "path:src/parse.py"
    assert client.get("/nodes/feature:path:src%2Fparse.py/neighbours").json["degree"] == 1


def test_what_a_client_says_of_itself_is_kept_apart(client: Client) -> None:
    assert client.send("GET", "/livez", headers={"X-Request-Id": "my-own.1"}).headers["x-request-id"] == "my-own.1"
    for said in ("a b", "a" * 65, "<script>", ""):
        found = client.send("GET", "/livez", headers={"X-Request-Id": said}).headers["x-request-id"]
        assert found != said
        assert len(found) == 16


def test_every_answer_is_guarded(client: Client) -> None:
    for path in ("/livez", "/v1/memories", "/nowhere", "/openapi.json"):
        headers = client.send("GET", path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "server" not in headers


def test_methods_that_a_stranger_makes_up_are_one_series(client: Client, serving: Serving) -> None:
    for path in ("/livez", COMMANDS, "/none"):
        for method in ("PROPFIND", "MKCOL", "PURGE", "LOCK", "REPORT"):
            client.send(method, path).problem(*((404, "not_found") if path == "/none" else WRONG))
        client.send("MADEUP", path).problem(400, "bad_request")
    told = client.send("GET", "/metrics").body.decode()
    assert "MADEUP" not in told and "PROPFIND" not in told
    assert 'yggdrasil_service_requests_total{method="other",route="/livez",status="405"} 5.0' in told
