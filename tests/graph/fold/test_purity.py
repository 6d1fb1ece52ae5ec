"""Nothing that the fold runs may give another memory on another machine, in another process or at another time."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.graph.fold.purity import impurities, unordered_names

ROOT: Final = Path(__file__).parents[3]
FOLDERS: Final = {"yggdrasil_schemas": "schemas", "yggdrasil_projections": "projections", "yggdrasil_infra": "infra"}
FOLD: Final = "yggdrasil_projections.graph.fold"
LAWS: Final = "yggdrasil_projections.graph.laws."
OF_SCHEMAS: Final = "yggdrasil_schemas.commands.documented"
"""Runs when a JSON Schema is asked for, and never in a fold: it reads what stands in the source."""
OF_ERRORS: Final = "yggdrasil_schemas.errors.travelling"
"""Runs when an error is sent to another process, and never in a fold."""


def file_of(module: str) -> Path | None:
    """Where a module of ours is; None for others, and for what is no module but a name in one."""
    package = module.split(".", maxsplit=1)[0]
    base = ROOT / FOLDERS.get(package, "nowhere") / module.replace(".", "/")
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def imported(module: str, path: Path) -> Iterator[str]:
    """Every module, or name in one, that ``module`` imports."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def what_the_fold_runs() -> dict[str, str]:
    """The source of every module of ours that the fold imports, itself or through others, by name."""
    found: dict[str, str] = {}
    waiting = [FOLD]
    while waiting:
        module = waiting.pop()
        path = file_of(module)
        if path is not None and module not in (*found, OF_SCHEMAS, OF_ERRORS):
            found[module] = path.read_text(encoding="utf-8")
            waiting += imported(module, path)
    return found


MODULES: Final = what_the_fold_runs()
NAMES: Final = [unordered_names(source) for source in MODULES.values()]
FUNCTIONS: Final = frozenset[str]().union(*(functions for functions, _ in NAMES))
SETS: Final = frozenset[str]().union(*(attributes for _, attributes in NAMES))


def test_all_of_the_fold_is_looked_at() -> None:
    graph = "fold rules working_set arithmetic table source laws.bounds.rank laws.experience.event laws.reference"
    schemas = "codec canonical commands graph.records graph.codec ids limits partitions policy refusals"
    expected = {f"yggdrasil_projections.graph.{name}" for name in graph.split()}
    expected |= {f"yggdrasil_schemas.{name}" for name in schemas.split()}
    assert expected - MODULES.keys() == set()
    folder = ROOT / "projections/yggdrasil_projections/graph/laws"
    laws = {f"{LAWS}{'.'.join(path.relative_to(folder).with_suffix('').parts)}" for path in folder.rglob("[!_]*.py")}
    assert laws - MODULES.keys() == set(), "a law that the fold does not know"
    assert not any("store" in module or "rocks" in module for module in MODULES), "the fold reaches for a store"
    assert "links" in FUNCTIONS
    assert "crowded" in SETS


@pytest.mark.parametrize("module", sorted(MODULES))
def test_the_fold_is_pure(module: str) -> None:
    found = impurities(MODULES[module], law=module.startswith(LAWS), functions=FUNCTIONS, sets=SETS)
    path = file_of(module)
    assert path is not None
    assert not found, "\n" + "\n".join(f"{path.relative_to(ROOT)}:{each}" for each in found)


