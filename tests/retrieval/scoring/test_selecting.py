"""How many of an order are returned, by the policy: a fixed number, what scores enough, or the first ten and lots."""

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from yggdrasil import Context, Memory, Store, Where
from yggdrasil.engines.embedded import Embedded
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import Proof, prove, recalls_in
from yggdrasil_projections.retrieval.ranking.scoring.scorers import ENOUGH, LOGIT_ONE, ONE, linear
from yggdrasil_projections.retrieval.reads.ranked.selecting import chances, lot

ME = "select/one"
ASKED = "Who deployed on a Friday?"
MANY = 30


def open_(tmp_path: Path, **policy: float) -> Memory[Embedded]:
    memory = Memory.open(tmp_path / "d", ME, partitions=1)
    if policy:
        memory.set_policy(**policy)
    return memory


def tell(memory: Memory[Embedded], count: int = MANY) -> list[str]:
    return [memory.record_event(f"Worker {at} deployed on a Friday", features=[f"worker:{at}"]) for at in range(count)]


def proofs(tmp_path: Path) -> list[Proof]:
    with LocalLog.open_read_only(tmp_path / "d" / "log") as log:
        return list(prove(log, tmp_path / "again", list(recalls_in(log, ME))))


def score(found: Context, at: int) -> int:
    features = np.array([found.found[at].scores.features], np.int64)
    return int(linear(features)[0])


def test_without_a_word_it_is_the_fixed_number(tmp_path: Path) -> None:
    with open_(tmp_path) as memory:
        tell(memory)
        found = memory.get_context(ASKED, k=20)
        assert len(found.found) == 20 and len(memory.get_context(ASKED).found) == 10
        assert "select" not in found.versions and all(each.drawn is None for each in found.found)


def test_by_threshold_only_what_scores_enough_and_at_most_so_many(tmp_path: Path) -> None:
    with open_(tmp_path, search_select=1, search_select_max=20) as memory:
        tell(memory)
        every = memory.get_context(ASKED)
        assert len(every.found) == 20, "not ten: what scores enough"
        least = min(score(every, at) for at in range(20))
        assert least >= 0.4 * ONE
        scores = sorted((score(every, at) for at in range(20)), reverse=True)
        memory.set_policy(search_select_score=(scores[6] + 0.5) / ONE)
        fewer = memory.get_context(ASKED)
        assert fewer.versions["select"] == "threshold/1"
        assert 1 <= len(fewer.found) < 20
        assert all(score(fewer, at) > scores[6] - 40 for at in range(1, len(fewer.found)))
        memory.set_policy(search_select_score=1.0)
        alone = memory.get_context(ASKED)
        assert len(alone.found) == 1 and alone.nothing is None, "whether there is an answer, confidence says"
        assert len(memory.get_context(ASKED, k=3).found) <= 3
    assert [proof.reason for proof in proofs(tmp_path)] == [None] * 4


def test_chance_adds_behind_the_first_ten_and_a_proof_draws_the_same(tmp_path: Path) -> None:
    with open_(tmp_path, search_select=2) as memory:
        tell(memory)
        added: list[int] = []
        for asked in range(12):
            found = memory.get_context(f"{ASKED} Say it {asked} times.", k=20)
            assert len(found.found) <= 20 and found.versions["select"] == "chance/1"
            assert all(each.drawn is None for each in found.found[:10])
            lots = [each.drawn for each in found.found[10:]]
            assert all(each is not None and 10 < each.rank <= 20 for each in lots)
            assert [each.chance for each in lots if each] == [score(found, at) for at in range(10, len(found.found))]
            added.append(len(lots))
            memory.set_policy(search_select=0)
            fixed = memory.get_context(f"{ASKED} Say it {asked} times.", k=20, record=False).refs
            memory.set_policy(search_select=2)
            assert found.refs[:10] == fixed[:10] and set(found.refs) <= set(fixed), "nothing of below takes a place"
        assert 0 < sum(added) < 120 and len(set(added)) > 1, "some are added, by chance"
    assert [proof.reason for proof in proofs(tmp_path)] == [None] * 12


