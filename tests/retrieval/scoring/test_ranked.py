"""A memory that ranks by a scorer: what it changes, what it leaves, and that its answers are proved."""

from base64 import b64decode
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import prove, recalls_in
from yggdrasil_projections.retrieval.asks import Ask
from yggdrasil_projections.retrieval.ranking.rankers import RANKER
from yggdrasil_projections.retrieval.ranking.scoring.features import NAMES
from yggdrasil_projections.retrieval.ranking.scoring.scorers import HIDDEN, INPUTS, ONE
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searching import UnknownRankerError
from yggdrasil_schemas.limits import SCORER_WEIGHTS

TOPICS = ("lift", "boiler", "roof", "gate", "cellar", "attic", "fence", "drain", "stairs", "garden")
QUESTION = "the inspection of the house"


def weights(**of: float) -> bytes:
    """A network that adds features up with these weights."""
    flat = np.zeros(SCORER_WEIGHTS, "<i2")
    for name, weight in of.items():
        flat[NAMES.index(name)] = round(abs(weight) * ONE) if weight > 0 else 0
        flat[INPUTS + NAMES.index(name)] = round(abs(weight) * ONE) if weight < 0 else 0
    flat[INPUTS * HIDDEN + HIDDEN], flat[INPUTS * HIDDEN + HIDDEN + 1] = ONE, -ONE
    return flat.tobytes()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path, embedder="off") as store:
        yield store


def told(memory: Memory[Any]) -> list[str]:
    return [memory.record_event(f"{topic} inspection of the house") for topic in TOPICS]


def order(memory: Memory[Any], *, record: bool = False) -> list[str]:
    return memory.get_context(QUESTION, k=10, record=record).refs


def adopted(memory: Memory[Any], **of: float) -> str:
    return memory.propose_scorer(weights(**of), samples=100, metric=400, baseline=500, active=True)


def test_a_scorer_decides_what_comes_first(store: Store) -> None:
    memory = store.memory("me/agent")
    refs = told(memory)
    adopted(memory, recency=4.0)
    assert order(memory) == refs[::-1]
    adopted(memory, recency=-4.0)
    assert order(memory) == refs
    answer = memory.get_context(QUESTION, k=10)
    assert all(one.scores.priority > two.scores.priority for one, two in pairwise(answer.found))


def test_one_command_leads_back_to_the_order_without_one(store: Store) -> None:
    memory = store.memory("me/agent")
    told(memory)
    before = order(memory)
    scorer = adopted(memory, recency=-4.0)
    assert order(memory) != before
    memory.adopt_scorer(scorer, active=False)
    assert (order(memory), memory.scorers().ranker) == (before, RANKER)


def test_what_is_trusted_less_takes_no_place_of_what_is_trusted_more(store: Store) -> None:
    """Whatever the weights, each tier keeps the places that it had: so nobody below gains by a scorer."""
    agent, user = store.memory("me/agent", source="agent"), store.memory("me/agent", source="ana", origin="user")
    owners = {}
    for at, topic in enumerate(TOPICS):
        by = (agent, user)[at % 2]
        owners[by.record_event(f"{topic} inspection of the house")] = at % 2
    before = order(agent)
    for seed in range(8):
        drawn = np.random.default_rng(seed).integers(-20_000, 20_000, SCORER_WEIGHTS).astype("<i2").tobytes()
        agent.propose_scorer(drawn, samples=100, metric=400, baseline=500, active=True)
        after = order(agent)
        assert [owners[ref] for ref in after] == [owners[ref] for ref in before]
        assert sorted(after) == sorted(before)


def test_recalls_by_scorers_are_proved_after_others_were_adopted(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", embedder="off") as store:
        memory = store.memory("me/agent")
        told(memory)
        memory.get_context(QUESTION)
        first = adopted(memory, recency=4.0)
        memory.get_context(QUESTION, k=4)
        adopted(memory, recency=-4.0, strength=1.0)
        memory.get_context(QUESTION, k=4)
        memory.adopt_scorer(first)
        memory.get_context(QUESTION, k=4)
    with LocalLog.open_read_only(tmp_path / "store" / "log") as log:
        recalls = list(recalls_in(log, "me/agent"))
        rankers = [each.command.body.ranker for each in recalls]
        assert rankers[0] == RANKER
        assert len(set(rankers)) == 3
        assert rankers[1] == rankers[3] != rankers[2]
        found = list(prove(log, tmp_path / "proof", recalls))
    assert [each.reason for each in found] == [None] * 4


def test_a_ranker_by_a_scorer_that_is_not_kept_is_unknown(store: Store) -> None:
    memory = store.memory("me/agent")
    told(memory)
    engine = cast(Embedded, memory.engine)
    for ranker in (f"{RANKER}+mlp/1+0123456789ab", f"{RANKER}+mlp/2+0123456789ab", "hybrid/1+mlp/1"):
        with engine.asking(memory.id) as (graph, partition):
            assert graph is not None
            index = engine.view.index(graph)
            with pytest.raises(UnknownRankerError, match=r"keeps no scorer|asks for the words"):
                search_context(graph, index, Ask(memory.id, QUESTION), partition, ranker)


def test_a_recall_keeps_the_features_of_what_it_returned(store: Store) -> None:
    memory = store.memory("me/agent")
    refs = told(memory)
    memory.pin(refs[0], principle=True)
    answer = memory.get_context(QUESTION, k=4)
    memory.report_use(answer, [answer.refs[0], answer.refs[2]], result="failure")
    (report,) = memory.reported().reported
    rows = np.frombuffer(b64decode(report.rows), "<i2").reshape(-1, INPUTS)
    assert rows.tolist() == [entry.scores.features for entry in answer.found]
    assert (report.after, report.returned, report.used, report.result) == (1, len(answer.refs), [0, 2], "failure")
    assert all(0 <= each <= ONE for row in rows.tolist() for each in row)


def test_the_policy_can_leave_them_out(store: Store) -> None:
    memory = store.memory("me/agent")
    told(memory)
    memory.set_policy(recall_features=0)
    answer = memory.get_context(QUESTION)
    assert [entry.scores.features for entry in answer.found] == [[]] * len(answer.found)
    memory.report_use(answer, answer.refs[:1], result="success")
    assert memory.reported().reported[0].rows == ""
