"""What is applied to a cluster: valid, complete, with few rights, and of the same mind as the code."""

import json
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from typer.testing import CliRunner

from tests.deployment.validators import INFRA, checked_by, documents
from yggdrasil.cli.app import app
from yggdrasil.cli.operator.working import partitions_of
from yggdrasil_schemas.topics import COMMANDS, DURABILITY, PARTITIONS, REFUSED, settings_for

KUBERNETES = INFRA / "kubernetes"
FOLDERS = ["kafka", "worker"]
VERSION = "1.34"
OURS = {path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "schemas").glob("*.json")}
"""Schemas of what Kubernetes itself does not know; each says where it is from."""
STATEFUL_SET = documents(KUBERNETES / "worker" / "statefulset.yaml")[0]
POD = STATEFUL_SET["spec"]["template"]["spec"]
WORKER = POD["containers"][0]


@cache
def rendered(folder: str) -> dict[tuple[str, str], Any]:
    """What `kubectl apply -k` would send, by kind and name."""
    sent = yaml.safe_load_all(checked_by("kubectl", "kustomize", KUBERNETES / folder))
    return {(one["kind"], one["metadata"]["name"]): one for one in sent}


def environment() -> dict[str, str]:
    return {one["name"]: one["value"] for one in WORKER["env"] if "value" in one}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_applied(folder: str) -> None:
    listed = set(documents(KUBERNETES / folder / "kustomization.yaml")[0]["resources"])
    assert listed == {path.name for path in (KUBERNETES / folder).glob("*.yaml")} - {"kustomization.yaml"}
    count = sum(len(documents(KUBERNETES / folder / name)) for name in listed)
    assert len(rendered(folder)) == count
    assert {one["metadata"]["namespace"] for one in rendered(folder).values()} == {"kafka"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_applied_is_valid(folder: str) -> None:
    for (kind, _), one in rendered(folder).items():
        if kind in OURS:
            Draft202012Validator(OURS[kind]).validate(one)
        else:
            kubernetes_validate.validate(one, VERSION, strict=True)


def test_the_schemas_find_what_is_misspelt() -> None:
    for folder in FOLDERS:
        for (kind, _), one in rendered(folder).items():
            broken = {**one, "spec": {**one.get("spec", {}), "misspelt": 1}}
            if kind in OURS:
                assert list(Draft202012Validator(OURS[kind]).iter_errors(broken)), kind
            else:
                with pytest.raises(kubernetes_validate.ValidationError):
                    kubernetes_validate.validate(broken, VERSION, strict=True)


@pytest.mark.parametrize("name", [COMMANDS, REFUSED])
def test_the_topics_are_what_the_code_demands(name: str) -> None:
    spec = rendered("kafka")["KafkaTopic", name]["spec"]
    production = DURABILITY["production"]
    assert (spec["partitions"], spec["replicas"]) == (PARTITIONS, production.replicas)
    assert spec["config"] == {**settings_for(name), "min.insync.replicas": str(production.in_sync_min)}


def test_the_partitions_of_the_statefulset_are_those_of_the_topic() -> None:
    assert int(environment()["WORKERS"]) == STATEFUL_SET["spec"]["replicas"]
    assert int(environment()["PARTITIONS"]) == PARTITIONS


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with a program called yggdrasil that prints what it was called with."""
    program = tmp_path / "yggdrasil"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    return tmp_path


def started(folder: Path, index: int, workers: int, partitions: int) -> subprocess.CompletedProcess[str]:
    """Run the container's command as pod ``index`` would."""
    given = {"INDEX": str(index), "WORKERS": str(workers), "PARTITIONS": str(partitions)}
    path = f"{folder}:{os.environ['PATH']}"
    command = [*WORKER["command"], *WORKER["args"]]
    return subprocess.run(command, env={"PATH": path, **given}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("workers", "partitions"), [(1, 16), (3, 16), (4, 16), (5, 16), (16, 16), (2, 3), (1, 1)])
def test_the_pods_share_all_partitions_and_no_two_have_the_same(workers: int, partitions: int, program: Path) -> None:
    folded: list[int] = []
    for index in range(workers):
        words = started(program, index, workers, partitions).stdout.splitlines()
        folded += partitions_of(words[words.index("--partitions") + 1])
    assert sorted(folded) == list(range(partitions))


def test_a_pod_too_many_ends_and_says_why(program: Path) -> None:
    ran = started(program, 4, 4, 16)
    assert ran.returncode == 2
    assert "replicas and WORKERS" in ran.stderr


def test_the_worker_understands_what_it_is_started_with(program: Path) -> None:
    words = started(program, 0, 4, 16).stdout.splitlines()
    assert words[0] == "worker"
    shown = CliRunner().invoke(app, ["worker", "--help"])
    for word in words[1:]:
        assert not word.startswith("--") or re.search(rf"{word}\b", shown.stdout), word
    assert words[words.index("--http") + 1].endswith(f":{WORKER['ports'][0]['containerPort']}")
    grace = float(words[words.index("--grace-s") + 1])
    assert POD["terminationGracePeriodSeconds"] > grace + 10


def test_the_pod_has_no_rights_that_it_does_not_need() -> None:
    assert POD["automountServiceAccountToken"] is False
    assert rendered("worker")["ServiceAccount", POD["serviceAccountName"]]["automountServiceAccountToken"] is False
    assert POD["securityContext"]["runAsNonRoot"]
    assert POD["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert WORKER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert WORKER["resources"]["limits"]["memory"]


def test_every_probe_asks_a_page_that_there_is() -> None:
    paths = {WORKER[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")}
    assert paths == {"/livez", "/readyz"}
    assert WORKER["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_everything_selects_the_pods() -> None:
    labels = STATEFUL_SET["spec"]["template"]["metadata"]["labels"]
    worker = rendered("worker")
    selectors = [
        STATEFUL_SET["spec"]["selector"]["matchLabels"],
        worker["Service", STATEFUL_SET["spec"]["serviceName"]]["spec"]["selector"],
        worker["PodDisruptionBudget", "yggdrasil-worker"]["spec"]["selector"]["matchLabels"],
        worker["NetworkPolicy", "yggdrasil-worker"]["spec"]["podSelector"]["matchLabels"],
        worker["PodMonitor", "yggdrasil-worker"]["spec"]["selector"]["matchLabels"],
    ]
    assert all(selector == labels for selector in selectors)
    assert labels[worker["PodMonitor", "yggdrasil-worker"]["spec"]["jobLabel"]] == "yggdrasil-worker"


def test_the_network_policy_lets_out_to_the_brokers_that_are_named() -> None:
    port = int(environment()["KAFKA_BOOTSTRAP_SERVERS"].rpartition(":")[2])
    spec = rendered("worker")["NetworkPolicy", "yggdrasil-worker"]["spec"]
    assert set(spec["policyTypes"]) == {"Ingress", "Egress"}
    assert {one["port"] for rule in spec["egress"] for one in rule["ports"]} == {port, 53}
    assert [one["port"] for rule in spec["ingress"] for one in rule["ports"]] == [WORKER["ports"][0]["containerPort"]]
