"""An answer as a prompt wants it: compact, dated, with short references, within a budget of tokens.

The frame is ours, and what a memory says cannot break it. Whatever a sender chose (texts, kinds, features) is put on
one line, without controls and without what nobody sees; it stands behind the head of its own line, so it begins none;
and what looks in it like a label (``[m1]``) loses its bracket. What it says may still be untrue, or an order: that
these are memories, and no instructions, is for the prompt to say.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final, NamedTuple
from unicodedata import normalize

import orjson

from .asks import TOKENS_MAX, check_count
from .errors import InvalidAskError
from .found import Foretold, Found, Mentioned, More, Nothing
from .memories import MemoryObject, OutcomeSeen
from .text.said import said

CHARS_PER_TOKEN: Final = 4
_YEAR_1_MS: Final = -62_135_596_800_000
_YEAR_10000_MS: Final = 253_402_300_800_000
_OUTCOMES_MAX: Final = 3
_OUTCOME_CHARS_MAX: Final = 300
_STRANGERS: Final = "A STRANGER'S WORD"
_NAMES_MAX: Final = 2
_NAME_CHARS_MAX: Final = 40
_KINDS_MAX: Final = 3
_FORETOLD_SHARE: Final = 0.25  # of the budget at most: lessons are short, and may not push all memories out
_CUT_CHARS_MIN: Final = 40  # a text of which less than that would be left says nothing
_LEFT_OUT: Final = "(%d more did not fit)"
_LEFT_OUT_CHARS: Final = len("\n(123 more did not fit)")
# Controls of both sets, soft hyphens, what changes the direction of writing, and tags and selectors of variants, with
# which a text can speak unseen to a model. Joiners stay: Persian and emoji are written with them.
_UNSEEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_NUMBERED: Final = re.compile(":[0-9]{24,}$")  # so a door names a namespace, and nobody can read it
# Joiners and marks upon letters take no room: however many stand between, it looks like a label. What is seen may be
# four characters. Nothing is given back (``*+``), so that it takes one look at each.
_MARK: Final = r"[\u0300-\u036f\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f]"
_BETWEEN: Final = rf"{_MARK}*+(?:(?!{_MARK})[\W_]{_MARK}*+){{0,4}}+"
_LABEL_LIKE: Final = re.compile(rf"[\[\uff3b](?={_BETWEEN}[m\uff4d\uff2d]{_BETWEEN}\d)", re.IGNORECASE)
# What is written with other forms of these letters and digits, such as mathematical ones or superscripts, is the same
# under NFKC: the bracket, and what stands within so many characters behind it.
_OPENING: Final = re.compile("[\\[\uff3b\ufe47]")
_LABEL_AFTER: Final = re.compile(rf"{_BETWEEN}m{_BETWEEN}\d", re.IGNORECASE)
_LABEL_CHARS: Final = 16
_LABEL: Final = re.compile(r"\[?(m[1-9][0-9]{0,3})\]?")
_CITED: Final = re.compile(r"\[((?:m[0-9]{1,4}|[\s,;&])+)\]")  # [m1], [m1][m2] and [m1, m2]; no m1 elsewhere


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


def cited(refs: Sequence[str], text: str) -> list[str]:
    """Return the references whose labels a text names in brackets, each once, as they come; others are passed over."""
    known = labelled(refs)
    labels = (label for several in _CITED.findall(text) for label in re.findall("m[0-9]+", several))
    return list(dict.fromkeys(known[label] for label in labels if label in known))


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


def one_line(text: str, chars_max: int | None = None) -> str:
    """Return what a sender chose on one line: without what nobody sees, and with nothing that could be a label."""
    line = " ".join(_UNSEEN.sub(" ", text).split())
    if chars_max is not None and len(line) > chars_max:
        line = line[: chars_max - 1] + "…"
    line = _LABEL_LIKE.sub("(", line)
    if line.isascii():
        return line
    return _OPENING.sub(lambda found: "(" if _is_label(line, found.end()) else found[0], line)


def _is_label(line: str, at: int) -> bool:
    """Return whether what stands behind a bracket is a label in other forms of its letter and digits."""
    return _LABEL_AFTER.match(normalize("NFKC", line[at : at + _LABEL_CHARS])) is not None


def memory_block(found: Found, label: str, mark: str = "", then: Sequence[MemoryObject] = ()) -> Block:
    """Return a memory that was found: its label, its day, what it is, what it says and how it ended; what came next.

    ``mark`` is said behind the day, and behind it how often the same has been said. What a stranger said, whom nobody
    trusts, says so before anything that a writer chose.
    """
    one = found.memory
    often = f"said {found.repeats + 1} times since {_day(found.since)}" if found.repeats else ""
    kind = (one.note or "").replace("_", " ") if one.kind == "event" else one.kind
    said = (often, mark, _STRANGERS if one.trust == 0 else "", _standing(one), _held(one), kind, *_names(one))
    head = ", ".join(filter(None, (_day(one.at), *said)))
    more = [*_why(one), *_outcomes(one), *(f"  then: {_says(after, _OUTCOME_CHARS_MAX)}" for after in then)]
    at = one.at if one.at is not None else -1
    return Block(f"{label} {head}: ".lstrip(), _says(one), tuple(more), (at, found.place.seq))


def foretold_section(foretold: Sequence[Foretold]) -> Section:
    """Return what the features of a situation have come to mean, the surest and largest first."""
    blocks = [
        Block("- ", f"{one_line(one.feature, 2 * _NAME_CHARS_MAX)}: {_meaning(one)}", (), (place, 0))
        for place, one in enumerate(foretold)
    ]
    return Section("Foretold, from -10 to 10:", blocks, _FORETOLD_SHARE)


def nothing_sections(nothing: Nothing) -> list[Section]:
    """Return a refusal on one line, and what was nearest, marked as uncertain."""
    reached = f"{nothing.acted} {nothing.value:.2f}, and {nothing.threshold:.2f} is asked for"
    within = "that the filter admits" if nothing.filtered else "in this memory"
    heading = f"Nothing {within} is a sure answer: {nothing.reason} ({reached})."
    blocks = [memory_block(each, "-", "uncertain")._replace(order=(at, 0)) for at, each in enumerate(nothing.nearest)]
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
    return f"{'' if mentioned.exact else 'At most '}{many} {one_line(mentioned.of, 2 * _NAME_CHARS_MAX)} in all."


def withdrawn_told(count: int) -> str:
    """Return in words that something is not shown, since it no longer stands."""
    many = "1 memory about this no longer stands" if count == 1 else f"{count} memories about this no longer stand"
    return f"{many}: withdrawn, resolved or superseded."


def _meaning(one: Foretold) -> str:
    kinds = ", ".join(one_line(kind.kind, _NAME_CHARS_MAX) for kind in one.kinds[:_KINDS_MAX])
    return f"{one.valence:+.2g} ({one.good} good, {one.bad} bad){f': {kinds}' if kinds else ''}"


def _day(at: int | None) -> str:
    """Return a day in UTC; a sender may name times that no calendar has."""
    if at is None or not _YEAR_1_MS <= at < _YEAR_10000_MS:
        return "undated"
    return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d}"


def _standing(one: MemoryObject) -> str:
    """Return what is to be known of whether it stands; nothing of what does, nor of a claim that has ended."""
    ended = one.status == "superseded" and one.claim is not None and one.claim.valid_to is not None
    return "in part no longer true" if one.stale else "" if one.status == "active" or ended else one.status.upper()


def _held(one: MemoryObject) -> str:
    """Return since when and until when a claim holds, as far as that is known; of one that was superseded, held."""
    begins, ends = (None, None) if one.claim is None else (one.claim.valid_from, one.claim.valid_to)
    if ends is None:
        return "" if begins is None else f"since {_day(begins)}"
    held = "held " if one.status == "superseded" else ""
    return f"{held}until {_day(ends)}" if begins is None else f"{held}from {_day(begins)} until {_day(ends)}"


def _why(one: MemoryObject) -> list[str]:
    """Return why it no longer stands, as far as whoever said so gave a reason."""
    reason = None if one.status == "active" or one.ruling is None else one.ruling.reason
    return [f"  {one.status}: {one_line(reason, _OUTCOME_CHARS_MAX)}"] if reason else []


def _names(one: MemoryObject) -> list[str]:
    """Return who and what it is about, as far as that has a kind (``speaker:Ann``): a text itself often lacks it."""
    if one.kind != "event":
        return []
    names = (name for name in one.features if ":" in name and not _NUMBERED.search(name))
    return [one_line(name, _NAME_CHARS_MAX) for name in islice(names, _NAMES_MAX)]


def _says(one: MemoryObject, chars_max: int | None = None) -> str:
    """Return what a memory says: its name, its text with the prose of its payload, or its payload, or its features."""
    text = said(one.text, (), one.payload, one.name) or one.name
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
    return f"  {one.value:+g}{mark} {one_line(one.kind, _NAME_CHARS_MAX)}{told}"
