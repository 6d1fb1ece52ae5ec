"""One way to break a law: by one replacement in the fold's source."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yggdrasil_projections

PACKAGE: Final = Path(yggdrasil_projections.__file__).parent


@dataclass(frozen=True)
class Mutation:
    """``old`` becomes ``new`` in a file of the package's ``graph`` folder; ``says`` is what that does to the law.

    ``by_hand`` names the file below tests/graph that catches it, where random lives seldom come upon what it breaks.
    """

    file: str
    says: str
    old: str
    new: str
    by_hand: str = ""

    def source(self, package: Path = PACKAGE) -> Path:
        return package / "graph" / self.file
