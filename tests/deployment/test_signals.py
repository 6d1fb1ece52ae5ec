"""Alerts, dashboard and runbooks speak of the metrics that there are, and of each other."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from tests.deployment.validators import INFRA, ROOT, checked_by, documents
from yggdrasil_infra.signals.metrics import WorkerMetrics

ALERTS = INFRA / "observability" / "alerts.yml"
ALERTS_TEST = INFRA / "observability" / "alerts_test.yml"
DASHBOARD = json.loads((INFRA / "observability" / "dashboard.json").read_text())
OPERATING = (ROOT / "docs" / "operating.md").read_text()
RULES = {rule["alert"]: rule for group in documents(ALERTS)[0]["groups"] for rule in group["rules"]}
UNITS = {"none", "short", "cps", "s", "bytes", "percentunit"}
METRIC = re.compile(r"\b(?:yggdrasil|process)_[a-z_]+")
PROMETHEUS_OWN = {"up", "ALERTS"}
SUFFIXES = {
    "counter": ["_total"],
    "histogram": ["_bucket", "_sum", "_count"],
    "info": ["_info"],
    "gauge": [""],
}


def series(registry: CollectorRegistry) -> set[str]:
    """The names of all that a registry can show, as Prometheus keeps them."""
    return {family.name + suffix for family in registry.collect() for suffix in SUFFIXES[family.type]}


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def test_the_rules_are_valid() -> None:
    assert f"{len(RULES)} rules found" in checked_by("promtool", "check", "rules", "--lint=all", "--lint-fatal", ALERTS)


def test_each_alert_fires_when_it_should_and_not_otherwise() -> None:
    checked_by("promtool", "test", "rules", ALERTS_TEST)


def test_each_alert_is_tested_both_ways() -> None:
    fires: set[str] = set()
    silent: set[str] = set()
    for case in documents(ALERTS_TEST)[0]["tests"]:
        for check in case.get("promql_expr_test", []):
            samples = check.get("exp_samples", [])
            (fires if samples else silent).update(re.findall(r'alertname="(\w+)"', f"{check['expr']}{samples}"))
        for check in case.get("alert_rule_test", []):
            (fires if check["exp_alerts"] else silent).add(check["alertname"])
    assert fires == silent == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_an_alert_says_what_to_do(name: str) -> None:
    rule = RULES[name]
    assert name.startswith("Yggdrasil")
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"docs/operating.md#{name.lower()}"
    section = OPERATING.partition(f"\n### {name}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    for part in ("**Means.**", "**Look.**", "**Do.**", "**Escalate.**"):
        assert part in section, f"the runbook of {name} lacks {part}"
    assert "```" in section, f"the runbook of {name} names no command"


def test_every_runbook_has_an_alert() -> None:
    assert re.findall(r"^### (Yggdrasil\w+)$", OPERATING, re.MULTILINE) == list(RULES)


def test_alerts_and_dashboard_use_only_metrics_that_exist() -> None:
    known = series(WorkerMetrics().registry)
    for expression in [rule["expr"] for rule in RULES.values()] + expressions():
        used = set(METRIC.findall(expression))
        assert used or PROMETHEUS_OWN & set(re.findall(r"\w+", expression))
        assert used <= known, f"{used - known} in {expression}"


def test_every_metric_of_ours_is_shown_and_explained() -> None:
    shown = {name for expression in expressions() for name in METRIC.findall(expression)}
    for family in WorkerMetrics(CollectorRegistry()).registry.collect():
        assert {family.name + suffix for suffix in SUFFIXES[family.type]} & shown, f"no panel shows {family.name}"
        assert f"`{family.name.removeprefix('yggdrasil_worker_')}`" in OPERATING, f"{family.name} is not explained"


def test_the_dashboard_s_expressions_are_promql(tmp_path: Path) -> None:
    """Each becomes a rule of its own, with Grafana's variables filled in as Grafana does."""
    rules = []
    for number, expression in enumerate(expressions()):
        filled = expression.replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$partition", ".*")
        assert "$" not in filled
        rules.append({"record": f"expression:{number}", "expr": filled})
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in checked_by("promtool", "check", "rules", path)


def test_the_dashboard_is_laid_out_without_overlaps() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, f"{panel['title']} lies over another panel"
        taken |= cells


def test_every_panel_says_what_it_shows_in_which_unit() -> None:
    titles = [panel["title"] for panel in panels()]
    assert len(titles) == len(set(titles))
    for panel in panels():
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
        for name in re.findall(r"Yggdrasil\w+", panel["description"]):
            assert name in RULES, f"{panel['title']} speaks of {name}"


def test_the_dashboard_s_variables_are_those_that_its_expressions_use() -> None:
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert variables == {"datasource", "instance", "partition"}
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            (metric,) = METRIC.findall(variable["definition"])
            assert metric in series(WorkerMetrics().registry)