def test_the_record_says_rank_and_chance(tmp_path: Path) -> None:
    with open_(tmp_path, search_select=2) as memory:
        tell(memory)
        founds = [memory.get_context(f"{ASKED} {asked}", k=20) for asked in range(6)]
        reported = [memory.report_use(found.recall_id, used=found.refs[-1:]) for found in founds if found.recall_id]
        assert len(reported) == 6
        seen = {one.recall: one for one in memory.reported().reported}
    with LocalLog.open_read_only(tmp_path / "d" / "log") as log:
        said = {one.id: one.command for one in recalls_in(log, ME)}
    for found in founds:
        command = said[str(found.recall_id)]
        lots = [(place, each.drawn) for place, each in enumerate(found.found) if each.drawn]
        payload = command.content.payload or {}  # type: ignore[union-attr]
        assert payload.get("drawn", []) == [[place, lot.rank, lot.chance] for place, lot in lots]
        assert command.body.parameters["select"] == "chance/1"
        assert seen[command.id].chances == [
            max(1, each.drawn.chance * 1000 // ONE) if each.drawn else 1000 for each in found.found
        ]
    assert any(one.chances[-1] < 1000 for one in seen.values())


def test_places_and_tokens_bound_it(tmp_path: Path) -> None:
    with open_(tmp_path, search_select=2) as memory:
        tell(memory)
        for asked in range(8):
            assert len(memory.get_context(f"{ASKED} {asked}", k=7).found) == 7, "fewer than ten leave nothing to chance"
            assert len(memory.get_context(f"{ASKED} {asked}", k=12).found) in (10, 11, 12)
            assert memory.get_context(f"{ASKED} {asked}", k=20, tokens_max=100).tokens <= 100
        memory.set_policy(search_select_max=10)
        assert len(memory.get_context(ASKED, k=20).found) == 10


def test_what_is_trusted_more_loses_no_place_and_the_lens_holds(tmp_path: Path) -> None:
    with Store.open(tmp_path / "d", partitions=1) as store:
        user, agent = store.memory(ME, source="ana", origin="user"), store.memory(ME)
        agent.set_policy(search_select=2)
        mine = [user.record_event(f"Ana deployed on a Friday, week {at}") for at in range(12)]
        others = [agent.record_event(f"Robot {at} deployed on a Friday") for at in range(40)]
        for asked in range(6):
            text = f"{ASKED} {asked}"
            agent.set_policy(search_select=0)
            led = [ref for ref in agent.get_context(text, k=12, record=False).refs if ref in mine]
            agent.set_policy(search_select=2)
            assert set(led[:10]) <= set(agent.get_context(text, k=12, record=False).refs)
            seen = agent.get_context(text, k=20, where=Where(trust_min=2), record=False)
            assert set(seen.refs) <= set(mine) and len(seen.refs) >= 10
            assert not set(agent.seen(trust_min=2).get_context(text, k=20, record=False).refs) & set(others)


def test_a_lot_is_fair_and_of_its_question_its_seq_and_its_node() -> None:
    said = [lot("who?", seq, node, 1_024) for seq in range(1, 101) for node in range(100)]
    assert abs(sum(said) / len(said) - 0.25) < 0.02
    assert not any(lot("who?", seq, 7, 0) for seq in range(1_000))
    assert all(lot("who?", seq, 7, ONE) for seq in range(1_000))
    one = [lot("who?", seq, 7, 2_048) for seq in range(200)]
    assert one == [lot("who?", seq, 7, 2_048) for seq in range(200)]
    assert (
        one != [lot("who", seq, 7, 2_048) for seq in range(200)] != [lot("who?", seq, 8, 2_048) for seq in range(200)]
    )


@pytest.mark.parametrize("share", ["0.01", "0.4", "0.5", "0.73", "0.99"])
def test_a_chance_is_the_sigmoid_of_a_logit_in_whole_numbers(share: str) -> None:
    wanted = Decimal(share)
    logit = int((wanted / (1 - wanted)).ln() * LOGIT_ONE)
    found = int(chances(np.array([logit + 64], np.int64))[0])
    assert abs(found - int(wanted * ONE)) <= 1


def test_chances_grow_with_logits_and_agree_with_what_is_enough() -> None:
    logits = np.array([-(2**45), ENOUGH - 2_000, ENOUGH + 20_000, 0, 2**45], np.int64)
    found = chances(logits).tolist()
    assert found[0] == 0 and found[-1] == ONE - 1 and found[3] == ONE // 2
    assert found[1] < 0.4 * ONE <= found[2] + 1 and found == sorted(found)
