"""What may be asked of a memory: plain values, checked here, so that every host refuses the same things."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from yggdrasil_schemas.commands import Origin
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.limits import FEATURES_MAX, NAME_CHARS_MAX, RETURNED_MAX, TEXT_CHARS_MAX

K_DEFAULT: Final = 10
TOKENS_MAX: Final = 1_000_000  # beyond what any model reads at once

Purpose = Literal["context", "similar_cases", "deep"]
"""What a recall is recorded as: a deep one is ``deep``, whichever read it was."""


class InvalidAskError(YggdrasilError):
    """What was asked cannot be meant; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The embedding of a query: the model that made it, and ``data``, its int8 values as bytes, one per dimension."""

    model: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to one memory.

    At most ``k`` (1 to 50) memories are wanted, and at most ``tokens_max`` tokens of text if it is given (a token is
    counted as four characters). ``vector`` is compared with the vectors of the same model only. A ``deep`` ask sees
    what is archived as well. Equal asks of equal memories have equal answers: nothing else enters into them but the
    ranker's version. ``features``, at most 32, are those of the situation: what they foretell is told, and nothing is
    found by them. ``min_confidence``, from 0 to 1, is what confidence an answer takes, instead of what the memory's
    policy says; with 0 nothing that is relevant is refused.
    """

    memory: str
    query: str
    k: int = K_DEFAULT
    tokens_max: int | None = None
    vector: QueryVector | None = field(default=None, repr=False)
    deep: bool = False
    features: tuple[str, ...] = ()
    min_confidence: float | None = None

    def __post_init__(self) -> None:
        """Raise InvalidAskError for what cannot be meant."""
        if not 1 <= self.k <= RETURNED_MAX:
            raise InvalidAskError(f"k must lie between 1 and {RETURNED_MAX}, not {self.k}")
        if self.tokens_max is not None and not 1 <= self.tokens_max <= TOKENS_MAX:
            raise InvalidAskError(f"tokens_max must lie between 1 and {TOKENS_MAX}, not {self.tokens_max}")
        if self.min_confidence is not None and not 0.0 <= self.min_confidence <= 1.0:
            raise InvalidAskError(f"min_confidence must lie between 0 and 1, not {self.min_confidence}")
        check_named(self.query, self.features)


@dataclass(frozen=True, slots=True)
class Speaker:
    """On whose behalf a recall is recorded; stamped by the gateway, never taken from what a client says."""

    source: str
    process: str
    origin: Origin
    session: str | None = None


def check_named(text: str, features: Sequence[str]) -> None:
    """Raise InvalidAskError for a text that is too long, or for what are no features of one situation."""
    if len(text) > TEXT_CHARS_MAX:
        raise InvalidAskError(f"a query may have {TEXT_CHARS_MAX} characters, and this one has {len(text)}")
    if isinstance(features, str):
        raise InvalidAskError(f"features is a list of names, and not the string {features[:NAME_CHARS_MAX]!r}")
    if len(features) > FEATURES_MAX:
        raise InvalidAskError(f"a situation may have {FEATURES_MAX} features, and this one has {len(features)}")
    for name in features:
        if not 1 <= len(name) <= NAME_CHARS_MAX:
            raise InvalidAskError(f"the name of a feature has 1 to {NAME_CHARS_MAX} characters, and not {len(name)}")
