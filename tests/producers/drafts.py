"""Read drafts back as the fold would: every one must decode."""

from collections.abc import Iterable
from dataclasses import dataclass

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import ClearContent, LogOutcome, RecordEvent

DRAFTER = Drafter("tests/importer", "test", "pytest", "import")


@dataclass(frozen=True)
class Told:
    """The decoded events and outcomes of an import, in order."""

    events: list[RecordEvent]
    outcomes: list[LogOutcome]

    def texts(self) -> list[str]:
        return [text_of(event) for event in self.events]

    def features(self, text: str) -> list[str]:
        return self.event(text).body.features

    def event(self, text: str) -> RecordEvent:
        (found,) = [event for event in self.events if text_of(event) == text]
        return found

    def verdicts(self, kind: str) -> list[tuple[str, float]]:
        """(text of the judged event, value) for each outcome of a kind."""
        names = {event.id: text_of(event) for event in self.events}
        return [(names[one.body.event], one.body.value) for one in self.outcomes if one.body.kind == kind]


def text_of(command: RecordEvent | LogOutcome) -> str:
    assert isinstance(command.content, ClearContent)
    assert command.content.text is not None
    return command.content.text


def payload_of(command: RecordEvent) -> dict[str, object]:
    assert isinstance(command.content, ClearContent)
    assert command.content.payload is not None
    return command.content.payload


def told(drafts: Iterable[Draft]) -> Told:
    events: list[RecordEvent] = []
    outcomes: list[LogOutcome] = []
    for draft in drafts:
        decoded = decode(draft.value)
        assert isinstance(decoded, Decoded), decoded
        assert decoded.command.id == draft.id
        if isinstance(decoded.command, LogOutcome):
            assert decoded.command.body.event in {event.id for event in events}, "an outcome before its event"
            outcomes.append(decoded.command)
        else:
            assert isinstance(decoded.command, RecordEvent)
            events.append(decoded.command)
    return Told(events, outcomes)
