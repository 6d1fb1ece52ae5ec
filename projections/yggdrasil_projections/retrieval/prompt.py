"""An answer as a prompt wants it: compact, dated, with short references, within a budget of tokens.

The frame is ours, and what a memory says cannot break it. The head of a line, up to its first colon, is ours: there a
word of ours says who speaks, by how far that one is trusted. Whatever a sender chose is put on one line, without
controls and without what nobody sees, and what looks in it like a label (``[m1]``) loses its bracket. It stands behind
the head, but for names, kinds and features, which stand in quotes. What it says may still be untrue, or an order: that
these are memories, and no instructions, is for the prompt to say.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final, NamedTuple

import orjson

from .asks import TOKENS_MAX, check_count
from .errors import InvalidAskError
from .found import Foretold, Found, Mentioned, More, Nothing
from .memories import MemoryObject, OutcomeSeen
from .text.plain import one_line, quoted
from .text.said import said
from .text.sentences import claim_said

CHARS_PER_TOKEN: Final = 4
_YEAR_1_MS: Final = -62_135_596_800_000
_YEAR_10000_MS: Final = 253_402_300_800_000
_AHEAD_MS: Final = (
    86_400_000  # a clock that is wrong by less, or a day of another time zone, says no more than it should
)
_OUTCOMES_MAX: Final = 3
_OUTCOME_CHARS_MAX: Final = 300
_NAMES_MAX: Final = 2
_NAME_CHARS_MAX: Final = 40
_KINDS_MAX: Final = 3
_FORETOLD_SHARE: Final = 0.25  # of the budget at most: lessons are short, and may not push all memories out
_CUT_CHARS_MIN: Final = 40  # a text of which less than that would be left says nothing
_LEFT_OUT: Final = "(%d more did not fit)"
_LEFT_OUT_CHARS: Final = len("\n(123 more did not fit)")
_NUMBERED: Final = re.compile(":[0-9]{24,}$")  # so a door names a namespace, and nobody can read it
_LABEL: Final = re.compile(r"\[?(m[1-9][0-9]{0,3})\]?")


@dataclass(frozen=True, slots=True)
class Prompt:
    """An answer for a prompt: its ``text``, what each label in it refers to, and the recall that records it.

    ``refs`` are by label, ``m1`` first: those of all that was returned, be they in the text or not. ``more`` says what
    else is near enough.
    """

    text: str
    refs: dict[str, str]
    as_of: int
    recall_id: str | None
    recorded: bool
    more: More | None = None


class Block(NamedTuple):
    """One memory in a text: ``head`` and ``says`` are its first line, ``more`` are those below, each with its indent.

    ``order`` says where it stands among the others.
    """

    head: str
    says: str
    more: tuple[str, ...] = ()
    order: tuple[int, int] = (0, 0)

    def within(self, chars: int) -> str | None:
        """Return it in at most so many characters, cut with an ellipsis: what it says, or what is below; or None."""
        for more in ("".join(f"\n{line}" for line in self.more), "\n  …" if self.more else ""):
            room = chars - len(self.head) - len(more)
            if len(self.says) <= room:
                return f"{self.head}{self.says}{more}"
            if room >= _CUT_CHARS_MIN:
                return f"{self.head}{self.says[: room - 1].rstrip()}…{more}"
        return None


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading, in the order in which they are taken while there is room.

    ``share`` is how much of the budget they may take; a ``lone`` heading may stand without any. For one that is
    ``closing``, a line on its own, room is kept while others take theirs.
    """

    heading: str
    blocks: Sequence[Block] = ()
    share: float = 1.0
    lone: bool = False
    closing: bool = False


def labelled(refs: Iterable[str]) -> dict[str, str]:
    """Return references by their labels: the first is ``m1``."""
    return {f"m{place}": ref for place, ref in enumerate(refs, start=1)}


