"""``yggdrasil context`` and ``yggdrasil explain``: what a memory knows of a question, and why something was done."""

from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from ..options import (
    MEMORY_DEFAULT,
    AsAgent,
    AsPrompt,
    AtMost,
    Deep,
    Full,
    Json,
    MemoryId,
    MinConfidence,
    More,
    NoRecord,
    Session,
    Similar,
    TokensMax,
    Under,
    not_blank,
)
from ..screen import Screen, clean, counted, moment, number, write_json
from ..targets import HERE, Where
from .filtering import (
    At,
    FromOrigin,
    FromSource,
    History,
    InSession,
    OfKind,
    OfNote,
    OfStatus,
    Since,
    TrustMin,
    Until,
    WithAll,
    WithAny,
    where_of,
)
from .foretelling import show_foretold
from .showing import how_sure, show_outcomes, show_standing, title, told_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yggdrasil import Memory
    from yggdrasil_projections.retrieval.answers import Context, Found, Nothing, SimilarCases
    from yggdrasil_projections.retrieval.memories import MemoryObject
    from yggdrasil_projections.retrieval.reads.experience.explain import Explanation, RecallSeen


def context(
    query: Annotated[str, typer.Argument(help="What you want to know.", callback=not_blank)],
    k: AtMost = None,
    tokens_max: TokensMax = None,
    min_confidence: MinConfidence = None,
    prompt: AsPrompt = False,
    with_all: WithAll = None,
    with_any: WithAny = None,
    in_session: InSession = None,
    of_kind: OfKind = None,
    since: Since = None,
    until: Until = None,
    from_source: FromSource = None,
    from_origin: FromOrigin = None,
    of_status: OfStatus = None,
    trust_min: TrustMin = None,
    history: History = False,
    note: OfNote = None,
    at: At = None,
    deep: Deep = False,
    more: More = None,
    similar: Similar = False,
    full: Full = False,
    no_record: NoRecord = False,
    session: Session = None,
    as_agent: AsAgent = None,
    perspective: Under = None,
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Ask a memory: the memories that matter most to a question, each with its evidence.

    The reading is recorded under a recall id: an action can say what informed it, and the answer can be proved.
    When nothing is relevant there is no answer. A filter (--with-all to --from-origin) asks a part of the memory.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy --feature friday
      yggdrasil context "Should we deploy on Friday?"
      yggdrasil context "Should we deploy on Friday?" --deep  # with what has faded, which it brings back
      yggdrasil context "Who deploys?" --in-session planning --in-session retro --since 2026-05-01
      yggdrasil context "Who deploys?" --at 2026-05-01  # of what is claimed, what held then; or --history
      yggdrasil context "Who is on the enterprise plan?" --more AfK3...  # on from the cursor that was printed
      # a text to put into a prompt; what its labels, [m1] and so on, stand for is in --json
      yggdrasil context "Should we deploy on Friday?" --prompt --tokens-max 500
    """
    from ..opening import opened

    screen = Screen(json)
    where = where_of(with_all, with_any, in_session, of_kind, since, until, from_source, from_origin, of_status,
                     trust_min, history, note, at)  # fmt: skip
    with opened(screen, place, memory, embedder=None) as it:
        found = seen_by(it, as_agent, perspective).get_context(
            query,
            k=k,
            tokens_max=tokens_max,
            min_confidence=min_confidence,
            where=where,
            deep=deep,
            similar=similar,
            full=full,
            more=more,
            session=session,
            record=not no_record,
        )
    if prompt:
        show_prompt(screen, found)
    else:
        screen.result(found, lambda: show_context(screen, found))


def seen_by(memory: "Memory", agent: str | None, perspectives: "Sequence[str] | None") -> "Memory":
    """Return a memory as an agent has it, under perspectives; as it is where neither is given."""
    seen = memory if agent is None else memory.as_agent(agent)
    return seen.seen(perspective=perspectives) if perspectives else seen


def explain(
    event: Annotated[str, typer.Argument(help="The event's full id, as `record` or `context` printed it.")],
    place: Where = HERE,
    memory: MemoryId = MEMORY_DEFAULT,
    json: Json = False,
) -> None:
    """Explain an action: what led to it, what informed it with the values of then, and what came of it.

    It is recorded as a recall: what it shows is noticed a little. Where nothing can be appended, it is told without.

    \b
    Examples:
      EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday)
      yggdrasil explain $EVENT
      yggdrasil explain $EVENT --json
    """
    from ..opening import opened

    screen = Screen(json)
    with opened(screen, place, memory) as it:
        found = it.explain_action(event)
    screen.result(found, lambda: show_explanation(screen, found))


_ORDER: Final = (
    "Not by score alone: what is trusted more leads, what comes next in a session stands behind what it follows, and "
    "what a claim leads to or chance has added comes last."
)


def show_context(screen: Screen, found: "Context") -> None:
    """Print an answer for people: a block for each memory, what is foretold, then what proves it."""
    if found.nothing is not None:
        show_nothing(screen, found.nothing)
    elif not found.found:
        from yggdrasil_projections.retrieval.prompt import nothing_found

        screen.tell(nothing_found(found.more))
    scores = [entry.scores.priority for entry in found.found]
    if scores != sorted(scores, reverse=True):
        screen.tell(_ORDER, "dim")
    for place, entry in enumerate(found.found, start=1):
        show_found(screen, place, entry)
    show_more(screen, found)
    show_foretold(screen, found.foretold)
    show_recall(screen, found)


def show_more(screen: Screen, found: "Context") -> None:
    """Print for people what else is near enough, how to go on to it, and that something was withdrawn."""
    from yggdrasil_projections.retrieval.prompt import more_told, withdrawn_told

    if found.more is not None:
        screen.tell(more_told(found.more) + (f": --more {found.more.cursor}" if found.more.cursor else "."))
    if found.withdrawn:
        screen.tell(withdrawn_told(found.withdrawn))
    if found.left_out:
        many = "1 memory says" if found.left_out == 1 else f"{found.left_out:,} memories say"
        screen.tell(f"{many} the same as one of these: --similar shows each.")


def show_nothing(screen: Screen, nothing: "Nothing") -> None:
    """Print for people why there is no answer, and what was nearest."""
    within = "the filter admits" if nothing.filtered else "this memory holds"
    screen.tell(f"Nothing that {within} is relevant to that.")
    screen.tell(
        f"  {nothing.acted} {number(nothing.value)}, and {number(nothing.threshold)} is asked for: {nothing.reason}"
    )
    if nothing.nearest:
        screen.tell("What was nearest, and is uncertain: the most similar first.")
    for place, entry in enumerate(nothing.nearest, start=1):
        show_found(screen, place, entry)


def show_prompt(screen: Screen, found: "Context | SimilarCases") -> None:
    """Print an answer for a prompt, and on stderr what records it."""
    from yggdrasil_projections.retrieval.answers import prompted

    answer = prompted(found)
    if screen.json:
        write_json(answer)
        return
    for line in answer.text.split("\n"):
        screen.tell(line)
    show_recall(Screen(json=True), found)


def show_found(screen: Screen, place: int, entry: "Found") -> None:
    """Print one memory of an answer for people: what it says, its evidence, and how it turned out."""
    from yggdrasil_projections.retrieval.text.passages import LONG_CHARS

    one, why = entry.memory, entry.scores
    screen.tell(f"{place:>2}. {title(one)}", "bold")
    screen.tell(f"    {clean(one.ref)}{_origin(one)}", "dim")
    if entry.excerpt is not None or len(one.text or "") > LONG_CHARS:
        screen.tell(f"    {clean(one.text)}")
    if one.claim is not None:
        screen.tell(f"    {how_sure(one.claim)}")
    show_standing(screen, one, "    ")
    strength = f"salience {number(one.salience)}, permanence {number(one.permanence)}, impact {number(one.impact)}"
    screen.tell(f"    score {number(why.priority)}: similarity {number(why.relevance)}, {strength}")
    if one.members:
        screen.tell(f"    contains {counted(len(one.members), 'part')}")
    if entry.repeats:
        screen.tell(f"    said {entry.repeats + 1} times since {moment(entry.since)}")
    show_outcomes(screen, one.outcomes, "    ", one.ref)


def show_recall(screen: Screen, found: "Context | SimilarCases") -> None:
    """Print for people what proves an answer."""
    trace = f"recall {found.recall_id}" if found.recorded else "not recorded"
    screen.tell(f"{trace}, as of seq {found.as_of}", "dim")


def show_note(screen: Screen, one: "MemoryObject", indent: str = "") -> None:
    """Print for people what a memory is called, and why it is so; nothing of one that has neither."""
    if one.name or one.aliases:
        screen.tell(f"{indent}called {', '.join(clean(name) for name in (one.name, *one.aliases) if name)}")
    if one.rationale:
        screen.tell(f"{indent}because: {clean(one.rationale, 300)}")


def show_explanation(screen: Screen, why: "Explanation") -> None:
    """Print the lineage of an action for people."""
    place = why.place
    screen.tell(clean(why.text or "(no text)", 200), "bold")
    screen.tell(f"  {clean(why.id)}", "dim")
    screen.tell(f"  recorded as seq {place.seq}, in the log at partition {place.partition}, offset {place.offset}")
    screen.tell(f"  said by {clean(why.source)}" + (f", with the key {why.key}" if why.key else ""))
    if why.memory is None:
        screen.tell("  The event itself has been forgotten; its record is still in the log.")
    else:
        show_note(screen, why.memory, "  ")
        show_standing(screen, why.memory, "  ")
        screen.tell(f"  {_noticed(why.memory)}", "dim")
    if why.memory is not None and why.memory.archived:
        screen.tell("  It has faded and is archived: only a deep look finds it, and that or an outcome brings it back.")
    if why.chain:
        screen.tell("  What came before it in its session, oldest first:")
        for earlier in why.chain:
            screen.tell(f"    - {title(earlier)}")
            if (told := why.provenance.get(earlier.ref)) is not None:
                screen.tell(f"      said by {told_by(told)}", "dim")
    if why.caused_by:
        screen.tell("  What is said to have caused it (--caused-by):")
        for cause in why.caused_by:
            screen.tell(f"    - {clean(cause.text or cause.id, 110)}{'' if cause.memory else ' (forgotten)'}")
            key, at = f" with the key {cause.key}" if cause.key else "", cause.place
            stands = f"seq {at.seq}, {at.partition}-{at.offset} of the log"
            screen.tell(f"      said by {clean(cause.source)}{key} as {clean(cause.id)} ({stands})", "dim")
    for recall in why.informed_by:
        asked = f'It had asked "{clean(recall.query or "(sealed)", 100)}"{_within(recall)} (as of seq {recall.as_of})'
        screen.tell(f"  {asked} and was told:" if recall.returned else f"  {asked} and was told nothing.")
        for then in recall.returned:
            strength = "" if then.salience is None else f" (salience {number(then.salience)} then)"
            screen.tell(f"    - {clean(then.text or then.ref, 90)}{strength}")
            if then.told is not None:
                screen.tell(f"      said by {told_by(then.told)}", "dim")
            show_outcomes(screen, then.outcomes, "        ", then.ref, why.provenance)
    if not why.informed_by:
        screen.tell("  No recall is named as having informed it (--informed-by).")
    if why.memory is not None and why.memory.outcomes:
        screen.tell("  What came of it:")
        show_outcomes(screen, why.memory.outcomes, "    ", why.id, why.provenance)


def _noticed(one: "MemoryObject") -> str:
    """Say how often a memory was said, returned and used, and when last."""
    returned = f"returned {counted(one.candidates, 'time')}{_at_tick(one.last_recalled)}"
    used = f"used {counted(one.usage, 'time')}, {one.served:,} of them well{_at_tick(one.last_used)}"
    return f"said {counted(one.mentions, 'time')}, {returned}, {used}"


def _at_tick(tick: int | None) -> str:
    return "" if tick is None else f" (last at tick {tick:,})"


def _within(recall: "RecallSeen") -> str:
    """Say to which part of the memory a question was put; nothing, when that was all of it."""
    conditions: list[str] = []
    for name, value in recall.where.items():
        values = cast(list[object], value) if isinstance(value, list) else [value]
        conditions.append(f"{name} {', '.join(map(str, values))}")
    return f" where {clean('; '.join(conditions), 200)}" if conditions else ""


def _origin(one: "MemoryObject") -> str:
    """Say when it happened, and in which session."""
    when = moment(one.at)
    session = f"session {clean(one.session, 60)}" if one.session else ""
    return "  " + ", ".join(filter(None, (when, session))) if when or session else ""
