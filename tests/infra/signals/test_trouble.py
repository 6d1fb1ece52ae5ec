"""What kafka-python says while a broker restarts is a line of ours, and one when it is over; DEBUG gives all."""

import json
import logging

import pytest

from yggdrasil_infra.signals.logs import configure
from yggdrasil_infra.signals.trouble import GOES_ON_S, QUIET_S, Folded

OURS = logging.getLogger("yggdrasil.kafka")


RESTART = [  # what a worker, a service and thinkers said when a broker was killed and started again
    ("kafka.net.transport", "<KafkaTCPTransport [127.0.0.1:28630<-53494]>: socket disconnected"),
    ("kafka.net.connection", "<KafkaConnection node_id=1>: Connection lost: KafkaConnectionError: socket disconnected"),
    ("kafka.net.manager", "Connection failed: KafkaConnectionError: 111 ECONNREFUSED"),
    ("kafka.cluster", "Metadata refresh: failed KafkaConnectionError: 111 ECONNREFUSED"),
    ("kafka.consumer.fetcher", "Fetch to node 1 failed: KafkaConnectionError: socket disconnected"),
    ("kafka.cluster", "No node available for metadata refresh - backoff/retry"),
    ("kafka.coordinator", "Error sending HeartbeatRequest to node coordinator-1 [KafkaConnectionError]"),
    ("kafka.coordinator", "Marking the coordinator dead (node coordinator-1) for group yggdrasil-graph"),
    ("aiokafka", "Unable connect to node with id 1: [Errno 111] Connect call failed ('127.0.0.1', 28630)"),
    ("aiokafka.consumer.group_coordinator", "Heartbeat session expired - marking coordinator dead"),
]


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def folded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Folded:
    """It looks when it is told to, and not by a timer."""
    monkeypatch.setattr(Folded, "_look_later", lambda *_: None)
    return Folded(clock)


def said(text: str, *of: object, name: str = "kafka.net.manager") -> logging.LogRecord:
    return logging.LogRecord(name, logging.WARNING, "", 0, text, of, None)


