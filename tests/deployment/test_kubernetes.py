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
from tests.harness import children
from yggdrasil.cli.app import app
from yggdrasil.cli.options import partitions_of
from yggdrasil_schemas.topics import COMMANDS, DURABILITY, PARTITIONS, REFUSED, settings_for

KUBERNETES = INFRA / "kubernetes"
FOLDERS = ["kafka", "worker", "serve", "think", "scaling"]
VERSION = "1.34"
OURS = {path.stem: json.loads(path.read_text()) for path in (Path(__file__).parent / "schemas").glob("*.json")}
"""Schemas of what Kubernetes itself does not know; each says where it is from."""
STATEFUL_SET = documents(KUBERNETES / "worker" / "statefulset.yaml")[0]
POD = STATEFUL_SET["spec"]["template"]["spec"]
WORKER = POD["containers"][0]
SERVE_SET = documents(KUBERNETES / "serve" / "statefulset.yaml")[0]
SERVE_POD = SERVE_SET["spec"]["template"]["spec"]
SERVE = SERVE_POD["containers"][0]
THINK_SET = documents(KUBERNETES / "think" / "statefulset.yaml")[0]
THINK_POD = THINK_SET["spec"]["template"]["spec"]
THINK = THINK_POD["containers"][0]
PODS = {
    "worker": (STATEFUL_SET, "yggdrasil-worker"),
    "serve": (SERVE_SET, "yggdrasil-serve"),
    "think": (THINK_SET, "yggdrasil-think"),
}
CLIENT = {"yggdrasil.io/client": "true"}  # what the network policy of the query service lets in


@cache
def rendered(folder: str) -> dict[tuple[str, str], Any]:
    """What `kubectl apply -k` would send, by kind and name."""
    sent = yaml.safe_load_all(checked_by("kubectl", "kustomize", KUBERNETES / folder))
    return {(one["kind"], one["metadata"]["name"]): one for one in sent}


def environment() -> dict[str, str]:
    return {one["name"]: one["value"] for one in WORKER["env"] if "value" in one}


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_applied(folder: str) -> None:
    kustomization = documents(KUBERNETES / folder / "kustomization.yaml")[0]
    bases = {name for name in kustomization["resources"] if name.startswith("../")}
    listed = set(kustomization["resources"]) - bases
    patches = {patch["path"] for patch in kustomization.get("patches", [])}
    assert listed | patches == {path.name for path in (KUBERNETES / folder).glob("*.yaml")} - {"kustomization.yaml"}
    count = sum(len(documents(KUBERNETES / folder / name)) for name in listed)
    assert len(rendered(folder)) == count + sum(len(rendered(base.removeprefix("../"))) for base in bases)
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
    return subprocess.run(
        command, env=children.environment(PATH=path, **given), capture_output=True, text=True, check=False
    )


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


def test_the_service_understands_what_it_is_started_with(program: Path) -> None:
    path = f"{program}:{os.environ['PATH']}"
    given = children.environment(INDEX="1", KAFKA_BOOTSTRAP_SERVERS="broker:9093", PATH=path)
    ran = subprocess.run([*SERVE["command"], *SERVE["args"]], env=given, capture_output=True, text=True, check=True)
    words = ran.stdout.splitlines()
    assert words[0] == "serve"
    options = dict(zip(words[1::2], words[2::2], strict=True))
    shown = CliRunner().invoke(app, ["serve", "--help"]).stdout
    assert all(re.search(rf"{option}\b", shown) for option in options)
    assert options["--group"] == "yggdrasil-query-1"
    ports = {port["name"]: str(port["containerPort"]) for port in SERVE["ports"]}
    assert options["--http"] == f"0.0.0.0:{ports['http']}"
    assert options["--metrics"] == f"0.0.0.0:{ports['metrics']}"
    stopping = float(options["--drain-s"]) + float(options["--grace-s"])
    assert SERVE_POD["terminationGracePeriodSeconds"] > stopping + 10
    mounts = {mount["name"]: mount["mountPath"] for mount in SERVE["volumeMounts"]}
    assert Path(options["--keys"]).parent == Path(mounts["keys"])
    assert Path(options["--dir"]) == Path(mounts["data"])


