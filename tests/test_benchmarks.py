"""Every benchmark runs, and says at the end what the build reads. What it measures is not a test's business."""

import json

import pytest

from benchmarks.__main__ import NAMES, main


@pytest.mark.parametrize("name", NAMES)
def test_the_last_line_is_the_report(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--tiny"]) == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(report) == {"name", "figures", "bars"}
    assert report["name"] == name
    assert report["figures"]
    assert all(isinstance(figure, int | float) for figure in report["figures"].values())
    for bar in report["bars"]:
        assert set(bar) == {"what", "value", "bar", "holds"}
