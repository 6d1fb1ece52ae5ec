"""``yggdrasil cases``: situations like the one at hand, those that ended well and those that ended badly."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from yggdrasil_schemas.limits import RETURNED_MAX

from ..options import (
    K_DEFAULT,
    MEMORY_DEFAULT,
    AsAgent,
    AsPrompt,
    Deep,
    Full,
    Json,
    MemoryId,
    MinConfidence,
    NoRecord,
    Session,
    Similar,
    TokensMax,
    Under,
    not_blank,
)
from ..screen import Screen
from ..targets import HERE, Where
from .asking import seen_by, show_found, show_nothing, show_prompt, show_recall
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
from .showing import title

if TYPE_CHECKING:
    from yggdrasil_projections.retrieval.answers import Case, SimilarCases

_SIDE_MAX: Final = RETURNED_MAX // 2  # as a recall records both sides together
Foretelling = Annotated[
    list[str] | None,
    typer.Option(
        "--feature",
        "-f",
        help="A feature of it, of which is told what it foretells; no case is found by it. At most 32.",
    ),
]


def cases(
    query: Annotated[str, typer.Argument(help="The situation that you are in.", callback=not_blank)],
    feature: Foretelling = None,
    k: Annotated[int, typer.Option("-k", min=1, max=_SIDE_MAX, help="How many at most on each side.")] = K_DEFAULT,
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
    """Ask for situations like this one: those that ended well, those that ended badly, and what followed on each.

    A case is an event, an episode or a concept that has an outcome, and is alike by itself. What ended both ways
    stands on both sides and is marked as mixed. The reading is recorded like that of `context`, with a recall id.

    \b
    Examples:
      EVENT=$(yggdrasil record "Deployed on a Friday" --feature deploy --feature friday)
      yggdrasil outcome $EVENT -3 --kind outage --text "The site was down for an hour"
      yggdrasil record "Rolled it back" --feature rollback
      yggdrasil cases "Should we deploy on Friday?"
      # three on each side at most, and what a feature foretells that the words do not name
      yggdrasil cases "Is it safe to deploy tonight?" --feature friday -k 3 --no-record --json
      # among the deploys that led to an outage
      yggdrasil cases "Should we deploy on Friday?" --with-all deploy --with-all outcome:outage
    """
    from ..opening import opened

    screen = Screen(json)
    where = where_of(with_all, with_any, in_session, of_kind, since, until, from_source, from_origin, of_status,
                     trust_min, history, note, at)  # fmt: skip
    with opened(screen, place, memory, embedder=None) as it:
        found = seen_by(it, as_agent, perspective).get_similar_cases(
            query,
            k=k,
            tokens_max=tokens_max,
            min_confidence=min_confidence,
            features=feature or [],
            where=where,
            deep=deep,
            similar=similar,
            full=full,
            session=session,
            record=not no_record,
        )
    if prompt:
        show_prompt(screen, found)
    else:
        screen.result(found, lambda: show_cases(screen, found))


def show_cases(screen: Screen, found: "SimilarCases") -> None:
    """Print cases for people: a block for each, what is left out, what is foretold, then what proves the answer."""
    if found.nothing is not None:
        show_nothing(screen, found.nothing)
    elif not (found.good or found.bad):
        screen.tell("No situation like that has ended yet.")
    _show_side(screen, "What ended well:", found.good, "it ended badly too")
    _show_side(screen, "What ended badly:", found.bad, "it ended well too")
    if found.below:
        screen.tell(f"Left out, as not alike by themselves: {found.below:,} more that ended.")
    show_foretold(screen, found.foretold)
    show_recall(screen, found)


def _show_side(screen: Screen, heading: str, side: "list[Case]", otherwise: str) -> None:
    if side:
        screen.tell(heading)
    for place, case in enumerate(side, start=1):
        show_found(screen, place, case.found)
        how = f"ended at {case.value:+.3g}"
        how += "" if case.remembered else ", the mean of what was said: those outcomes are forgotten"
        screen.tell(f"    {how}{f'; mixed: {otherwise}' if case.mixed else ''}")
        if case.followed_by:
            screen.tell("    followed by:")
        for following in case.followed_by:
            screen.tell(f"      - {title(following)}")
