"""What may be asked of a memory: plain values, checked here, so that every host refuses the same things."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, cast, get_args

from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.commands.envelope import is_tier
from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.limits import (
    FEATURES_MAX,
    NAME_CHARS_MAX,
    PERSPECTIVE_CHARS_MAX,
    PERSPECTIVES_MAX,
    RETURNED_MAX,
    TEXT_CHARS_MAX,
    TIME_MS_MAX,
    TRUST_MAX,
)
from yggdrasil_schemas.moments import Moment, NotAMomentError, moment_ms
from yggdrasil_schemas.names import composed, is_unicode
from yggdrasil_schemas.refusals import HALF_A_CHARACTER

from .errors import InvalidAskError
from .questions.understood import CLAUSE_CHARS_MAX, CLAUSES_MAX, Understood

K_DEFAULT: Final = 10
LISTED: Final = 2 * K_DEFAULT
"""... of a question for a list."""
TOKENS_MAX: Final = 1_000_000  # beyond what any model reads at once
CURSOR_CHARS_MAX: Final = 16_384
"""A cursor has fewer, however much has been told: some 40 of ten memories, some 3,000 of a thousand."""
WHERE_VALUES_MAX: Final = 32
"""So many values a filter takes for each of its conditions."""
_PLAIN: Final = ("since", "until", "trust_min", "history", "valid_at", "valid_since")

Kind = Literal["event", "outcome", "episode", "concept", "claim"]
"""What is searched: what was recorded, how it turned out, what was condensed of it, and what is claimed."""
Standing = Literal["active", "candidate", "prior", "contested", "quarantined", "superseded", "rejected", "resolved"]
"""Whether something stands: without a word about it only what is active, prior or contested is there."""

Purpose = Literal["context", "similar_cases", "deep"]
"""What a recall is recorded as: a deep one is ``deep``, whichever read it was."""


NO_PIECES: Final = "the vector of a question has no pieces: send that of the whole, and clauses apart"


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The embedding of a query: the model that made it, and ``data``, its int8 values as bytes, one per dimension."""

    model: str
    data: bytes


OF_WHEN: Final = ("valid_at", "valid_since")
"""The conditions that say when claims have to hold, which whoever answers gives where nobody does."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a question that is asked by itself too, with its vector if the question has one.

    With ``otherwise`` it is asked only where nothing answers the whole.
    """

    text: str
    vector: QueryVector | None = field(default=None, repr=False)
    otherwise: bool = False


