"""What `yggdrasil serve` makes of its options, and what it refuses before anything is opened."""

from pathlib import Path

import pytest

from tests.cli.runs import Cli
from yggdrasil.cli.operator.hosts.bounding import ceilings_of
from yggdrasil_schemas.policy import DEFAULT


def test_ceilings_are_four_times_the_default_unless_they_are_given() -> None:
    assert ceilings_of(None)["nodes_max"] == 4 * DEFAULT.nodes_max
    found = ceilings_of(["nodes_max=1000", "degree_max=300"])
    assert (found["nodes_max"], found["degree_max"], found["edges_max"]) == (1_000, 300, 4 * DEFAULT.edges_max)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--ceiling", "nodes_max"), "nodes_max=100000"),
        (("--ceiling", "nodes=1"), "nodes_max=100000"),
        (("--ceiling", "salience_initial=1"), "nodes_max=100000"),
        (("--quota-bytes", "10 GB"), "500M or 10G"),
        (("--quota-memories", "-1"), "--quota-memories"),
        (("--operators", "cli"), "it goes with --kafka"),
        (("--ladder-of", "worker"), "it goes with --kafka"),
        (("--ladder-of", __file__, "--kafka", "127.0.0.1:1", "--development"), "(--ladder-of)"),
        (("--ladder", "5"), "0 is none (--ladder, YGGDRASIL_LADDER)"),
        (("--metrics", "9464"), "--metrics': '9464' is no address; write HOST:PORT, such as 127.0.0.1:9465"),
        (("--thinkers", "wise"), "there is no thinker wise; there are: chunker"),
        (("--ranker", "acme-unheard/1"), "acme-unheard/1 is not installed: install the distribution"),
        (("--thinkers", "acme-unheard/1"), "acme-unheard/1 is not installed: install the distribution"),
        (("--summary-model", "openai:gpt-5-mini"), "goes with --thinkers"),
        (("--thinkers", "usual", "--kafka", "127.0.0.1:1", "--development"), "yggdrasil think --kafka"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    run = cli("serve", "--data", "data", "--http", "127.0.0.1:0", *arguments)
    assert run.code == 2
    assert said in run.err
    assert not (tmp_path / "data").exists()
