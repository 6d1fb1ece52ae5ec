"""What a session is given before it acts, as an answer and as a text for a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ...answers import Answer
from ...found import Answered, Conflict, Foretold
from ...memories import OutcomeSeen
from ...prompt import Block, Section, dated, foretold_section, page
from ...text.plain import one_line, quoted
from .decided import DecisionSeen
from .desk import DeskNote
from .registered import SessionSeen

Show = Literal["index", "claims", "full"]
"""How much is shown of each memory: a line of its first characters, what it says, or all that is known of it."""
INDEX_CHARS: Final = 60
"""So much of a text stands in an index."""
_NAME_CHARS: Final = 60
_NAMES_MAX: Final = 4
_WHY_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory that a session is given: what it says, who says so, and why it is there.

    ``kind`` is what it is, such as "lesson", "warning", "must_not", "event" or "episode", and ``about`` the thing that
    a claim is about. ``relevance``, in [0, 1], is how near it is to the session, and ``priority`` orders it. ``via``
    are references of what it was found by, where it was not found by the session itself. ``outcomes``, ``rationale``
    and ``evidence`` (references) are given where all is to be shown; ``describe`` has them of any. ``cut``: it says
    more than ``text`` does.
    """

    ref: str
    kind: str
    text: str | None
    about: str | None
    said_by: str
    trust: int
    status: str
    at: int | None
    relevance: float
    priority: float
    tokens: int
    via: list[str] = field(default_factory=list[str])
    outcomes: list[OutcomeSeen] = field(default_factory=list[OutcomeSeen])
    rationale: str | None = None
    evidence: list[str] = field(default_factory=list[str])
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Collision:
    """Another open session that touches what this one touches.

    ``common`` are the features that both touch, and ``share`` how many these are of all that either touches (Jaccard).
    """

    session: SessionSeen
    share: float
    common: list[str]


@dataclass(frozen=True, slots=True)
class Link:
    """How two things in a context have to do with each other: ``source``, by a ``relation``, with ``target``.

    Both are references; ``since`` is the one that comes first in thought, ``therefore`` the other: what leads to
    something, supports it, or is depended on. ``seq`` is that of the command which says so, and ``reason`` is why,
    None where that cannot be read.
    """

    source: str
    relation: str
    target: str
    since: str
    therefore: str
    seq: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SessionContext(Answered, Answer):
    """What a session is given: what is known for its work, within a budget of tokens.

    ``principles`` and ``rules`` say what must hold, ``warnings`` and ``lessons`` what was learnt, ``recoveries`` what
    helped when something failed; ``decisions`` are precedents with how they turned out, and ``memories`` what else is
    relevant. They are in order of priority. Of the desk, ``goals``, ``intent``, ``threats`` and ``promises`` are what
    stands, and ``desk`` the other notes. ``collisions`` are other open sessions that touch the same. ``leases`` say who
    else holds a resource: alone, with no rivals, or in conflict. ``failures`` are what the features of the session
    foretell, and ``links`` say how what is shown hangs together.

    ``tokens`` is what the texts take of ``tokens_max``. ``left_out`` counts what is relevant and did not fit, notes
    among it; of many, some may say the same. ``more`` are references of these memories, and ``told`` of those that were
    shown before and still are relevant, at most 50 each: ``describe`` expands each.
    """

    session: SessionSeen
    principles: list[Remembered]
    rules: list[Remembered]
    warnings: list[Remembered]
    lessons: list[Remembered]
    recoveries: list[Remembered]
    decisions: list[DecisionSeen]
    memories: list[Remembered]
    goals: list[DeskNote]
    intent: list[DeskNote]
    threats: list[DeskNote]
    promises: list[DeskNote]
    desk: list[DeskNote]
    collisions: list[Collision]
    leases: list[Conflict]
    failures: list[Foretold]
    links: list[Link]
    show: Show
    tokens: int
    tokens_max: int
    left_out: int
    more: list[str]
    told: list[str]
    as_of: int

    @property
    def remembered(self) -> list[Remembered]:
        """All memories that are shown, in the order in which a text has them, but for decisions."""
        return [
            *self.principles,
            *self.rules,
            *self.warnings,
            *self.lessons,
            *self.recoveries,
            *self.memories,
        ]

    @property
    def notes(self) -> list[DeskNote]:
        """All notes of the desk, in the order in which a text has them."""
        return [*self.goals, *self.intent, *self.threats, *self.promises, *self.desk]

    @property
    def refs(self) -> list[str]:
        """The references of all that is shown, each once: notes, memories, decisions."""
        notes, remembered = (each.ref for each in self.notes), (each.ref for each in self.remembered)
        return list(dict.fromkeys([*notes, *remembered, *(each.ref for each in self.decisions)]))

    def text(self, tokens_max: int | None = None) -> str:
        """Return it for a prompt, as a whole in at most so many tokens; see ``Answer.text``.

        What stands first is taken first: the desk, what must hold, warnings, lessons, decisions, other memories.
        Without ``tokens_max`` the budget is the one that was asked for. Raises InvalidAskError.
        """
        return page(_sections(self, self.now_ms), self.tokens_max if tokens_max is None else tokens_max)


