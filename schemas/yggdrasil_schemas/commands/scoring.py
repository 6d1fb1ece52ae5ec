"""What learned scorers are proposed and adopted by: the command that makes one count, with its body."""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, model_validator

from .. import limits
from .decisions import Decision
from .envelope import Envelope
from .wire import CommandId

WEIGHTS: Final = rf"^[A-Za-z0-9+/]{{{limits.SCORER_WEIGHTS_CHARS}}}$"
_OF_A_PROPOSAL: Final = ("features", "weights", "samples", "metric", "baseline")

Milli = Annotated[int, Field(ge=0, le=limits.SCORER_MILLI_MAX)]


class AdoptScorerBody(Decision):
    """A scorer is proposed with its weights, or one that was proposed before is named; it counts from now on or not.

    Either all of ``features``, ``weights``, ``samples``, ``metric`` and ``baseline`` are given, or ``scorer`` alone.
    """

    active: bool
    """Whether it decides what comes first, from this command on. Where the one that does is named with ``false``, the
    one before it does again."""
    features: Literal["nine/1"] | None = None
    """What it takes of a candidate."""
    weights: Annotated[str, StringConstraints(pattern=WEIGHTS)] | None = None
    """177 numbers of 16 bits, the lowest byte first, in base64: 16 times 9 of the hidden units, 16 of their biases, 16
    of the output, one of its bias. 4,096 stands for 1."""
    samples: Annotated[int, Field(ge=0, le=limits.SCORER_SAMPLES_MAX)] | None = None
    """How many uses, and failures to be used, it was fitted to and judged by."""
    metric: Milli | None = None
    """Its log loss on what it was not fitted to, in thousandths."""
    baseline: Milli | None = None
    """That of the linear form there."""
    scorer: CommandId | None = None
    """The id of the command that proposed a scorer before."""

    @model_validator(mode="after")
    def _either(self) -> "AdoptScorerBody":
        given = [getattr(self, name) is not None for name in _OF_A_PROPOSAL]
        if any(given) == (self.scorer is not None) or any(given) != all(given):
            raise ValueError(f"give all of {', '.join(_OF_A_PROPOSAL)}, or scorer alone")
        return self


class AdoptScorer(Envelope):
    """Propose a learned scorer, let one count, or go back to the one before."""

    number = 22
    roles = ("operate",)
    type: Literal["adopt_scorer"]
    body: AdoptScorerBody
