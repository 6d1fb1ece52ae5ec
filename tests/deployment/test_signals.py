"""Alerts, dashboard and runbooks speak of the metrics that there are, and of each other."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from tests.deployment.validators import INFRA, ROOT, checked_by, documents
from yggdrasil_infra.signals.metrics import ReadMetrics, ScrubMetrics, ServiceMetrics, ThinkerMetrics, WorkerMetrics

FOLDER = INFRA / "observability"
UNITS = {"none", "short", "cps", "s", "bytes", "percentunit"}
METRIC = re.compile(r"\b(?:yggdrasil|process)_[a-z_]+")
PROMETHEUS_OWN = {"up", "ALERTS"}
SUFFIXES = {
    "counter": ["_total"],
    "histogram": ["_bucket", "_sum", "_count"],
    "info": ["_info"],
    "gauge": [""],
}


Metrics = type[WorkerMetrics] | type[ServiceMetrics] | type[ThinkerMetrics]


class Watched:
    """A program that is watched: its alerts and their tests, its dashboard, its page, and its metrics."""

    def __init__(self, files: str, page: str, metrics: Metrics) -> None:
        self.alerts = FOLDER / f"{files}alerts.yml"
        self.alerts_tests = sorted(FOLDER.glob(f"{files}alerts*_test.yml"))
        self.dashboard = json.loads((FOLDER / f"{files}dashboard.json").read_text())
        self.page = page
        self.text = (ROOT / page).read_text()
        self.rules = {rule["alert"]: rule for group in documents(self.alerts)[0]["groups"] for rule in group["rules"]}
        self.metrics = metrics

    @property
    def known(self) -> set[str]:
        """The names of all its series."""
        registry = self.metrics().registry
        ScrubMetrics().register(registry)
        ReadMetrics().register(registry)
        return series(registry)

    @property
    def panels(self) -> list[dict[str, Any]]:
        return [panel for panel in self.dashboard["panels"] if panel["type"] != "row"]

    @property
    def expressions(self) -> list[str]:
        return [target["expr"] for panel in self.panels for target in panel["targets"]]


WORKERS = Watched("", "docs/operating.md", WorkerMetrics)
SERVICE = Watched("serve_", "docs/operating-service.md", ServiceMetrics)
THINKERS = Watched("think_", "docs/operating-thinkers.md", ThinkerMetrics)
RULES = {name: it for it in (WORKERS, SERVICE, THINKERS) for name in it.rules}
EACH = pytest.mark.parametrize("it", [WORKERS, SERVICE, THINKERS], ids=["workers", "service", "thinkers"])


def series(registry: CollectorRegistry) -> set[str]:
    """The names of all that a registry can show, as Prometheus keeps them."""
    return {family.name + suffix for family in registry.collect() for suffix in SUFFIXES[family.type]}


@EACH
def test_the_rules_are_valid(it: Watched) -> None:
    said = checked_by("promtool", "check", "rules", "--lint=all", "--lint-fatal", it.alerts)
    assert f"{len(it.rules)} rules found" in said


@EACH
def test_each_alert_fires_when_it_should_and_not_otherwise(it: Watched) -> None:
    checked_by("promtool", "test", "rules", *it.alerts_tests)


@EACH
def test_each_alert_is_tested_both_ways(it: Watched) -> None:
    fires: set[str] = set()
    silent: set[str] = set()
    for case in [case for path in it.alerts_tests for case in documents(path)[0]["tests"]]:
        for check in case.get("promql_expr_test", []):
            samples = check.get("exp_samples", [])
            (fires if samples else silent).update(re.findall(r'alertname="(\w+)"', f"{check['expr']}{samples}"))
        for check in case.get("alert_rule_test", []):
            (fires if check["exp_alerts"] else silent).add(check["alertname"])
    assert fires == silent == set(it.rules)


@pytest.mark.parametrize("name", RULES)
def test_an_alert_says_what_to_do(name: str) -> None:
    it = RULES[name]
    rule = it.rules[name]
    assert name.startswith("Yggdrasil")
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["annotations"].keys() == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"{it.page}#{name.lower()}"
    section = it.text.partition(f"\n### {name}\n")[2].partition("\n### ")[0].partition("\n## ")[0]
    for part in ("**Means.**", "**Look.**", "**Do.**", "**Escalate.**"):
        assert part in section, f"the runbook of {name} lacks {part}"
    assert "```" in section, f"the runbook of {name} names no command"


@EACH
def test_every_runbook_has_an_alert(it: Watched) -> None:
    assert re.findall(r"^### (Yggdrasil\w+)$", it.text, re.MULTILINE) == list(it.rules)


@EACH
def test_alerts_and_dashboard_use_only_metrics_that_exist(it: Watched) -> None:
    for expression in [rule["expr"] for rule in it.rules.values()] + it.expressions:
        used = set(METRIC.findall(expression))
        assert used or PROMETHEUS_OWN & set(re.findall(r"\w+", expression))
        assert used <= it.known, f"{used - it.known} in {expression}"


@EACH
def test_every_metric_of_ours_is_shown_and_explained(it: Watched) -> None:
    shown = {name for expression in it.expressions for name in METRIC.findall(expression)}
    for family in it.metrics(CollectorRegistry()).registry.collect():
        assert {family.name + suffix for suffix in SUFFIXES[family.type]} & shown, f"no panel shows {family.name}"
        name = re.sub(r"^yggdrasil_(?:worker|service|thinker)_", "", family.name)
        assert f"`{name}`" in it.text, f"{family.name} is not explained"


@EACH
def test_the_dashboard_s_expressions_are_promql(it: Watched, tmp_path: Path) -> None:
    """Each becomes a rule of its own, with Grafana's variables filled in as Grafana does."""
    rules = []
    for number, expression in enumerate(it.expressions):
        filled = expression.replace("$__rate_interval", "1m").replace("$instance", ".*").replace("$partition", ".*")
        assert "$" not in filled
        rules.append({"record": f"expression:{number}", "expr": filled})
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in checked_by("promtool", "check", "rules", path)


@EACH
def test_the_dashboard_is_laid_out_without_overlaps(it: Watched) -> None:
    ids = [panel["id"] for panel in it.dashboard["panels"]]
    assert len(ids) == len(set(ids))
    taken: set[tuple[int, int]] = set()
    for panel in it.dashboard["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24
        assert not cells & taken, f"{panel['title']} lies over another panel"
        taken |= cells


@EACH
def test_every_panel_says_what_it_shows_in_which_unit(it: Watched) -> None:
    titles = [panel["title"] for panel in it.panels]
    assert len(titles) == len(set(titles))
    for panel in it.panels:
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}", panel["title"]
        for name in re.findall(r"Yggdrasil\w+", panel["description"]):
            assert name in it.rules, f"{panel['title']} speaks of {name}"


@EACH
def test_the_dashboard_s_variables_are_those_that_its_expressions_use(it: Watched) -> None:
    variables = {variable["name"] for variable in it.dashboard["templating"]["list"]}
    assert variables == {"datasource", *re.findall(r"\$(?!__)(\w+)", " ".join(it.expressions))}
    for variable in it.dashboard["templating"]["list"]:
        if variable["type"] == "query":
            (metric,) = METRIC.findall(variable["definition"])
            assert metric in it.known
