"""What an agent observes in a world: an event, and the claims that it tells of (002, sections 2, 3 and 7).

A *glance* only sees a place, an interaction deals with it. What a glance says of a place waits until it is seen again
(``seen_as``); what was dealt with is so at once (``is_a``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypedDict, cast, get_args

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.names import thing
from yggdrasil_schemas.refusals import Refusal

from .claims import Claimed, Object, object_of
from .draft import Drafter
from .envelopes import Draft
from .stamps import NOW, Stamp

EventKind = Literal["discovery", "trade", "combat", "death", "sleep", "build", "promise", "summary"]
"""What sort of thing happens in a world (002, section 3)."""
Anchored = str | tuple[str, int, int, int] | tuple[str, int, int]
"""Where something is: an anchor as a text, or its realm and its numbers."""
GLANCES: Final = frozenset({"discovery", "summary"})
"""What deals with no place: what it sees there waits until it is seen again."""
_KINDS: Final = get_args(EventKind)
_MATTERS: Final[Mapping[str, int]] = {
    "death": 100,
    "combat": 85,
    "promise": 70,
    "trade": 60,
    "sleep": 55,
}
"""How much each kind matters for survival, in percent; all else 50. The order is 002's, section 7, the figures ours."""
_PLAIN: Final = 50
_SOCIAL: Final = 10
"""So much more matters what somebody else has to do with."""
_EVIDENCE_MAX: Final = 32


@dataclass(frozen=True, slots=True)
class Told:
    """A claim that somebody told: what ``Drafter.assert_claim`` takes."""

    subject: str
    predicate: str
    object: Object
    text: str | None = None
    claimed: Claimed = field(default_factory=Claimed)


class Situated(TypedDict, total=False):
    """What ``Scene`` takes, as arguments of whoever makes one."""

    place: str | None
    place_type: str | None
    anchor: Anchored | None
    actor: str | None
    kind: EventKind | None
    salience: float | None
    evidence: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where something was observed, of whom, and how much it matters; all of it may be left out.

    ``place`` and ``actor`` are things: a name without a kind is one of ``place:`` and of ``actor:``. ``place_type`` is
    what the place is, such as "bed". ``anchor`` is where it is: "overworld/120/64/-33", in blocks, or "overworld/7/-3",
    a chunk of 16 x 16; or the parts of that. ``salience`` lies in [0, 1]; without it the kind says how much it matters.
    ``evidence`` are whatever names the sensors have for what they saw (at most 32).
    """

    place: str | None = None
    place_type: str | None = None
    anchor: Anchored | None = None
    actor: str | None = None
    kind: EventKind | None = None
    salience: float | None = None
    evidence: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Raise InvalidCommandError for what cannot be meant."""
        if self.kind is not None and self.kind not in _KINDS:
            raise _wrong(f"kind is one of {', '.join(_KINDS)}, and not {str(self.kind)[:40]!r}")
        for name in ("place", "place_type", "actor"):
            given: object = getattr(self, name)
            if given is not None and not isinstance(given, str):
                raise _wrong(f"{name} is a text, and not {str(given)[:40]!r}")
        salience = cast(object, self.salience)  # of a program without types
        if salience is not None and not (isinstance(salience, int | float) and 0 <= salience <= 1):
            raise _wrong(f"salience lies between 0 and 1, and is not {str(salience)[:40]!r}")
        if self.place is None and self.place_type is not None:
            raise _wrong("place_type says what a place is: name the place")
        if self.anchor is not None and self.place is None and self.actor is None:
            raise _wrong("an anchor is that of a place or of an actor: name one of them")
        if isinstance(self.evidence, str) or len(self.evidence) > _EVIDENCE_MAX:
            raise _wrong(f"evidence is a list of at most {_EVIDENCE_MAX} names")

    @property
    def features(self) -> list[str]:
        """What the event is found by: its place, its actor, its kind."""
        named = (thing("place", self.place), thing("actor", self.actor), self.kind and f"kind:{self.kind}")
        return [each for each in named if each]

    @property
    def prominence(self) -> int | None:
        """How much it matters from the start, in percent; None for what is as any other event."""
        if self.salience is not None:
            return round(100 * self.salience)
        if self.kind is None:
            return None
        return min(100, _MATTERS.get(self.kind, _PLAIN) + (_SOCIAL if self.actor else 0))

    @property
    def told(self) -> list[Told]:
        """The claims that it tells of by itself: what the place is, where it is, and who was there last."""
        place, actor = thing("place", self.place), thing("actor", self.actor)
        found: list[Told] = []
        if place and self.place_type is not None:
            glance = self.kind is None or self.kind in GLANCES
            found.append(Told(place, "seen_as" if glance else "is_a", thing("type", self.place_type) or ""))
        if self.anchor is not None:
            parts = self.anchor
            where: Object = {"anchor": parts if isinstance(parts, str) else "/".join(map(str, parts))}
            found.append(Told(place, "at", where) if place else Told(actor or "", "last_seen_at", where))
        if place and actor:
            found.append(Told(actor, "last_seen_at", place))
            found += [Told(actor, "slept_at", place)] if self.kind == "sleep" else []
        return found


