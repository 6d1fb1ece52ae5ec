"""Every answer of a random life can be proved from the log alone, and a recall that lies cannot."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from yggdrasil import Memory
from yggdrasil.embedded import Embedded
from yggdrasil_infra.local_log import LocalLog
from yggdrasil_processors.proof import Proof, prove, recalls_in
from yggdrasil_producers.draft import Drafter

RECALLS = 1_000
WORDS = ["deploy", "rollback", "friday", "outage", "database", "index", "cache", "login", "invoice", "refund", "queue"]
NAMES = "proof/one", "proof/two"


def live(memory: Memory[Embedded], chance: random.Random, recalls: int) -> None:
    """Live until so many recalls are recorded: with outcomes, use, sleep and forgetting in between."""
    events: list[str] = []
    asked = 0
    while asked < recalls:
        roll = chance.random()
        session = f"session-{chance.randrange(5)}"
        if roll < 0.35 or not events:
            text = " ".join(chance.choices(WORDS, k=6)) + chance.choice([".", "?"])
            features = chance.sample(WORDS, 2)
            events.append(memory.record_event(text, features=features, session=session))
        elif roll < 0.45:
            try:
                memory.log_outcome(chance.choice(events[-20:]), chance.choice([-3, -1, 2, 5]), text="so it went")
            except Exception as error:
                assert "event_forgotten" in getattr(error, "reason", ""), error
        elif roll < 0.47:
            memory.sleep()
        elif roll < 0.72:
            tokens = chance.choice([None, 40, 200])
            found = memory.get_context(" ".join(chance.choices(WORDS, k=3)), k=chance.randint(1, 12), tokens_max=tokens)
            assert found.recorded
            asked += 1
            if found.refs and found.recall_id and chance.random() < 0.5:
                memory.report_use(found.recall_id, found.refs[:2], result="success")
        else:
            memory.get_similar_cases(" ".join(chance.choices(WORDS, k=3)), k=chance.randint(1, 5))
            asked += 1


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


def test_a_thousand_recalls_of_two_memories_are_proved(lived: Path, tmp_path: Path) -> None:
    found = [one for number, name in enumerate(NAMES) for one in proofs(lived, tmp_path / f"again-{number}", name)]
    assert len(found) == RECALLS
    assert [one.reason for one in found if not one.holds] == []
    assert sum(bool(one.returned_again) for one in found) > RECALLS // 2  # they are answers, not a thousand nothings


def test_the_recalls_of_both_memories_are_proved_in_one_pass(lived: Path, tmp_path: Path) -> None:
    with LocalLog.open_read_only(lived / "log") as log:
        recalls = [one for name in NAMES for one in list(recalls_in(log, name))[::10]]
        found = list(prove(log, tmp_path / "again", recalls))
    assert len(found) == len(recalls) and all(one.holds for one in found)


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


def test_a_memory_without_recalls_has_nothing_to_prove(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here", "proof/one") as memory:
        memory.record_event("Nothing was asked")
    assert list(proofs(tmp_path / "here", tmp_path / "again", "proof/one")) == []
