"""``python -m tests.graph.mutants``: see ``hunting``."""

import sys

from tests.graph.mutants.hunting import main

sys.exit(main(sys.argv[1:]))
