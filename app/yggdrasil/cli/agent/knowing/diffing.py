"""``yggdrasil diff``: what changed between two moments of a memory, and which answers are other ones."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from ...options import MEMORY_DEFAULT, Json, MemoryId
from ...screen import Screen, clean, counted, moment, number
from ...targets import HERE, Where

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.found import Foretold
    from yggdrasil_projections.retrieval.reads.past.answering import AnswerOtherwise
    from yggdrasil_projections.retrieval.reads.past.diff import Diff
    from yggdrasil_projections.retrieval.reads.past.differing import Difference, ForetoldOtherwise, Grown, StateThen

_TEXT_CHARS: Final = 100
_WHAT: Final = ("status", "text", "value", "from", "until")
"""What is told of a memory that changed."""
T = TypeVar("T")


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="The earlier moment: a seq, a receipt, a date or a time.")],
    b: Annotated[str | None, typer.Argument(metavar="[B]", help="The later moment; without it, now.")] = None,
    source: Annotated[str | None, typer.Option(help="Only what this source said, or asked.")] = None,
    session: Annotated[str | None, typer.Option(help="Only what is of this session.")] = None,
    feature: Annotated[str | None, typer.Option(help="Only what has this feature, and what it foretells.")] = None,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, max=1_000, help="At most so many of each are shown.")
    ] = 10,
    questions: Annotated[
        int, typer.Option(min=0, max=50, help="So many of the latest questions are asked again at both moments.")
    ] = 10,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Show what changed between two moments: what was learnt, what fell and why, and which answers are others.

    A moment is a seq such as 1200, a receipt such as 3-1250, a date (its end) or a time with its zone. The questions
    that were asked in between are asked again at both moments. What is in quarantine today is not shown, and counted.
    Nothing is recorded.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil record "Deployed on a Monday" --feature deploy
      yggdrasil diff 1
      yggdrasil diff 1 2 --feature deploy --json
    """
    from ...opening import opened
    from ...screen import bars

    screen = Screen(json)
    with opened(screen, place, memory) as it, bars(screen) as progress:
        found = it.diff(
            a,
            b,
            source=source,
            session=session,
            feature=feature,
            count=count,
            questions=questions,
            progress=partial(progress, "Building the past"),
        )
    screen.result(found, lambda: _show(screen, found))


def _show(screen: Screen, found: "Diff") -> None:
    until = f"seq {found.as_of:,}" + (f" ({moment(found.past_ms)})" if found.past else ", which is now")
    screen.tell(f"What changed from seq {found.since:,} ({moment(found.since_ms)}) to {until}.", "bold")
    left = found.left_out
    texts = {each.ref: _said(each.kind, each.after) for each in (*found.learnt, *found.changed)}
    kinds = ", ".join(counted(each, kind) for kind, each in found.learnt_kinds.items())
    whys = ", ".join(f"{each:,} {why}" for why, each in found.fell_whys.items())
    _section(screen, f"Learnt: {kinds}", found.learnt, left.learnt, partial(_show_learnt, screen))
    _section(screen, f"Fell: {whys}", found.fell, left.fell, partial(_show_fallen, screen, texts))
    _section(screen, "Changed", found.changed, left.changed, partial(_show_changed, screen, texts))
    _section(screen, "Grew most", found.grew, left.grew, partial(_show_grown, screen))
    _section(screen, "Faded most", found.faded, left.faded, partial(_show_grown, screen))
    _section(screen, "Foretells something else", found.foretold, left.foretold, partial(_show_foretold, screen))
    _section(screen, "Answered otherwise", found.answers, 0, partial(_show_answer, screen))
    screen.tell()
    asked = f"{counted(found.asked, 'question')} asked again, {len(found.answers)} answered otherwise"
    failed = f"; {left.answers} cannot be asked again" if left.answers else ""
    screen.tell(f"{asked}{failed}.", "dim")
    if found.withheld:
        screen.tell(f"Not shown, being in quarantine today: {found.withheld:,}.", "dim")


def _section(screen: Screen, heading: str, found: Sequence[T], left_out: int, show: Callable[[T], object]) -> None:
    """Print what there is of one sort under its heading, and how much more there is."""
    if not found and not left_out:
        return
    screen.tell()
    screen.tell(heading, "bold")
    for each in found:
        show(each)
    if left_out:
        screen.tell(f"  ({left_out:,} more: --count)", "dim")


