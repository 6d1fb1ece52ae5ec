"""A memory that is opened for an agent offers an agent's affordances, whatever engine is below."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from yggdrasil import Memory, NotAllowedError, Store
from yggdrasil_producers.draft import Drafter
from yggdrasil_producers.gateway.authority import SPOKEN_BY
from yggdrasil_schemas.commands import COMMANDS


def refused(memory: Memory[Any], event: str) -> dict[str, Callable[[], object]]:
    """What takes an operator."""
    return {
        "define": lambda: memory.define("lives_in", cardinality="one"),
        "pin": lambda: memory.pin(event),
        "adjust": lambda: memory.adjust([event], salience=0.1, evidence=[event]),
        "set_policy": lambda: memory.set_policy(nodes_max=100),
        "lift_catastrophe": lambda: memory.lift_catastrophe(event, reason="none"),
        "retire_thinker": lambda: memory.retire_thinker("chunker"),
        "commit_episode": lambda: memory.commit_episode([event]),
        "sleep": memory.sleep,
        "attest": memory.attest,
        "snapshot": lambda: memory.snapshot("before"),
    }


def test_an_agent_says_what_agents_say_and_nothing_else(tmp_path: Path) -> None:
    with Store.open(tmp_path, embedder="off") as store:
        memory = store.memory("acme/ana", role="agent")
        event = memory.record_event("Deployed", features=["deploy"])
        memory.log_outcome(event, -1)
        memory.observe("Ana lives in Berlin", [("ana", "lives_in", "Berlin")])
        memory.withdraw(event, reason="It was the day before")
        seq = memory.timeline().as_of
        for command, call in refused(memory, event).items():
            with pytest.raises(NotAllowedError, match=f"{command} is not for agents: .*role='operator'") as raised:
                call()
            assert raised.value.command == command
        assert memory.timeline().as_of == seq, "nothing was appended"
        store.memory("acme/ana").pin(memory.record_event("Whoever runs it"))


def test_what_a_thinker_decides_is_not_an_agent_s_word() -> None:
    drafter = Drafter("acme/ana", "a", "b", role="agent")
    thinker = {"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 1}
    with pytest.raises(NotAllowedError, match="judge with a thinker is not for agents"):
        drafter.judge({"01890000-0000-7000-8000-000000000000": "reject"}, reason="no", thinker=thinker)


@pytest.mark.parametrize("kind", sorted(COMMANDS))
def test_the_table_is_that_of_keys(kind: str) -> None:
    drafter = Drafter("acme/ana", "a", "b", role="agent")
    try:
        drafter.draft(kind, {})
        refused = False
    except NotAllowedError:
        refused = True
    except Exception:  # malformed: it would have been let through
        refused = False
    assert refused == ("append" not in SPOKEN_BY.get(kind, ()))


def test_a_role_that_there_is_not_is_refused_and_leaves_no_directory(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="role is agent or operator, not 'admin'"):
        Memory.open(tmp_path / "mem", "acme/ana", role="admin")  # type: ignore[arg-type]
    assert not (tmp_path / "mem").exists()
