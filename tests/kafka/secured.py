"""A broker that lets in only who trusts its certificate and knows a password, or has a certificate of their own."""

import subprocess
from pathlib import Path

from tests.kafka.node import KafkaNode, free_port

USER = "writer"
PASSWORD = "correct-horse-battery"


class Authority:
    """A certificate authority of the tests' own; ``certificate`` is what its clients trust, as PEM."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.certificate = folder / "authority.crt"
        self._key = folder / "authority.key"
        self._make_key(self._key)
        self._sign("Authority", self._key, self.certificate, "basicConstraints=critical,CA:TRUE", "-x509")

    def issue(self, stem: Path, extension: str) -> tuple[Path, Path]:
        """Make ``stem``.crt and ``stem``.key, and return where they are."""
        certificate, key = stem.with_suffix(".crt"), stem.with_suffix(".key")
        self._make_key(key)
        request = stem.with_suffix(".csr")
        self._sign(stem.name, key, request, extension)
        signer = ("-CA", str(self.certificate), "-CAkey", str(self._key), "-CAcreateserial")
        extensions = ("-extfile", str(stem.with_suffix(".cnf")), "-extensions", "own")
        openssl("x509", "-req", "-days", "2", "-in", str(request), "-out", str(certificate), *signer, *extensions)
        return certificate, key

    def _make_key(self, key: Path) -> None:
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(key))

    def _sign(self, name: str, key: Path, out: Path, extension: str, *how: str) -> None:
        """Ask for a certificate, or with ``-x509`` make one at once."""
        config = key.with_suffix(".cnf")
        config.write_text(f"[req]\ndistinguished_name=whom\n[whom]\n[own]\n{extension}\n")
        own = ("-extensions", "own", "-days", "2") if how else ()
        subject = ("-subj", f"/CN={name}")
        openssl("req", "-new", "-config", str(config), "-key", str(key), "-out", str(out), *subject, *how, *own)


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, text=True)


class SecuredNode(KafkaNode):
    """``with_password`` is where it asks for TLS and SCRAM-SHA-512, ``with_certificate`` where for the client's own."""

    def __init__(self, folder: Path, authority: Authority) -> None:
        port = free_port(4)
        inside, controller, self.with_password, self.with_certificate = (f"127.0.0.1:{port + n}" for n in range(4))
        certificate, key = authority.issue(folder / "broker", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        both = folder / "broker.pem"
        both.write_text(key.read_text() + certificate.read_text())
        properties = folder / "secured.properties"
        properties.write_text(
            f"listeners=PLAINTEXT://{inside},CONTROLLER://{controller},"
            f"SASL_SSL://{self.with_password},SSL://{self.with_certificate}\n"
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL\n"
            "sasl.enabled.mechanisms=SCRAM-SHA-512\n"
            f"ssl.keystore.type=PEM\nssl.keystore.location={both}\n"
            f"ssl.truststore.type=PEM\nssl.truststore.location={authority.certificate}\n"
            "listener.name.ssl.ssl.client.auth=required\n"
            "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config="
            "org.apache.kafka.common.security.scram.ScramLoginModule required;\n"
        )
        environment = {
            "EXTRA_PROPERTIES": str(properties),
            "FORMAT_ARGS": f"--add-scram SCRAM-SHA-512=[name={USER},password={PASSWORD}]",
        }
        super().__init__(folder / "node", port, environment=environment)
