"""The step of the demo in which thinkers look at the history: episodes, concepts, reflection, each explained."""

from collections.abc import Callable
from typing import Any, Final

from yggdrasil.engines.embedded import Embedded
from yggdrasil.memory import Memory
from yggdrasil.thinking.known import thinkers_of
from yggdrasil.thinking.once import ThinkerRun, think_over
from yggdrasil_projections.retrieval.memories import MemoryObject, describe
from yggdrasil_schemas.graph.records import NodeKind

from ..screen import Screen, clean

_EPISODES_SHOWN: Final = 3
_CONCEPTS_SHOWN: Final = 3


class Thought:
    """What thinkers make of a history."""

    def __init__(self, screen: Screen, memory: Memory[Embedded]) -> None:
        self._screen = screen
        self._memory = memory

    def show(self, heading: Callable[..., None]) -> dict[str, Any]:
        """Let them think, show what came of it, and return that."""
        heading(
            "Let it think",
            "Thinkers read what happened and append what they decide, as commands with their reasons: which commits",
            "were an episode, which files belong together, which steps made the difference. A replay runs none.",
        )
        engine = self._memory.engine
        with self._screen.progress("Thinking", 3 * engine.graph(self._memory.id).header.seq) as advance:
            done = think_over(engine, thinkers_of("usual"), progress=advance)
        episodes = self._memory.episodes(count=_EPISODES_SHOWN).episodes
        self._screen.tell("What the last days were about:")
        for episode in episodes:
            self._screen.tell(f"  {clean(episode.memory.text or '', 100)}")
            self._screen.tell(f"      {episode.events} events. {clean(episode.why or '', 110)}", "dim")
        concepts = self._concepts()
        self._screen.tell()
        self._screen.tell("What belongs together:" if concepts else "No concept has formed yet.")
        for concept in concepts[:_CONCEPTS_SHOWN]:
            self._screen.tell(f"  {clean(concept.text or '', 100)}")
            self._screen.tell(f"      {clean((concept.payload or {}).get('why', ''), 110)}", "dim")
        self._screen.tell()
        self._tell_reflection(done)
        return {"thinkers": done, "episodes": episodes, "concepts": concepts}

    def _tell_reflection(self, done: list[ThinkerRun]) -> None:
        lifted = next((one.decided for one in done if one.thinker == "reflector"), 0)
        if lifted:
            self._screen.tell(f"Reflection: {lifted} steps were lifted or lowered, each with episodes as its evidence.")
        else:
            self._screen.tell(
                "Reflection: no step of these episodes reliably made the difference between good and bad ends, so "
                "nothing was changed."
            )

    def _concepts(self) -> list[MemoryObject]:
        """Return the formed concepts, the newest first."""
        graph = self._memory.engine.graph(self._memory.id)
        table = graph.node_table()
        numbers: list[int] = table.keys[table.rows["kind"] == NodeKind.CONCEPT][::-1].tolist()
        return [describe(graph, graph.expect(int(number))) for number in numbers]
