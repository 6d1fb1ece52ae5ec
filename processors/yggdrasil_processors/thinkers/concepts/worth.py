"""Whether a community of features is worth a concept, and what that concept is made of."""

from dataclasses import dataclass
from math import sqrt
from typing import Final

from ..thinker import Decision
from .state import Remembered, Seen

FEATURE: Final = "feature:"
OCCASIONS_MIN: Final = 4
"""On which it has come up: sessions, and in a long session every 64 events."""
_OCCASION_EVENTS: Final = 64
JUDGED_MIN: Final = 8
SURE: Final = 3.0  # standard deviations between how its events end and how the others do
_EVENTS_MAX: Final = 4
_EPISODES_MAX: Final = 2
_LABEL_FEATURES: Final = 5


@dataclass(frozen=True, slots=True)
class Worth:
    """The recent events that have enough of a community, the most typical first, and what they say of it.

    ``bad`` of ``judged`` ended badly, and ``bad_elsewhere`` of ``judged_elsewhere``.
    """

    events: list[Seen]
    occasions: int
    judged: int
    bad: int
    judged_elsewhere: int
    bad_elsewhere: int

    @property
    def foretells(self) -> bool:
        """Whether its events end otherwise than the others, beyond chance."""
        if self.judged < JUDGED_MIN or self.judged_elsewhere < JUDGED_MIN:
            return False
        judged = self.judged + self.judged_elsewhere
        share = (self.bad + self.bad_elsewhere) / judged
        error = sqrt(share * (1.0 - share) * (1.0 / self.judged + 1.0 / self.judged_elsewhere))
        apart = self.bad / self.judged - self.bad_elsewhere / self.judged_elsewhere
        return abs(apart) > SURE * error

    @property
    def enough(self) -> bool:
        """Whether that is enough for a concept."""
        return bool(self.events) and (self.occasions >= OCCASIONS_MIN or self.foretells)


def worth_of(state: Remembered, features: list[int]) -> Worth:
    """Return what the recent events say of a community: those that have two of its features, and a third of them."""
    members = set(features)
    least = max(2, (len(features) + 2) // 3)
    having: list[Seen] = []
    judged = bad = judged_elsewhere = bad_elsewhere = 0
    for seen in state.recent:
        has = len(members.intersection(seen.features)) >= least
        if has:
            having.append(seen)
            judged += seen.good + seen.bad
            bad += seen.bad
        else:
            judged_elsewhere += seen.good + seen.bad
            bad_elsewhere += seen.bad
    occasions = len({(seen.session, seen.at // _OCCASION_EVENTS) for seen in having})
    having.sort(key=lambda seen: (-len(members.intersection(seen.features)), len(seen.features), -seen.at))
    return Worth(having, occasions, judged, bad, judged_elsewhere, bad_elsewhere)


def formed(state: Remembered, features: list[str], former: list[str], worth: Worth, passes: int) -> Decision:
    """Return the decision to form a concept: of its features, its most typical events, and episodes of these.

    ``former`` are concepts that it takes the place of; what is not there any more is no member.
    """
    typical = worth.events[:_EVENTS_MAX]
    ids = {seen.id for seen in worth.events}
    episodes = [episode.id for episode in reversed(state.episodes) if len(ids.intersection(episode.events)) >= 2]
    members = [
        *(FEATURE + name for name in features),
        *(seen.id for seen in typical),
        *episodes[:_EPISODES_MAX],
        *former,
    ]
    evidence = [seen.id for seen in typical] + [seen.outcome for seen in typical if seen.outcome]
    return Decision(
        "form_concept",
        {"members": members},
        text=", ".join(features[:_LABEL_FEATURES]),
        payload={"why": _why(features, worth, passes), "evidence": evidence},
    )


def _why(features: list[str], worth: Worth, passes: int) -> str:
    why = (
        f"{len(features)} features have met beyond chance in {passes} passes in a row: {len(worth.events)} of the "
        f"recent events have several of them, on {worth.occasions} occasions"
    )
    if worth.foretells:
        why += f"; {worth.bad} of {worth.judged} outcomes were bad, and {worth.bad_elsewhere} of "
        why += f"{worth.judged_elsewhere} elsewhere"
    return why
