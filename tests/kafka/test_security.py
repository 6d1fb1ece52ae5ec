"""A broker with TLS and passwords lets in who has the right ones, named by environment variables; others hear why."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kafka.secured import PASSWORD, USER, Authority, SecuredNode
from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.kafka_log.topics import create_topic
from yggdrasil_infra.log import LogError

PREFIX = "YGGDRASIL_KAFKA_"


class Setting:
    """A secured broker, and the environment variables that open its doors."""

    def __init__(self, folder: Path) -> None:
        self.authority = Authority(folder / "authority")
        self.stranger = Authority(folder / "stranger")
        self.node = SecuredNode(folder, self.authority)
        self._folder = folder

    def password(self) -> dict[str, str]:
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.node.with_password,
            PREFIX + "SECURITY_PROTOCOL": "SASL_SSL",
            PREFIX + "SASL_MECHANISM": "SCRAM-SHA-512",
            PREFIX + "SASL_PLAIN_USERNAME": USER,
            PREFIX + "SASL_PLAIN_PASSWORD": PASSWORD,
            PREFIX + "SSL_CAFILE": str(self.authority.certificate),
        }

    def certificate(self, issuer: Authority) -> dict[str, str]:
        certificate, key = issuer.issue(self._folder / "client", "extendedKeyUsage=clientAuth")
        return {
            "KAFKA_BOOTSTRAP_SERVERS": self.node.with_certificate,
            PREFIX + "SECURITY_PROTOCOL": "SSL",
            PREFIX + "SSL_CAFILE": str(self.authority.certificate),
            PREFIX + "SSL_CERTFILE": str(certificate),
            PREFIX + "SSL_KEYFILE": str(key),
        }


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    setting = Setting(tmp_path_factory.mktemp("secured"))
    setting.node.start()
    try:
        setting.node.wait_until_ready()
        yield setting
    finally:
        setting.node.stop()


def use(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> KafkaSettings:
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return KafkaSettings.from_environment()


def what_is_said(variables: dict[str, str]) -> str:
    """Return the last line of a process that connects: of its own, since kafka-python leaves sockets behind."""
    code = (
        "from yggdrasil_infra.kafka_log.settings import KafkaSettings\n"
        "from yggdrasil_infra.kafka_log.topics import describe_topic\n"
        "describe_topic(KafkaSettings.from_environment(), 'topic')"
    )
    own = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=own | variables, capture_output=True, text=True, check=False, timeout=60
    )
    assert ran.returncode == 1
    assert PASSWORD not in ran.stdout + ran.stderr
    return ran.stderr.splitlines()[-1]


@pytest.mark.parametrize("door", ["password", "certificate"])
def test_who_has_what_is_asked_for_can_append_and_read(
    secured: Setting, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    variables = secured.password() if door == "password" else secured.certificate(secured.authority)
    settings = use(monkeypatch, variables)
    create_topic(settings, door, 2, "development")
    with KafkaLog(settings, door, "development") as log:
        receipt = log.append(b"k", b"v")
        assert [record.value for record in log.read(receipt.partition, receipt.offset, 10)] == [b"v"]
        assert log.end_offset(receipt.partition) == 1


@pytest.mark.parametrize(
    ("variable", "value"),
    [("SASL_PLAIN_PASSWORD", "wrong-horse"), ("SASL_PLAIN_USERNAME", "nobody"), ("SASL_MECHANISM", "PLAIN")],
)
def test_who_cannot_sign_in_is_told_what_to_check_and_no_password(secured: Setting, variable: str, value: str) -> None:
    said = what_is_said({**secured.password(), PREFIX + variable: value})
    assert f"LogError: no Kafka broker answers at {secured.node.with_password}: it hung up while we signed in" in said
    assert "YGGDRASIL_KAFKA_SASL_PLAIN_USERNAME" in said
    assert value not in said or variable != "SASL_PLAIN_PASSWORD"


def test_a_certificate_of_an_unknown_authority_is_not_trusted(secured: Setting) -> None:
    said = what_is_said({**secured.password(), PREFIX + "SSL_CAFILE": str(secured.stranger.certificate)})
    assert "its certificate is not trusted" in said
    assert "YGGDRASIL_KAFKA_SSL_CAFILE" in said


def test_a_name_that_the_certificate_is_not_for_is_refused_unless_names_are_not_checked(
    secured: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = secured.node.with_password.replace("127.0.0.1", "0.0.0.0")  # the same host by another name
    variables = {**secured.password(), "KAFKA_BOOTSTRAP_SERVERS": elsewhere}
    assert "its certificate is not trusted" in what_is_said(variables)
    settings = use(monkeypatch, {**variables, PREFIX + "SSL_CHECK_HOSTNAME": "false"})
    create_topic(settings, "unchecked", 1, "development")


def test_a_client_certificate_of_an_unknown_authority_opens_nothing(secured: Setting) -> None:
    said = what_is_said(secured.certificate(secured.stranger))
    assert "it hung up while we signed in" in said
    assert "YGGDRASIL_KAFKA_SSL_CERTFILE" in said


@pytest.mark.parametrize("address", ["with_password", "with_certificate"])
def test_who_speaks_in_clear_is_told_of_the_protocol(secured: Setting, address: str) -> None:
    said = what_is_said({"KAFKA_BOOTSTRAP_SERVERS": getattr(secured.node, address)})
    assert "it does not speak PLAINTEXT at this port" in said
    assert "YGGDRASIL_KAFKA_SECURITY_PROTOCOL" in said


def test_who_speaks_tls_where_all_is_in_clear_is_told_of_the_protocol(secured: Setting) -> None:
    variables = {**secured.certificate(secured.authority), "KAFKA_BOOTSTRAP_SERVERS": secured.node.address}
    assert "it does not speak SSL at this port" in what_is_said(variables)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"SECURITY_PROTOCOL": "SASL-SSL"}, "one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, not SASL-SSL"),
        ({"SECURITY_PROTOCOL": None}, "PLAINTEXT takes no YGGDRASIL_KAFKA_SASL_MECHANISM"),
        ({"SECURITY_PROTOCOL": "SASL_PLAINTEXT"}, "encrypts nothing: YGGDRASIL_KAFKA_SSL_CAFILE"),
        ({"SASL_MECHANISM": None}, "SASL_MECHANISM is one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"),
        ({"SASL_PLAIN_PASSWORD": None}, "needs YGGDRASIL_KAFKA_SASL_PLAIN_PASSWORD"),
        ({"SSL_CAFILE": "/no/such/file"}, "SSL_CAFILE names /no/such/file, which cannot be read"),
        ({"SSL_CHECK_HOSTNAME": "no"}, "SSL_CHECK_HOSTNAME is one of true, false, not no"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_sent(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, str | None], said: str
) -> None:
    """Above all, no password and no certificate is passed over in silence while all goes out in clear."""
    variables: dict[str, str | None] = {
        "SECURITY_PROTOCOL": "SASL_SSL",
        "SASL_MECHANISM": "SCRAM-SHA-512",
        "SASL_PLAIN_USERNAME": USER,
        "SASL_PLAIN_PASSWORD": PASSWORD,
        "SSL_CAFILE": __file__,
        **changed,
    }
    named = {PREFIX + name: value for name, value in variables.items() if value is not None}
    with pytest.raises(LogError, match=said) as found:
        use(monkeypatch, {"KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", **named})
    assert PASSWORD not in str(found.value)
