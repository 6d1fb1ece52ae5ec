"""The unit files, as systemd reads them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.deployment.validators import INFRA
from yggdrasil.cli.app import app
from yggdrasil.cli.exits import ExitCode
from yggdrasil_infra.kafka_log.settings import BOOTSTRAP_VARIABLE, KafkaSettings

UNITS = {name: (INFRA / "systemd" / f"yggdrasil-{name}.service").read_text() for name in ("worker", "serve", "think")}
ENVIRONMENTS = {name: (INFRA / "systemd" / f"{name}.env").read_text() for name in UNITS}


def analysed(folder: Path, unit: str, *arguments: str) -> str:
    """What systemd-analyze says of a unit whose program is one of this machine's."""
    path = folder / "yggdrasil.service"
    path.write_text(unit.replace("/opt/yggdrasil/bin/yggdrasil", sys.executable))
    ran = subprocess.run(["systemd-analyze", *arguments, path], capture_output=True, text=True, check=False)
    return ran.stderr + (ran.stdout if ran.returncode else "")


def value(unit: str, name: str) -> str:
    (found,) = re.findall(rf"^{name}=(.*)$", UNITS[unit], re.MULTILINE)
    return str(found)


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_has_nothing_to_say_against_it(unit: str, tmp_path: Path) -> None:
    assert analysed(tmp_path, UNITS[unit], "verify") == ""
    assert "Unknown key" in analysed(tmp_path, UNITS[unit].replace("UMask", "UMasque"), "verify")


def test_a_worker_may_be_given_a_directory_for_checkpoints(tmp_path: Path) -> None:
    assert "\n#ReadWritePaths=" in UNITS["worker"]
    assert analysed(tmp_path, UNITS["worker"].replace("\n#ReadWritePaths", "\nReadWritePaths"), "verify") == ""


@pytest.mark.parametrize("unit", UNITS)
def test_it_leaves_the_process_little_to_do_harm_with(unit: str, tmp_path: Path) -> None:
    """The exposure is out of 10.0; a unit without any of it has 9.6."""
    assert analysed(tmp_path, UNITS[unit], "security", "--offline=true", "--threshold=15") == ""
    weaker = UNITS[unit].replace("SystemCallFilter", "# SystemCallFilter")
    assert analysed(tmp_path, weaker, "security", "--offline=true", "--threshold=15")


@pytest.mark.parametrize("unit", UNITS)
def test_it_waits_longer_than_the_process_takes_to_stop(unit: str) -> None:
    stopping = sum(int(seconds) for seconds in re.findall(r"--(?:grace|drain)-s (\d+)", value(unit, "ExecStart")))
    assert stopping >= 20
    assert int(value(unit, "TimeoutStopSec")) > stopping + 10


@pytest.mark.parametrize("unit", UNITS)
def test_it_starts_again_whatever_that_may_mend(unit: str) -> None:
    hopeless = {int(code) for code in value(unit, "RestartPreventExitStatus").split()}
    assert hopeless == {ExitCode.USAGE, ExitCode.NOT_FOUND, ExitCode.DIFFERENT}
    assert value(unit, "Restart") == "on-failure"


@pytest.mark.parametrize("unit", UNITS)
def test_its_options_are_the_program_s(unit: str) -> None:
    shown = CliRunner().invoke(app, [unit, "--help"]).stdout
    options = re.findall(r"--[a-z-]+", value(unit, "ExecStart") + ENVIRONMENTS[unit])
    assert len(options) >= 5
    assert all(option in shown for option in options)


@pytest.mark.parametrize("unit", UNITS)
def test_the_settings_in_its_environment_are_ones_that_are_read(unit: str) -> None:
    named = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", ENVIRONMENTS[unit], re.MULTILINE))
    assert (BOOTSTRAP_VARIABLE in named) == (unit == "worker")  # `serve` takes --kafka alone: its log may be its own
    named.pop(BOOTSTRAP_VARIABLE, None)
    of_a_client = {name: named.pop(name, None) for name in ("YGGDRASIL_URL", "YGGDRASIL_KEY")}
    assert (None not in of_a_client.values()) == (unit == "think")
    assert named.pop(f"{unit.upper()}_OPTIONS")
    assert named
    options = {name.removeprefix("YGGDRASIL_KAFKA_").lower(): one for name, one in named.items()}
    here = {"sasl_plain_password": "a password", "ssl_cafile": __file__}  # what only the machine itself has
    assert here.keys() <= options.keys()
    KafkaSettings("127.0.0.1:9092", {**options, **here})  # refuses an option that it does not know


def test_the_service_reads_its_keys_and_is_watched_without_one() -> None:
    credential, _, source = value("serve", "LoadCredential").partition(":")
    assert f"--keys %d/{credential} " in value("serve", "ExecStart")
    assert f"--keys {source} " in UNITS["serve"]
    assert re.search(r"^SERVE_OPTIONS=.*--metrics 127\.0\.0\.1:\d+", ENVIRONMENTS["serve"], re.MULTILINE)