def _sections(context: SessionContext, now: int) -> list[Section]:
    labels = {ref: f"[m{place}]" for place, ref in enumerate(context.refs, start=1)}

    def remembered(heading: str, of: Sequence[Remembered]) -> Section:
        return Section(heading, [_remembered(each, labels, context.show, now, at) for at, each in enumerate(of)])

    def noted(heading: str, of: Sequence[DeskNote], *, plain: bool = True) -> Section:
        return Section(heading, [_noted(each, labels, now, at, plain=plain) for at, each in enumerate(of)])

    links = [_linked(each, labels, at) for at, each in enumerate(context.links)]
    return [
        Section(_heading(context.session), lone=True),
        Section(
            "Other open sessions touch the same:", [_collides(each, at) for at, each in enumerate(context.collisions)]
        ),
        Section("Who holds what it touches:", [_lease(each, at) for at, each in enumerate(context.leases)]),
        noted("Goals:", context.goals),
        noted("Intent:", context.intent),
        noted("Threats:", context.threats),
        noted("Promises:", context.promises),
        noted("On the desk:", context.desk, plain=False),
        remembered("Principles:", context.principles),
        remembered("Rules:", context.rules),
        remembered("Warnings:", context.warnings),
        remembered("Lessons:", context.lessons),
        remembered("What helped when it failed:", context.recoveries),
        Section(
            "Decisions before:",
            [_decided(each, labels, context.show, now, at) for at, each in enumerate(context.decisions)],
        ),
        foretold_section(context.failures),
        remembered("Memories:", context.memories),
        Section("How these hang together:", links),
        *_closing(context),
    ]


def _closing(context: SessionContext) -> list[Section]:
    lines: list[str] = []
    if context.told:
        lines.append(f"{len(context.told)} shown before still count: {', '.join(context.told[:_NAMES_MAX])}")
    if context.left_out:
        lines.append(f"{context.left_out} more are relevant and did not fit.")
    return [Section(line, lone=True, closing=True) for line in lines]


def _heading(session: SessionSeen) -> str:
    named = (("workflow", session.workflow), ("task", session.task), ("agent", session.agent))
    told = ", ".join(f"{kind} {quoted(name, _NAME_CHARS)}" for kind, name in named if name)
    goal = f": {one_line(session.goal, _WHY_CHARS)}" if session.goal else ""
    return f"This session{f', {told}' if told else ''}, as {session.said_by} opened it{goal}"


