"""``python -m yggdrasil`` is the same as ``yggdrasil``."""

import sys

from .cli import main

sys.exit(main())
