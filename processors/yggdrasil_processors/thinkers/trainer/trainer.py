"""Fits a scorer to what was really used of what was recalled, and proposes it where it is clearly better."""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from yggdrasil_projections.retrieval.query import Query
from yggdrasil_projections.retrieval.ranking.scoring.features import FEATURES
from yggdrasil_projections.retrieval.ranking.scoring.scorers import Logits, Network
from yggdrasil_projections.retrieval.reads.experience.happened import Happening
from yggdrasil_projections.retrieval.reads.operations.reported import REPORTED_MAX, AskReported, ReportedPage
from yggdrasil_projections.retrieval.reads.operations.scorers import AskScorers, Scorers
from yggdrasil_projections.retrieval.reads.operations.standing import AskStanding, StandingCommand
from yggdrasil_schemas.graph.records import Status
from yggdrasil_schemas.limits import JUDGED_MAX

from ..thinker import Decision, Thinker
from .fitting import Samples, fit_linear, fit_network, log_loss
from .samples import Lesson, latest, lesson_of, samples_of

LESSONS_MAX: Final = 1_000
"""So many reports are remembered, the latest: at most 1.3 KB each."""
AGAIN_REPORTS: Final = 20
"""After so many reports more it fits again, and from a tenth of what it remembers on."""
BETTER: Final = 0.98
"""Its log loss is at most such a share of the linear form's, and of what was proposed before."""
TESTED_MIN: Final = 10
"""It is judged by so many samples at least, of which some were used and some not."""
PAGES_MAX: Final = 64
"""It reads so many pages of the log in a row, and goes on when it is woken again, or at rest."""
FIRST: Final = 3
"""How many of what was used are among so many first ones, it may not make fewer."""
_ACTIVE: Final = Status.ACTIVE.name.lower()


@dataclass(slots=True)
class Trained:
    """What a trainer remembers of a memory: how far it has read the log, and the latest reports, oldest first.

    ``pages`` counts those that it has read in a row, ``unfitted`` the reports since it has last fitted; ``looked`` says
    that it has looked in this turn whether they stand. ``proposed`` are the weights that it proposed last, in base64.
    """

    position: int = 0
    ended: bool = False
    pages: int = 0
    looked: bool = False
    unfitted: int = 0
    proposed: str = ""
    lessons: list[Lesson] = field(default_factory=list[Lesson])


class Judged(NamedTuple):
    """How a network did on what it was not fitted to, beside others: log losses, and shares of what was used that are
    among the first three; ``before`` is the loss of what was proposed before. Of what it is judged by ``used`` samples
    were used, and ``unused`` were not.
    """

    samples: int
    used: int
    unused: int
    network: float
    linear: float
    before: float | None
    first: float
    linear_first: float
    served_first: float

    @property
    def better(self) -> bool:
        """Whether it is to be proposed: never where there was too little to judge it by, or nothing to be better in."""
        least = min(each for each in (self.linear, self.before) if each is not None)
        if not self.used or not self.unused or self.used + self.unused < TESTED_MIN or least <= 0.0:
            return False
        return self.network <= BETTER * least and self.first >= max(self.linear_first, self.served_first)


