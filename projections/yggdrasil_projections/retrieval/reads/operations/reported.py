"""What was really used of what was recalled, with the nine features that each memory had then: what a trainer reads.

It is read from the log, since the fold keeps of a recall only what its laws need.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Final, cast

from pydantic import Field

from yggdrasil_infra.log import LogReader, LogRecord
from yggdrasil_projections.graph.laws.authority import trust_of, who
from yggdrasil_projections.graph.lensed import trust_min_of, unlensed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import ClearContent, Command, RecordRecall, ReportUse
from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.ids import id_bytes

from ...errors import InvalidAskError
from ...found import OfAMoment
from ...parameters import Seq
from ...query import Read, Source, Timed
from ..ranked.selecting import CHANCE, SELECTIONS
from .log_pages import accepted_in, read_log

REPORTED_MAX: Final = 200
_MARK: Final = b'"report_use"'  # what every report's record holds, so that others need not be decoded


@dataclass(frozen=True, slots=True)
class Reported:
    """A report of use, at ``at`` (Unix ms), by whoever ``by`` stands for, with the ``trust`` of its command, 0 to 4.

    ``result`` is how the task went. Of the recall that it is about it has the id and the ``ranker``, and of what that
    ``returned`` how many it names as ``used``, by their places from 0 on. ``features`` says what ``rows`` are: in
    base64 nine numbers of 16 bits, the lowest byte first, for each place from ``after`` on; empty where there are none.
    ``chances``, only where the recall says that chance chose, are the chances of these places, in thousandths.
    """

    id: str
    at: int
    by: str
    trust: int
    result: str
    recall: str
    ranker: str
    returned: int
    used: list[int]
    features: str
    after: int
    rows: str
    chances: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class ReportedPage(OfAMoment):
    """Reports in the order of the log. Go on with ``position`` until it is ``end``: offsets.

    ``end`` is where the fold stands here: what comes later is found from there on.
    """

    reported: list[Reported]
    position: int
    end: int
    as_of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskReported(Timed[ReportedPage]):
    """Return which memories were really used of those that recalls returned, from ``position`` of the log on.

    There are at most ``count``, and there may be none where other memories take up the log: go on with the answer's
    ``position`` until that is its ``end``. What is trusted less than the policy's ``teach_trust_min`` is left out, a
    report as well as a recall: it teaches nothing. Nor does a report that a verdict has taken back.
    """

    position: Seq = 0
    count: Annotated[int, Field(ge=1, le=REPORTED_MAX)] = 100

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        if not 1 <= self.count <= REPORTED_MAX:
            raise InvalidAskError(f"count must lie between 1 and {REPORTED_MAX}, not {self.count}")

    def read(self, source: Source, /) -> ReportedPage:
        """Answer it, outside of any turn. Raises LogError."""
        log, partition = source.log, source.partition

        def reported_in(graph: Graph, record: LogRecord) -> Reported | None:
            marked = record.value is not None and _MARK in record.value
            return _reported(graph, log, partition, record) if marked else None

        page = read_log(source, self.position, self.count, reported_in)
        return ReportedPage(page.found, page.position, page.end, page.as_of)


def _teaches(graph: Graph, report: ReportUse) -> bool:
    """Whether a report is shown, stands, and is trusted enough to teach, as the law took it.

    The law knows what swayed the writer, and a verdict may have taken the report back.
    """
    all_of_it = unlensed(graph)
    known = all_of_it.identity(id_bytes(report.id))
    act = None if known is None else all_of_it.act(known.seq)
    if act is not None and act.status != Status.ACTIVE:
        return False
    trust = trust_of(report) if act is None else act.trust
    return trust_of(report) >= trust_min_of(graph) and trust >= graph.header.policy.teach_trust_min


def _reported(graph: Graph, log: LogReader, partition: int, record: LogRecord) -> Reported | None:
    """Return what a report says; None for what is no accepted report, is not shown, or teaches nothing."""
    report = _accepted(graph, record)
    if not isinstance(report, ReportUse) or not _teaches(graph, report):
        return None
    identity = unlensed(graph).identity(id_bytes(report.body.recall))
    if identity is None:
        return None
    records = log.read(partition, identity.offset, 1)
    recall = _accepted(graph, records[0]) if records else None
    if not isinstance(recall, RecordRecall) or trust_of(recall) < graph.header.policy.teach_trust_min:
        return None
    of, after, rows, chances = _features(recall)
    places = {ref: place for place, ref in enumerate(recall.body.returned)}
    return Reported(
        report.id,
        report.at,
        who(report).hex(),
        trust_of(report),
        report.body.result,
        recall.id,
        recall.body.ranker,
        len(places),
        sorted(places[ref] for ref in report.body.used if ref in places),
        of,
        after,
        rows,
        chances,
    )


def _accepted(graph: Graph, record: LogRecord) -> Command | None:
    """Return the command of a record that was folded as it stands there."""
    found = accepted_in(graph, record)
    return None if found is None or found.altered else found.command


def _features(recall: RecordRecall) -> tuple[str, int, str, list[int]]:
    """Return what a recall says of the features of what it returned; whoever appends may send anything."""
    nothing = "", 0, "", list[int]()
    content = recall.content
    if not isinstance(content, ClearContent) or not content.payload:
        return nothing
    said: Any = content.payload.get("features")
    if not isinstance(said, dict):
        return nothing
    kept = cast("dict[str, object]", said)
    of, after, rows, chances = (kept.get(name) for name in ("of", "after", "rows", "chances"))
    if not isinstance(of, str) or type(after) is not int or not isinstance(rows, str):
        return nothing
    by_chance = recall.body.parameters.get("select") == SELECTIONS[CHANCE]
    listed = cast("list[object]", chances) if by_chance and isinstance(chances, list) else []
    return of, after, rows, [each for each in listed if type(each) is int]


REPORTED: Final = Read(
    "reported",
    AskReported,
    ReportedPage,
    "GET /reported",
    "What was really used, with what was known of it",
    """Return the reports of use in the order of the log, each with the features of what its recall had returned.

It is what a trainer of scorers reads. Go on with `position` until it is `end`.""",
    recorded="never",
    example={"count": 5},
)
