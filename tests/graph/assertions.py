"""What is claimed at random: few things, predicates and moments, said by few, so that much contradicts itself."""

from random import Random
from typing import Any, Final

from tests.graph.commands import Said, alias, claim, define, relate
from yggdrasil_schemas.graph.predicates import LEASE
from yggdrasil_schemas.graph.records import EdgeKind

ORIGINS: Final = ("agent", "agent", "agent", "user", "user", "tool", "operator", "thinker", "thinker", "import")
TRUSTS: Final = (None, None, None, None, 0, 1, 2, 3)
PREDICATES: Final = ("lives_in", "lives_in", "path", "p0", "p0", "p1", "diet", "offers", "knows", "must")
NOTED: Final = ("state", "state", "intent", "promise", "goal", "p0")
MOMENTS: Final = (None, None, None, 10, 20, 30, 40, 50)
TWO: Final = {"amount": "2", "colour": "red"}
RELATED: Final = ("supports", "contradicts", "leads_to", "related")


class Claims:
    """The claims of one memory; some of them have no more than two things to speak of."""

    def __init__(self, rng: Random) -> None:
        self.things = rng.choice((2, 3, 5))
        self.values = rng.choice((2, 3, 6))
        self.predicates = rng.choice((PREDICATES, PREDICATES, ("lives_in", "p0"), ("p0",)))
        self.sources = rng.choice((2, 4, 12, 12))
        self.timed = rng.random() < 0.5  # whether it says since when
        self.last: list[tuple[str, str, Any]] = []
        self.related: list[tuple[str, str, str]] = []
        self.noted: list[tuple[str, str, Any]] = []

    def _thing(self, rng: Random) -> str:
        return f"f{rng.randrange(self.things)}"

    def claim(
        self,
        rng: Random,
        name: str,
        evidence: tuple[str, ...],
        old: str | None,
        by: Any,
        condensed: tuple[str, ...] = (),
    ) -> Said:
        said = self._thing(rng), rng.choice(self.predicates), self._value(rng)
        if self.last and rng.random() < 0.4:  # what was said lately, or something else of that
            subject, predicate, value = rng.choice(self.last[-5:])
            said = (subject, predicate, value if rng.random() < 0.6 else self._value(rng))
        self.last.append(said)
        return claim(
            name,
            *said,
            evidence=evidence,
            supersedes=old,
            condenses=condensed,
            origin=rng.choice(ORIGINS),
            trust=rng.choice(TRUSTS),
            source=f"source{rng.randrange(self.sources)}",
            key=rng.choice((None, None, None, "ana", "ben")),
            by=by,
            **self._more(rng),
        )

    def glance(self, rng: Random, name: str, event: str) -> Said:
        """What somebody takes a thing for who sees it from afar; there is little of it, so that it is seen again."""
        origin = rng.choice(("agent", "agent", "agent", "agent", "user", "thinker"))
        source = f"source{rng.randrange(2)}"
        evidence = (event,) if rng.random() < 0.9 else ()
        return claim(name, "f0", "seen_as", f"f{rng.randrange(1, 3)}", evidence=evidence, origin=origin, source=source)

    def note(self, rng: Random, name: str, session: str, evidence: tuple[str, ...], by: Any) -> Said:
        """One for the desk of a session, of which there are few, so that most replace another."""
        said = self._thing(rng), rng.choice(NOTED), self._value(rng)
        if self.noted and rng.random() < 0.3:
            said = rng.choice(self.noted[-4:])
        self.noted.append(said)
        more: dict[str, Any] = {"claim_class": "desk"} | ({"valid_to": 40} if rng.random() < 0.2 else {})
        return claim(
            name,
            *said,
            evidence=evidence,
            session=session,
            origin=rng.choice(ORIGINS),
            trust=rng.choice(TRUSTS),
            source=f"source{rng.randrange(2)}",
            by=by,
            **more,
        )

    def lease(self, rng: Random, name: str, session: str) -> Said:
        """What a session has for itself alone; there is little of it, so that sessions want the same."""
        return claim(
            name,
            self._thing(rng),
            LEASE,
            f"f{rng.randrange(self.values)}",
            session=session,
            origin=rng.choice(ORIGINS),
            trust=rng.choice(TRUSTS),
            source=f"source{rng.randrange(2)}",
        )

    def _value(self, rng: Random) -> Any:
        number = rng.randrange(self.values)
        kind = rng.choice(("thing", "thing", "thing", "number", "unit", "flag", "text"))
        if kind == "thing":
            return f"f{number}"
        if kind == "unit":
            return {"decimal": "1.5", "unit": "kg"}
        if kind == "text" and number % 2:
            return {"anchor": f"overworld/{number}/64/-1" if number % 4 == 1 else f"overworld/{number}/-1"}
        return {"number": number, "flag": number > 0, "text": {"digest": f"{number:032x}"}}[kind]

    def _more(self, rng: Random) -> dict[str, Any]:
        more: dict[str, Any] = {"confidence": rng.choice((0, 40, 70, 70, 100))}
        more |= {"claim_class": rng.choice(("fact", "lesson", "rule"))} if rng.random() < 0.1 else {}
        more |= {"candidate": True} if rng.random() < 0.16 else {}
        more |= {"qualifiers": rng.choice(({"amount": "2"}, TWO, {"oneway": "yes"}))} if rng.random() < 0.15 else {}
        if self.timed or rng.random() < 0.1:
            begins, ends = rng.choice(MOMENTS), rng.choice((None, *MOMENTS))
            more |= {} if begins is None else {"valid_from": begins}
            more |= {"valid_to": ends} if ends is not None and (begins is None or begins < ends) else {}
        return more

    def define(self, rng: Random, name: str) -> Said:
        predicate = rng.choice(("p0", "p0", "p1", "lives_in", "must"))
        origin = rng.choice(("operator",) * 5 + ("agent", "user"))
        meaning: dict[str, Any] = {
            "cardinality": rng.choice(("one", "one", "one", "one_per_object", "many")),
            "resolution": rng.choice(("recency", "confidence", "confidence", "human")),
            "review": rng.random() < 0.15,
            "confirmations": rng.choice((1, 1, 1, 2, 3)),
            "perish_ticks": rng.choice((0, 100)),
        }
        meaning |= {"authority": rng.choice(ORIGINS)} if rng.random() < 0.3 else {}
        return define(name, predicate, origin, **meaning | self._more_meaning(Random(name), meaning["cardinality"]))

    @staticmethod
    def _more_meaning(rng: Random, cardinality: str) -> dict[str, Any]:
        """Whether it is said of both, and whether what was seen again counts."""
        meaning: dict[str, Any] = {}
        if cardinality == "one_per_object" and rng.random() < 0.7:
            meaning |= {"symmetric": True}
        if rng.random() < 0.25:
            meaning |= {"confirm_by": "evidence", "confirm_gap": rng.choice((1, 2, 5)), "confirmations": 2}
        return meaning

    def alias(self, rng: Random, name: str, evidence: tuple[str, ...], by: Any) -> Said:
        canonical = self._thing(rng) if rng.random() < 0.7 else None
        return alias(
            name,
            self._thing(rng) if rng.random() < 0.9 else "other",
            canonical,
            evidence=evidence,
            origin=rng.choice(ORIGINS),
            trust=rng.choice(TRUSTS),
            by=by,
        )

    def relate(self, name: str, ends: tuple[str, str], rng: Random, by: Any) -> Said:
        anything = rng.choice([kind.name.lower() for kind in EdgeKind if kind >= EdgeKind.SUPPORTS])
        said = (*ends, rng.choice((*RELATED, anything)))
        if self.related and rng.random() < 0.3:
            said = rng.choice(self.related[-3:])
        self.related.append(said)
        return relate(name, *said, by)
