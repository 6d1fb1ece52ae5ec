"""What the fields of a class are for, as it stands below each of them in the source; read only when somebody asks."""

import ast
from functools import cache
from inspect import cleandoc, getsource
from itertools import pairwise
from textwrap import dedent


def attribute_docstrings(cls: type[object]) -> dict[str, str]:
    """Return the docstrings of the attributes of ``cls`` and its bases by name; none of a class without its source."""
    found: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        if each.__module__.startswith("yggdrasil"):
            found |= _own(each)
    return found


@cache
def _own(cls: type[object]) -> dict[str, str]:
    try:
        (defined,) = ast.parse(dedent(getsource(cls))).body
    except OSError:
        return {}
    found: dict[str, str] = {}
    for attribute, text in pairwise(getattr(defined, "body", [])):
        match attribute, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                found[name] = cleandoc(said)
            case _:
                pass
    return found
