"""Every error of ours goes to another process and back: type, arguments, text, attributes, notes and cause."""

import ast
import builtins
import copy
import importlib
import multiprocessing
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from threading import Lock
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pytest

from yggdrasil.cli.exits import ExitCode
from yggdrasil.engines.published import UnacknowledgedError
from yggdrasil.recording import RecordManyError
from yggdrasil_infra.http.problems import UNAUTHENTICATED, ProblemError
from yggdrasil_infra.kafka_log.sender import DeliveryError
from yggdrasil_infra.log import LogInUseError, Receipt, Rejection
from yggdrasil_infra.paths import Code
from yggdrasil_processors.auditing.replay import AlteredRecordError
from yggdrasil_producers.envelopes import Draft
from yggdrasil_projections.graph.rules import Versions
from yggdrasil_projections.retrieval.errors import CommandRefusedError, NotYetError
from yggdrasil_projections.retrieval.past.moment import AsOf
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
from yggdrasil_schemas.problems import Kind
from yggdrasil_schemas.refusals import Refusal, Refused

Raised = TypeVar("Raised", bound=Exception)
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("schemas", "infra", "projections", "processors", "producers", "app")
A_DRAFT = Draft("3f0c1f3e-0000-7000-8000-000000000001", "acme/ana", b"{}")
SAMPLES: dict[Any, Any] = {
    str: "a word",
    int: 7,
    float: 0.5,
    bool: True,
    type(None): None,
    Any: 7,
    Draft: A_DRAFT,
    Code: "dangling_link",
    DeliveryError: DeliveryError("commands", 3, "no broker answers", uncertain=True),
    ExitCode: ExitCode.IN_USE,
    Kind: UNAUTHENTICATED,
    Receipt: Receipt(3, 17),
    Rejection: Rejection("the record is too large", "Send less"),
    AsOf: AsOf(seq=17),
    Refused: Refused(Refusal.ID_REUSED, "id"),
    Versions: Versions(1, 1),
}
"""One value for each type that a constructor of an error takes."""


@cache
def errors() -> list[type[Exception]]:
    """Every class of ours that can be raised: those in the sources, and what was made of them beside that."""
    bases: dict[str, set[str]] = {}
    modules: dict[str, set[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    names = {name.id for base in node.bases for name in ast.walk(base) if isinstance(name, ast.Name)}
                    bases.setdefault(node.name, set()).update(names)
                    modules.setdefault(node.name, set()).add(".".join(path.relative_to(ROOT / folder).parts)[:-3])
    raised = {name for name, value in vars(builtins).items() if isinstance(value, type)}
    raised = {name for name in raised if issubclass(getattr(builtins, name), BaseException)}
    while more := {name for name, of in bases.items() if of & raised} - raised:
        raised |= more
    found: dict[type[Exception], None] = {}
    for name in sorted(raised & modules.keys()):
        for module in sorted(modules[name]):
            kind = getattr(importlib.import_module(module.removesuffix(".__init__")), name)
            if issubclass(kind, Exception):
                found[kind] = None
    return sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__))


def sample(hint: Any) -> Any:
    if hint in SAMPLES:
        return SAMPLES[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return sample(inner[0])
    if origin is tuple:
        return tuple(sample(each) for each in inner if each is not ...)
    if origin is Sequence:
        return [sample(inner[0])]
    if origin is Mapping:
        return {sample(inner[0]): sample(inner[1])}
    pytest.fail(f"an error takes {hint}: give SAMPLES one")


def built(kind: type[Exception]) -> Exception:
    """Make one as its own code would: with everything that its constructor takes."""
    if "__init__" not in {name for each in kind.__mro__ if each.__module__ != "builtins" for name in vars(each)}:
        error = kind("what was expected, what came, what to do")
    else:
        hints = get_type_hints(kind.__init__)
        given = [each for each in signature(kind).parameters.values() if each.kind is not Parameter.VAR_POSITIONAL]
        named = {each.name: sample(hints[each.name]) for each in given if each.kind is Parameter.KEYWORD_ONLY}
        error = kind(*(sample(hints[each.name]) for each in given if each.name not in named), **named)
    error.add_note("met while it was tested")
    error.__dict__["later"] = {"given": [1, 2]}
    return error


def pickled(error: Raised) -> Raised:
    again: Raised = pickle.loads(pickle.dumps(error))
    return again


WAYS: tuple[Callable[[Exception], Exception], ...] = (pickled, copy.copy, copy.deepcopy)


def test_every_error_survives_pickling_and_copying() -> None:
    assert len(errors()) > 70
    for kind in errors():
        error = built(kind)
        error.__cause__ = YggdrasilError("the cause")
        for way in WAYS:
            again = way(error)
            assert type(again) is kind
            assert again is not error
            assert (again.args, str(again), vars(again)) == (error.args, str(error), vars(error)), (kind, way)
            if isinstance(error, YggdrasilError):
                assert str(again.__cause__) == "the cause"
                assert again.__suppress_context__


def test_every_protocol_of_pickle_will_do() -> None:
    error = built(NotYetError)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert vars(pickle.loads(pickle.dumps(error, protocol))) == vars(error)


class Stranger(Exception):
    """Like many an error of others: pickle takes it, and cannot make it again."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"{status}: {words}")


class Mute:
    """It cannot be pickled, nor told."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __reduce__(self) -> str:
        raise RuntimeError("never")


def laden() -> YggdrasilError:
    """An error with what no other process can be given, and a cause that has it too."""
    inner = LogInUseError("the log is in use", "/somewhere")
    inner.__cause__ = Stranger(503, "away")
    inner.__dict__["lock"] = Lock()
    error = InvalidCommandError("id_reused", "id")
    error.add_note("first")
    error.__dict__.update(lock=Lock(), mute=Mute(), why=Stranger(404, "gone"), kept=[1])
    error.__cause__ = inner
    return error


def test_what_cannot_be_sent_arrives_in_words() -> None:
    for way in (pickled, copy.deepcopy):
        again = way(laden())
        assert type(again) is InvalidCommandError
        assert (str(again), again.reason, again.detail) == ("id_reused: id", "id_reused", "id")
        sent = vars(again)
        assert sent["kept"] == [1]
        assert "lock object" in sent["lock"]
        assert "Mute object" in sent["mute"]
        assert isinstance(sent["why"], YggdrasilError)
        assert "404: gone" in str(sent["why"])
        first, *notes = sent["__notes__"]
        assert first == "first"
        assert [note.split(" could not be sent to another process")[0] for note in notes] == ["lock", "mute", "why"]
        inner = again.__cause__
        assert isinstance(inner, LogInUseError)
        assert inner.directory == "/somewhere"
        assert "503: away" in str(inner.__cause__)


def test_a_shallow_copy_keeps_the_very_things() -> None:
    error = laden()
    again = copy.copy(error)
    assert vars(again) == vars(error)
    assert again.__cause__ is error.__cause__


def test_arguments_that_cannot_be_sent_are_told_too() -> None:
    again = pickled(YggdrasilError("words", Lock()))
    assert again.args[0] == "words"
    assert "lock object" in again.args[1]


def test_errors_that_lead_to_each_other_and_long_chains_end() -> None:
    one, two = YggdrasilError("one"), YggdrasilError("two")
    one.__cause__, two.__cause__, one.__dict__["lock"] = two, one, Lock()
    again = pickled(one)
    assert again.__cause__ is not None
    assert again.__cause__.__cause__ is again
    last = YggdrasilError("0")
    for number in range(1, 100):
        following = YggdrasilError(str(number))
        following.__cause__, following.__dict__["lock"] = last, Lock()
        last = following
    assert str(pickled(last).__cause__) == "98"


RAISED: dict[str, Callable[[], Exception]] = {
    "many": lambda: RecordManyError("why", ["id"], {0: Refused(Refusal.ID_REUSED, "id")}, [A_DRAFT]),
    "problem": lambda: ProblemError(UNAUTHENTICATED, "no key", retry_after_s=3, reason="id_reused"),
    "unacknowledged": lambda: UnacknowledgedError(A_DRAFT, DeliveryError("commands", 3, "away", uncertain=True)),
    "refused": lambda: CommandRefusedError(Refused(Refusal.ID_REUSED, "id")),
    "altered": lambda: AlteredRecordError(3, 17),
    "laden": laden,
}


def work(name: str) -> None:
    """What a process of a pool does here."""
    raise RAISED[name]()


def test_a_pool_of_processes_gives_back_what_was_raised_in_it() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for name, make in RAISED.items():
            with pytest.raises(type(make())) as raised:
                pool.submit(work, name).result(timeout=120)
            assert str(raised.value) == str(make())
            assert vars(raised.value).keys() >= vars(make()).keys()


def test_the_other_kind_of_pool_does_not_wait_for_ever() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for name, make in RAISED.items():
            with pytest.raises(type(make())) as raised:
                pool.apply_async(work, (name,)).get(timeout=120)
            assert str(raised.value) == str(make())