@dataclass(frozen=True, slots=True, init=False)
class Where:
    """A filter: what a question is put to. What it does not admit is not there: it is not found, and sways nothing.

    Each condition that is given must hold. Of several values one is enough; of ``features_all`` each is needed.
    ``features_all`` and ``features_any`` are features as they were recorded, such as "friday" or "service:checkout";
    what was judged has the kinds of its outcomes too, such as "outcome:outage". ``since`` and ``until`` bound when it
    happened (its ``at``); both belong to it, and of a date the whole day. ``sources`` and ``origins`` are who said it.

    An outcome is admitted with what it judged, if it was itself said by whom and when the filter says. Two filters are
    equal when they admit the same values, in whatever order these were given.

    What was superseded, rejected or resolved, or is in quarantine, is there only with ``history``, or where
    ``statuses`` names its status; the same holds for what is only a candidate, and for episodes of which a part no
    longer stands. ``trust_min``, from 0 to 4, is how far whoever said it must be trusted: 1 an agent, 2 a user, 3 a
    tool, 4 an operator. ``valid_at`` is the moment of which claims must hold, now by default: what another value has
    taken the place of since is there as well, where it is known until when it held. With ``valid_since`` too those are
    there that held at any moment from then to ``valid_at``.

    ``notes`` are the sorts of notes that are meant, such as "decision". An open question is no answer: it is there only
    where ``notes`` or ``statuses`` are given, or with ``history``. An utterance, which a loop said and which tells
    nothing new, is searched only where ``notes`` name it. What is noted on the desk of a session is searched only where
    ``sessions`` name that, or features its task (``task:NAME``).
    """

    features_all: tuple[str, ...] | None
    features_any: tuple[str, ...] | None
    sessions: tuple[str, ...] | None
    kinds: tuple[str, ...] | None
    since: int | None
    until: int | None
    sources: tuple[str, ...] | None
    origins: tuple[str, ...] | None
    statuses: tuple[str, ...] | None
    trust_min: int | None
    history: bool | None
    valid_at: int | None
    valid_since: int | None
    notes: tuple[str, ...] | None

    def __init__(
        self,
        *,
        features_all: Iterable[str] | None = None,
        features_any: Iterable[str] | None = None,
        sessions: Iterable[str] | None = None,
        kinds: Iterable[str] | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        sources: Iterable[str] | None = None,
        origins: Iterable[str] | None = None,
        statuses: Iterable[str] | None = None,
        trust_min: int | None = None,
        history: bool | None = None,
        valid_at: Moment | None = None,
        valid_since: Moment | None = None,
        notes: Iterable[str] | None = None,
    ) -> None:
        """Take at most 32 values for each condition. Raises InvalidAskError for what cannot be meant."""
        lists = {
            "features_all": _values("features_all", features_all),
            "features_any": _values("features_any", features_any),
            "sessions": _values("sessions", sessions),
            "kinds": _values("kinds", kinds, get_args(Kind)),
            "sources": _values("sources", sources),
            "origins": _values("origins", origins, get_args(Origin)),
            "statuses": _values("statuses", statuses, get_args(Standing)),
            "notes": _values("notes", notes, get_args(NoteKind)),
        }
        times = {
            "since": None if since is None else asked_moment("since", since),
            "until": None if until is None else asked_moment("until", until, end=True),
            "valid_at": None if valid_at is None else asked_moment("valid_at", valid_at, before_1970=True),
            "valid_since": None if valid_since is None else asked_moment("valid_since", valid_since, before_1970=True),
        }
        lens = {"trust_min": asked_trust(trust_min), "history": _switched("history", history)}
        for name, value in (lists | times | lens).items():
            object.__setattr__(self, name, value)
        if self.since is not None and self.until is not None and self.since > self.until:
            raise InvalidAskError("since lies after until, and would admit nothing: give the earlier one as since")
        if self.valid_since is not None and (self.valid_at is None or self.valid_since > self.valid_at):
            raise InvalidAskError("valid_since is where a span begins that valid_at ends: give a later valid_at too")

    def given(self) -> dict[str, Any]:
        """Return the conditions that are given, as JSON has them; ``Where(**given)`` is the same filter again."""
        values: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        given = {name: value for name, value in values.items() if value is not None}
        return {name: value if name in _PLAIN else list(value) for name, value in given.items()}

    @property
    def hides(self) -> bool:
        """Whether it hides something: to ask for the history alone shows more, and for what holds is no filter."""
        return any(name not in ("history", *OF_WHEN) for name in self.given())

    def having(self, **given: Any) -> "Where":
        """Return this filter with other conditions, such as ``history=True``."""
        return Where(**(self.given() | given))


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to one memory.

    At most ``k`` (1 to 50) memories are wanted, and at most ``tokens_max`` tokens of text if it is given (a token is
    counted as four characters). Where neither is, what answers is wanted and little else, and at most ten. ``vector``
    is compared with the vectors of the same model only. A ``deep`` ask sees what is archived as well. Equal asks of
    equal memories have equal answers: nothing else enters into them but the ranker's version. ``features``, at most 32,
    are those of the situation: what they foretell is told, and nothing is found by them. With ``where`` only what that
    admits is there; a filter without a condition is none. ``min_confidence``, from 0 to 1, is what confidence an answer
    takes, instead of what the memory's policy says; with 0 nothing that is relevant is refused.
    ``more`` is the cursor of an answer to the same question, to go on where that ended. With ``similar`` each memory
    is there that says what another says; else the latest stands for all. With ``full`` long texts are whole; else what
    answers the question is shown of them.

    ``clauses``, at most three, are asked by themselves as well; None: whoever answers reads which these are.
    ``understood`` is what was read of the question; None: it is asked as it stands.

    ``role`` is what asks, and ``perspectives``, at most eight, are those under which is asked: of a role these are some
    of its own, and without them those that the question speaks of. What has grown strong under them comes first.
    """

    memory: str
    query: str
    k: int | None = None
    tokens_max: int | None = None
    vector: QueryVector | None = field(default=None, repr=False)
    deep: bool = False
    features: tuple[str, ...] = ()
    where: Where | None = None
    min_confidence: float | None = None
    more: str | None = None
    similar: bool = False
    full: bool = False
    clauses: tuple[Clause, ...] | None = None
    understood: Understood | None = None
    role: str | None = None
    perspectives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        _check_clauses(self.clauses)
        check_count("k", self.k, RETURNED_MAX)
        check_count("tokens_max", self.tokens_max, TOKENS_MAX)
        _check_share("min_confidence", self.min_confidence)
        object.__setattr__(self, "features", check_named(self.query, self.features))
        _check_cursor(self.more)
        _switched("similar", self.similar)
        _switched("full", self.full)
        object.__setattr__(self, "role", asked_role(self.role))
        object.__setattr__(self, "perspectives", asked_perspectives(self.perspectives))
        object.__setattr__(self, "where", check_filter(self.where))

    @property
    def places(self) -> int:
        """How many memories may be returned: twice as many where a list is asked for, and nobody says how many."""
        if self.k is not None:
            return self.k
        return LISTED if self.lists else K_DEFAULT

    @property
    def lists(self) -> bool:
        """Whether it asks for all that there is, or how many these are."""
        return self.understood is not None and self.understood.quantity is not None

    @property
    def closely(self) -> bool:
        """Whether only what answers is wanted: nobody has said how much, or asked for what has faded or stood once."""
        history = self.where is not None and self.where.history is True
        return self.k is None and self.tokens_max is None and not self.deep and not history


@dataclass(frozen=True, slots=True)
class Speaker:
    """On whose behalf a read is recorded; stamped by the gateway, never taken from what a client says.

    ``may`` says whether a record of so many bytes may be appended: what a tenant may take is not for reads alone.
    """

    source: str
    process: str
    origin: Origin
    may: Callable[[int], bool] = field(default=lambda _: True, compare=False, repr=False)


def asked_role(given: object) -> str | None:
    """Return the name of a role; None for none. Raises InvalidAskError for what is no name."""
    return None if given is None else _perspective("role", given)


def asked_perspectives(given: object) -> tuple[str, ...]:
    """Return names of perspectives, each once, in order. Raises InvalidAskError for what are none, or too many."""
    names = _listed("perspectives", given)
    if len(names) > PERSPECTIVES_MAX:
        raise InvalidAskError(f"one asks under at most {PERSPECTIVES_MAX} perspectives, and these are {len(names)}")
    return tuple(dict.fromkeys(_perspective("perspectives", each) for each in names))


def _perspective(what: str, given: object) -> str:
    if not isinstance(given, str) or not 1 <= len(given) <= PERSPECTIVE_CHARS_MAX:
        raise InvalidAskError(f"{what}: a name has 1 to {PERSPECTIVE_CHARS_MAX} characters, not {str(given)[:80]!r}")
    if given in (".", ".."):
        raise InvalidAskError(f"{what}: {given!r} is part of a path, and no name")
    return composed(check_text(what, given))


def check_count(name: str, given: object, most: int) -> None:
    """Raise InvalidAskError for what is no whole number from 1 to ``most``; None is none that is given."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most):
        raise InvalidAskError(f"{name} must lie between 1 and {most}, and be whole: {str(given)[:40]!r} is not")