def _collides(each: Collision, at: int) -> Block:
    seen = each.session
    named = ", ".join(quoted(name, _NAME_CHARS) for name in (seen.agent, seen.task) if name)
    common = ", ".join(quoted(name, _NAME_CHARS) for name in each.common[:_NAMES_MAX])
    head = f"- {seen.said_by}{f', {named}' if named else ''}, {each.share:.0%} of it, {common}: "
    return Block(head, one_line(seen.goal or "(no goal told)", _WHY_CHARS), (), (at, 0))


def _lease(conflict: Conflict, at: int) -> Block:
    held = [*([conflict.stands] if conflict.stands else []), *conflict.rivals]
    says = "; ".join(f"{each.said_by} says {quoted(each.text or '(no text)', _WHY_CHARS)}" for each in held)
    return Block("- ", says, (), (at, 0))


def _noted(note: DeskNote, labels: dict[str, str], now: int, at: int, *, plain: bool) -> Block:
    due = "" if note.due is None else f"{'OVERDUE since' if note.due <= now else 'due'} {dated(note.due)}"
    status = "" if note.status == "active" else note.status.upper()
    stale = "STALE: what it rests on has fallen" if note.stale else ""
    head = ", ".join(
        filter(None, (note.said_by, status, stale, due, "" if plain else quoted(note.predicate, _NAME_CHARS)))
    )
    said = {True: "yes", False: "no"}[note.value] if isinstance(note.value, bool) else note.value or note.text
    return Block(f"{labels[note.ref]} {head}: ", one_line(said or "(no text)"), (), (at, 0))


def _remembered(each: Remembered, labels: dict[str, str], show: Show, now: int, at: int) -> Block:
    status = "" if each.status == "active" else each.status.upper()
    found = "" if not each.via else f"found by {', '.join(labels.get(ref, ref) for ref in each.via)}"
    day = dated(each.at, now)
    about = "" if each.about is None else quoted(each.about, _NAME_CHARS)
    head = ", ".join(filter(None, (day, each.said_by, status, each.kind.replace("_", " "), about, found)))
    says = one_line(each.text or "(no text)", INDEX_CHARS if show == "index" else None)
    more = [f"  why: {one_line(each.rationale, _WHY_CHARS)}"] if each.rationale else []
    more += [_ended(outcome) for outcome in each.outcomes[-3:]]
    more += (
        [f"  from: {', '.join(labels.get(ref, ref) for ref in each.evidence[:_NAMES_MAX])}"] if each.evidence else []
    )
    if show == "index":
        more.append(f"  {each.ref}")
    return Block(f"{labels[each.ref]} {head}: ", says, tuple(more), (at, 0))


def _decided(each: DecisionSeen, labels: dict[str, str], show: Show, now: int, at: int) -> Block:
    head = ", ".join(filter(None, (dated(each.at, now), each.said_by)))
    more: list[str] = []
    if show != "index":
        more += [f"  why: {one_line(each.why, _WHY_CHARS)}"] if each.why else []
        others = ", ".join(quoted(other, _NAME_CHARS) for other in each.alternatives[:_NAMES_MAX])
        more += [f"  instead of: {others}"] if others else []
    more += [_ended(outcome) for outcome in each.outcomes[-3:]]
    says = one_line(each.what or "(no text)", INDEX_CHARS if show == "index" else None)
    return Block(f"{labels[each.ref]} {head}: ", says, tuple(more), (at, 0))


def _ended(outcome: OutcomeSeen) -> str:
    told = f": {one_line(outcome.text, _WHY_CHARS)}" if outcome.text else ""
    return f"  {outcome.value:+g} {quoted(outcome.kind, _NAME_CHARS)}, {outcome.said_by}{told}"


def _linked(link: Link, labels: dict[str, str], at: int) -> Block:
    since, therefore = (labels.get(ref, quoted(ref, _NAME_CHARS)) for ref in (link.since, link.therefore))
    why = f", {one_line(link.reason, _WHY_CHARS)}" if link.reason else ""
    return Block(f"- {link.relation.replace('_', ' ')}: ", f"since {since}, therefore {therefore}{why}", (), (at, 0))
