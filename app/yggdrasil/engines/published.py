"""The engine over Apache Kafka: it appends, and workers fold. Reading is not its business."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from yggdrasil_infra.kafka_log.log import KafkaLog
from yggdrasil_infra.kafka_log.sender import DeliveryError
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_infra.log import LogError
from yggdrasil_producers.draft import Draft
from yggdrasil_schemas.topics import COMMANDS, Profile

_CHUNK: Final = 1_000  # what is drawn before the first of it is acknowledged


class UnacknowledgedError(LogError):
    """A command was not acknowledged. ``draft`` is the whole of it: send that again, under the same id.

    ``uncertain`` says whether it may be in the log all the same; sending it again is safe either way.
    """

    def __init__(self, draft: Draft, error: DeliveryError) -> None:
        super().__init__(f"command {draft.id} of {draft.memory} was not acknowledged. {error}")
        self.draft = draft
        self.uncertain = error.uncertain


class Published:
    """Appends commands to a topic. Safe to use from several threads."""

    def __init__(self, settings: KafkaSettings, topic: str = COMMANDS, profile: Profile = "production") -> None:
        """Verify the topic. Raises TopicError, with the remedy, when it cannot be trusted, and LogError."""
        self.log = KafkaLog(settings, topic, profile)

    def submit(self, draft: Draft) -> None:
        """Append a command and return once all replicas in sync have it. Raises UnacknowledgedError and LogError."""
        try:
            self.log.append(draft.key, draft.value)
        except DeliveryError as error:
            raise UnacknowledgedError(draft, error) from error

    def submit_many(self, drafts: Iterable[Draft], *, texts_first: bool = False) -> Iterator[tuple[Draft, None]]:
        """Append commands chunk by chunk, in order, and yield each once it is acknowledged, as ``submit`` does.

        Raises LogError; what was not yielded may be in the log or not, and appending all of it again is safe.
        """
        drafts = iter(drafts)
        while chunk := list(islice(drafts, _CHUNK)):
            self.log.append_many((draft.key, draft.value) for draft in chunk)
            for draft in chunk:
                yield draft, None

    def close(self) -> None:
        """Send what is under way and leave. Closing twice is allowed."""
        self.log.close()