def test_the_first_is_ours_and_the_others_are_counted(
    folded: Folded, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    first = said("Connection to node %d failed: %s", 1, "refused")
    assert folded.filter(first)
    assert first.getMessage().startswith(
        "the client of Kafka has met trouble with the brokers, and tries again by itself"
    )
    assert first.getMessage().endswith("Connection to node 1 failed: refused")
    for attempt in range(40):
        assert not folded.filter(said("Connection to node %d failed: %s", attempt, "refused"))
    assert not folded.filter(said("Heartbeat failed", name="aiokafka.consumer"))
    clock.now += 30.0
    assert not folded.filter(said("Marking the coordinator dead"))
    with caplog.at_level(logging.INFO, OURS.name):
        assert folded.settle() == QUIET_S, "a word was said just now"
        assert caplog.messages == []
        clock.now += QUIET_S
        assert folded.settle() is None
    (told,) = caplog.messages
    assert "it is well again. In 30 s it had said 43 things of 3 kinds" in told
    assert "Connection to node 1 failed: refused (41 times); Heartbeat failed (1 times)" in told


def test_the_next_disturbance_is_told_anew(folded: Folded, clock: Clock) -> None:
    assert folded.filter(said("gone"))
    clock.now += QUIET_S
    folded.settle()
    assert folded.filter(said("gone"))


def test_one_that_goes_on_is_told_now_and_then(folded: Folded, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    assert folded.filter(said("gone"))
    for _ in range(int(GOES_ON_S)):
        clock.now += 1.0
        assert not folded.filter(said("gone"))
        assert folded.settle() == QUIET_S
    (told,) = caplog.messages
    assert told.startswith("the client of Kafka still meets trouble") and "has said 601 things of 1 kinds" in told


def test_kinds_are_bounded(folded: Folded, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    for kind in range(10_000):
        folded.filter(said(f"kind {kind}"))
    clock.now += QUIET_S
    with caplog.at_level(logging.INFO, OURS.name):
        folded.settle()
    assert "10000 things of 51 kinds, most often: kind 50 (9950 times)" in caplog.text


def test_what_the_log_shows_is_one_line_for_all_clients(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json")
    for name in ("kafka.client", "aiokafka.cluster", "kafka.net.manager", "faust.transport"):
        try:
            raise ConnectionResetError("by peer")
        except ConnectionResetError:
            logging.getLogger(name).exception("lost")
    (entry,) = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert entry["event"].endswith("lost: ConnectionResetError('by peer')") and "exception" not in entry


def test_what_a_restart_makes_it_say_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json")
    for name, text in RESTART:
        logging.getLogger(name).error(text)
    (entry,) = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert entry["event"].startswith("the client of Kafka has met trouble")


def test_what_somebody_has_to_mend_is_told_in_its_words_once(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json")
    logging.getLogger("kafka.net.manager").error("Connection failed: %s", "ECONNREFUSED")
    for attempt in range(3):
        logging.getLogger("kafka.net.connection").error("SASL authentication failed (%d)", attempt)
    events = [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()]
    assert events[1:] == ["SASL authentication failed (0)"]


def test_what_is_to_be_mended_is_no_trouble_that_mends_itself(folded: Folded, clock: Clock) -> None:
    first = said("Connection failed: %s", "SaslAuthenticationFailedError")
    assert folded.filter(first) and first.getMessage() == "Connection failed: SaslAuthenticationFailedError"
    assert not folded.filter(said("Connection failed: %s", "SaslAuthenticationFailedError"))
    away = said("Connection failed: %s", "ECONNREFUSED")
    assert folded.filter(away) and "tries again by itself" in away.getMessage()


def test_a_login_that_fails_after_a_restart_is_told_though_its_kind_was_said(folded: Folded, clock: Clock) -> None:
    assert folded.filter(said("Connection failed: %s", "ECONNREFUSED"))
    wrong = said("Connection failed: %s", "SaslAuthenticationFailedError")
    assert folded.filter(wrong) and wrong.getMessage().endswith("SaslAuthenticationFailedError")


def test_a_restart_of_a_broker_with_tls_is_one_line_too(folded: Folded, clock: Clock) -> None:
    assert folded.filter(said("%s: socket disconnected", "<KafkaSSLTransport [127.0.0.1:9093<-50]>"))
    assert not folded.filter(said("%s: closing", "<KafkaSSLTransport [127.0.0.1:9093<-50]>"))
    assert not folded.filter(said("lost: %s", "SSLEOFError(8, 'EOF occurred in violation of protocol (_ssl.c:1006)')"))
    closed = "TLS/SSL connection has been closed (EOF) (_ssl.c:1006)"
    assert not folded.filter(said("lost: %s", f"SSLZeroReturnError(6, '{closed}')"))
    for end in (closed, "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:1006)"):
        assert not folded.filter(said("gone: %s", end))
        assert not folded.filter(said("gone: %s", f"SSLEOFError(8, '{end}')"))
    assert folded.filter(said("lost: %s", "SSLCertVerificationError(1, 'certificate verify failed')"))
    assert folded.filter(said("first: %s", "SSLError(1, '[SSL: WRONG_VERSION_NUMBER] wrong version (_ssl.c:1006)')"))


@pytest.mark.parametrize("name", ["InvalidTimestampError", "MessageSizeTooLargeError", "InvalidRecordError"])
def test_a_record_that_is_refused_for_ever_is_told_by_its_sender_alone(folded: Folded, clock: Clock, name: str) -> None:
    assert not folded.filter(
        said("Failed to produce messages: %s", f"{'t' * 249} [Error 32] {name}: Timestamp", name="kafka.producer")
    )
    assert folded.settle() is None


def crashed(name: str, text: str, *of: object, level: int = logging.ERROR) -> logging.LogRecord:
    error = ValueError("boom")
    return logging.LogRecord(name, level, "", 0, text, of, (ValueError, error, None))


CRASHES = [  # what Faust said as a task of it failed, and as it found no broker when it began
    ("faust.app.base", "[^-App]: Crashed reason=%r", (ValueError("boom"),)),
    ("mode.worker", "[^Worker]: We experienced a crash! Reraising original exception...", ()),
    ("faust.worker", "[^Worker]: Error: %r", (ValueError("boom"),)),
    ("aiokafka.consumer.fetcher", "Unexpected error in fetcher routine", ()),
]


@pytest.mark.parametrize(("name", "text", "of"), CRASHES)
def test_a_crash_is_told_in_its_own_words_though_there_is_trouble(
    folded: Folded, clock: Clock, name: str, text: str, of: tuple[object, ...]
) -> None:
    assert folded.filter(said("Connection failed: %s", "ECONNREFUSED"))
    crash = crashed(name, text, *of)
    assert folded.filter(crash)
    assert crash.getMessage() == text.replace("%r", "ValueError('boom')")
    assert crash.levelno == logging.ERROR and crash.exc_info is not None
    for again in (crashed(name, text, *of), crashed("faust.agents.agent", "[^--Agent]: Crashed reason=%r", *of)):
        assert not folded.filter(again), "of one error each part speaks that it ends"
    clock.now += GOES_ON_S
    assert folded.filter(crashed(name, text, *of))


def test_a_crash_is_not_counted_as_what_is_well_again(folded: Folded, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[float] = []
    monkeypatch.setattr(folded, "_look_later", looked.append)
    assert folded.filter(crashed("faust.worker", "[^Worker]: Error: %r", ValueError("boom")))
    assert looked == []


def test_a_busy_machine_is_no_trouble_with_brokers(capsys: pytest.CaptureFixture[str]) -> None:
    configure("json")
    logging.getLogger("kafka.net.selector").warning("Task %s ran for 0.117s (>0.100s threshold)", "x")
    assert capsys.readouterr().err == ""


def test_debug_gives_all(capsys: pytest.CaptureFixture[str]) -> None:
    configure("text", "DEBUG")
    for kind in range(3):
        logging.getLogger("kafka.client").warning(f"trouble of kind {kind}")  # noqa: G004 - each is a kind of its own
    assert len(capsys.readouterr().err.splitlines()) == 3