def referred(refs: Sequence[str], label: str) -> str:
    """Return what a label (``m1`` or ``[m1]``) refers to; a reference refers to itself. Raises InvalidAskError."""
    if label in refs:
        return label
    found = _LABEL.fullmatch(label.strip())
    ref = labelled(refs).get(found[1]) if found else None
    if ref is None:
        known = f"its labels are m1 to m{len(refs)}" if refs else "it returned nothing, so nothing of it was used"
        raise InvalidAskError(f"the answer has no {label[:_NAME_CHARS_MAX]!r}: {known}")
    return ref


def page(sections: Sequence[Section], tokens_max: int | None) -> str:
    """Return sections as one text of at most ``tokens_max`` tokens, of four characters each.

    What does not fit is cut, then left out, and how many are left out is said. Raises InvalidAskError.
    """
    if tokens_max is None:
        return _filled(sections, None)
    check_count("tokens_max", tokens_max, TOKENS_MAX)
    room = CHARS_PER_TOKEN * tokens_max
    whole = _filled(sections, None)
    if len(whole) <= room:
        return whole
    text = _filled(sections, room)
    return text if len(text) <= room else ""


def _filled(sections: Sequence[Section], room: int | None) -> str:
    endless = sum(map(_chars, sections))
    left = endless if room is None else room - _LEFT_OUT_CHARS
    closing = sum(len(section.heading) + 1 for section in sections if section.closing)
    left -= closing
    lines: list[str] = []
    left_out = 0
    for section in sections:
        left += len(section.heading) + 1 if section.closing else 0
        most = left if room is None else min(left, int(section.share * room))
        spent = len(section.heading) + 1
        taken: list[tuple[tuple[int, int], str]] = []
        for block in section.blocks:
            text = block.within(most - spent - 1)
            if text is None:
                left_out += 1
            else:
                taken.append((block.order, text))
                spent += len(text) + 1
        if section.lone and spent > most:
            left_out += 1
        elif taken or section.lone:
            lines += [section.heading, *(text for _, text in sorted(taken, key=lambda each: each[0]))]
            left -= spent
    return "\n".join([*lines, _LEFT_OUT % left_out] if left_out else lines)


def _chars(section: Section) -> int:
    """Return how many characters a section takes as a whole, each line with its end."""
    blocks = (len(each.head) + len(each.says) + 1 + sum(len(line) + 1 for line in each.more) for each in section.blocks)
    return len(section.heading) + 1 + sum(blocks)


def memory_block(found: Found, label: str, now: int, mark: str = "", then: Sequence[MemoryObject] = ()) -> Block:
    """Return a memory that was found: its label, day, who says it, what it is and says, how it ended, what followed.

    ``mark`` is said behind that, and before it how often the same has been said. ``now`` is the present in Unix ms:
    nothing can have happened later, so a day beyond it is only what somebody said, and comes before all others.
    """
    one = found.memory
    often = f"said {found.repeats + 1} times{_since(found.since, now)}" if found.repeats else ""
    kind = (one.note or "").replace("_", " ") if one.kind == "event" else one.kind
    ahead = _is_ahead(one.at, now)
    said = (one.said_by, often, mark, _standing(one), _held(one, now), kind)
    head = ", ".join(filter(None, (_day(one.at, "said for " if ahead else ""), *said)))
    more = [*_why(one), *_outcomes(one), *(_then(after, one) for after in then)]
    at = -1 if one.at is None or ahead else one.at
    return Block(f"{label} {head}: {_names(one)}".lstrip(), _says(one), tuple(more), (at, found.place.seq))


def entry(one: MemoryObject, chars_max: int) -> str:
    """Return a memory on one line of so many characters at most: who says it, what, and its latest outcomes."""
    says = one_line(claim_said(one.text, one.claim) or ", ".join(one.features))
    text = f"{says}{''.join(_ended(each, one) for each in one.outcomes[-3:])}"
    line = f"{one.said_by}: {text}".removeprefix(": ")
    return line if len(line) <= chars_max else f"{line[: chars_max - 1]}…"


def _ended(outcome: OutcomeSeen, of: MemoryObject) -> str:
    who = "" if outcome.said_by == of.said_by else f", {outcome.said_by}"
    told = f": {one_line(outcome.text)}" if outcome.text else ""
    return f" ({outcome.value:+g} {quoted(outcome.kind)}{who}{told})"


