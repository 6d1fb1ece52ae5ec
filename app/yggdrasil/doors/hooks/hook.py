"""What a coding agent calls at each event: ``python3 -I -S hook.py``, with the event as JSON on standard input.

The interpreter is isolated, so nothing is importable but the standard library. The modules beside this file are made
a package of their own here, wherever the folder was copied to.
"""

import os
import sys
from time import monotonic

_BEGAN = monotonic()


def _main() -> None:
    from importlib import import_module
    from types import ModuleType

    package = ModuleType("yggdrasil_hooks")
    package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules[package.__name__] = package
    import_module("yggdrasil_hooks.script").main(sys.argv[1:], _BEGAN)


if __name__ == "__main__":
    _main()
