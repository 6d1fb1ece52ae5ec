"""What may make two hosts fold the same log to different memories, found in source text (design, section 5).

A comment on the line excuses what only looks like it: ``# of integers`` a sum, ``# any order`` an iteration on whose
order nothing depends, ``# unique`` a sort without ties, ``# ascii`` a folded text. Say why beside it.
"""

import ast
from collections.abc import Collection, Iterator
from typing import Final

MODULES: Final = {
    "binascii", "collections", "collections.abc", "dataclasses", "enum", "functools", "hashlib", "itertools", "math",
    "numpy", "numpy.typing", "operator", "orjson", "pydantic", "pydantic_core", "struct", "typing", "typing_extensions",
    "yggdrasil_infra.log", "yggdrasil_schemas",
}  # fmt: skip
"""What may be imported beside OURS: nothing of it knows the time, the machine or the process."""
OURS: Final = ("yggdrasil_schemas.", "yggdrasil_projections.")
MATH: Final = {"sqrt", "ldexp", "frexp", "isfinite", "inf"}  # IEEE 754 fixes their last bit
NUMPY: Final = {
    "abs", "arange", "argsort", "array", "bitwise_count", "bool_", "bytes_", "concatenate", "delete", "dtype", "empty",
    "flatnonzero", "float64", "frombuffer", "fromiter", "insert", "int64", "isin", "ldexp", "lexsort", "maximum",
    "minimum", "ndarray", "ones", "partition", "searchsorted", "sort", "sqrt", "uint64", "uint8", "unique", "void",
    "where", "zeros",
}  # fmt: skip
"""Element by element or by comparison; what adds up does so in an order of its own on each processor."""
REDUCTIONS: Final = {"sum", "cumsum", "prod", "cumprod", "mean", "std", "var", "dot", "trace", "average", "reduce"}
TEXT: Final = {
    "lower", "upper", "casefold", "title", "capitalize", "swapcase", "isalpha", "isdigit", "isdecimal", "isnumeric",
    "isalnum", "isidentifier", "isprintable", "isspace", "islower", "isupper", "istitle", "splitlines",
}  # fmt: skip
"""They ask a table of Unicode, which grows with every release of Python."""
SPACES: Final = {"strip", "lstrip", "rstrip", "split", "rsplit"}  # without an argument they ask it too
BUILTINS: Final = {
    "hash": "differs from process to process", "id": "differs from process to process", "pow": "is no sqrt",
    "open": "reaches outside", "print": "reaches outside", "input": "reaches outside", "eval": "hides what it does",
    "exec": "hides what it does", "globals": "is global state",
}  # fmt: skip
LAW_BUILTINS: Final = {"getattr", "setattr", "vars", "len", "bytes", "str", "repr", "memoryview", "int", "float"}
ORDER_FREE: Final = {"sorted", "min", "max", "len", "any", "all", "set", "frozenset", "bool", "isinstance"}
ORDERED: Final = {
    "list", "tuple", "enumerate", "iter", "zip", "map", "filter", "dict", "fromkeys", "join", "extend", "chain",
    "from_iterable", "islice", "array", "fromiter", "deque", "reversed", "sum",
}  # fmt: skip
OF_THE_HOST: Final = {
    "sessions", "roles", "changed_nodes", "changed_edges", "changed_features", "changed_sessions", "changed_recalls",
    "changed_vectors", "changed_heirs", "changed_adjusted", "changed_rulings", "changed_slots", "changed_members",
    "changed_roles", "changed_regards", "new_contents", "new_edges", "new_identities",
}  # fmt: skip
"""Their order, or what is in them, follows from the cache and from where batches end."""
VIEWS: Final = {"keys", "values", "items"}
SET_METHODS: Final = {"union", "intersection", "difference", "symmetric_difference"}
MUTATORS: Final = {
    "append", "add", "update", "setdefault", "pop", "popitem", "clear", "extend", "insert", "remove", "discard", "sort",
}  # fmt: skip
OF_THE_PRODUCER: Final = {"content": "what a command says", "at": "the producer's clock"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def impurities(
    source: str, *, law: bool = False, functions: Collection[str] = ("links", "edges_of"), sets: Collection[str] = ()
) -> list[str]:
    """Return what is wrong in ``source``, as ``line: what``.

    ``functions`` return something in no order, attributes named ``sets`` are sets. A ``law`` may not look into what
    the producer alone has said either.
    """
    tree = ast.parse(source)
    checker = _Checker(tree, law, {*functions}, {*sets})
    checker.visit(tree)
    lines = source.splitlines()
    return [
        f"{line}: {what}" for line, what, excuse in checker.found if not excuse or f"# {excuse}" not in lines[line - 1]
    ]


def unordered_names(source: str) -> tuple[set[str], set[str]]:
    """Return the functions of ``source`` that return something in no order, and the attributes that are sets."""
    functions: set[str] = set()
    attributes: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function) and (_is_set(node.returns) or "in no order" in (ast.get_docstring(node) or "")):
            functions.add(node.name)
        elif isinstance(node, ast.AnnAssign) and _is_set(node.annotation) and isinstance(node.target, ast.Attribute):
            attributes.add(node.target.attr)
    return functions, attributes