def path_told(
    start: str,
    end: str,
    *,
    ticks: int | None = None,
    length: int | None = None,
    lit: bool | None = None,
    risk: int | None = None,
    oneway: bool = False,
    blocked: bool = False,
) -> Told:
    """Return the claim that a path leads from one place to another, both ways unless ``oneway``.

    ``ticks`` is what it takes, ``length`` is in whole metres or blocks, ``risk`` in thousandths; what is None is not
    known. Raises InvalidCommandError.
    """
    for name, value, most in (("ticks", ticks, 10**9), ("length", length, 10**9), ("risk", risk, 1_000)):
        if value is not None and (type(value) is not int or not 0 <= value <= most):
            raise _wrong(f"{name} is a whole number from 0 to {most:,}, and not {str(value)[:40]!r}")
    said: dict[str, str | None] = {
        "ticks": None if ticks is None else str(ticks),
        "length": None if length is None else str(length),
        "lit": None if lit is None else ("yes" if lit else "no"),
        "risk": None if risk is None else str(risk),
        "oneway": "yes" if oneway else None,
        "blocked": "yes" if blocked else None,
    }
    qualifiers = {name: value for name, value in said.items() if value is not None}
    return Told(
        thing("place", start) or "", "path", {"entity": thing("place", end)}, claimed={"qualifiers": qualifiers}
    )


def observed(
    drafter: Drafter,
    text: str | None,
    scene: Scene,
    told: Sequence[Told] = (),
    *,
    features: Sequence[str] = (),
    payload: Mapping[str, Any] | None = None,
    session: str | None = None,
    stamp: Stamp = NOW,
    derived: bool = False,
) -> list[Draft]:
    """Draft an observation: the event, then the claims that it tells of, each with the event as its evidence.

    ``told`` are claims beside those of the scene. With ``derived`` the ids of the claims follow from that of the event,
    as an importer needs it. Raises InvalidCommandError.
    """
    extra = dict(payload or {})
    if scene.evidence:
        extra["evidence"] = list(scene.evidence)
    noted: dict[str, Any] = {} if scene.prominence is None else {"prominence": scene.prominence}
    named = list(dict.fromkeys([*scene.features, *features]))
    event = drafter.record_event(text, features=named, payload=extra or None, session=session, stamp=stamp, **noted)
    drafts = [event]
    for each in (*scene.told, *told):
        own = Stamp(_derived(drafter, event.id, each), stamp.at) if derived else Stamp(at=stamp.at)
        claimed: Claimed = {**each.claimed, "evidence": [event.id]}
        drafts.append(
            drafter.assert_claim(
                each.subject, each.predicate, each.object, claimed=claimed, text=each.text, session=session, stamp=own
            )
        )
    return drafts


def _derived(drafter: Drafter, event: str, told: Told) -> str:
    """Return the id of a claim of an event: by what it says, since what else an event tells of may change."""
    value, _, _ = object_of(told.object)
    said = {"object": value, "claimed": {name: each for name, each in told.claimed.items() if each is not None}}
    return drafter.derived_id("told", event, told.subject, told.predicate, canonical_json(said).decode())


def _wrong(said: str) -> InvalidCommandError:
    return InvalidCommandError(Refusal.INVALID_BODY.code, said)
