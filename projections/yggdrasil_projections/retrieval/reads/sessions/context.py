"""What a session is given before it acts, and again when its context is renewed (004, injection of context)."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Final, NamedTuple, cast, get_args

from pydantic import Field

from yggdrasil_projections.graph.laws.reference import resolve
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.wire import CommandId
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.limits import RETURNED_MAX, TEXT_CHARS_MAX
from yggdrasil_schemas.names import composed

from ...asks import TOKENS_MAX, check_count, check_text
from ...errors import InvalidAskError
from ...found import Conflict
from ...index.index import MemoryIndex
from ...index.visible import Shown
from ...lens import TASK, stands
from ...memories import content_of, describe
from ...parameters import SessionNamed
from ...query import OnTheWire, Query, Read, Source
from ...ranking.selection import Candidate, Limits, selected, tokens_of
from ...records import fields_in
from ..knowledge.claims import claims_about
from ..knowledge.conflicts import conflicts_of
from ..learning.foretold import foretold
from ..ranked.ordered import limits_of, ranked
from .decided import NOTE as DECISION
from .decided import DecisionSeen
from .desk import DeskNote, notes_at, notes_of
from .gathering import Gathered, gathered
from .given import INDEX_CHARS, Collision, Remembered, SessionContext, Show
from .registered import SessionSeen, registered, session_called
from .showing import Showing, links_among

COLLIDES_FROM: Final = 0.2
"""From which share of what both touch on two sessions collide (004, collision detection)."""
TOKENS: Final = 800
SEEN_MAX: Final = 128
QUERY_CHARS_MAX: Final = 512
"""With so many references, that is as much as the head of a request may have, whatever is written in it."""
_COLLISIONS_MAX: Final = 8
_RESOURCES_MAX: Final = 8
_HOLDERS_MAX: Final = 64  # the latest claims of one resource that are looked at
_MORE_MAX: Final = 50
_AGENTS: Final = 1  # the trust of what agents say
_COMPARED_MAX: Final = 2 * RETURNED_MAX  # each with each, by what they say
_DESK_SHARE: Final = 0.5  # of the budget at most: what is noted may not push out what was learnt
_RESOURCE: Final = "resource:"
_HELD_BY: Final = "held_by"
_WAITS: Final = "candidate"
_WARNING: Final = "warning"
_RECOVERY: Final = "recovery"
_GROUPS: Final = ("rules", "warnings", "lessons", "recoveries", "memories")
_ON_DESK: Final = {"goal": "goals", "intent": "intent", "threat": "threats", "promise": "promises"}
_NOTED: Final = (*_ON_DESK.values(), "desk")


class Chosen(NamedTuple):
    """What is shown of what bears on a session, what is near as well, and what was told before, all by priority."""

    shown: list[Candidate]
    left: list[Candidate]
    told: list[Candidate]


def session_context(graph: Graph, index: MemoryIndex, ask: "AskSession", partition: int, now: int) -> SessionContext:
    """Return what a session is given, as of ``now`` (Unix ms); the index stands at the position of ``graph``.

    Raises UnknownSessionError.
    """
    session = session_called(graph, ask.session)
    question = (ask.query or session.goal or "")[:TEXT_CHARS_MAX]
    full, features = ask.show == "full", [composed(each) for each in session.features]
    names = None if session.task is None else graph.called(TASK + session.task)
    noted = notes_of(graph, notes_at(index, names, session.session), now, own=True)
    noted = [each for each in noted if each.status != _WAITS or each.session == session.session]
    noted.sort(key=lambda each: each.status == _WAITS)
    notes, taken = _fitting(noted, int(_DESK_SHARE * ask.tokens_max))
    pinned = [number for number in graph.header.principles if stands(graph.expect(number))]
    near = gathered(graph, index, session, question, partition, now, full=full)
    showing = Showing(graph, near, ask.show, partition)
    principles = [showing.principle(number) for number in pinned]
    left = max(0, ask.tokens_max - taken - sum(each.tokens for each in principles))
    openings = [each.opened for each in graph.sessions.values()]  # any order: what is left out
    chosen = _chosen(graph, near, ask, [*pinned, *openings], left)
    groups: dict[str, list[Remembered]] = {name: [] for name in _GROUPS}
    decisions: list[DecisionSeen] = []
    for each in chosen.shown:
        record = fields_in(content_of(graph, each.number))
        if record["body"].get("note") == DECISION:
            decisions.append(showing.decision(each, record))
        else:
            remembered = showing.memory(each)
            groups[_group(remembered, record)].append(remembered)
    desk = {name: [note for note in notes if _ON_DESK.get(note.predicate, "desk") == name] for name in _NOTED}
    shown = [*pinned, *(each.number for each in chosen.shown), *_numbers(graph, (note.ref for note in notes))]
    return SessionContext(
        session,
        principles,
        rules=groups["rules"],
        warnings=groups["warnings"],
        lessons=groups["lessons"],
        recoveries=groups["recoveries"],
        decisions=decisions,
        memories=groups["memories"],
        goals=desk["goals"],
        intent=desk["intent"],
        threats=desk["threats"],
        promises=desk["promises"],
        desk=desk["desk"],
        collisions=collisions(graph, session),
        leases=leases(graph, index, session),
        failures=foretold(graph, index.feature_names, question, features),
        links=links_among(graph, shown, features),
        show=ask.show,
        tokens=ask.tokens_max - left + sum(each.tokens for each in chosen.shown),
        tokens_max=ask.tokens_max,
        left_out=len(chosen.left) + len(noted) - len(notes),
        more=[showing.ref(each) for each in chosen.left[:_MORE_MAX]],
        told=[showing.ref(each) for each in chosen.told[:_MORE_MAX]],
        as_of=graph.header.seq,
    )


def _group(memory: Remembered, record: dict[str, Any]) -> str:
    body: dict[str, Any] = record["body"]
    sort: str | None = body.get("claim_class")
    if sort == "rule":
        return "rules"
    if sort != "lesson":
        return "memories"
    return {_WARNING: "warnings", _RECOVERY: "recoveries"}.get(memory.kind, "lessons")


def _chosen(graph: Graph, near: Gathered, ask: "AskSession", without: Sequence[int], left: int) -> Chosen:
    """Return what is worth most for its tokens of what bears on a session and was not seen; nothing of it twice."""
    before = frozenset(_numbers(graph, ask.seen))
    limits = limits_of(near.recipe, RETURNED_MAX, left)
    candidates = ranked(graph, near.shown, near.recipe, near.hits, without, near.repeated)
    if ask.show == "index":
        candidates = [each._replace(tokens=min(each.tokens, tokens_of(INDEX_CHARS))) for each in candidates]
    told = [each for each in candidates if each.number in before]
    fresh = [each for each in candidates if each.number not in before]
    above = [each for each in fresh if each.trust > _AGENTS][:RETURNED_MAX]
    first = {each.number for each in [*above, *fresh][:_COMPARED_MAX]}
    compared = [each for each in fresh if each.number in first]
    distinct = selected(near.shown, compared, limits._replace(places=len(compared), tokens=None))
    shown = _by_tier(near.shown, distinct, limits, left)
    taken = {each.number for each in shown}
    others = [each for each in fresh if each.number not in first]
    return Chosen(shown, [each for each in distinct if each.number not in taken] + others, told)


def _by_tier(shown: Shown, distinct: Sequence[Candidate], limits: Limits, left: int) -> list[Candidate]:
    """Return what is chosen: each tier of trust but the lowest is sure of half of what those above leave of the budget.

    So nobody takes it all by saying much who is trusted less.
    """
    chosen: list[Candidate] = []
    for tier in sorted({each.trust for each in distinct}, reverse=True)[:-1]:
        of_tier = [each for each in distinct if each.trust == tier]
        more = selected(shown, of_tier, limits._replace(tokens=left // 2))
        chosen += more
        left -= sum(each.tokens for each in more)
    taken = {each.number for each in chosen}
    rest = [each for each in distinct if each.number not in taken]
    chosen += selected(shown, rest, limits._replace(places=limits.places - len(chosen), tokens=left))
    return sorted(chosen, key=lambda each: (-each.priority, each.number))


def _fitting(notes: Sequence[DeskNote], tokens: int) -> tuple[list[DeskNote], int]:
    """Return the notes that fit into a budget, in their order, and how many tokens they take."""
    found: list[DeskNote] = []
    taken = 0
    for note in notes:
        own = tokens_of(len(note.text or ""))
        if taken + own <= tokens:
            found.append(note)
            taken += own
    return found, taken


def _numbers(graph: Graph, refs: Iterable[str]) -> list[int]:
    """Return the numbers of the live nodes that references name; what they name no longer is passed over."""
    found = (resolve(graph, ref) for ref in refs)
    return [number for number in found if isinstance(number, int)]


def collisions(graph: Graph, session: SessionSeen) -> list[Collision]:
    """Return the other open sessions that touch what one touches, the largest share first, at most 8.

    The share is the Jaccard index of what both touch, and at least ``COLLIDES_FROM``.
    """
    own = set(session.touches)
    found: list[Collision] = []
    for other in registered(graph):
        theirs = set(other.touches)
        if other.session == session.session or not own & theirs:
            continue
        share = len(own & theirs) / len(own | theirs)
        if share >= COLLIDES_FROM:
            found.append(Collision(other, share, sorted(own & theirs)))
    return sorted(found, key=lambda each: (-each.share, -each.session.touched))[:_COLLISIONS_MAX]


def leases(graph: Graph, index: MemoryIndex, session: SessionSeen) -> list[Conflict]:
    """Return who else holds the resources (``resource:NAME``) that a session touches: alone, or in conflict."""
    found: list[Conflict] = []
    for name in [each for each in session.touches if each.startswith(_RESOURCE)][:_RESOURCES_MAX]:
        nodes = (graph.node(number) for number in claims_about(graph, index, name)[-_HOLDERS_MAX:])
        held = [
            node
            for node in nodes
            if node is not None and (claim := graph.claim(node)) is not None and claim.predicate == _HELD_BY
        ]
        conflicts = conflicts_of(graph, held, lambda number: graph.node(number) is not None)
        holders = [describe(graph, node) for node in held if stands(node)] if not conflicts else []
        found += conflicts or [Conflict(each, []) for each in holders if each.session != session.session]
    return found


def _is_id(ref: str) -> bool:
    try:
        return len(id_bytes(ref)) > 0
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class AskSession(Query[SessionContext]):
    """Return what is known for the work of one registered session, within a budget of ``tokens_max`` tokens.

    It is found by the session's workflow, task and touched features, by the words of its goal, or of ``query`` instead,
    and by what these find. A prompt leaves 40 to 60 % of a model's window to all that is given to it (004): this is a
    part of that. ``show`` is "index" (a line each), "claims" (what each says) or "full" (with outcomes, reasons and
    evidence); ``describe`` expands any reference. ``seen`` are references that the session was shown before, at most
    128: they stand back behind fresh ones, and are only named. It is no recall. Raises UnknownSessionError, and
    InvalidAskError.
    """

    session: SessionNamed
    query: Annotated[str, Field(max_length=QUERY_CHARS_MAX)] | None = None
    _: KW_ONLY
    tokens_max: Annotated[int, Field(ge=1, le=TOKENS_MAX)] = TOKENS
    show: Show = "claims"
    seen: Annotated[
        Sequence[str],
        OnTheWire(Annotated[list[CommandId], Field(max_length=SEEN_MAX)]),
        Field(description="References that the session was shown before; give it again for more."),
    ] = ()

    def __post_init__(self) -> None:
        check_text("session", self.session)
        check_count("tokens_max", self.tokens_max, TOKENS_MAX)
        if self.query is not None and len(check_text("query", self.query)) > QUERY_CHARS_MAX:
            raise InvalidAskError(f"query has at most {QUERY_CHARS_MAX} characters: ask get_context what is longer")
        if self.show not in get_args(Show):
            raise InvalidAskError(f"show is one of {', '.join(get_args(Show))}, and not {str(self.show)[:40]!r}")
        if isinstance(self.seen, str) or not isinstance(cast(object, self.seen), Iterable):
            raise InvalidAskError("seen is a list of references, such as `refs` of an answer before")
        seen = tuple(check_text("seen", each) for each in self.seen)
        if len(seen) > SEEN_MAX:
            raise InvalidAskError(f"seen takes {SEEN_MAX} references, and these are {len(seen)}: give the latest")
        if not all(map(_is_id, seen)):
            raise InvalidAskError("seen takes references as `refs` of an answer has them: ids of commands")
        object.__setattr__(self, "seen", seen)

    def read(self, source: Source, /) -> SessionContext:
        """Answer it."""
        now = source.now_ms()
        with source.indexed() as (graph, index):
            return session_context(graph, index, self, source.partition, now)


SESSION: Final = Read(
    "session_context",
    AskSession,
    SessionContext,
    "GET /sessions/{session:path}/context",
    "What is known for a session's work",
    """Return what one open session is given: rules, warnings, lessons, recoveries, precedents and other memories, what
stands on its desk, and which other sessions touch the same.

All of it takes at most `tokens_max` tokens of text. `show` says how much of each is shown, and `seen` what was shown
before.""",
    example={"session": "release-1", "tokens_max": 400},
)
