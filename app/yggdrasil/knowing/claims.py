"""What is so, as far as a memory knows: claims of things, with who said so, since when, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Unpack

from yggdrasil_producers.claims import Claimed, Defined, Object, Perspectives
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.observing import Scene, Situated, Told, observed
from yggdrasil_producers.stamps import stamp
from yggdrasil_projections.retrieval.reads.perspectives.profile import Profile
from yggdrasil_schemas.commands.knowledge import Relation
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.graph.predicates import IDENTITY
from yggdrasil_schemas.limits import EVIDENCE_MAX, OBJECT_CHARS_MAX
from yggdrasil_schemas.moments import Moment
from yggdrasil_schemas.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim, for ``observe``: what ``assert_claim`` takes."""

    subject: str
    predicate: str
    object: Object
    text: str | None = None
    confidence: int = 70
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    qualifiers: Mapping[str, str] = field(default_factory=dict[str, str])

    def told(self) -> Told:
        """Return it as a claim that somebody told."""
        claimed: Claimed = {
            "confidence": self.confidence,
            "valid_from": self.valid_from,
            "valid_to": self.valid_to,
            "qualifiers": self.qualifiers,
        }
        return Told(self.subject, self.predicate, self.object, self.text, claimed)


@dataclass(frozen=True, slots=True)
class Observation:
    """What ``observe`` has recorded: the id of the event, and of the command of each fact, in their order."""

    event: str
    facts: list[str] = field(default_factory=list[str])


