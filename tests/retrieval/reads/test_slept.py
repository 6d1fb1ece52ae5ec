"""What a sleep has changed, counted."""

from pathlib import Path

from yggdrasil import Memory
from yggdrasil_projections.retrieval.reads.learning.slept import Slept, look, slept


def test_each_change_is_counted_once(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent") as memory:
        memory.set_policy(concept_density=0.0, dissolve_density=0.0, concept_beyond_chance=0)
        for _ in range(8):
            memory.record_event("Often", features=["often"])
        rare = [memory.record_event(f"Rare {i}", features=["rare", "seldom"], session="rare") for i in range(3)]
        memory.commit_episode(rare, session="rare")
        memory.form_concept(["feature:rare", "feature:seldom"])
        memory.set_policy(
            concept_density=1.0,
            dissolve_density=1.0,
            archive_salience=1e6,
            archive_permanence=1e6,
            archive_rest_ticks=0,
            archived_max=1,
        )
        graph = memory.engine.graph(memory.id)
        before = look(graph)
        memory.sleep()
        after = look(graph)
    # The feature `often` rises a level and is a concept no longer, and the formed concept goes; two events and their
    # episode are archived, since sessions hold what is buffered and their last event, and all but one are forgotten.
    assert slept(before, after) == Slept(consolidated=1, dissolved=2, archived=1, forgotten=2)
    assert slept(after, after) == Slept(0, 0, 0, 0)
