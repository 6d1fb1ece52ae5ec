"""A ranker that somebody else has made orders what is relevant, and nothing more; and its answers are proved."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.plugins.installed import RANKERS, install, install_rankers
from yggdrasil import Memory, PluginError, RankerFailedError, Store, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import Proof, prove, recalls_in
from yggdrasil_projections.retrieval.ranking.own.order import own_priorities, own_ranker
from yggdrasil_projections.retrieval.ranking.own.ranker import CandidateFeatures, OwnRanker
from yggdrasil_projections.retrieval.ranking.rankers import RANKER
from yggdrasil_projections.retrieval.ranking.relevance import Hit
from yggdrasil_schemas.graph.records import node_number
from yggdrasil_schemas.ids import id_bytes

ME = "me/agent"
FRIDAY = "Should we deploy on a Friday?"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "site"
    install_rankers(folder)
    monkeypatch.syspath_prepend(folder)
    yield folder
    sys.modules.pop("acme_rankers", None)


def tell(memory: Memory[Embedded]) -> list[str]:
    """Say the same about different days, with something between."""
    found: list[str] = []
    for at in range(8):
        found.append(memory.record_event(f"Deployed on a Friday, release {at}", features=["deploy"]))
        for other in range(3):
            memory.record_event(f"Bread of kind {at} {other} was baked")
    return found


def proofs(tmp_path: Path, rankers: tuple[OwnRanker, ...] = ()) -> list[Proof]:
    again = tmp_path / f"again-{len(list(tmp_path.iterdir()))}"
    with LocalLog.open_read_only(tmp_path / "d" / "log") as log:
        return list(prove(log, again, list(recalls_in(log, ME)), rankers=rankers))


def test_one_that_is_named_orders_and_is_recorded_and_proved(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", ME, ranker="acme-fresh/1", partitions=1) as memory:
        events = tell(memory)
        found = memory.get_context(FRIDAY, k=4)
        cases = memory.get_similar_cases(FRIDAY, k=2)
        assert memory.scorers().ranker == found.versions["ranker"]
    assert found.refs == events[:3:-1], "the newest first"
    assert found.versions["ranker"] == cases.versions["ranker"] == f"{RANKER}+acme-fresh/1"
    assert [one.reason for one in proofs(tmp_path, (own_ranker("acme-fresh/1"),))] == [None, None]


def test_a_proof_without_it_says_what_to_install(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", ME, ranker="acme-fresh/1", partitions=1) as memory:
        tell(memory)
        memory.get_context(FRIDAY, k=4)
    (proof,) = proofs(tmp_path)
    assert proof.reason is not None and "ranked by acme-fresh/1" in proof.reason
    assert "install the distribution that has it" in proof.reason and "--ranker acme-fresh/1" in proof.reason
    (proof,) = proofs(tmp_path, (own_ranker("acme-fresh/2"),))
    assert proof.reason is not None and "what was named here is acme-fresh/2" in proof.reason
    (proof,) = proofs(tmp_path, (own_ranker("acme-raising/1"),))
    assert proof.reason is not None and "named here" not in proof.reason


def test_one_that_now_answers_otherwise_is_told(tmp_path: Path, installed: Path) -> None:
    with Memory.open(tmp_path / "d", ME, ranker="acme-fresh/1", partitions=1) as memory:
        tell(memory)
        memory.get_context(FRIDAY, k=4)
    install(
        installed,
        "acme-rankers",
        "acme_rankers",
        RANKERS.replace("50 // (50 + each.age)", "each.age // (50 + each.age)"),
        {"yggdrasil.rankers": {"acme-fresh/1": "acme_rankers:Newest"}},
    )
    (proof,) = proofs(tmp_path, (own_ranker("acme-fresh/1"),))
    assert proof.reason is not None and "at place 1 it had returned" in proof.reason


def test_nothing_is_imported_that_nobody_has_named(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", ME, partitions=1) as memory:
        tell(memory)
        assert memory.get_context(FRIDAY, k=4).versions["ranker"] == RANKER
    assert "acme_rankers" not in sys.modules
    with Memory.open(tmp_path / "d", ME, ranker="acme-fresh/1"):
        assert "acme_rankers" in sys.modules


def test_the_environment_may_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YGGDRASIL_RANKER", "acme-fresh/2")
    with Store.open(tmp_path / "d", partitions=1) as store:
        memory = store.memory(ME)
        tell(memory)
        assert memory.get_context(FRIDAY, k=4).versions["ranker"] == f"{RANKER}+acme-fresh/2"


def test_what_the_lens_hides_is_never_given_to_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", ranker="acme-against/1", partitions=1) as store:
        user, agent = store.memory(ME, source="ana", origin="user"), store.memory(ME)
        mine = [user.record_event(f"Ana deployed on a Friday in week {at}") for at in range(3)]
        for at in range(30):
            agent.record_event(f"An agent deployed on a Friday in week {at}")
        found = agent.get_context(FRIDAY, k=10, where=Where(trust_min=2))
        assert set(found.refs) == set(mine)
        assert set(agent.seen(trust_min=2).get_context(FRIDAY, k=10).refs) == set(mine)


def test_it_puts_nothing_before_what_is_trusted_more_and_says_as_much(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", ranker="acme-against/1", partitions=1) as store:
        user, agent = store.memory(ME, source="ana", origin="user"), store.memory(ME)
        mine = user.record_event("The deploy on Friday was started by hand")
        others = [
            agent.record_event(f"A deploy on Friday was started by robot {at}, in a long night") for at in range(9)
        ]
        refs = agent.get_context("Who started the deploy on Friday?", k=5).refs
        assert refs[0] == mine and set(refs[1:]) <= set(others) and len(refs) == 5


def test_the_budget_stays_ours(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "d", ME, ranker="acme-fresh/1", partitions=1) as memory:
        tell(memory)
        found = memory.get_context(FRIDAY, tokens_max=20)
        assert 0 < found.tokens <= 20


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("acme-raising/1", "it raised KeyError: 'no such weight'"),
        ("acme-short/1", "candidates it scored 1"),
        ("acme-floats/1", "not 0.5 of float"),
        ("acme-beyond/1", "not 4097 of int"),
    ],
)
def test_one_that_fails_is_named(tmp_path: Path, name: str, said: str) -> None:
    with Memory.open(tmp_path / "d", ME, ranker=name, partitions=1) as memory:
        tell(memory)
        with pytest.raises(RankerFailedError, match=f"the ranker {name} failed") as failed:
            memory.get_context(FRIDAY, k=4)
        assert said in str(failed.value)
    with Memory.open(tmp_path / "d", ME) as memory:
        assert len(memory.get_context(FRIDAY, k=4).refs) == 4


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hybrid/7", "hybrid/7 is a name of ours"),
        ("mlp/1", "mlp/1 is a name of ours"),
        ("acme-fresh", "it is called NAME/VERSION"),
        ("acme-Fresh/1", "it is called NAME/VERSION"),
        ("acme-fresh/3", "here is acme-fresh/1, acme-fresh/2, and another version may answer otherwise"),
        ("acme-unheard/1", "acme-unheard/1 is not installed: install the distribution that has it"),
        ("acme-gone/1", "cannot be loaded from acme_rankers:Gone"),
        ("acme-liar/1", "it calls itself 'acme-other/1'"),
        ("acme-nothing/1", "it calls itself 'None'"),
    ],
)
def test_one_that_cannot_be_used_leaves_no_directory(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(PluginError) as refused:
        Store.open(tmp_path / "d", ranker=name)
    assert said in str(refused.value)
    assert not (tmp_path / "d").exists()


def test_one_name_in_two_distributions_is_nobody_s(tmp_path: Path, installed: Path) -> None:
    own = {"yggdrasil.rankers": {"acme-fresh/1": "other_rankers:Newest"}}
    install(installed, "other-rankers", "other_rankers", RANKERS, own)
    with pytest.raises(PluginError, match=r"in several distributions \(acme-rankers, other-rankers\)"):
        own_ranker("acme-fresh/1")


class Said:
    """Scores by what it was told to."""

    name = "acme-said/1"

    def __init__(self, scores: list[int]) -> None:
        self._scores = scores

    def scores(self, candidates: Sequence[CandidateFeatures], /) -> Sequence[int]:
        return self._scores[: len(candidates)]


def test_who_is_trusted_more_gains_only_where_no_less_relevant(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", partitions=1) as store:
        user, agent = store.memory(ME, source="ana", origin="user"), store.memory(ME)
        refs = [user.record_event("one"), agent.record_event("two"), agent.record_event("three")]
        with store.engine.reading_of(ME) as (graph, _):
            found = [graph.identity(id_bytes(ref)) for ref in refs]
            nodes = [graph.expect(node_number(each.seq)) for each in found if each is not None]
            near = [Hit(row, 0.0, 0.0, 0.0, relevance) for row, relevance in enumerate((0.5, 0.5, 0.6))]
            lifted = own_priorities(Said([0, 1_000, 2_000]), graph, nodes, near)
            apart = own_priorities(Said([3_000, 1_000, 2_000]), graph, nodes, near)
    assert lifted[2] > lifted[0] > lifted[1], "before what is as relevant, and not before what is more so"
    assert apart[0] > apart[2] > apart[1], "its own score stands where that is higher"
