"""The unit file, as systemd reads it."""

import re
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from tests.deployment.validators import INFRA
from yggdrasil.cli.app import app
from yggdrasil.cli.exits import ExitCode
from yggdrasil_infra.kafka_log.settings import BOOTSTRAP_VARIABLE, KafkaSettings

UNIT = (INFRA / "systemd" / "yggdrasil-worker.service").read_text()
ENVIRONMENT = (INFRA / "systemd" / "worker.env").read_text()


def analysed(folder: Path, unit: str, *arguments: str) -> str:
    """What systemd-analyze says of a unit whose program is one of this machine's."""
    path = folder / "yggdrasil-worker.service"
    path.write_text(unit.replace("/opt/yggdrasil/bin/yggdrasil", sys.executable))
    ran = subprocess.run(["systemd-analyze", *arguments, path], capture_output=True, text=True, check=False)
    return ran.stderr + (ran.stdout if ran.returncode else "")


def value(name: str) -> str:
    (found,) = re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)
    return str(found)


def test_systemd_has_nothing_to_say_against_it(tmp_path: Path) -> None:
    assert analysed(tmp_path, UNIT, "verify") == ""
    assert "\n#ReadWritePaths=" in UNIT
    assert analysed(tmp_path, UNIT.replace("\n#ReadWritePaths", "\nReadWritePaths"), "verify") == ""
    assert "Unknown key" in analysed(tmp_path, UNIT.replace("UMask", "UMasque"), "verify")


def test_it_leaves_the_worker_little_to_do_harm_with(tmp_path: Path) -> None:
    """The exposure is out of 10.0; a unit without any of it has 9.6."""
    assert analysed(tmp_path, UNIT, "security", "--offline=true", "--threshold=15") == ""
    weaker = UNIT.replace("SystemCallFilter", "# SystemCallFilter")
    assert analysed(tmp_path, weaker, "security", "--offline=true", "--threshold=15")


def test_it_waits_longer_than_the_worker_takes_to_stop() -> None:
    (grace,) = re.findall(r"--grace-s (\d+)", value("ExecStart"))
    assert int(value("TimeoutStopSec")) > int(grace) + 10


def test_it_starts_again_whatever_that_may_mend() -> None:
    hopeless = {int(code) for code in value("RestartPreventExitStatus").split()}
    assert hopeless == {ExitCode.USAGE, ExitCode.NOT_FOUND, ExitCode.DIFFERENT}
    assert value("Restart") == "on-failure"


def test_its_options_are_the_worker_s() -> None:
    shown = CliRunner().invoke(app, ["worker", "--help"]).stdout
    options = re.findall(r"--[a-z-]+", value("ExecStart") + ENVIRONMENT)
    assert len(options) >= 5
    assert all(option in shown for option in options)


def test_the_settings_in_its_environment_are_ones_that_are_read() -> None:
    named = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", ENVIRONMENT, re.MULTILINE))
    assert named.pop(BOOTSTRAP_VARIABLE)
    assert named.pop("WORKER_OPTIONS")
    assert named
    options = {name.removeprefix("YGGDRASIL_KAFKA_").lower(): one for name, one in named.items()}
    here = {"sasl_plain_password": "a password", "ssl_cafile": __file__}  # what only the machine itself has
    assert here.keys() <= options.keys()
    KafkaSettings("127.0.0.1:9092", {**options, **here})  # refuses an option that it does not know