class _Checker(ast.NodeVisitor):
    def __init__(self, tree: ast.Module, law: bool, functions: set[str], sets: set[str]) -> None:
        self.found: list[tuple[int, str, str]] = []
        self._law = law
        self._functions = functions
        self._attributes = sets
        self._scopes: list[set[str]] = [set()]
        self._scopes[0].update(_bound_to_sets(tree, self))
        self._globals = {name for node in tree.body for name in _targets(node)}
        self._free: set[int] = set()  # expressions whose order whoever takes them does not look at

    def _say(self, node: ast.AST, what: str, excuse: str = "") -> None:
        self.found.append((getattr(node, "lineno", 1), what, excuse))

    # What is imported

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name == "math" or alias.name.startswith("numpy") is not (alias.asname in ("np", "npt")):
                self._say(node, "import names from math, and numpy as np: so it is seen what is taken from them")
            self._check_module(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level:
            return
        module = node.module or ""
        self._check_module(node, module)
        for alias in node.names:
            if module == "math" and alias.name not in MATH:
                self._say(node, f"math.{alias.name} has other bits on other machines")
            if module == "numpy":
                self._say(node, "import numpy as np: so it is seen what is taken from it")

    def _check_module(self, node: ast.AST, module: str) -> None:
        if module not in MODULES and not module.startswith(OURS):
            self._say(node, f"{module} is not among what the fold may import")
        if self._law and (module == "orjson" or module.endswith("codec")):
            self._say(node, "a law reads commands, not bytes")

    # Numbers

    def visit_BinOp(self, node: ast.BinOp) -> None:
        integers = all(isinstance(side, ast.Constant) and type(side.value) is int for side in (node.left, node.right))
        if isinstance(node.op, ast.MatMult) or (isinstance(node.op, ast.Pow) and not integers):
            self._say(node, "a power or a product of matrices has other bits on other machines")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.op, ast.Pow | ast.MatMult):
            self._say(node, "a power or a product of matrices has other bits on other machines")
        self._check_global(node.target)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy") and node.attr not in NUMPY:
            excuse = "of integers" if node.attr in REDUCTIONS else ""
            self._say(node, f"np.{node.attr} is not known to have the same bits everywhere", excuse)
        if self._law and node.attr in OF_THE_PRODUCER:
            self._say(node, f"no law reads {OF_THE_PRODUCER[node.attr]}")
        self._check_record(node, [node.value])
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self._check_record(node, [node.value])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._check_record(node, [node.left, *node.comparators])
        self.generic_visit(node)

    def _check_record(self, node: ast.AST, used: list[ast.expr]) -> None:
        """A law hands its record's bytes on to the node that it makes, and never looks into them."""
        if self._law and any(isinstance(each, ast.Name) and each.id == "record" for each in used):
            self._say(node, "no law reads what a command says")

    # Calls

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name):
                self._check_builtin(node, name)
            case ast.Attribute(attr=name):
                self._check_method(node, node.func, name)
            case _:
                name = ""
        if name in ORDER_FREE and not any(keyword.arg == "key" for keyword in node.keywords):
            self._free.update(id(argument) for argument in node.args)
        elif name in ORDERED | ORDER_FREE and name not in SET_METHODS:
            for argument in node.args:
                self._check_order(argument, argument)
        self.generic_visit(node)

    def _check_builtin(self, node: ast.Call, name: str) -> None:
        if name in BUILTINS:
            self._say(node, f"{name}() {BUILTINS[name]}")
        if name == "sum":
            self._say(node, "sum() rounds as the release of Python does; add in a loop", "of integers")
        if name in LAW_BUILTINS:
            self._check_record(node, node.args)
        if self._law and name in ("getattr", "setattr", "vars"):
            self._say(node, f"{name}() hides what it reads")

    def _check_method(self, node: ast.Call, function: ast.Attribute, name: str) -> None:
        numpy = isinstance(function.value, ast.Name) and function.value.id == "np"
        if name in REDUCTIONS and not numpy:
            self._say(node, f".{name}() adds up in an order of its own", "of integers")
        if name == "argsort" and not any(
            keyword.arg == "kind" and isinstance(keyword.value, ast.Constant) and keyword.value.value == "stable"
            for keyword in node.keywords
        ):
            self._say(node, "argsort orders ties as the processor likes; say kind='stable'", "unique")
        if name in TEXT or (name in SPACES and not node.args):
            self._say(node, f".{name}() asks a table of Unicode", "ascii")
        if name == "pop" and not node.args and self._unordered(function.value):
            self._say(node, "which element .pop() takes from a set is anybody's guess", "any order")
        if name in MUTATORS:
            self._check_global(function)
        if self._law and name.startswith(("model_dump", "model_copy", "__")):
            self._say(node, f".{name}() hides what it reads")

    # Order

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._check_order(node.iter, node.iter)
        self.generic_visit(node)

    visit_AsyncFor = visit_For

    def visit_YieldFrom(self, node: ast.YieldFrom) -> None:
        self._check_order(node, node.value)
        self.generic_visit(node)

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> None:
        if id(node) not in self._free:
            for part in node.generators:
                self._check_order(part.iter, part.iter)
        self.generic_visit(node)

    visit_GeneratorExp = visit_ListComp
    visit_DictComp = visit_ListComp

    def visit_List(self, node: ast.List | ast.Tuple) -> None:
        for element in node.elts:
            if isinstance(element, ast.Starred) and isinstance(element.ctx, ast.Load):
                self._check_order(element, element.value)
        self.generic_visit(node)

    visit_Tuple = visit_List

    def _check_order(self, node: ast.AST, value: ast.expr) -> None:
        if self._unordered(value):
            self._say(node, "this is gone through in no order, or in that of the host; sort it", "any order")

    def _unordered(self, node: ast.expr) -> bool:
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Name(id=name):
                return any(name in scope for scope in self._scopes)
            case ast.Attribute(attr=name):
                return name in self._attributes or name in OF_THE_HOST
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in VIEWS:
                return self._unordered(value)
            case ast.Call(func=ast.Name(id=name)):
                return name in {"set", "frozenset"} | self._functions
            case ast.Call(func=ast.Attribute(attr=name)):
                return name in SET_METHODS | self._functions
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
                return any(self._unordered(side) or _is_view(side) for side in (left, right))
            case ast.BoolOp(values=values):
                return any(map(self._unordered, values))
            case ast.IfExp(body=body, orelse=other):
                return self._unordered(body) or self._unordered(other)
            case ast.NamedExpr(value=value):
                return self._unordered(value)
        return False

    # State

    def visit_Global(self, node: ast.Global) -> None:
        self._say(node, "global state is not in the log")

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._check_global(target)
            if isinstance(target, ast.Tuple | ast.List):
                self._check_order(node, node.value)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._check_global(target)

    def _check_global(self, target: ast.expr) -> None:
        while isinstance(target, ast.Subscript | ast.Attribute):
            target = target.value
            if len(self._scopes) > 1 and isinstance(target, ast.Name) and target.id in self._globals:
                self._say(target, f"{target.id} is global, and what is changed there is not in the log")

    def visit_FunctionDef(self, node: Function) -> None:
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        sets = {argument.arg for argument in arguments if _is_set(argument.annotation)}
        self._scopes.append(sets)
        sets.update(_bound_to_sets(node, self))
        self.generic_visit(node)
        self._scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef


def _bound_to_sets(owner: ast.AST, checker: _Checker) -> Iterator[str]:
    """Yield the names that ``owner`` itself binds to something in no order."""
    for node in _inside(owner):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if checker._unordered(value):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if _is_set(annotation):
                yield name


def _inside(owner: ast.AST) -> Iterator[ast.AST]:
    """Walk through ``owner``, but not through the functions that stand in it."""
    for child in ast.iter_child_nodes(owner):
        if not isinstance(child, Function):
            yield child
            yield from _inside(child)


def _targets(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_set(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation).startswith(("set[", "frozenset[", "Final[set["))


def _is_view(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS
