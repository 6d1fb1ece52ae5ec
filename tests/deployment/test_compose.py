"""Everything on one machine with Docker: the files are valid and fit together. Docker itself is not run here."""

import json
import re
from typing import Any

from jsonschema import Draft201909Validator  # type: ignore[import-untyped]
from typer.testing import CliRunner

from tests.deployment.validators import INFRA, ROOT, checked_by, documents, found
from tests.test_tidy import project
from yggdrasil.cli.app import app
from yggdrasil_schemas.topics import COMMANDS

COMPOSE = INFRA / "compose"
FILE = documents(COMPOSE / "compose.yml")[0]
SERVICES: dict[str, Any] = FILE["services"]
DOCKERFILE = (COMPOSE / "Dockerfile").read_text()


def test_the_compose_file_is_valid() -> None:
    with open(found("compose_spec.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft201909Validator(schema).validate(FILE)
    SERVICES["kafka"]["misspelt"] = 1
    try:
        assert list(Draft201909Validator(schema).iter_errors(FILE))
    finally:
        del SERVICES["kafka"]["misspelt"]


def test_what_services_refer_to_exists() -> None:
    for service in SERVICES.values():
        assert service.get("depends_on", {}).keys() <= SERVICES.keys()
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in FILE["volumes"] or (COMPOSE / source).is_file(), source
        if build := service.get("build"):
            assert (COMPOSE / build["context"]).resolve() == ROOT
            assert (ROOT / build["dockerfile"]).is_file()


def test_nothing_listens_beyond_this_machine() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert len(ports) == 3
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_images_are_pinned_and_ours_is_this_release() -> None:
    for service in SERVICES.values():
        assert re.fullmatch(r"[\w./-]+:v?\d+\.\d+\.\d+", service["image"])
        if service["image"].startswith("yggdrasil:"):
            assert service["image"] == f"yggdrasil:{project()['version']}"
    assert f"yggdrasil:{project()['version']}" in DOCKERFILE


def test_the_commands_are_ones_that_the_program_has() -> None:
    for name in ("topics", "worker-1", "serve", "think"):
        command, *options = SERVICES[name]["command"]
        shown = CliRunner().invoke(app, [command, "--help"]).stdout
        assert all(option in shown for option in options if option.startswith("--"))
    assert COMMANDS in CliRunner().invoke(app, ["topics", "--help"]).stdout


def test_thinkers_reach_the_service_whose_network_they_share() -> None:
    think, serve = SERVICES["think"], SERVICES["serve"]
    assert think["network_mode"] == "service:serve" and "--keys" not in serve["command"]
    assert think["command"][think["command"].index("--service") + 1] == "http://127.0.0.1:8787"
    places = {command[command.index(option) + 1] for command, option in
              ((think["command"], "--http"), (serve["command"], "--metrics"))}  # fmt: skip
    scraped = {job["dns_sd_configs"][0]["port"] for job in documents(COMPOSE / "prometheus.yml")[0]["scrape_configs"]
               if job.get("dns_sd_configs", [{}])[0].get("names") == ["serve"]}  # fmt: skip
    assert {int(place.rpartition(":")[2]) for place in places} == scraped


def test_the_dockerfile_copies_every_package_and_nothing_that_is_missing() -> None:
    copied = {
        source for line in re.findall(r"^COPY ((?!--).+)$", DOCKERFILE, re.MULTILINE) for source in line.split()[:-1]
    }
    assert all((ROOT / source).exists() for source in copied)
    packages = re.findall(r'^    "(\w+/\w+)",$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert len(packages) == 6
    assert copied == {"pyproject.toml", "constraints.txt", "README.md", "LICENSE", "infra/wheel", *packages}


def test_the_container_is_not_root_and_python_is_new_enough() -> None:
    assert re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE) == ["65532"]
    minimum = tuple(map(int, project()["requires-python"].removeprefix(">=").split(".")))
    versions = re.findall(r"^FROM python:(\d+)\.(\d+)-slim", DOCKERFILE, re.MULTILINE)
    assert len(versions) == 2
    assert all((int(major), int(minor)) >= minimum for major, minor in versions)


def test_prometheus_reads_its_configuration_and_scrapes_the_job_of_the_alerts() -> None:
    checked_by("promtool", "check", "config", "--syntax-only", COMPOSE / "prometheus.yml")
    jobs = [job["job_name"] for job in documents(COMPOSE / "prometheus.yml")[0]["scrape_configs"]]
    assert {"yggdrasil-worker", "yggdrasil-serve", "yggdrasil-think"} <= set(jobs)
    for rules in documents(COMPOSE / "prometheus.yml")[0]["rule_files"]:
        mounted = f"../observability/{rules}:/etc/prometheus/{rules}:ro"
        assert mounted in SERVICES["prometheus"]["volumes"] and (INFRA / "observability" / rules).is_file()
    assert 'up{job="yggdrasil-worker"}' in (INFRA / "observability" / "alerts.yml").read_text()


def test_grafana_finds_the_dashboard_and_its_data() -> None:
    (provider,) = documents(COMPOSE / "grafana" / "dashboards.yml")[0]["providers"]
    assert any(
        volume.split(":")[1].startswith(provider["options"]["path"]) for volume in SERVICES["grafana"]["volumes"]
    )
    (source,) = documents(COMPOSE / "grafana" / "datasource.yml")[0]["datasources"]
    assert source["url"] == "http://prometheus:9090"
    assert source["type"] == "prometheus"
