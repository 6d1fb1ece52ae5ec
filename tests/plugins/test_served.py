"""What somebody else has made, in processes of its own: a service with a ranker and a thinker, and the command line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runs import Cli
from tests.harness.waiting import until
from tests.plugins.installed import install_rankers, install_thinkers
from tests.service.processes import serving
from yggdrasil import LogInUseError, Memory, RankerFailedError, Store
from yggdrasil_projections.retrieval.ranking.rankers import RANKER


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install_rankers(tmp_path / "site")
    install_thinkers(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield
    for name in ("acme_rankers", "acme_thinkers"):
        sys.modules.pop(name, None)


def test_a_service_ranks_and_thinks_by_them(tmp_path: Path) -> None:
    told = ("--data", "data", "--ranker", "acme-fresh/1", "--thinkers", "acme-watch/1")
    with serving(tmp_path, *told) as it:
        it.until(200)
        with Memory.connect(it.url, memory="me/agent") as memory:
            events = [memory.record_event(f"Deployed on a Friday, release {at}") for at in range(4)]
            found = memory.get_context("Deployed on a Friday", k=2)
            assert found.refs == events[:1:-1] and found.versions["ranker"] == f"{RANKER}+acme-fresh/1"
            until(lambda: len(memory.episodes().episodes) == 2, it.log.read_text)
            assert memory.happened(count=50).cursors.keys() == {"acme-watch"}
        with pytest.raises(LogInUseError, match="start it with --ranker acme-fresh/2"):
            Store.open(tmp_path / "data", ranker="acme-fresh/2")


def test_a_service_says_which_ranker_has_failed(tmp_path: Path) -> None:
    with serving(tmp_path, "--data", "data", "--ranker", "acme-raising/1") as it:
        it.until(200)
        with Memory.connect(it.url, memory="me/agent") as memory:
            memory.record_event("Deployed on a Friday")
            with pytest.raises(RankerFailedError, match="the ranker acme-raising/1 failed: it raised KeyError"):
                memory.get_context("Deployed on a Friday")
            assert memory.happened(count=1).as_of == 1, "what was recorded is there"


def test_the_command_line_asks_and_proves_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YGGDRASIL_RANKER", "acme-fresh/1")
    cli = Cli(tmp_path, capsys)
    for at in range(3):
        cli.ok("record", f"Deployed on a Friday, release {at}")
    recall = cli.ok("context", "Deployed on a Friday", "--json").json["recall_id"]
    without = cli("prove", recall)
    assert without.code == 6 and "--ranker acme-fresh/1" in without.out
    assert "returns the same 3 references" in cli.ok("prove", recall, "--ranker", "acme-fresh/1").out
    missing = cli("prove", recall, "--ranker", "acme-unheard/1")
    assert missing.code == 2 and "is not installed" in missing.err
    assert cli.ok("think", "--thinkers", "acme-watch/1", "--json").json["thinkers"][0]["decided"] == 1
