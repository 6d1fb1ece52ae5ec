"""Whatever the facade returns and raises can be imported from ``yggdrasil``, and importing it costs next to nothing."""

import builtins
import dataclasses
import inspect
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from importlib import import_module
from typing import Any, get_args, get_type_hints

import pytest

import yggdrasil
from tests.faces import exports
from tests.faces.exports import AWAITED, FILE, made
from yggdrasil import AsyncMemory, AsyncStore, Memory, Store, YggdrasilError
from yggdrasil.engines.engine import ReadingEngine
from yggdrasil_infra.embedders import Embedder
from yggdrasil_schemas.commands.vectors import Vector

FACADES = (Memory, AsyncMemory, Store, AsyncStore)
INTERNAL = {
    "Embedded",  # the engines are what facades are made of
    "NotFetchedError",  # caught where it is raised
    "SummaryEndedError",  # as above
    "UnknownRankerError",  # of proofs
    "UnknownPartitionsError",  # of hosts of partitions
    "UnfitTopicError",  # of workers, which fold on; to everybody else it is a TopicError
}
RAISING = (
    "yggdrasil.decisions", "yggdrasil.memory", "yggdrasil.readings", "yggdrasil.recording", "yggdrasil.settings",
    "yggdrasil.store", "yggdrasil.thinking.known", "yggdrasil.thinking.asking", "yggdrasil.engines.embedded",
    "yggdrasil.daemon.wish", "yggdrasil.engines.own_log",
    "yggdrasil.engines.published", "yggdrasil.engines.service_client", "yggdrasil_infra.embedders.embedder",
    "yggdrasil_infra.kafka_log.sender", "yggdrasil_infra.kafka_log.settings", "yggdrasil_infra.kafka_log.topics",
    "yggdrasil_infra.log", "yggdrasil_infra.rocks.database", "yggdrasil_projections.graph.fold",
    "yggdrasil_projections.graph.store.projector", "yggdrasil_projections.graph.store.state",
    "yggdrasil_projections.graph.working_set", "yggdrasil_projections.retrieval.asks",
    "yggdrasil_projections.retrieval.errors", "yggdrasil_projections.retrieval.reads.learning.context",
    "yggdrasil_projections.retrieval.reads.experience.explain", "yggdrasil_schemas.errors",
)  # fmt: skip
NAMES = {
    "Embedder": Embedder,
    "Vector": Vector,
    "Origin": Any,
    "OpenedAs": Any,
    "NoteKind": Any,
    "UseMethod": Any,
    "EmbedderGiven": Any,
    "Embedding": Any,
    "Model": Any,
    "ModelSummary": Any,
    "Embedded": Any,
    "Engine": Any,
    "ThinkerRun": yggdrasil.ThinkerRun,
    "Draft": yggdrasil.Draft,
    "Differs": yggdrasil.Differs,
    "Forked": yggdrasil.Forked,
    "ForkLineage": yggdrasil.ForkLineage,
}
EXPORTED = set(yggdrasil.__all__) | INTERNAL


def methods(facade: type) -> Iterator[tuple[str, Any]]:
    for name, member in inspect.getmembers(facade):
        if not name.startswith("_") and callable(member):
            yield f"{facade.__name__}.{name}", inspect.unwrap(member)


METHODS = [each for facade in FACADES for each in methods(facade)]


def within(hint: Any, seen: set[type]) -> None:
    """Gather every class of ours that a hint holds, and that the fields of those hold."""
    for part in get_args(hint):
        within(part, seen)
    if not (inspect.isclass(hint) and hint.__module__.startswith("yggdrasil")) or hint in seen:
        return
    seen.add(hint)
    if dataclasses.is_dataclass(hint):
        for part in get_type_hints(hint, localns=NAMES).values():
            within(part, seen)


@pytest.mark.parametrize(("name", "method"), METHODS, ids=[name for name, _ in METHODS])
def test_what_a_method_takes_and_returns_can_be_imported(name: str, method: Any) -> None:
    seen: set[type] = set()
    for hint in get_type_hints(method, localns=NAMES).values():
        within(hint, seen)
    assert sorted(each.__name__ for each in seen if each.__name__ not in EXPORTED) == []


def test_every_error_that_a_facade_speaks_of_or_that_is_raised_below_it_can_be_imported() -> None:
    spoken = {name: inspect.getdoc(member) or "" for name, member in METHODS}
    spoken |= {facade.__name__: inspect.getdoc(facade) or "" for facade in (*FACADES, *Memory.__mro__, ReadingEngine)}
    named = {error for text in spoken.values() for error in re.findall(r"\b[A-Z]\w+(?:Error|Warning)\b", text)}
    assert named, "the docstrings name errors"
    assert sorted(named - EXPORTED - set(dir(builtins))) == []
    for module in RAISING:
        for error, found in inspect.getmembers(import_module(module), inspect.isclass):
            if issubclass(found, YggdrasilError) and not error.startswith("_"):
                assert error in EXPORTED, f"{module}.{error}"


def test_every_name_leads_to_what_it_says_and_no_other_does() -> None:
    assert yggdrasil.__all__ == sorted(yggdrasil.__all__)
    assert sorted(name for names in yggdrasil._HOMES.values() for name in names) == yggdrasil.__all__
    for name in yggdrasil.__all__:
        assert getattr(yggdrasil, name).__name__ == name
        assert name in dir(yggdrasil)
    with pytest.raises(AttributeError, match="no attribute 'Momory'"):
        _ = yggdrasil.Momory


def test_the_lists_are_made_of_the_imports() -> None:
    source = FILE.read_text(encoding="utf-8")
    assert made(source) == source, "run `make faces` and commit what it writes"
    assert made(source.replace("import Memory\n", "import Memory, Momory\n")) != source


def test_the_awaited_facade_is_made_of_the_methods() -> None:
    source = AWAITED.read_text(encoding="utf-8")
    assert exports.awaited(source) == source, "run `make faces` and commit what it writes"
    assert exports.awaited(source.replace("    history = _awaited(Memory.history)\n", "")) == source


def test_importing_the_package_imports_nothing_of_it() -> None:
    code = "import sys, yggdrasil; print(sorted(name for name in sys.modules if name.startswith('yggdrasil')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['yggdrasil']"


def test_an_awaited_facade_has_every_method() -> None:
    for plain, awaited in ((Memory, AsyncMemory), (Store, AsyncStore)):
        wanted = {name for name, member in inspect.getmembers(plain) if isinstance(member, types.FunctionType)}
        assert sorted(name for name in wanted if not name.startswith("_") and not hasattr(awaited, name)) == []
