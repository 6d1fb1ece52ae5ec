"""What an agent tells of the world that it walks in: many observations at once, and the paths that it has walked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from yggdrasil_producers.observing import Scene, Told, observed, path_told
from yggdrasil_producers.stamps import stamp
from yggdrasil_projections.retrieval.claimed import ClaimSeen
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.limits import TRAJECTORY_MAX
from yggdrasil_schemas.moments import Moment
from yggdrasil_schemas.names import thing
from yggdrasil_schemas.refusals import Refusal

from .claims import KnownThings, Observation

LEGS_MAX: Final = 64
"""So many legs a walk may have: more are several walks."""
_RISK_MAX: Final = 1_000  # per mille
_LEARNT: Final = 4  # danger takes the risk of a path a quarter of the way up, a quiet walk an eighth of it down
_VALUE_OF_DANGER: Final = 10.0
_DIGITS_MAX: Final = 10


@dataclass(frozen=True, slots=True)
class Leg:
    """A part of a walk: to which place, and how many ticks it took.

    ``length`` is in whole metres or blocks; ``danger``, in [0, 1], is how bad it was on the way; what is None was not
    noticed.
    """

    to: str
    ticks: int
    length: int | None = None
    lit: bool | None = None
    danger: float = 0.0


@dataclass(frozen=True, slots=True)
class Walk:
    """What ``walk`` has recorded: an event and a path for each leg, in order, and how the walk turned out."""

    events: list[str] = field(default_factory=list[str])
    paths: list[str] = field(default_factory=list[str])
    outcomes: list[str] = field(default_factory=list[str])


class Worlds(KnownThings):
    """What a memory is told of a world, beside what is so of any thing. ``Memory`` has these methods."""

    def _paths_between(self, start: str, end: str) -> list[ClaimSeen]:
        """Return the paths from a place to another that stand now, as they were said, the surest first."""
        raise NotImplementedError

    def walk(
        self,
        start: str,
        legs: Iterable[Leg | Mapping[str, Any]],
        *,
        actor: str | None = None,
        session: str | None = None,
        at: Moment | None = None,
    ) -> Walk:
        """Record a walk from a place over others, 64 legs at most, and learn the paths of it.

        Each leg is an event, and says that a path leads there, what it takes, and how risky it is: danger takes the
        risk of the path a quarter of the way up to 1,000, and a quiet walk an eighth of it down. A danger is a bad
        outcome of its leg, of which the legs before it take a share; a walk without any turns out well. ``actor`` is
        who walked, and is where the walk ended. Raises InvalidCommandError, and CommandRefusedError, which leaves the
        legs before it recorded.
        """
        walked = [_leg(each) for each in legs]
        if not 1 <= len(walked) <= LEGS_MAX:
            raise _wrong(f"a walk has 1 to {LEGS_MAX} legs, and not {len(walked)}")
        if not start or not isinstance(cast(object, start), str):
            raise _wrong("start is the name of a place")
        done, here = Walk(), thing("place", start) or ""
        for leg in walked:
            there = thing("place", leg.to) or ""
            path = self._path(here, there, leg)
            text = f"Walked from {_called(here)} to {_called(there)} in {leg.ticks:,} ticks"
            text += f", danger {round(100 * leg.danger)} %" if leg.danger else ""
            scene, features = Scene(place=there, actor=actor), [here, "kind:walk"]
            at_once: dict[str, Any] = {"features": features, "session": session, "stamp": stamp(at)}
            event, *claims = map(self._submit, observed(self._drafter, text, scene, [path], **at_once))
            if leg.danger:
                done.outcomes.append(self._turned_out(event, -_VALUE_OF_DANGER * leg.danger, "danger", done.events, at))
            done.events.append(event)
            done.paths.append(claims[-1])
            here = there
        if not done.outcomes:
            *before, last = done.events
            done.outcomes.append(self._turned_out(last, 1.0, "arrived", before, at))
        return done

    def observe_many(self, observations: Iterable[Mapping[str, Any]]) -> list[Observation]:
        """Record observations in order, each the arguments of ``observe``; return what each has recorded.

        Raises what ``observe`` raises, with the place of what was wrong; those before it are recorded.
        """
        done: list[Observation] = []
        for at, each in enumerate(observations):
            try:
                done.append(self.observe(**each))
            except TypeError as error:
                raise _wrong(f"observations.{at}: {error}") from None
            except InvalidCommandError as error:
                raise InvalidCommandError(error.reason, f"observations.{at}: {error.detail}") from error
        return done

    def _path(self, start: str, end: str, leg: Leg) -> Told:
        """Return what a leg teaches of a path: what was not noticed on the way stays as it was known."""
        there, back = self._paths_between(start, end), self._paths_between(end, start)
        both = [each for each in (*there, *back) if each.qualifiers.get("oneway") != "yes"]
        own = [each for each in there if each.qualifiers.get("oneway") == "yes"]
        known = next(iter(own or both), None)
        said = {} if known is None else known.qualifiers
        return path_told(
            start,
            end,
            ticks=leg.ticks,
            length=_whole(said.get("length")) if leg.length is None else leg.length,
            lit={"yes": True, "no": False}.get(said.get("lit", "")) if leg.lit is None else leg.lit,
            risk=_risk(_whole(said.get("risk")) or 0, leg.danger),
            oneway=bool(own or (back and not both)),
        )

    def _turned_out(self, event: str, value: float, kind: str, before: Sequence[str], at: Moment | None) -> str:
        trajectory = list(reversed(before))[:TRAJECTORY_MAX]
        return self._submit(self._drafter.log_outcome(event, value, kind=kind, trajectory=trajectory, stamp=stamp(at)))


def _leg(given: Leg | Mapping[str, Any]) -> Leg:
    try:
        leg = given if isinstance(given, Leg) else Leg(**given)
    except TypeError as error:
        raise _wrong(f"a leg is a Leg, or a mapping of its fields: {error}") from None
    if not leg.to or not isinstance(cast(object, leg.to), str):
        raise _wrong(f"a leg leads to a place, by its name, and not to {str(leg.to)[:40]!r}")
    path_told("a", "b", ticks=leg.ticks, length=leg.length)  # what is malformed is found before anything is said
    if not isinstance(cast(object, leg.danger), int | float) or not 0 <= leg.danger <= 1:  # of a program without types
        raise _wrong(f"danger lies between 0 and 1, and is not {leg.danger}")
    return leg


def _risk(known: int, danger: float) -> int:
    known = min(_RISK_MAX, known)
    return known + round((_RISK_MAX - known) * danger / _LEARNT) if danger else known - known // (2 * _LEARNT)


def _whole(said: str | None) -> int | None:
    return int(said) if said is not None and said.isdecimal() and len(said) < _DIGITS_MAX else None


def _called(place: str) -> str:
    return place.partition(":")[2] or place


def _wrong(said: str) -> InvalidCommandError:
    return InvalidCommandError(Refusal.INVALID_BODY.code, said)