def _show_learnt(screen: Screen, one: "Difference") -> None:
    status = "" if one.after is None or one.after.status == "active" else f", {one.after.status}"
    screen.tell(f"  {_said(one.kind, one.after)}")
    screen.tell(f"    {clean(one.ref)}  seq {one.seq:,}, {clean(one.said_by)}{status}", "dim")


def _show_fallen(screen: Screen, texts: Mapping[str, str], one: "Difference") -> None:
    screen.tell(f"  {one.why}: {_said(one.kind, one.before)}")
    screen.tell(f"    {clean(one.ref)}  seq {one.seq:,}, {clean(one.said_by)}", "dim")
    _show_ruling(screen, texts, one)


def _show_changed(screen: Screen, texts: Mapping[str, str], one: "Difference") -> None:
    screen.tell(f"  {_said(one.kind, one.before)}")
    screen.tell(f"    {clean(one.ref)}  seq {one.seq:,}, {clean(one.said_by)}", "dim")
    if one.before is None or one.after is None:
        return
    for what, was, now in zip(_WHAT, _facts(one.before), _facts(one.after), strict=True):
        if was != now:
            screen.tell(f"    {what}: {was or 'none'}, and now {now or 'none'}")
    _show_ruling(screen, texts, one)


def _show_ruling(screen: Screen, texts: Mapping[str, str], one: "Difference") -> None:
    """Print what did it, its reason, and what stands in the place of what fell, with what that says if it is told."""
    if one.reason:
        screen.tell(f'    "{clean(one.reason, _TEXT_CHARS)}"', "yellow")
    for how, ref in (("by", one.by), ("it lives on in" if one.why == "forgotten" else "in its place", one.instead)):
        if ref and not (how == "in its place" and ref == one.by):
            said = f": {texts[ref]}" if ref in texts else ""
            screen.tell(f"    {how} {clean(ref)}{said}", "yellow")


def _facts(state: "StateThen") -> tuple[str, ...]:
    """Return what is told of a state, in the order of ``_WHAT``."""
    marks = (", archived" if state.archived else "") + (", of what no longer stands" if state.stale else "")
    value = "" if state.value is None else str(state.value)
    times = moment(state.valid_from), moment(state.valid_to)
    return state.status + marks, clean(state.text or "", _TEXT_CHARS), clean(value, _TEXT_CHARS), *times


def _said(kind: str, state: "StateThen | None") -> str:
    value = None if state is None else state.value
    text = (None if state is None else state.text) or (value if isinstance(value, str) else "(no text)")
    of_outcome = f" {value:+g}" if isinstance(value, float) else ""
    return clean(text, _TEXT_CHARS) if kind == "event" else f"{kind}{of_outcome}: {clean(text, _TEXT_CHARS)}"


def _show_grown(screen: Screen, one: "Grown") -> None:
    was, now = (number(each.rank) for each in (one.before, one.after))
    said = clean(one.text or "(no text)", _TEXT_CHARS)
    screen.tell(f"  {was} to {now}: {said if one.kind == 'event' else f'{one.kind}: {said}'}")


def _show_foretold(screen: Screen, one: "ForetoldOtherwise") -> None:
    screen.tell(f"  {clean(one.feature)}: {_lesson(one.before)} before, {_lesson(one.after)} now")


def _lesson(one: "Foretold | None") -> str:
    if one is None:
        return "nothing"
    kinds = ", ".join(clean(each.kind) for each in one.kinds)
    return f"{one.valence:+.2g}" + (f" ({kinds})" if kinds else "")


def _show_answer(screen: Screen, one: "AnswerOtherwise") -> None:
    screen.tell(f"  {clean(one.question or '(no words)', _TEXT_CHARS)}")
    screen.tell(f"    {clean(one.recall)}  seq {one.seq:,}", "dim")
    for sign, style, placed in (("+", "green", one.gained), ("-", "red", one.lost)):
        for each in placed:
            screen.tell(f"    {sign} {clean(each.text or each.ref, _TEXT_CHARS)}", style)
    for each in one.moved:
        screen.tell(f"    place {each.before} to {each.after}: {clean(each.text or each.ref, _TEXT_CHARS)}")
