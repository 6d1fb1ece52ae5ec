"""The command line with toys for thinkers: ``python -m tests.kafka.thinkers.toy_command think ...``."""

import sys

from tests.thinkers.toys import Pairs, Praising
from yggdrasil.cli import main
from yggdrasil.thinking import known

if __name__ == "__main__":
    known.USUAL = ("pairs", "praising")  # type: ignore[misc, assignment]  # pyright: ignore
    known.THINKERS = {"pairs": Pairs, "praising": Praising}  # type: ignore[misc]  # pyright: ignore
    sys.exit(main())
