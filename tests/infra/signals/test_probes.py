"""What watches a process gets its answer, whatever others do to the same port."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPResponse

import pytest
from prometheus_client import Counter, Gauge
from prometheus_client.parser import text_string_to_metric_families

from yggdrasil_infra.signals import probes as module
from yggdrasil_infra.signals.metrics import WorkerMetrics
from yggdrasil_infra.signals.probes import CONNECTIONS_MAX, REQUEST_BYTES_MAX, Check, Probes, ProbesError

DEADLINE_S = 120.0  # far above what anything here takes


def well() -> str | None:
    return None


@contextmanager
def served(live: Check = well, ready: Check = well, metrics: WorkerMetrics | None = None) -> Iterator[Probes]:
    with Probes(("127.0.0.1", 0), (metrics or WorkerMetrics()).registry, live, ready) as probes:
        yield probes


def ask(probes: Probes, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", probes.port, timeout=DEADLINE_S)
    try:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def opened(probes: Probes) -> socket.socket:
    return socket.create_connection(("127.0.0.1", probes.port), timeout=DEADLINE_S)


def ended(connection: socket.socket) -> bool:
    """Wait until the server has closed; False when it answered instead. No answer within the deadline is an error."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def threads() -> int:
    return sum(1 for thread in threading.enumerate() if "process_request_thread" in thread.name)


def test_the_probes_say_ok_or_the_reason_and_follow_each_change() -> None:
    reasons: dict[str, str | None] = {"live": None, "ready": "joining\nthe group"}
    with served(lambda: reasons["live"], lambda: reasons["ready"]) as probes:
        response, body = ask(probes, "/livez")
        assert (response.status, body) == (200, b"ok\n")
        response, body = ask(probes, "/readyz")
        assert (response.status, body) == (503, b"joining the group\n")
        reasons.update(live="no progress for 120 s", ready=None)
        assert ask(probes, "/livez")[0].status == 503
        assert ask(probes, "/readyz?verbose=1")[0].status == 200


def test_metrics_are_read_by_the_old_and_the_new_format() -> None:
    metrics = WorkerMetrics()
    metrics.records_folded.labels(0).inc(3)
    with served(metrics=metrics) as probes:
        response, body = ask(probes, "/metrics")
        assert response.headers["Content-Type"].startswith("text/plain")
        families = {family.name: family for family in text_string_to_metric_families(body.decode())}
        assert families["yggdrasil_worker_records_folded"].samples[0].value == 3
        response, body = ask(probes, "/metrics", Accept="application/openmetrics-text;version=1.0.0")
        assert response.headers["Content-Type"].startswith("application/openmetrics-text")
        assert body.endswith(b"# EOF\n")


@pytest.mark.parametrize("path", ["/metrics", "/livez", "/readyz"])
def test_head_is_get_without_its_body(path: str) -> None:
    with served() as probes:
        response, body = ask(probes, path, "HEAD")
        assert (response.status, body) == (200, b"")
        assert int(response.headers["Content-Length"]) > 0


def test_anything_else_is_not_found_or_not_allowed() -> None:
    with served() as probes:
        assert ask(probes, "/")[0].status == 404
        assert ask(probes, "/metrics/../etc")[0].status == 404
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "NONSENSE"):
            response, _ = ask(probes, "/metrics", method)
            assert response.status == 405
            assert response.headers["Allow"] == "GET, HEAD"


def test_a_check_or_a_metric_that_fails_is_said_and_ends_nothing() -> None:
    metrics = WorkerMetrics()
    Gauge("odd", "Raises.", registry=metrics.registry).set_function(lambda: 1 / 0)

    def broken() -> str | None:
        raise RuntimeError("a bug")

    with served(live=broken, metrics=metrics) as probes:
        response, body = ask(probes, "/livez")
        assert (response.status, body) == (503, b"the answer failed: RuntimeError: a bug\n")
        assert ask(probes, "/metrics")[0].status == 503
        assert ask(probes, "/readyz")[0].status == 200


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /" + b"a" * REQUEST_BYTES_MAX, b"414"),
        (b"GET /livez HTTP/1.1\r\nx: " + b"a" * REQUEST_BYTES_MAX, b"431"),
        (b"GET /livez HTTP/1.1\r\n" + b"x: y\r\n" * 200, b"431"),
        (b"\x16\x03\x01\x02\x00 \r\n\r\n", b"400"),
        (b"GET /livez HTTP/9.9\r\n\r\n", b"505"),
    ],
)
def test_what_is_too_large_or_no_request_is_refused(request_bytes: bytes, status: bytes) -> None:
    with served() as probes:
        with opened(probes) as connection:
            connection.sendall(request_bytes)
            assert status in connection.recv(1_000).split(b"\r\n")[0]
        assert ask(probes, "/livez")[0].status == 200


def test_those_who_hold_connections_open_keep_no_probe_out_and_cost_no_more_threads() -> None:
    with served() as probes, ExitStack() as stack:
        idle = [stack.enter_context(opened(probes)) for _ in range(3 * CONNECTIONS_MAX)]
        for connection in idle[-CONNECTIONS_MAX:]:
            connection.sendall(b"GET /livez HTT")
        for _ in range(5):
            assert ask(probes, "/livez")[0].status == 200
        assert threads() <= CONNECTIONS_MAX
        assert all(ended(connection) for connection in idle[:CONNECTIONS_MAX])


def test_a_request_that_trickles_is_cut_off_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTION_S_MAX", 0.5)
    with served() as probes, opened(probes) as connection:
        connection.settimeout(0.05)
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:  # each byte comes in time; a time-out per read would wait for ever
            try:
                connection.sendall(b"x")
                if connection.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return
        pytest.fail("the connection was kept")


def test_a_reader_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTION_S_MAX", 0.5)
    metrics = WorkerMetrics()
    counter = Counter("large", "More than the sockets' buffers hold.", ["label"], registry=metrics.registry)
    for number in range(2_000):
        counter.labels(f"{number:02000}")
    with served(metrics=metrics) as probes, opened(probes) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n" * 1)
        deadline = time.monotonic() + DEADLINE_S
        while threads() == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        while threads() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert threads() == 0


def test_an_address_in_use_or_of_another_machine_is_a_clear_error() -> None:
    with served() as probes:
        taken = Probes(("127.0.0.1", probes.port), WorkerMetrics().registry, well, well)
        with pytest.raises(ProbesError, match=f"cannot listen on 127.0.0.1:{probes.port}.*another process"):
            taken.__enter__()
    for address in (("192.0.2.1", 0), ("no such host", 0), ("127.0.0.1", 70_000)):
        with pytest.raises(ProbesError, match="cannot listen"):
            Probes(address, WorkerMetrics().registry, well, well).__enter__()


def test_it_stops_when_its_context_ends_and_can_be_served_again() -> None:
    with served() as probes, opened(probes) as connection:
        port = probes.port
        probes.__exit__(None, None, None)
        assert ended(connection)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S)
        with pytest.raises(ProbesError, match="not served"):
            _ = probes.port
    with Probes(("127.0.0.1", port), WorkerMetrics().registry, well, well) as again:
        assert ask(again, "/livez")[0].status == 200


def test_ipv6_is_listened_on_too() -> None:
    with Probes(("::1", 0), WorkerMetrics().registry, well, well) as probes:
        connection = HTTPConnection("::1", probes.port, timeout=DEADLINE_S)
        connection.request("GET", "/livez")
        assert connection.getresponse().status == 200
        connection.close()
