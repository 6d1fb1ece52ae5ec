"""Draft what is known: claims, what predicates mean, the names of things, how things have to do with each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, Literal, TypedDict, TypeGuard, Unpack, cast

from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.commands.knowledge import ClaimClass, Relation
from yggdrasil_schemas.errors import InvalidCommandError
from yggdrasil_schemas.moments import Moment
from yggdrasil_schemas.names import (
    THING,
    claim_in_words,
    is_unicode,
    name_in_words,
    object_in_words,
    text_digest,
)
from yggdrasil_schemas.refusals import HALF_A_CHARACTER, Refusal

from .envelopes import Draft, Envelopes, content_of, listed
from .saying import Decided
from .stamps import valid_ms

Object = str | int | float | bool | Decimal | Mapping[str, Any]
"""The object of a claim: "city:oslo", a thing; any other text; a number; a yes or no; or one of these as the body has
it, such as ``{"entity": "Oslo"}`` for a thing without a kind, or ``{"anchor": "overworld/7/-3"}`` for where it is.
"""
Perspectives = Mapping[str, Sequence[str]] | Sequence[str]
"""What a role cares about: names, or the keywords of each by its name."""
_DIGITS: Final = (18, 12)


class Claimed(TypedDict, total=False):
    """What an assertion may say beside subject, predicate and object; see ``Memory.assert_claim``."""

    sort: ClaimClass
    confidence: int
    valid_from: Moment | None
    valid_to: Moment | None
    evidence: Sequence[str]
    supersedes: str | None
    candidate: bool
    qualifiers: Mapping[str, str]
    perspectives: Sequence[str]


class Defined(TypedDict, total=False):
    """What a predicate means beside how many values it has; see ``Memory.define``."""

    resolution: Literal["recency", "confidence", "human"]
    review: bool
    confirmations: int
    perish_ticks: int
    authority: Origin | None
    symmetric: bool
    confirm_by: Literal["sources", "evidence"]
    confirm_gap: int


class ClaimDrafts(Envelopes):
    """The drafts of what is known. ``Drafter`` has these methods beside the others."""

    __slots__ = ()

    def assert_claim(
        self,
        subject: str,
        predicate: str,
        object: Object,
        *,
        claimed: Claimed | None = None,
        payload: Mapping[str, Any] | None = None,
        **said: Unpack[Decided],
    ) -> Draft:
        """Draft an ``assert_claim``: something is so. Without a ``text`` the claim itself, in words, is its text."""
        extra: Claimed = claimed or {}
        value, in_words, kept = object_of(object)
        body: dict[str, Any] = {"subject": subject, "predicate": predicate, "object": value}
        if (sort := extra.get("sort", "fact")) != "fact":
            body["claim_class"] = sort
        body["confidence"] = extra.get("confidence", 70)
        moments = {"valid_from": extra.get("valid_from"), "valid_to": extra.get("valid_to")}
        body |= {name: valid_ms(name, moment) for name, moment in moments.items() if moment is not None}
        if evidence := extra.get("evidence"):
            body["evidence"] = listed("evidence", evidence)
        body |= {name: given for name in ("supersedes", "candidate", "qualifiers") if (given := extra.get(name))}
        if perspectives := extra.get("perspectives"):
            body["perspectives"] = listed("perspectives", perspectives)
        text = said.get("text")
        text = claim_in_words(subject, predicate, in_words) if text is None else text
        content = content_of(text, payload, said.get("vector"), object=kept)
        return self.decided("assert_claim", body, said, content)

    def relate(self, source: str, target: str, relation: Relation, **said: Unpack[Decided]) -> Draft:
        """Draft a ``relate``: one thing has to do with another, and why (``text``)."""
        return self.decided("relate", {"source": source, "target": target, "relation": relation}, said)

    def define(
        self, predicate: str, cardinality: Literal["one", "one_per_object", "many"], **meaning: Unpack[Defined]
    ) -> Draft:
        """Draft a ``define``: an operator says what a predicate means."""
        body = {"predicate": predicate, "cardinality": cardinality, **meaning}
        return replace(self, origin="operator").draft("define", body)

    def define_role(self, name: str, perspectives: Perspectives, renamed: Mapping[str, str] | None = None) -> Draft:
        """Draft a ``define``: an operator says what a role cares about; ``renamed`` has former names by new ones."""
        words: Mapping[str, Sequence[str]] = perspectives if isinstance(perspectives, Mapping) else {}
        former = renamed or {}
        said: list[dict[str, Any]] = []
        named = listed("perspectives", list(perspectives) if isinstance(perspectives, Mapping) else perspectives)
        for wrong in [new for new in former if new not in named]:
            told = f"body.role: {wrong!r:.80} was renamed, and is no perspective of the role: it is the new name"
            raise InvalidCommandError(Refusal.INVALID_BODY.code, told)
        for each in named:
            of_it = {"name": each, "keywords": listed("keywords", words.get(each, ()))}
            said.append(of_it | {"formerly": former[each]} if each in former else of_it)
        body = {"role": {"name": name, "perspectives": said}}
        return replace(self, origin="operator").draft("define", body)

    def alias_entity(
        self, name: str, canonical: str | None, *, evidence: Sequence[str] = (), **said: Unpack[Decided]
    ) -> Draft:
        """Draft an ``alias_entity``: ``name`` is another name of ``canonical``, or, without one, its own again."""
        body: dict[str, Any] = {"name": name}
        if canonical is not None:
            body["canonical"] = canonical
        if evidence:
            body["evidence"] = listed("evidence", evidence)
        return self.decided("alias_entity", body, said)


def object_of(given: Object) -> tuple[dict[str, Any], str, str | None]:
    """Return an object as a body has it, in words, and the text that goes into the content if it is one.

    Raises InvalidCommandError for a number that cannot be said exactly, and for what is no object at all.
    """
    if isinstance(given, Mapping):
        value = dict(given)
        kind, shown = next((each for each in value.items() if each[0] != "unit"), ("", ""))
        return value, object_in_words(kind, str(shown)), None
    if isinstance(given, bool):
        return {"flag": given}, "yes" if given else "no", None
    if isinstance(given, int | float | Decimal):
        number = decimal_of(given)
        return {"decimal": number}, number, None
    if not _is_text(given) or not given.strip():
        shown = "one that is empty" if _is_text(given) else f"a {type(given).__name__}"
        said = f"body.object: an object is a thing, a text, a number or true or false, and not {shown}"
        raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
    if not is_unicode(given):
        raise InvalidCommandError(Refusal.INVALID_BODY.code, f"body.object: {HALF_A_CHARACTER}")
    if THING.match(given):
        return {"entity": given}, name_in_words(given), None
    return {"digest": text_digest(given)}, given, given


def _is_text(given: object) -> TypeGuard[str]:
    return isinstance(given, str)  # whoever calls without types may bring anything


def words_of(body: Mapping[str, Any], text: object) -> str | None:
    """Return a claim in words, by its body as it was sent and the ``text`` that is its value; None if malformed."""
    value: Any = body.get("object")
    if not isinstance(value, Mapping):
        return None
    said = cast(Mapping[str, Any], value)
    flag, digest = said.get("flag"), said.get("digest")
    shown: Any = text if digest is not None else said.get("entity", said.get("decimal"))
    kind = "text" if digest is not None else "entity"
    if (anchor := said.get("anchor")) is not None:
        kind, shown = "anchor", anchor
    if isinstance(flag, bool):
        shown = "yes" if flag else "no"
    parts = (body.get("subject"), body.get("predicate"), shown)
    subject, predicate, shown = (each if isinstance(each, str) else "" for each in parts)
    if not (subject and predicate and shown):
        return None
    return claim_in_words(subject, predicate, object_in_words(kind, shown))


def decimal_of(number: float | Decimal) -> str:
    """Return a number in the one form that it has. Raises InvalidCommandError where it has none."""
    exact = number if isinstance(number, Decimal) else Decimal(str(number))
    sized = exact.is_finite() and abs(exact.adjusted()) <= sum(_DIGITS)  # or it could be written in a billion digits
    shown = f"{exact:f}" if sized else ""
    whole, _, fraction = shown.partition(".")
    shown = whole + (f".{fraction}" if (fraction := fraction.rstrip("0")) else "")
    if not sized or len(whole.lstrip("-")) > _DIGITS[0] or len(fraction) > _DIGITS[1]:
        said = f"body.object: a number has at most {_DIGITS[0]} digits before the point and {_DIGITS[1]} after it"
        raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
    return "0" if shown == "-0" else shown
