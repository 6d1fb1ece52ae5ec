"""What a memory answers: structured objects with their scores, their places in the log and their lineage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .found import (
    Answered,
    Conflict,
    Excerpt,
    Follows,
    Foretold,
    Found,
    KindForetold,
    Lineage,
    Measure,
    Mentioned,
    More,
    Nothing,
    OfAMoment,
    Place,
    Scores,
)
from .memories import MemoryObject
from .prompt import (
    Prompt,
    Section,
    closing_sections,
    foretold_section,
    labelled,
    memory_block,
    nothing_found,
    nothing_sections,
    page,
    referred,
)
from .questions.understood import Understood
from .using.labels import cited

__all__ = [
    "Became",
    "Case",
    "Conflict",
    "Context",
    "Described",
    "Excerpt",
    "Floor",
    "Follows",
    "Foretelling",
    "Foretold",
    "Found",
    "KindForetold",
    "Lineage",
    "Measure",
    "Mentioned",
    "More",
    "Nothing",
    "Place",
    "Prompt",
    "Scores",
    "SimilarCases",
    "Timeline",
    "prompted",
]


@dataclass(frozen=True, slots=True)
class Foretelling(Answered):
    """The answer to ``foretell``: what the features of a situation foretell, and what usually follows them.

    ``features`` are those of them that the memory knows: the ones that were given, then those that the text names.
    """

    text: str
    features: list[str]
    foretold: list[Foretold]
    followed_by: list[Follows]
    as_of: int


class Answer(OfAMoment):
    """What a context and similar cases have in common: references, with short labels, and a text for a prompt."""

    __slots__ = ()

    @property
    def refs(self) -> list[str]:
        """The references of all that was returned, in order."""
        raise NotImplementedError

    def text(self, tokens_max: int | None = None) -> str:
        """Return the answer as a prompt wants it, as a whole in at most so many tokens; see ``prompt.py``.

        Without ``tokens_max`` the budget is the one that was asked for, if any. Each memory has a label such as
        ``[m1]``, which ``ref`` and ``report_use`` take back; the lower the number, the earlier it stands in ``refs``.
        Raises InvalidAskError.
        """
        raise NotImplementedError

    def ref(self, label: str) -> str:
        """Return the reference that a label in ``text`` stands for: ``m1`` or ``[m1]``. Raises InvalidAskError."""
        return referred(self.refs, label)

    def cited(self, text: str) -> list[str]:
        """Return the references whose labels a text names, such as the reply of a model: ``[m1]`` or ``[m1, m3]``."""
        return cited(self.refs, text)


@dataclass(frozen=True, slots=True)
class Context(Answer):
    """The answer to ``get_context``: memories, the seq that it was read at, and the recall that records it.

    ``found`` is in order of ``scores.priority``, the greatest first; of two alike the older comes first.
    ``principles`` are returned whatever was asked, before everything else. ``nothing`` is set when the memory refuses
    to guess; ``found`` is empty then. ``confidence``, in [0, 1], says how sure it is that the memory knows of what was
    asked at all, and ``gap``, in [-1, 1], is negative when what is asked about whom the question names is better known
    of others; the policy's ``search_refusal`` and ``search_gap`` say from where on they are too low. ``versions`` names
    ranker, tokenizer, index and the model of the vectors.
    ``foretold`` is what the features that the question names, or that were given with it, have come to mean.
    ``recall_id`` is None and ``recorded`` false when no record was asked for, or when it could not be appended.
    ``tokens_max`` is the budget that was asked for, if any. ``conflicts`` are those that what was found is in.

    ``more`` says what else is near enough, None where nothing is. An answer that goes on from the cursor of another
    repeats nothing of what that told, neither principles nor what is foretold. ``withdrawn`` counts what is about the
    question as well and no longer stands: withdrawn, resolved, or superseded by what is not in this answer.
    ``left_out`` counts those that say what something in ``found`` says: its ``repeats``, and what a claim was made from
    that says no more. An ask with ``similar`` has them all. ``understood`` is what was read of the question.
    One that asks for all, how many, the first, the last or in which order has in ``mentioned`` how much there is of
    what it names. ``perspectives`` are those under which was asked.
    """

    query: str
    found: list[Found]
    as_of: int
    principles: list[Found] = field(default_factory=list[Found])
    foretold: list[Foretold] = field(default_factory=list[Foretold])
    nothing: Nothing | None = None
    confidence: float = 0.0
    gap: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    recall_id: str | None = None
    recorded: bool = False
    tokens_max: int | None = None
    conflicts: list[Conflict] = field(default_factory=list[Conflict])
    more: More | None = None
    withdrawn: int = 0
    left_out: int = 0
    understood: Understood | None = None
    mentioned: list[Mentioned] = field(default_factory=list[Mentioned])
    perspectives: tuple[str, ...] = ()

    @property
    def refs(self) -> list[str]:
        """The references of all that was returned, principles first, in order."""
        return [entry.memory.ref for entry in (*self.principles, *self.found)]

    @property
    def tokens(self) -> int:
        """How many tokens the text of all that was returned takes."""
        return sum(entry.tokens for entry in (*self.principles, *self.found))

    def text(self, tokens_max: int | None = None) -> str:
        """Return the answer as a prompt wants it: principles, what is foretold, then what was found, oldest first.

        A refusal says so, with what was nearest. For the rest see ``Answer.text``.
        """
        first = len(self.principles)
        now = self.now_ms
        blocks = [memory_block(each, f"[m{place}]", now) for place, each in enumerate(self.principles, start=1)]
        found = [memory_block(each, f"[m{place}]", now) for place, each in enumerate(self.found, start=first + 1)]
        sections = [
            Section("Principles:", [each._replace(order=(place, 0)) for place, each in enumerate(blocks)]),
            foretold_section(self.foretold),
        ]
        if self.nothing is not None:
            sections += nothing_sections(self.nothing, now)
        elif found:
            sections.append(Section("Memories, oldest first:", found))
        else:
            sections.append(Section(nothing_found(self.more), lone=True))
        sections += closing_sections(self.more, self.withdrawn, self.mentioned)
        return page(sections, self.tokens_max if tokens_max is None else tokens_max)


@dataclass(frozen=True, slots=True)
class Case:
    """A situation like the one that was asked about: what was done then, what followed in its session, how it ended.

    ``value`` in [-10, 10] is the outcome that weighs most of those on its side, good or bad. When none of these is
    remembered any more (``remembered`` false), it is the mean of what was said of it, in which the newest counts most,
    and 0 where that says the opposite. A ``mixed`` one ended well and badly: it stands among the good cases and among
    the bad ones.
    """

    found: Found
    value: float
    followed_by: list[MemoryObject]
    mixed: bool = False
    remembered: bool = True


@dataclass(frozen=True, slots=True)
class Floor:
    """What makes a situation similar, by itself: a score ``lexical`` of at least this, or such a score ``vector``.

    ``vector`` is None when no vectors were compared. A relevance that comes from its session, from its neighbours or
    over the graph is not enough.
    """

    lexical: float
    vector: float | None = None

    def under(self, scores: Scores) -> bool:
        """Return whether something with these scores is not similar."""
        return scores.lexical < self.lexical and (self.vector is None or scores.vector < self.vector)


@dataclass(frozen=True, slots=True)
class SimilarCases(Answer):
    """The answer to ``get_similar_cases``: what ended well and what ended badly, apart.

    Both are in order of ``scores.priority``, as a context is: a strong one may stand before one that is more alike.
    What ended both ways is in both, marked ``mixed``. ``floor`` says from where on a situation counts as similar, and
    ``below`` how many that have ended, and are relevant in some way, are left out for not being so. ``foretold`` says
    what the features that the question names, or that were given with it, have come to mean. ``perspectives`` are those
    under which was asked.
    """

    query: str
    good: list[Case]
    bad: list[Case]
    as_of: int
    nothing: Nothing | None = None
    floor: Floor | None = None
    below: int = 0
    foretold: list[Foretold] = field(default_factory=list[Foretold])
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    recall_id: str | None = None
    recorded: bool = False
    tokens_max: int | None = None
    perspectives: tuple[str, ...] = ()

    @property
    def refs(self) -> list[str]:
        """The references of all cases, each once: the good ones, then the bad ones."""
        return list(dict.fromkeys(case.found.memory.ref for case in (*self.good, *self.bad)))

    def text(self, tokens_max: int | None = None) -> str:
        """Return the cases as a prompt wants them: what ended well, then what ended badly, each with what followed.

        A refusal says so, with what was nearest. For the rest see ``Answer.text``.
        """
        now = self.now_ms
        sections = [foretold_section(self.foretold)]
        if self.nothing is not None:
            sections += nothing_sections(self.nothing, now)
        elif not (self.good or self.bad):
            sections.append(Section("No situation like that has ended yet.", lone=True))
        sections += [self._side("Ended well", self.good, now), self._side("Ended badly", self.bad, now)]
        return page(sections, self.tokens_max if tokens_max is None else tokens_max)

    def _side(self, ended: str, cases: Sequence[Case], now: int) -> Section:
        labels = {ref: label for label, ref in labelled(self.refs).items()}
        blocks = [
            memory_block(
                case.found,
                f"[{labels[case.found.memory.ref]}]",
                now,
                f"ended at {case.value:+.2g}{' (mixed)' if case.mixed else ''}",
                case.followed_by,
            )
            for case in cases
        ]
        return Section(f"{ended}, oldest first:", blocks)


def prompted(answer: Context | SimilarCases) -> Prompt:
    """Return an answer for a prompt that is put together elsewhere: its text, and what its labels stand for."""
    more = answer.more if isinstance(answer, Context) else None
    return Prompt(answer.text(), labelled(answer.refs), answer.as_of, answer.recall_id, answer.recorded, more)


@dataclass(frozen=True, slots=True)
class Described(Answered):
    """One memory by its reference, as it is now, and the place of the command that made it (None for a feature)."""

    memory: MemoryObject
    place: Place | None
    as_of: int


@dataclass(frozen=True, slots=True)
class Timeline(Answered):
    """Events and episodes in order, the latest first; ``before`` asks for what came earlier, None at the beginning."""

    memories: list[MemoryObject]
    before: int | None
    as_of: int


@dataclass(frozen=True, slots=True)
class Became:
    """What became of a command: accepted at ``place``, or refused (``seq`` 0 in it) with a reason and a sentence."""

    id: str
    accepted: bool
    place: Place
    reason: str | None
    detail: str | None
    as_of: int