class KnownThings:
    """What a memory is told to be so. ``Memory`` has these methods beside those that record.

    A *claim* says that a subject has, by a predicate, an object. What says the same as one that stands confirms it, and
    is that claim from then on; what says something else of the same time contradicts it. Which of them stands depends
    on who says so, and on how many; nothing is lost. What a predicate means (``define``) decides whether two values
    contradict each other at all: of most there may be many, of "lives_in", "owner", "status" and the like one.

    Every method that says something returns the command's id and raises InvalidCommandError when the command is
    malformed (nothing is appended), and CommandRefusedError with the reasons that it names.
    """

    _drafter: Drafter

    def _submit(self, draft: Draft) -> str:
        """Append a command and return its id."""
        raise NotImplementedError

    def assert_claim(
        self,
        subject: str,
        predicate: str,
        object: Object,
        *,
        text: str | None = None,
        vector: Vector | None = None,
        at: Moment | None = None,
        session: str | None = None,
        **claimed: Unpack[Claimed],
    ) -> str:
        """Say that ``subject`` has, by ``predicate``, an ``object``, and return the id of the claim.

        ``subject`` is a thing, by the name of a feature such as "person:ana". An object such as "city:oslo" is a thing
        too; any other text is a text; a number, or True and False, is what it is. ``text`` says it in words, and is
        what is searched; without it the words are made of the rest. ``confidence``, in percent, is how sure the writer
        is. ``valid_from`` and ``valid_to`` are since when it holds and from when on no longer: dates (days in UTC, from
        where they begin), datetimes with a time zone, either of them as a text in ISO 8601, or Unix ms. ``evidence``
        are the ids of at most 16 memories that it was concluded from: it is trusted no more than the least of them, and
        stale once all have fallen. ``supersedes`` is the id of what it
        holds instead of, whatever that is. A ``candidate`` is in no answer until somebody else says so too. ``sort`` is
        "fact", "lesson" or "rule" (which waits for a person), and ``qualifiers`` belong to the value. ``session`` is
        the one in which it is said: as a "desk" claim it is a note on that one's desk.

        Refused: ``slot_full``; ``unknown_reference``; for ``supersedes`` what ``supersede`` is refused for.
        """
        draft = self._drafter.assert_claim(
            subject, predicate, object, claimed=claimed, text=text, vector=vector, session=session, stamp=stamp(at)
        )
        return self._submit(draft)

    def observe(
        self,
        text: str,
        facts: Iterable[FactGiven] = (),
        *,
        features: Sequence[str] = (),
        session: str | None = None,
        at: Moment | None = None,
        **scene: Unpack[Situated],
    ) -> Observation:
        """Record an event, and the ``facts`` that it tells of as claims with it as evidence.

        A fact is a ``Fact``, a mapping with its fields, or subject, predicate and object. Where all of them no longer
        hold, the event is stale, and in no default answer either.

        In a world (docs/places.md) it also happens somewhere: ``place`` such as "oakfield", which is a ``place_type``
        such as "village", at an ``anchor`` such as "overworld/120/64/-33" or ("overworld", 120, 64, -33); an ``actor``
        is there. ``kind`` is one of discovery, trade, combat, death, sleep, build, promise and summary, and
        ``salience`` (0 to 1) how much it matters, where the kind does not say it well enough. ``evidence`` are names
        that sensors have for what they saw. These are facts too. What a place is waits until it is seen again, unless
        the kind is one that deals with it.

        Raises what ``record_event`` and ``assert_claim`` raise; a fact that is refused leaves the event, and the facts
        before it, recorded.
        """
        told = [_fact(each).told() for each in facts]
        situated = Scene(**scene)
        drafts = observed(  # what is malformed is found before anything is said
            self._drafter, text, situated, told, features=features, session=session, stamp=stamp(at)
        )
        ids = [self._submit(draft) for draft in drafts]
        return Observation(ids[0], ids[1:])

    def define(
        self,
        predicate: str | None = None,
        cardinality: Literal["one", "one_per_object", "many"] = "one",
        *,
        role: str | None = None,
        perspectives: Perspectives = (),
        renamed: Mapping[str, str] | None = None,
        **meaning: Unpack[Defined],
    ) -> str:
        """Say, as the operator, what a predicate means from now on, or what a ``role`` cares about.

        ``cardinality``: a subject has "one" value at a time, "one_per_object" (told by its qualifiers), or "many".
        ``resolution``: of two that contradict each other the later one stands ("recency"), or the one for which more
        was said ("confidence", by default), or what a person decides ("human"). With ``review`` each claim waits until
        a person has released it; ``confirmations``, 1 to 8, is how many independent sources it takes;
        after ``perish_ticks`` events half of the confidence is left. ``authority`` is the origin whose word counts as
        measured, such as "user" for what somebody prefers. ``symmetric``, with "one_per_object": what is said of one
        thing is said of the other too, but for what has the qualifier ``oneway``. ``confirm_by`` "evidence": it counts
        beside sources when it is said again from an event that lies ``confirm_gap`` commands after the last one that
        counted. Refused: ``predicates_full``.

        ``perspectives`` are up to eight, each with up to 16 keywords, looked for beside the words of a question:
        ``define(role="procurement", perspectives={"Cost": ["price", "budget"], "Delivery": ["delay"]})``. They take the
        place of those that the role had; without any it is there no longer. Roles that name the same perspective share
        it. ``renamed`` has former names by the new ones: what is strong under them stays so. Refused: ``roles_full``.
        """
        if role is not None:
            if predicate is not None or meaning or cardinality != "one":
                said = "define a predicate, or a role with its perspectives: not both at once"
                raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
            return self._submit(self._drafter.define_role(role, perspectives, renamed))
        if predicate is None or perspectives or renamed:
            said = "name the predicate, or the role whose perspectives these are"
            raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
        return self._submit(self._drafter.define(predicate, cardinality, **meaning))

    def learn(self, event: str, lessons: Mapping[str, str], *, tags: Sequence[str] = ()) -> list[str]:
        """Say what was learnt from ``event``, a sentence under each of some perspectives; return the ids in order.

        ``lessons`` has sentences by the names of perspectives: ``{"Cost": "An emergency order costs 15 % more"}``. Each
        is a claim of sort "lesson" of its own, about ``perspective:NAME``, with the event as evidence; it matters under
        that perspective from the start. ``tags`` are words that it is found by as well. Raises what ``assert_claim``
        raises; a lesson that is refused leaves those before it said.
        """
        words = f" ({', '.join(tags)})" if tags else ""
        told = [
            self._drafter.assert_claim(
                f"perspective:{name}",
                "lesson",
                sentence,
                claimed={"sort": "lesson", "evidence": [event], "perspectives": [name]},
                text=f"{sentence}{words}",
            )
            for name, sentence in lessons.items()
        ]  # what is malformed is found before anything is said
        return [self._submit(draft) for draft in told]

    def propose_identity(self, profile: Profile) -> str:
        """Say what an agent is strong in, by a profile of its role, and return the id of that claim.

        It is about ``agent:NAME`` and waits, as a candidate, until a person has released it; then it can be promoted,
        and is a prior. Its evidence are the memories that are strongest, at most 16. Raises InvalidCommandError for a
        profile that shows no strength, and CommandRefusedError.
        """
        strong = [each for each in profile.perspectives if each.strength]
        if not strong:
            said = f"{profile.name} is strong in nothing: nothing was said or used under its perspectives yet"
            raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
        parts = [
            f"{each.name} ({', '.join([f'{round(100 * each.share)} %', *list(each.features)[:3]])})"
            for each in sorted(strong, key=lambda one: -one.share)
        ]
        evidence = dict.fromkeys(one.ref for each in strong for one in each.strongest if ":" not in one.ref)
        claimed: Claimed = {"evidence": list(evidence)[:EVIDENCE_MAX], "perspectives": [each.name for each in strong]}
        return self._submit(
            self._drafter.assert_claim(
                f"agent:{profile.name}", IDENTITY, f"Strong in {'; '.join(parts)}"[:OBJECT_CHARS_MAX], claimed=claimed
            )
        )

    def alias(self, name: str, canonical: str, *, evidence: Sequence[str] = ()) -> str:
        """Say that ``name`` is another name of the thing ``canonical``.

        What is claimed of one is claimed of the other from now on, and found under both. Refused: ``alias_cycle``,
        ``aliases_full`` (9 names), ``not_trusted``, ``node_protected`` (one of them is pinned: that takes an operator).
        """
        return self._submit(self._drafter.alias_entity(name, canonical, evidence=evidence))

    def unalias(self, name: str) -> str:
        """Say that ``name`` stands for itself again; what was said in the meantime stays where it is."""
        return self._submit(self._drafter.alias_entity(name, None))

    def relate(self, source: str, target: str, relation: Relation, reason: str) -> str:
        """Say how ``source`` has to do with ``target``, both references, and why.

        ``relation`` is one of supports, contradicts, supersedes, refines, depends_on, example_of, part_of, leads_to,
        answers, applies_to, related. It says so, and changes nothing else. Refused: ``unknown_reference``,
        ``node_forgotten``, ``related_to_itself``.
        """
        return self._submit(self._drafter.relate(source, target, relation, text=reason))

    def verify(self, claim: str, reason: str) -> str:
        """Say that a claim is so as far as whoever speaks here knows: one source more; it takes no trust."""
        return self._submit(self._drafter.judge({claim: "verify"}, reason=reason))

    def promote(self, claim: str, reason: str) -> str:
        """Say that an active claim is established: it gives way to no equal. Takes a user, a tool or an operator."""
        return self._submit(self._drafter.judge({claim: "promote"}, reason=reason))


FactGiven = Fact | tuple[str, str, Object] | Mapping[str, Any]
"""A fact, its fields, or its subject, predicate and object."""


def _fact(given: FactGiven) -> Fact:
    if isinstance(given, Fact):
        return given
    try:
        if not isinstance(given, str):
            return Fact(**given) if isinstance(given, Mapping) else Fact(*given)
    except TypeError:
        pass
    said = f"a fact is (subject, predicate, object), a Fact, or a mapping of its fields, and not {str(given)[:80]!r}"
    raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
