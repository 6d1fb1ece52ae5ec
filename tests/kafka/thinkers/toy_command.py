"""The command line with toys for thinkers: ``python -m tests.kafka.thinkers.toy_command think ...``."""

import sys

from yggdrasil.cli import main
from yggdrasil.thinking import known

if __name__ == "__main__":
    known._THINKERS = {"pairs": "tests.thinkers.toys:Pairs", "praising": "tests.thinkers.toys:Praising"}
    known.NAMES = tuple(known._THINKERS)
    sys.exit(main())