class Trainer(Thinker[Trained]):
    """Learns from reports of use which memories were really needed, by nine features of each.

    It fits a network and the linear form to the first four fifths in time, and judges both, as the whole numbers that a
    ranker would take, by the last fifth. It proposes the network where it is better by two percent of log loss than the
    linear form, and puts no less of what was used among the first three than that, or than the order that was served.
    """

    name: ClassVar[str] = "trainer"
    version: ClassVar[str] = "1"
    wakes: ClassVar[frozenset[str]] = frozenset({"report_use"})
    state = Trained

    def observe(self, state: Trained, happening: Happening) -> Sequence[Decision]:
        """Nothing: of recalls and reports it is told what it asks."""
        del state, happening
        return ()

    def asks(self, state: Trained, memory: str, *, again: bool) -> Sequence[Query[Any]]:
        """Ask for reports until all or enough for now are read, and then, before it fits, which of them still stand."""
        del memory
        if not again:
            state.pages, state.ended, state.looked = 0, False, False
        if not state.ended and state.pages < PAGES_MAX:
            return [AskReported(position=state.position, count=REPORTED_MAX)]
        if not state.ended or state.looked or state.unfitted < max(AGAIN_REPORTS, len(state.lessons) // 10):
            return ()
        ids = [each.id for each in state.lessons]
        return [AskScorers(), *(AskStanding(ids[at : at + JUDGED_MAX]) for at in range(0, len(ids), JUDGED_MAX))]

    def answered(self, state: Trained, answers: Sequence[Any]) -> Sequence[Decision]:
        """Take in reports; when there are enough new ones, fit to those that stand, and propose what is better."""
        if None in answers:
            state.ended = state.looked = True
            return ()
        if isinstance(answers[0], ReportedPage):
            self._take_in(state, answers[0])
            return ()
        scorers: Scorers = answers[0]
        stands = {each.id for found in answers[1:] for each in found.commands if _stands(each)}
        state.lessons, state.looked = [each for each in state.lessons if each.id in stands], True
        samples = samples_of(state.lessons)
        if len(samples.labels) < scorers.samples_min:
            return ()
        state.unfitted = 0
        network, judged = judge(state.lessons, samples, state.proposed)
        if not judged.better:
            return ()
        state.proposed = b64encode(network.encoded).decode()
        return [_proposal(network, judged, active=scorers.thinkers_adopt)]

    @staticmethod
    def _take_in(state: Trained, page: ReportedPage) -> None:
        state.pages += 1
        new = [lesson for each in page.reported if (lesson := lesson_of(each)) is not None]
        state.lessons = latest([*state.lessons, *new], LESSONS_MAX)
        state.unfitted += len(new)
        state.ended = page.position >= page.end or page.position <= state.position
        state.position = page.position


def _stands(report: StandingCommand) -> bool:
    """Whether a report counts: no verdict has taken it back since it was read."""
    return report.act is None or report.act.status == _ACTIVE


def judge(lessons: Sequence[Lesson], samples: Samples, before: str = "") -> tuple[Network, Judged]:
    """Return a network that is fitted to the first four fifths of reports, and how it does on the rest.

    ``before`` are the weights of another network that it is compared with, if any, in base64.
    """
    train, test = samples.parted()
    whole = samples_of(lessons, every=True)
    shown = whole.taken(whole.groups >= (int(test.groups[0]) if len(test.groups) else 0))
    network, linear = fit_network(train), fit_linear(train)
    other = Network.of(b64decode(before)) if before else None
    return network, Judged(
        len(samples.labels),
        int((test.labels > 0.5).sum()),
        int((test.labels <= 0.5).sum()),
        log_loss(network.logits(test.features), test),
        log_loss(linear.logits(test.features), test),
        None if other is None else log_loss(other.logits(test.features), test),
        _among_first(network.logits(shown.features), shown),
        _among_first(linear.logits(shown.features), shown),
        _served_first(lessons, shown),
    )


def _among_first(logits: Logits, shown: Samples) -> float:
    """Return which share of what was used is among the first three by logits, by report, weighed."""
    order = np.lexsort((np.arange(len(logits)), -logits))
    return _share(order, shown)


def _served_first(lessons: Sequence[Lesson], shown: Samples) -> float:
    """Return that of the order that was served."""
    places = list[int]()
    groups: list[int] = np.unique(shown.groups).tolist()
    for group in groups:
        used = sorted(set(lessons[group].used))
        rows = int((shown.groups == group).sum())
        used = [place for place in used if place < rows]
        places += [*used, *(place for place in range(rows) if place not in used)]
    return _share(np.argsort(np.array(places), kind="stable"), shown)


def _share(order: np.ndarray[Any, np.dtype[np.int64]], shown: Samples) -> float:
    found = weight = 0.0
    by_group: dict[int, list[int]] = {}
    for at in order.tolist():
        by_group.setdefault(int(shown.groups[at]), []).append(at)
    for group in sorted(by_group):
        rows = by_group[group]
        used = sum(shown.labels[at] for at in rows)
        if used:
            weighs = float(shown.weights[rows[0]])
            found += weighs * sum(shown.labels[at] for at in rows[:FIRST]) / min(FIRST, used)
            weight += weighs
    return float(found / weight) if weight else 0.0


def _proposal(network: Network, judged: Judged, *, active: bool) -> Decision:
    body = {
        "active": active,
        "features": FEATURES,
        "weights": b64encode(network.encoded).decode(),
        "samples": judged.samples,
        "metric": round(1_000 * judged.network),
        "baseline": round(1_000 * judged.linear),
    }
    text = (
        f"A scorer fitted to {judged.samples:,} uses and failures to be used: on the latest fifth its log loss is "
        f"{judged.network:.3f}, that of the linear form {judged.linear:.3f}; of what was used {judged.first:.0%} are "
        f"among the first {FIRST}, as served {judged.served_first:.0%}."
    )
    return Decision("adopt_scorer", body, text, {"judged": judged._asdict()})
