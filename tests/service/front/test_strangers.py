"""What a client may do that has shown no key: little, and at little cost to those who have."""

from itertools import repeat

import orjson
import pytest

from tests.service.client import Client
from tests.service.front.strangers import COMMANDS, connected, head, reply_of, said
from yggdrasil.serving import Serving
from yggdrasil_infra.http import bodies
from yggdrasil_infra.http.wire import parsing
from yggdrasil_infra.http.wire.parsing import HEAD_BYTES_MAX, HEADERS_MAX

JSON = "Content-Type: application/json"
CHUNKED = "Transfer-Encoding: chunked"
EVENT = orjson.dumps({"type": "record_event", "body": {}})


def filled(size: int, *lines: str) -> bytes:
    """A head of ``size`` bytes."""
    rest = size - len(head("GET /livez", "Connection: close", *lines, "X: "))
    return head("GET /livez", "Connection: close", *lines, "X: " + "a" * rest)


def one_by_one(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


@pytest.mark.parametrize("cut", [repeat(None), repeat(1_000), repeat(7)], ids=["at once", "in parts", "in crumbs"])
def test_a_head_may_have_its_bytes_however_it_arrives(serving: Serving, cut: "repeat[int | None]") -> None:
    step = next(cut)

    def parts(data: bytes) -> list[bytes]:
        return [data] if step is None else [data[at : at + step] for at in range(0, len(data), step)]

    assert said(serving.url, *parts(filled(HEAD_BYTES_MAX))).status == 200
    said(serving.url, *parts(filled(HEAD_BYTES_MAX + 1))).problem(431, "head_too_large")
    said(serving.url, *parts(filled(HEAD_BYTES_MAX + 40_000))).problem(431, "head_too_large")


def test_many_small_headers_are_a_large_head(serving: Serving) -> None:
    some = [f"X-{number}: a" for number in range(HEADERS_MAX - 2)]
    assert said(serving.url, head("GET /livez", "Connection: close", *some)).status == 200
    said(serving.url, head("GET /livez", "Connection: close", *some, "One: more")).problem(431, "head_too_large")


def test_a_second_head_has_the_same_bound(serving: Serving) -> None:
    with connected(serving.url) as client:
        client.sendall(head("GET /livez") + filled(HEAD_BYTES_MAX + 20_000))
        found = b""
        while part := client.recv(65_536):
            found += part
    assert found.startswith(b"HTTP/1.1 200") and b"head_too_large" not in found.partition(b"\r\n\r\n")[0]
    assert found.count(b"HTTP/1.1 200") == 1


def test_what_follows_a_body_is_bounded_and_means_nothing(serving: Serving) -> None:
    sent = head(f"POST {COMMANDS}", JSON, CHUNKED, "Connection: close") + b"%x\r\n%b\r\n" % (len(EVENT), EVENT)
    found = said(serving.url, sent + b"0\r\nContent-Encoding: gzip\r\nAuthorization: b\r\n\r\n")
    assert found.status == 200
    said(serving.url, sent + b"0\r\n" + b"X: aaaaaaaa\r\n" * 8_000).problem(400, "bad_request")


@pytest.mark.parametrize("chunk", [b"1\r\n{\r\n", b"1;" + b"e" * 200 + b"\r\n{\r\n"], ids=["tiny", "with extensions"])
def test_chunks_that_are_mostly_framing_are_refused(serving: Serving, chunk: bytes) -> None:
    found = said(serving.url, head(f"POST {COMMANDS}", JSON, CHUNKED), chunk * 20_000)
    assert "larger ones" in found.problem(400, "bad_request")["detail"]


def test_chunks_of_an_ordinary_size_are_not(client: Client, serving: Serving) -> None:
    body = orjson.dumps({"type": "record_event", "body": {}, "content": {"text": "a" * 100_000}})
    chunks = b"".join(b"40\r\n%b\r\n" % body[at : at + 64] for at in range(0, len(body) // 64 * 64, 64))
    last = body[len(body) // 64 * 64 :]
    chunks += b"%x\r\n%b\r\n0\r\n\r\n" % (len(last), last)
    assert said(serving.url, head(f"POST {COMMANDS}", JSON, CHUNKED, "Connection: close") + chunks).status == 200


def test_one_connection_has_but_a_share_of_the_event_loop(client: Client, serving: Serving) -> None:
    """Eight that send nothing but tiny requests ahead, and one that asks: it is answered all the while."""
    many = head("GET /livez") * parsing.PIPELINED_MAX
    with connected(serving.url) as hostile:
        hostile.setblocking(False)
        for _ in range(50):
            try:
                hostile.send(many)
            except BlockingIOError:
                break
            assert client.send("GET", "/livez").status == 200


def test_a_key_is_asked_for_before_the_body_is_read(guarded: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that never comes, or for ever, keeps nobody from being told that there is no key."""
    monkeypatch.setattr(bodies, "BODY_S_MAX", 3_600.0)  # far longer than this client waits
    said(guarded[0], head(f"POST {COMMANDS}", JSON, "Content-Length: 200000"), b"{").problem(401, "unauthenticated")
    said(guarded[0], head(f"POST {COMMANDS}", JSON, CHUNKED), b"5\r\n{").problem(401, "unauthenticated")


def test_the_rest_of_a_short_body_is_passed_over(guarded: tuple[str, str]) -> None:
    """So a client that was refused need not connect again, and what it still sends is no request."""
    with connected(guarded[0]) as client:
        client.sendall(head(f"POST {COMMANDS}", JSON, "Content-Length: 18"))
        found = b""
        while b"remedy" not in found:
            more = client.recv(65_536)
            assert more, "the connection was let go"
            found += more
        client.sendall(b"GET / HTTP/1.1\r\n\r\n" + head("GET /livez", "Connection: close"))
        answer = reply_of(client)
        assert (answer.status, answer.body) == (200, b"ok\n")


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 5", CHUNKED),
        (CHUNKED, "Content-Length: 5"),
        ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: identity",),
        (CHUNKED, CHUNKED),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: +5",),
        ("Host: another",),
    ],
    ids=repr,
)
def test_what_others_on_the_way_may_read_otherwise_is_refused(serving: Serving, lines: tuple[str, ...]) -> None:
    """And the connection ends, so that nothing behind it is taken for a request."""
    smuggled = b"0\r\n\r\n" + head("GET /livez")
    found = said(serving.url, head(f"POST {COMMANDS}", JSON, *lines) + smuggled)
    found.problem(400, "bad_request")
    assert found.headers["connection"] == "close"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "GZIP", "identity, gzip", "x"])
def test_an_encoded_body_is_refused(client: Client, encoding: str) -> None:
    reply = client.send("POST", COMMANDS, EVENT, {"Content-Encoding": encoding})
    assert "without Content-Encoding" in reply.problem(415, "unsupported_media_type")["remedy"]
    assert client.send("POST", COMMANDS, EVENT, {"Content-Encoding": "identity"}).status == 200


def test_no_answer_leads_where_the_header_host_says(operator: Client) -> None:
    for path in ("/docs/", "/livez/", "/v1/memories/"):
        reply = operator.send("GET", path, headers={"Host": "evil.example"})
        reply.problem(404, "not_found")
        assert "location" not in reply.headers


@pytest.mark.parametrize("path", ["/docsomething", "/livezx", "/readyz/", "/docs/", "/docs/nothing", "/openapi.jsonx"])
def test_what_begins_like_an_open_path_takes_a_key(guarded: tuple[str, str], path: str) -> None:
    with Client(guarded[0]) as client:
        client.send("GET", path).problem(401, "unauthenticated")
        for there in ("/livez", "/docs", "/docs/swagger-ui.css", "/openapi.json"):
            assert client.send("GET", there).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example:8787"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "http://localhost:8787", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://127.0.0.1:3000", "Sec-Fetch-Site": "same-site"}, 200),
        ({"Origin": "http://[::1]:3000"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
    ],
    ids=repr,
)
def test_without_keys_a_page_of_another_site_is_not_answered(
    client: Client, headers: dict[str, str], status: int
) -> None:
    reply = client.send("GET", "/v1/memories", headers=headers)
    assert reply.status == status
    if status == 403:
        assert "page" in reply.problem(403, "forbidden")["detail"]


def test_with_keys_the_key_alone_counts(operator: Client) -> None:
    headers = {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"}
    assert operator.send("GET", "/v1/memories", headers=headers).status == 200


def test_a_wish_for_another_protocol_is_passed_over(serving: Serving) -> None:
    """Clients of HTTP/2 ask for it with their first request, and go on without it."""
    wish = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA")
    sized = head(f"POST {COMMANDS}", JSON, *wish, f"Content-Length: {len(EVENT)}") + EVENT
    chunked = head(f"POST {COMMANDS}", JSON, CHUNKED, *wish) + b"%x\r\n%b\r\n0\r\n\r\n" % (len(EVENT), EVENT)
    for first in (sized, chunked, head("GET /livez", *wish)):
        for parts in (
            [first + head("GET /livez", "Connection: close")],
            [first, head("GET /livez", "Connection: close")],
        ):
            with connected(serving.url) as client:
                for part in parts:
                    client.sendall(part)
                found = b""
                while part := client.recv(65_536):
                    found += part
            assert found.count(b"HTTP/1.1 200") == 2, found


def test_one_that_sends_ahead_without_end_is_cut(serving: Serving) -> None:
    asked = head("POST /v1/memories/me/agent/context", JSON, "Content-Length: 200000")
    with connected(serving.url) as client:
        client.sendall(head("GET /docs/swagger-ui-bundle.js") * (parsing.PIPELINED_MAX * 4) + asked)
        answered = b""
        while part := client.recv(1 << 20):
            answered += part
    assert answered.count(b"HTTP/1.1 200") <= parsing.PIPELINED_MAX + 1
