"""Every answer of a random life can be proved from the log alone, and a recall that lies cannot."""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.embedded.asked import live
from tests.retrieval.lives import anew
from tests.size import turns
from yggdrasil import Memory, Where
from yggdrasil.engines.recalls import record_recall
from yggdrasil_infra.embedders import minilm
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_processors.auditing.proof import Proof, prove, recalls_in
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.asks import Ask, Speaker
from yggdrasil_projections.retrieval.ranking.rankers import RANKERS
from yggdrasil_projections.retrieval.reads.learning.context import search_context
from yggdrasil_projections.retrieval.reads.learning.searched import AskContext

RECALLS = turns(160, 1_000)
NAMES = "proof/one", "proof/two"

OPEN = Where(notes=["open_question"])


def proofs(directory: Path, scratch: Path, memory: str) -> Iterator[Proof]:
    with LocalLog.open_read_only(directory / "log") as log:
        yield from prove(log, scratch, list(recalls_in(log, memory)))


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("proof") / "lived"
    chance = random.Random(20261122)
    for turn in range(2):  # a restart in between: the second half is answered from an index that was loaded again
        for name in NAMES:
            with Memory.open(directory, name, partitions=1) as memory:
                if turn == 0:
                    memory.set_policy(nodes_max=120, edges_max=2_000, sessions_open_max=8)
                live(memory, chance, RECALLS // 4)
    return directory


def test_all_recalls_of_two_memories_are_proved(lived: Path, tmp_path: Path) -> None:
    found = [one for number, name in enumerate(NAMES) for one in proofs(lived, tmp_path / f"again-{number}", name)]
    assert len(found) == RECALLS
    assert [one.reason for one in found if not one.holds] == []
    assert sum(bool(one.returned_again) for one in found) > RECALLS // 2  # they are answers, not so many nothings
    assert {one.recall.command.body.ranker for one in found} == set(RANKERS)


def test_the_recalls_of_both_memories_are_proved_in_one_pass(lived: Path, tmp_path: Path) -> None:
    with LocalLog.open_read_only(lived / "log") as log:
        recalls = [one for name in NAMES for one in list(recalls_in(log, name))[::10]]
        found = list(prove(log, tmp_path / "again", recalls))
    assert len(found) == len(recalls) and all(one.holds for one in found)


def test_recalls_with_vectors_are_proved_without_the_model(tmp_path: Path) -> None:
    model = minilm()
    with closing(model), Memory.open(tmp_path / "here", "proof/one", embedder=model) as memory:
        live(memory, random.Random(20261122), 60)
        assert memory.get_context("the database was down").versions["model"] == model.model
    found = list(proofs(tmp_path / "here", tmp_path / "again", "proof/one"))
    assert len(found) == 61 and [one.reason for one in found if not one.holds] == []


def test_a_recall_that_lies_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", "proof/one", partitions=1) as memory:
        first = memory.record_event("The cache was cold")
        second = memory.record_event("The cache was warm")
        honest = memory.get_context("Was the cache cold?", k=2)
        body = {
            "purpose": "context",
            "as_of": honest.as_of,
            "returned": honest.refs[::-1],
            "parameters": {"k": 2},
            **{name: honest.versions[name] for name in ("ranker", "tokenizer", "index")},
        }
        drafter = Drafter("proof/one", "liar", "test")
        lie = drafter.draft("record_recall", body, {"text": "Was the cache cold?"})
        newer = drafter.draft("record_recall", body | {"ranker": "hybrid/999"}, {"text": "Was the cache cold?"})
        sealed = {"alg": "aes", "key_id": "k", "nonce": "n", "ciphertext": "c"}
        unread = drafter.draft("record_recall", body, sealed)
        for draft in (lie, newer, unread):
            assert memory.engine.submit(draft).refused is None
    assert set(honest.refs) == {first, second}
    found = {one.recall.id: one for one in proofs(tmp_path / "here", tmp_path / "again", "proof/one")}
    assert honest.recall_id is not None and found[honest.recall_id].holds
    assert (
        found[lie.id].reason == f"at place 1 it had returned {honest.refs[1]}, and asking again gives {honest.refs[0]}"
    )
    assert found[lie.id].returned_again == honest.refs
    assert "hybrid/999" in (found[newer.id].reason or "")
    assert "sealed" in (found[unread.id].reason or "")


def test_recalls_of_the_old_ranker_are_proved_beside_those_of_the_new_one(tmp_path: Path) -> None:
    """Each with the words of its own tokenizer. What the old one returned is what it always did."""
    notes = [
        "Die Wohnungen haben einen Keller",
        "Im Keller der Wohnung",
        "合鍵は物置に移した",
        "Ann's boilers, serviced in May",
    ]
    returned = {
        ("hybrid/1", "Wohnungen"): notes[:1],
        ("hybrid/2", "Wohnungen"): [notes[1], notes[0]],
        ("hybrid/1", "合鍵はどこ"): [],
        ("hybrid/2", "合鍵はどこ"): [notes[2]],
        ("hybrid/1", "servicing a boiler"): notes[3:],
        ("hybrid/2", "servicing a boiler"): notes[3:],
        ("hybrid/3", "合鍵はどこ"): [notes[2]],
        ("hybrid/3", "servicing a boiler"): notes[3:],
    }
    by = Speaker("test", "test", "agent")
    with Memory.open(tmp_path / "here", "proof/one", partitions=1) as memory:
        memory.set_policy(search_refusal=0.0)
        for place, note in enumerate(notes):
            memory.record_event(note, session=str(place))
        ask, answers = Ask(memory.id, ""), list[Context]()
        for (ranker, question), expected in returned.items():
            ask, tokenizer = replace(ask, query=question), RANKERS[ranker].tokenizer
            with memory.engine.reading_of(memory.id) as (graph, partition):
                answer = search_context(graph, anew(graph, tokenizer), ask, partition, ranker)
            assert [each.memory.text for each in answer.found] == expected, (ranker, question)
            answers.append(record_recall(memory.engine.submit_recall, AskContext(ask, "asking"), answer, by))
        other = {"klingon/1": "tokenizer klingon/1", "english/1": "ranker hybrid/3 with tokenizer english/1"}
        for tokenizer in other:
            renamed = replace(answers[-1], versions={**answers[-1].versions, "tokenizer": tokenizer})
            record_recall(memory.engine.submit_recall, AskContext(ask, "asking"), renamed, by)
        for index in ("arrays/2", "arrays/9"):
            renamed = replace(answers[-1], versions={**answers[-1].versions, "index": index})
            record_recall(memory.engine.submit_recall, AskContext(ask, "asking"), renamed, by)
        other["arrays/9"] = "index arrays/9"
    found = list(proofs(tmp_path / "here", tmp_path / "again", "proof/one"))
    assert found.pop(-2).holds, "of an index that had no names of notes the recalls are proved as well"
    assert [(each.recall.command.body.ranker, each.holds) for each in found[: len(returned)]] == [
        (ranker, True) for ranker, _ in returned
    ]
    assert [each.reason for each in found[len(returned) :]] == [
        f"this release does not know {unknown}; ask a release that does" for unknown in other.values()
    ]


def test_the_filter_of_a_recall_is_a_part_of_what_is_proved(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", "proof/one", partitions=1) as memory:
        asked, other = (memory.record_event("The cache was cold", session=name) for name in ("ops", "desk"))
        honest = memory.get_context("Was the cache cold?", where=Where(sessions=["ops"], until="2100-01-01"))
        memory.record_event("Was the cache cold in spring?", note="open_question", session="ops")
        noted = [memory.get_context("Was the cache cold in spring?", where=where) for where in (None, OPEN)]
        assert noted[0].refs and noted[1].refs and not {*noted[0].refs} & {*noted[1].refs}
        assert (honest.refs, honest.recall_id is not None) == ([asked], True)
        body = {
            "purpose": "context",
            "as_of": honest.as_of,
            "returned": honest.refs,
            "parameters": {"k": 10},
            **{name: honest.versions[name] for name in ("ranker", "tokenizer", "index")},
        }
        drafter = Drafter("proof/one", "liar", "test")
        wheres = {"lie": {"sessions": ["desk"]}, "odd": {"moon": ["full"]}, "wrong": {"sessions": []}, "list": ["ops"]}
        drafts = {
            name: drafter.draft("record_recall", body, {"text": "Was the cache cold?", "payload": {"where": where}})
            for name, where in wheres.items()
        }
        for draft in drafts.values():
            assert memory.engine.submit(draft).refused is None
    found = {one.recall.id: one for one in proofs(tmp_path / "here", tmp_path / "again", "proof/one")}
    assert all(found[each.recall_id or ""].holds for each in (honest, *noted))
    reasons = {name: found[draft.id].reason or "" for name, draft in drafts.items()}
    assert reasons["lie"] == f"at place 1 it had returned {asked}, and asking again gives {other}"
    assert reasons["wrong"].startswith("sessions is empty")
    assert '"where":{"moon":["full"]}' in reasons["odd"] and "cannot be asked again" in reasons["list"]


def test_the_confidence_that_was_asked_for_is_part_of_what_is_proved(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", "proof/one", partitions=1) as memory:
        memory.record_event("The cache was cold")
        asked = "Was the cache cold or broken?"
        sure = memory.get_context(asked, k=2).confidence
        assert 0.2 < sure < 1.0
        told = memory.get_context(asked, min_confidence=0.0)
        refused = memory.get_context(asked, min_confidence=1.0)
        cases = memory.get_similar_cases(asked, min_confidence=1.0, deep=True)
        assert told.refs and refused.nothing is not None and cases.nothing is not None
    found = {one.recall.id: one for one in proofs(tmp_path / "here", tmp_path / "again", "proof/one")}
    assert len(found) == 4 and all(one.holds for one in found.values())
    parameters = {name: one.recall.command.body.parameters for name, one in found.items()}
    assert parameters[told.recall_id or ""] == {"min_confidence": 0.0, "shown": "passages/1"}
    assert parameters[refused.recall_id or ""] == {"min_confidence": 1.0, "shown": "passages/1"}
    assert parameters[cases.recall_id or ""] == {
        "min_confidence": 1.0,
        "cases": True,
        "shown": "passages/1",
    }


def test_a_memory_without_recalls_has_nothing_to_prove(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", "proof/one") as memory:
        memory.record_event("Nothing was asked")
    assert list(proofs(tmp_path / "here", tmp_path / "again", "proof/one")) == []
