"""Memories of which it is said at once what was claimed in which session, and digestion over them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil.thinking.once import ThinkerRun, think_over
from yggdrasil_processors.thinkers.digestion import Archivist, Connector, Reweaver, Verifier
from yggdrasil_processors.thinkers.thinker import Decision, Thinker
from yggdrasil_projections.retrieval.memories import MemoryObject
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.reads.knowledge.digested import Digested, Digestion
from yggdrasil_schemas.commands import Origin


@dataclass
class Nothing:
    pass


class Claiming(Thinker[Nothing]):
    """Stands for the reducer: claims, as candidates, what the payload of an event says that it says."""

    name = "reducer"
    version = "1"
    wakes = frozenset({"record_event"})
    state = Nothing

    def observe(self, state: Nothing, happening: Happening) -> Sequence[Decision]:
        claims: list[dict[str, Any]] = (happening.payload or {}).get("claims", [])
        return [_claimed(happening, dict(each)) for each in claims]


def _claimed(event: Happening, said: dict[str, Any]) -> Decision:
    value, text = said.pop("object"), said.pop("text", None)
    body = {"evidence": [event.id], "candidate": True} | said
    sentence = (event.text or "").partition(";")[0]
    return Decision("assert_claim", body, text, {"sentence": sentence}, event.session, value)


DIGESTION = (Claiming, Connector, Reweaver, Verifier, Archivist)


class Told:
    """A memory, and whoever tells it something."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.memory: Memory[Any] = store.memory("me/agent", source="ana")

    def says(
        self,
        text: str,
        *claims: tuple[str, str, Any],
        session: str = "one",
        by: str = "ana",
        origin: Origin = "agent",
        trust: int | None = None,
        **more: Any,
    ) -> str:
        """Record an event of which the claims are concluded."""
        said = [{"subject": subject, "predicate": predicate, "object": value} for subject, predicate, value in claims]
        speaker = self.memory if by == "ana" else self.store.memory("me/agent", source=by, origin=origin)
        if trust is not None:
            speaker = speaker.speaking(trust=trust)
        return speaker.record_event(text, payload={"claims": said}, session=session, **more)

    def bounds(self, boundary: str, session: str = "one") -> str:
        """Open or close a session."""
        body = {"features": [f"session:{session}"], "boundary": boundary}
        return self.memory.say("record_event", body, content={"text": f"{boundary} it"}, session=session)

    def digest(self, *thinkers: type[Thinker[Any]]) -> list[ThinkerRun]:
        """Let digestion, or some of it, read all that is new, and rest."""
        made = [each() for each in thinkers or DIGESTION]
        done = think_over(cast("Embedded", self.store.engine), made, None, rest=True)
        assert [one.stopped for one in done] == [None] * len(done)
        return done

    def digestion(self, session: str = "one") -> Digestion:
        return self.memory.digestion(session)

    def claim(self, predicate: str, value: object = None, session: str = "one") -> Digested:
        """The one claim of a session with that predicate, and that object if it is given."""
        found = [
            each
            for each in self.digestion(session).claims
            if each.claim.claim and each.claim.claim.predicate == predicate
            and (value is None or each.claim.claim.object == value)
        ]  # fmt: skip
        assert len(found) == 1, found
        return found[0]

    def seen(self, ref: str) -> MemoryObject:
        found = self.memory.describe(ref)
        assert found is not None
        return found.memory


@contextmanager
def telling(place: Path) -> Iterator[Told]:
    with Store.open(place, embedder="off") as store:
        yield Told(store)