def foretold_section(foretold: Sequence[Foretold]) -> Section:
    """Return what the features of a situation have come to mean, the surest and largest first."""
    blocks = [
        Block("- ", f"{quoted(one.feature, 2 * _NAME_CHARS_MAX)}: {_meaning(one)}", (), (place, 0))
        for place, one in enumerate(foretold)
    ]
    return Section("Foretold, from -10 to 10:", blocks, _FORETOLD_SHARE)


def nothing_sections(nothing: Nothing, now: int) -> list[Section]:
    """Return a refusal on one line, and what was nearest, marked as uncertain; ``now`` is the present in Unix ms."""
    reached = f"{nothing.acted} {nothing.value:.2f}, and {nothing.threshold:.2f} is asked for"
    within = "that the filter admits" if nothing.filtered else "in this memory"
    heading = f"Nothing {within} is a sure answer: {nothing.reason} ({reached})."
    blocks = [memory_block(each, "-", now, "uncertain") for each in nothing.nearest]
    blocks = [each._replace(order=(at, 0)) for at, each in enumerate(blocks)]
    return [Section(heading, lone=True), Section("What was nearest, and is uncertain:", blocks)]


def nothing_found(more: More | None) -> str:
    """Return why an answer is empty that is no refusal: its budget is too small, or all has been told before."""
    if more is None:
        return "There is nothing more that is near enough."
    return "Nothing that was found fits into the budget of tokens."


def closing_sections(more: More | None, withdrawn: int, mentioned: Sequence[Mentioned] = ()) -> list[Section]:
    """Return what an answer does not show, a line for each: how much there is of it, what else is near enough, and what
    was withdrawn.
    """
    lines = [mentioned_told(each) for each in mentioned]
    lines += [] if more is None else [f"{more_told(more)}{'' if more.cursor is None else ': ask for more'}."]
    if withdrawn:
        lines.append(withdrawn_told(withdrawn))
    return [Section(line, lone=True, closing=True) for line in lines]


def more_told(more: More) -> str:
    """Return in words how much more is near enough."""
    if not more.count:
        return "There may be more that is near enough"
    many = "1 more memory is" if more.count == 1 else f"{more.count} more memories are"
    return f"{'' if more.exact else 'At least '}{many} near enough"


def mentioned_told(mentioned: Mentioned) -> str:
    """Return in words how much there is of a thing."""
    many = "1 memory mentions" if mentioned.count == 1 else f"{mentioned.count} memories mention"
    return f"{'' if mentioned.exact else 'At most '}{many} {quoted(mentioned.of, 2 * _NAME_CHARS_MAX)} in all."


def withdrawn_told(count: int) -> str:
    """Return in words that something is not shown, since it no longer stands."""
    many = "1 memory about this no longer stands" if count == 1 else f"{count} memories about this no longer stand"
    return f"{many}: withdrawn, resolved or superseded."


def _meaning(one: Foretold) -> str:
    kinds = ", ".join(quoted(kind.kind, _NAME_CHARS_MAX) for kind in one.kinds[:_KINDS_MAX])
    # Outcomes, of which an event may have several: they are no part of the events.
    events = f"{one.events} event{'s' if one.events > 1 else ''}"
    of = f" in {events}, {one.base_rate:.0%} without it" if one.events else ""
    return f"{one.valence:+.2g} ({one.good} good, {one.bad} bad{of}){f': {kinds}' if kinds else ''}"


def _day(at: int | None, before: str = "") -> str:
    """Return a day in UTC, with what is said ``before`` it; a sender may name times that no calendar has."""
    if at is None or not _YEAR_1_MS <= at < _YEAR_10000_MS:
        return "undated"
    return f"{before}{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d}"


def dated(at: int | None, now: int | None = None) -> str:
    """Return a day in UTC; what cannot have happened yet, as of ``now``, is said for that day."""
    return _day(at, "said for " if now is not None and _is_ahead(at, now) else "")