def test_thinkers_understand_what_they_are_started_with_and_reach_the_service(program: Path) -> None:
    given = children.environment(KAFKA_BOOTSTRAP_SERVERS="broker:9093", PATH=f"{program}:{os.environ['PATH']}")
    ran = subprocess.run([*THINK["command"], *THINK["args"]], env=given, capture_output=True, text=True, check=True)
    words = ran.stdout.splitlines()
    assert words[0] == "think"
    options = dict(zip(words[1::2], words[2::2], strict=True))
    shown = CliRunner().invoke(app, ["think", "--help"]).stdout
    assert all(re.search(rf"{option}\b", shown) for option in options)
    assert options["--http"] == f"0.0.0.0:{THINK['ports'][0]['containerPort']}"
    assert THINK_POD["terminationGracePeriodSeconds"] > float(options["--grace-s"]) + 10
    mounts = {mount["name"]: mount["mountPath"] for mount in THINK["volumeMounts"]}
    assert Path(options["--dir"]) == Path(mounts["data"])
    named = {one["name"]: one.get("value") for one in THINK["env"]}
    assert "YGGDRASIL_KEY" in named
    front = rendered("serve")["Service", "yggdrasil-serve"]
    assert named["YGGDRASIL_URL"] == f"http://{front['metadata']['name']}" and front["spec"]["ports"][0]["port"] == 80
    admitted = rendered("serve")["NetworkPolicy", "yggdrasil-serve"]["spec"]["ingress"][0]["from"][0]
    assert admitted["podSelector"]["matchLabels"] == CLIENT
    assert CLIENT.items() <= THINK_SET["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("folder", PODS)
def test_the_pod_has_no_rights_that_it_does_not_need(folder: str) -> None:
    pod = PODS[folder][0]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert pod["automountServiceAccountToken"] is False
    assert rendered(folder)["ServiceAccount", pod["serviceAccountName"]]["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("container", [WORKER, SERVE, THINK], ids=lambda container: container["name"])
def test_every_probe_asks_a_page_that_there_is(container: dict[str, Any]) -> None:
    asked = [container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")]
    assert {one["path"] for one in asked} == {"/livez", "/readyz"}
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert {one["port"] for one in asked} <= {port["name"] for port in container["ports"]}


@pytest.mark.parametrize("folder", PODS)
def test_everything_selects_the_pods(folder: str) -> None:
    stateful_set, name = PODS[folder]
    labels = dict(stateful_set["spec"]["template"]["metadata"]["labels"].items() - CLIENT.items())
    applied = rendered(folder)
    selectors = [
        stateful_set["spec"]["selector"]["matchLabels"],
        *(one["spec"]["selector"] for (kind, _), one in applied.items() if kind == "Service"),
        applied["PodDisruptionBudget", name]["spec"]["selector"]["matchLabels"],
        applied["NetworkPolicy", name]["spec"]["podSelector"]["matchLabels"],
        applied["PodMonitor", name]["spec"]["selector"]["matchLabels"],
    ]
    assert ("Service", stateful_set["spec"]["serviceName"]) in applied
    assert all(selector == labels for selector in selectors)
    assert labels[applied["PodMonitor", name]["spec"]["jobLabel"]] == name


@pytest.mark.parametrize("folder", PODS)
def test_the_network_policy_lets_out_to_the_brokers_that_are_named(folder: str) -> None:
    stateful_set, name = PODS[folder]
    container = stateful_set["spec"]["template"]["spec"]["containers"][0]
    brokers = next(one["value"] for one in container["env"] if one["name"] == "KAFKA_BOOTSTRAP_SERVERS")
    spec = rendered(folder)["NetworkPolicy", name]["spec"]
    assert set(spec["policyTypes"]) == {"Ingress", "Egress"}
    others = {SERVE["ports"][0]["containerPort"]} if folder == "think" else set()
    ports = {one["port"] for rule in spec["egress"] for one in rule["ports"]}
    assert ports == {int(brokers.rpartition(":")[2]), 53} | others
    opened = [one["port"] for rule in spec["ingress"] for one in rule["ports"]]
    assert opened == [port["containerPort"] for port in container["ports"]]


def test_workers_that_are_scaled_are_of_a_group_and_as_many_as_there_are_partitions(program: Path) -> None:
    applied = rendered("scaling")
    scaled = applied["ScaledObject", "yggdrasil-worker"]["spec"]
    assert (scaled["scaleTargetRef"]["kind"], scaled["scaleTargetRef"]["name"]) in applied
    assert scaled["maxReplicaCount"] == PARTITIONS
    pod = applied["StatefulSet", "yggdrasil-worker"]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    path = children.environment(PATH=f"{program}:{os.environ['PATH']}")
    command = [*container["command"], *container["args"]]
    words = subprocess.run(command, env=path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert "--group" in words and "--partitions" not in words
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    claims = {one["name"]: one.get("persistentVolumeClaim", {}).get("claimName") for one in pod["volumes"]}
    claim = applied["PersistentVolumeClaim", claims[mounts[words[words.index("--checkpoints") + 1]]]]
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]


@pytest.mark.parametrize(
    ("series", "value"),
    [
        ({"lag_records": (7_000, 90_000), "rebuilding_records": (0, 0)}, 17_000),  # one partition, at most one worker
        ({"lag_records": (7_000, 90_000), "rebuilding_records": (0, 90_000)}, 7_000),  # a rebuild calls for nobody
        ({"lag_records": (7_000, 90_000), "rebuilding_records": (0, 0), "halted": (0, 1)}, 7_000),
        ({"lag_records": (0, 0), "rebuilding_records": (0, 0)}, 0),
    ],
)
def test_workers_are_scaled_by_new_lag_alone(series: dict[str, tuple[int, int]], value: int, tmp_path: Path) -> None:
    (trigger,) = rendered("scaling")["ScaledObject", "yggdrasil-worker"]["spec"]["triggers"]
    scraped = [
        {"series": f'yggdrasil_worker_{name}{{instance="a", partition="{partition}"}}', "values": str(each)}
        for name, values in series.items()
        for partition, each in enumerate(values)
    ]
    expected = [{"labels": "{}", "value": value}]
    asked = {"expr": trigger["metadata"]["query"], "eval_time": "0m", "exp_samples": expected}
    test = {"interval": "1m", "input_series": scraped, "promql_expr_test": [asked]}
    path = tmp_path / "lag.yml"
    path.write_text(yaml.safe_dump({"tests": [test]}))
    checked_by("promtool", "test", "rules", path)