IN_A_LAW: Final = "def law(graph, command, seq, record):\n    "
OFFENCES: Final = {
    "sum": "x = sum(values)",
    "sum of a generator": "x = sum(v.weight for v in values)",
    "power": "x = value**0.5",
    "power of integers that vary": "x = 2**n",
    "power in place": "x **= 2",
    "pow": "x = pow(value, 2)",
    "matrices": "x = a @ b",
    "math.exp": "from math import exp",
    "math.log": "from math import log2, sqrt",
    "math.fsum": "from math import fsum",
    "all of math": "import math",
    "statistics": "from statistics import fmean",
    "np.sum": "import numpy as np\nx = np.sum(values)",
    "np.exp": "import numpy as np\nx = np.exp(values)",
    "np.log": "import numpy as np\nx = np.log(values)",
    "np.power": "import numpy as np\nx = np.power(values, 2)",
    "np.dot": "import numpy as np\nx = np.dot(a, b)",
    "np.mean": "import numpy as np\nx = np.mean(values)",
    "np.add.reduce": "import numpy as np\nx = np.add.reduce(values)",
    "np.random": "import numpy as np\nx = np.random.default_rng()",
    "np.argpartition": "import numpy as np\nx = np.argpartition(values, 3)",
    "numpy by another name": "import numpy",
    "numpy by parts": "from numpy import argsort",
    "sum of an array": "x = values.sum()",
    "mean of an array": "x = values.mean(axis=0)",
    "dot of an array": "x = values.dot(other)",
    "ties": "import numpy as np\nx = np.argsort(rank)",
    "ties of an array": "x = rank.argsort(kind='quicksort')",
    "lower": "x = name.lower()",
    "casefold": "x = name.casefold()",
    "title": "x = name.title()",
    "isalpha": "x = name.isalpha()",
    "spaces": "x = name.strip()",
    "words": "x = name.split()",
    "unicodedata": "import unicodedata",
    "re": "import re",
    "locale": "import locale",
    "time": "from time import monotonic",
    "datetime": "from datetime import datetime",
    "random": "import random",
    "secrets": "from secrets import token_bytes",
    "uuid": "from uuid import uuid4",
    "os": "import os",
    "sys": "import sys",
    "clock of ours": "from yggdrasil_infra.clock import now_ms",
    "other logs of ours": "from yggdrasil_infra.signals.logs import anything",
    "hash": "x = hash(name)",
    "id": "x = sorted(nodes, key=lambda node: id(node))",
    "open": "x = open('/etc/hostname').read()",
    "for over set()": "for x in set(names):\n    pass",
    "for over a set display": "for x in {a, b}:\n    pass",
    "for over a set comprehension": "for x in {f(y) for y in names}:\n    pass",
    "for over a frozenset": "x = [y for y in frozenset(names)]",
    "for over links": "for key in graph.links(number):\n    pass",
    "list of links": "x = list(graph.links(number))",
    "comprehension over links": "x = [key for key in graph.links(number) if key[1] == kind]",
    "dict comprehension over links": "x = {key: 1 for key in graph.links(number)}",
    "generator over edges": "x = next(key for key, edge in graph.edges_of(number))",
    "for over a union": "for x in set(a) | set(b):\n    pass",
    "for over common keys": "for x in a.keys() & b:\n    pass",
    "for over a difference": "for x in known.difference(seen):\n    pass",
    "for over a name of a set": "def f(names):\n    seen = set(names)\n    for x in seen:\n        pass",
    "for over an argument": "def f(seen: set[int]):\n    return tuple(seen)",
    "for over an attribute": "for number in graph.crowded:\n    pass",
    "for over the sessions": "for name in graph.sessions:\n    pass",
    "for over what changed": "for number, node in graph.changed_nodes.items():\n    pass",
    "the latest session": "x = max(graph.sessions.values(), key=touched)",
    "a name of what changed": "changed = graph.changed_edges.items()\nx = {key: 1 for key, edge in changed}",
    "unpacking a set": "first, *rest = set(names)",
    "starred set": "x = [*set(names)]",
    "any element": "x = set(names).pop()",
    "first element": "x = next(iter(graph.links(number)))",
    "joined set": "x = ''.join(set(names))",
    "enumerated set": "for n, x in enumerate(set(names)):\n    pass",
    "mapped set": "x = list(map(str, {1, 2}))",
    "sorted by a part": "x = sorted(graph.links(number), key=lambda key: key[1])",
    "least by a part": "x = min(set(names), key=len)",
    "yielded set": "def f(names):\n    yield from set(names)",
    "global": "count = 0\ndef f():\n    global count\n    count += 1",
    "global dict": "SEEN = {}\ndef f(name):\n    SEEN[name] = 1",
    "global list": "SEEN = []\ndef f(name):\n    SEEN.append(name)",
    "attribute of a global": "STATE = State()\ndef f():\n    STATE.count += 1",
    "deleted from a global": "SEEN = {}\ndef f(name):\n    del SEEN[name]",
}
OFFENCES_OF_LAWS: Final = {
    "content": "x = command.content",
    "text": "if command.content.text:\n        return None",
    "content of a node": "x = graph.content(number)",
    "the producer's clock": "header.tick = command.at",
    "by name": "x = getattr(command, 'con' + 'tent')",
    "as a dict": "x = command.model_dump()['content']",
    "the record's length": "x = len(record)",
    "the record's bytes": "x = record[0]",
    "the record's text": "x = record.decode()",
    "in the record": "x = b'urgent' in record",
    "parsed": "import orjson",
    "decoded": "from yggdrasil_schemas.codec import decode",
}
INNOCENT: Final = {
    "a loop": "total = 0.0\nfor v in values:\n    total += v",
    "excused": "x = sum(counts)  # of integers\ny = live.cumsum()  # of integers: which are live",
    "powers of integers": "MAX = 2**57 - 1",
    "keywords": "f(**arguments)",
    "math": "from math import frexp, isfinite, ldexp, sqrt",
    "numpy": "import numpy as np\nimport numpy.typing as npt\nx = np.argsort(np.abs(v), kind='stable')",
    "imports": "import orjson\nfrom hashlib import blake2b\nfrom ..working_set import Graph",
    "imports of ours": "from yggdrasil_infra.log import LogRecord\nfrom yggdrasil_schemas import limits",
    "text": "x = name.encode().startswith(b'a')\ny = name.removeprefix('b').replace('-', '').split('.')",
    "sorted": "for key in sorted(graph.links(number)):\n    pass",
    "sorted comprehension": "for key in sorted(k for k in graph.links(number) if k[1]):\n    pass",
    "counted": "x = len(set(names)) != len(names)",
    "asked": "x = any(key[1] == kind for key in graph.links(number))",
    "a session": "x = graph.sessions.get(name)\ny = sorted(graph.sessions.items())",
    "least": "x = min({1, 2})",
    "set of a set": "x = {key[0] for key in graph.links(number)}",
    "membership": "x = name in {'a', 'b'}\ny = {1, 2}.issuperset(names)",
    "excused order": "for key in graph.links(number):  # any order: at most one fits\n    pass",
    "dicts": "for name in {'a': 1}:\n    pass\nfor name, value in table.items():\n    pass",
    "another's set": "def f(names):\n    seen = set(names)\ndef g(seen):\n    return list(seen)",
    "union of dicts": "x = list({'a': 1} | other)",
    "a constant": "TABLE = {1: 2}\ndef f(n):\n    return TABLE[n]",
    "local state": "def f():\n    seen = {}\n    seen[1] = 2\n    return seen",
    "own state": "class A:\n    def f(self):\n        self.seen.append(1)",
    "content beside laws": "x = command.content",
}


@pytest.mark.parametrize("case", OFFENCES)
def test_an_offence_is_seen(case: str) -> None:
    assert len(impurities(OFFENCES[case], sets=["crowded"])) >= 1


@pytest.mark.parametrize("case", OFFENCES_OF_LAWS)
def test_an_offence_of_a_law_is_seen(case: str) -> None:
    source = IN_A_LAW + OFFENCES_OF_LAWS[case]
    assert len(impurities(source, law=True)) >= 1
    assert impurities(IN_A_LAW + "graph.add_node(node, record)\n    return command.body.value", law=True) == []


@pytest.mark.parametrize("case", INNOCENT)
def test_what_is_innocent_passes(case: str) -> None:
    assert impurities(INNOCENT[case]) == []


def test_an_offence_says_where_it_is() -> None:
    assert impurities("a = 1\nb = [\n    name.lower(),\n]\n") == ["3: .lower() asks a table of Unicode"]


def test_an_excuse_is_for_one_thing_only() -> None:
    assert impurities("x = sum(values)  # any order") != []
    assert impurities("x = value**2  # of integers") != []