def check_seq(name: str, given: object) -> None:
    """Raise InvalidAskError for what is no place in the life of a memory; None is none that is given."""
    if given is not None and (isinstance(given, bool) or not isinstance(given, int)):
        raise InvalidAskError(
            f"{name} takes a seq, the whole number that an answer gives to go on from, and not {str(given)[:40]!r}; "
            "for a time give where=Where(since=..., until=...) to what takes it"
        )


def _check_cursor(given: object) -> None:
    """Raise InvalidAskError for what has not even the form of a cursor."""
    if given is not None and (not isinstance(given, str) or not 1 <= len(given) <= CURSOR_CHARS_MAX):
        raise InvalidAskError("more takes `more.cursor` of an answer as it is; leave it out to ask anew")


def _check_clauses(given: tuple[Clause, ...] | None) -> None:
    """Raise InvalidAskError for more clauses than are asked, or what is no clause of a question."""
    if given is None:
        return
    if len(given) > CLAUSES_MAX:
        raise InvalidAskError(f"a question has at most {CLAUSES_MAX} clauses that are asked by themselves")
    for each in given:
        if not 1 <= len(check_text("a clause", each.text).strip()) <= CLAUSE_CHARS_MAX:
            raise InvalidAskError(f"a clause has 1 to {CLAUSE_CHARS_MAX:,} characters: ask what is longer as a whole")


