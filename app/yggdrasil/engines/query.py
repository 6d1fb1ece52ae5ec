"""The engine over a query host: it appends to Kafka, and answers from stores that the host folds in this process."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from yggdrasil_infra.forking import stays
from yggdrasil_infra.kafka_log.sender import DELIVERY_S
from yggdrasil_infra.log import CommandLog, LogReader, Receipt
from yggdrasil_processors.hosted import Hosted
from yggdrasil_processors.query_host import QueryHost
from yggdrasil_producers.draft import Draft
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.errors import NotYetError
from yggdrasil_projections.service.reads import Lag

from .appending import Placed
from .past.attempts import Attempts
from .past.fallen import Quarantines
from .past.kept import PAST, Pasts
from .reading import Reading
from .recalls import Recording

_FOLDED_S: Final = 120.0  # within which a host that folds at all has what was copied
_RECALL_FOLDED_S: Final = 1.0  # what is in the log by then is recorded, folded or not


class QueryEngine(Reading):
    """Appends to a topic and reads what its host has folded. Safe to use from several threads; a context manager."""

    def __init__(self, host: QueryHost) -> None:
        """Use ``host``, which is entered with the engine and closed with it."""
        self.host = host
        self.view = host.view
        self.turns = host.turns
        self._recording = Recording(self._record)
        self.quarantines = Quarantines()
        self.pasts = Pasts(
            lambda: self.host.log,
            self.reality_of,
            host.settings.directory / PAST,
            ladders=host.ladders,
            ranker=lambda: self.ranker,
        )
        self.attempts = Attempts(host.settings.directory / PAST)
        stays(self, f"a host of the topic {host.settings.topic}")

    def place(self, drafts: Sequence[Draft], deadline_s: float | None) -> list[Placed]:
        """Append commands in order, and return where each stands and what the fold said of it; see ``QueryHost``."""
        placed = self.host.append([(draft.memory, draft.value) for draft in drafts], deadline_s)
        return [Placed(receipt, answer) for receipt, answer in placed]

    def submit_recall(self, draft: Draft) -> Answer:
        """Append the record of a reading, as ``submit``. Raises NotReadyError when the brokers take it not soon."""
        return self._recording.submit(draft)

    def hosted(self, memory: str) -> Hosted:
        """Return the partition of ``memory``. Raises NotHereError and NotReadyError."""
        return self.host.hosted(memory)

    def all_hosted(self) -> list[Hosted]:
        """Return all partitions of the host. Raises NotReadyError while one is not open."""
        return list(self.host.all_hosted())

    @contextmanager
    def copying(self, memory: str) -> Generator[CommandLog]:
        """Open the topic once more: whoever copies reads a partition several times, and is in nobody's way so."""
        with self.host.copying(memory) as log:
            yield log

    def fold_all(self, memory: str) -> None:
        """Wait until this host has folded what the topic holds of the partition of ``memory`` now."""
        hosted = self.host.hosted(memory)
        hosted.wait(Receipt(hosted.number, self.host.log.end_offset(hosted.number) - 1), _FOLDED_S)

    def lags(self) -> list[Lag]:
        """Return how far every partition of the host is."""
        return self.host.lags()

    @property
    def records(self) -> LogReader:
        """The topic."""
        return self.host.log

    @property
    def where(self) -> str:
        """The topic's name."""
        return self.host.settings.topic

    def close(self) -> None:
        """Close the host. Closing twice is allowed."""
        self._recording.close()
        self.pasts.close()
        self.host.close()

    def __enter__(self) -> Self:
        """Begin. Raises what ``QueryHost`` raises."""
        self.host.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _record(self, draft: Draft) -> Answer:
        command = draft.memory, draft.value
        receipt, answer = self.host.append([command], _RECALL_FOLDED_S, DELIVERY_S)[0]  # ``Recording`` waits less
        if answer is None:
            raise NotYetError(receipt, self.hosted(draft.memory).position)
        return answer
