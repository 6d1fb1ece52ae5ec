"""What a sentence says, as the reducer hands it on."""

from dataclasses import dataclass, field
from typing import Literal

Sort = Literal["fact", "lesson"]


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: of a subject, by a predicate, a value; ``sort`` is the class of the claim."""

    subject: str
    predicate: str
    object: str | int
    qualifiers: dict[str, str] = field(default_factory=dict[str, str])
    sort: Sort = "fact"

    @property
    def about(self) -> tuple[str, str, str]:
        """What makes two the same: of whom, by what, and the value, in whatever case."""
        return self.subject, self.predicate, str(self.object).casefold()