def _check_share(name: str, given: object) -> None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1):
        raise InvalidAskError(f"{name} must lie between 0 and 1, not {str(given)[:40]!r}")


def check_named(text: object, features: object) -> tuple[str, ...]:
    """Return the features of one situation, each as often as it is given; they may come from anything that yields them.

    Raises InvalidAskError for what is no text, or too long a one, and for what are no features of one situation.
    """
    if len(check_text("the query", text)) > TEXT_CHARS_MAX:
        raise InvalidAskError(f"a query may have {TEXT_CHARS_MAX} characters, and this one has more")
    if len(names := _listed("features", features)) > FEATURES_MAX:
        raise InvalidAskError(f"a situation may have {FEATURES_MAX} features, and this one has {len(names)}")
    return tuple(_name("features", name) for name in names)


def check_text(what: str, given: object) -> str:
    """Return a text. Raises InvalidAskError for what is none, or has half of a character."""
    if not isinstance(given, str):
        raise InvalidAskError(f"{what} is a text, and not a {type(given).__name__}")
    if not is_unicode(given):
        raise InvalidAskError(f"{what}: {HALF_A_CHARACTER}")
    return given


def _listed(name: str, given: object) -> list[object]:
    if isinstance(given, str):
        raise InvalidAskError(f"{name} is a list of names, and not the string {given[:NAME_CHARS_MAX]!r}")
    if not isinstance(given, Iterable):
        raise InvalidAskError(f"{name} is a list of names, and not a {type(given).__name__}")
    return list(cast(Iterable[object], given))


def _name(what: str, given: object) -> str:
    if not isinstance(given, str) or not 1 <= len(given) <= NAME_CHARS_MAX:
        raise InvalidAskError(f"{what}: a name has 1 to {NAME_CHARS_MAX} characters, and {str(given)[:200]!r} is none")
    return check_text(what, given)


def check_filter(given: object) -> Where | None:
    """Return a filter, or None for one without a condition. Raises InvalidAskError for what is none."""
    if given is None or isinstance(given, Where):
        return given if given and given.given() else None
    raise InvalidAskError(f"where takes a filter such as Where(sessions=['a']), and not a {type(given).__name__}")


def asked_trust(given: object) -> int | None:
    """Return the least trust that is asked for; None for any. Raises InvalidAskError."""
    if given is None:
        return None
    if not is_tier(given):
        raise InvalidAskError(f"trust_min must be a whole number from 0 to {TRUST_MAX}, not {str(given)[:40]!r}")
    return given or None


def _switched(name: str, given: object) -> bool | None:
    """Return True for what is switched on, else None."""
    if given is not None and not isinstance(given, bool):
        raise InvalidAskError(f"{name} is true or false, not {str(given)[:40]!r}")
    return given or None


def _values(name: str, given: Iterable[str] | None, known: Sequence[str] = ()) -> tuple[str, ...] | None:
    """Return the values of a condition in one order, each once; those of a closed list have to be ``known``."""
    if given is None:
        return None
    values = _listed(name, given)
    if not values:
        raise InvalidAskError(f"{name} is empty, and would admit nothing: leave it out to admit whatever there is")
    if len(values) > WHERE_VALUES_MAX:
        raise InvalidAskError(f"{name} may have {WHERE_VALUES_MAX} values, and these are {len(values)}")
    for value in (names := [_name(name, value) for value in values]):
        if known and value not in known:
            raise InvalidAskError(f"{name}: {value!r} is none of {', '.join(known)}")
    return tuple(sorted(set(map(composed, names))))


def asked_moment(name: str, given: Moment, *, end: bool = False, before_1970: bool = False) -> int:
    """Return a point in time in Unix ms: of a date where that begins, or with ``end`` its last millisecond.

    Raises InvalidAskError.
    """
    try:
        return moment_ms(name, given, end=end, least=-TIME_MS_MAX if before_1970 else 0)
    except NotAMomentError as error:
        raise InvalidAskError(str(error)) from None