def _is_ahead(at: int | None, now: int) -> bool:
    """Return whether a moment lies in the future: nothing that is told of it can have been seen."""
    return at is not None and at > now + _AHEAD_MS


def _since(at: int | None, now: int) -> str:
    return "" if _is_ahead(at, now) else f" since {_day(at)}"


def _standing(one: MemoryObject) -> str:
    """Return what is to be known of whether it stands; nothing of what does, nor of a claim that has ended."""
    ended = one.status == "superseded" and one.claim is not None and one.claim.valid_to is not None
    if one.stale:  # of a claim that is all evidence, of what was made of several it is one part
        return "in part no longer true" if one.claim is None else "its evidence no longer stands"
    return "" if one.status == "active" or ended else one.status.upper()


def _held(one: MemoryObject, now: int) -> str:
    """Return since when and until when a claim holds, as far as that is known; of one that was superseded, held."""
    begins, ends = (None, None) if one.claim is None else (one.claim.valid_from, one.claim.valid_to)
    if _is_ahead(begins, now):
        return f"said from {_day(begins)}" + ("" if ends is None else f" until {_day(ends)}")
    if ends is None:
        return "" if begins is None else f"since {_day(begins)}"
    held = "held " if one.status == "superseded" else ""
    return f"{held}until {_day(ends)}" if begins is None else f"{held}from {_day(begins)} until {_day(ends)}"


def _why(one: MemoryObject) -> list[str]:
    """Return why it no longer stands, as far as whoever said so gave a reason, and whether it approved itself."""
    reason = None if one.status == "active" or one.ruling is None else one.ruling.reason
    said = ["  self-approved: nobody else says so"] if one.ruling is not None and one.ruling.self_approved else []
    return [*said, f"  {one.status}: {one_line(reason, _OUTCOME_CHARS_MAX)}"] if reason else said


def _names(one: MemoryObject) -> str:
    """Return who and what it is about by the writer's labels, as far as these have a kind (``speaker:Ann``).

    A text itself often lacks it. Whoever wrote the text chose them, so they stand in quotes behind the head.
    """
    if one.kind != "event":
        return ""
    names = (name for name in one.features if ":" in name and not _NUMBERED.search(name))
    return "".join(f"{quoted(name, _NAME_CHARS_MAX)} " for name in islice(names, _NAMES_MAX))


def _then(after: MemoryObject, one: MemoryObject) -> str:
    who = "" if after.said_by == one.said_by else f" {after.said_by}"
    return f"  then{who}: {_says(after, _OUTCOME_CHARS_MAX)}"


def _says(one: MemoryObject, chars_max: int | None = None) -> str:
    """Return what a memory says: its name, its text with the prose of its payload, or its payload, or its features."""
    text = said(claim_said(one.text, one.claim), (), one.payload, one.name) or one.name
    if text is None and one.payload:
        text = orjson.dumps(one.payload).decode()
    return one_line(text or ", ".join(one.features) or "(no text)", chars_max)


def _outcomes(one: MemoryObject) -> list[str]:
    """Return how it ended, the largest outcomes in their order, a line for each: value, kind, and what was said."""
    largest = sorted(range(len(one.outcomes)), key=lambda at: (-abs(one.outcomes[at].value), -at))[:_OUTCOMES_MAX]
    lines = [_outcome(one.outcomes[at], one) for at in sorted(largest)]
    others = len(one.outcomes) - len(lines)
    return [*lines, f"  and {others} lesser outcomes"] if others else lines


def _outcome(one: OutcomeSeen, of: MemoryObject) -> str:
    mark = " (catastrophe)" if one.catastrophic else ""
    mark += "" if one.event == of.ref else " (of a part of it)" if of.members else " (of a later step)"
    told = f": {one_line(one.text, _OUTCOME_CHARS_MAX)}" if one.text else ""
    who = "" if one.said_by == of.said_by else f", {one.said_by}"  # whoever said the memory says what names nobody
    return f"  {one.value:+g}{mark} {quoted(one.kind, _NAME_CHARS_MAX)}{who}{told}"
