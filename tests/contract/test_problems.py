"""Each error of ours is one row, and every face follows it: HTTP, the remote engine, the command line, the docs."""

import re
from typing import Any

import httpx2
import pytest

from tests.contract.test_errors import ROOT, built, errors
from yggdrasil import Memory, ServiceError
from yggdrasil.cli.exits import MEANINGS, ExitCode, classify
from yggdrasil.engines.remote import Remote
from yggdrasil_infra.http import problems
from yggdrasil_infra.http.problems import ProblemError, problem_body, problem_of
from yggdrasil_infra.http.wire.parsing import RefusedError
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.errors import READ_ERRORS, NotReadyError
from yggdrasil_schemas.errors import YggdrasilError
from yggdrasil_schemas.problems import INTERNAL, Kind

OURS = [each for each in errors() if issubclass(each, YggdrasilError) and each not in (ProblemError, RefusedError)]
KINDS = {each for each in vars(problems).values() if isinstance(each, Kind)} | {each.kind for each in OURS}


@pytest.mark.parametrize("kind", OURS)
def test_an_error_has_a_status_an_exit_code_and_words_for_strangers(kind: type[YggdrasilError]) -> None:
    error = built(kind)
    assert isinstance(error, YggdrasilError)
    assert 400 <= error.kind.status < 600
    code, name = classify(error)
    assert code in set(MEANINGS) - {ExitCode.OK, ExitCode.INTERRUPTED}
    assert re.fullmatch(r"[a-z_ ]+", name)
    problem = problem_of(error)
    body = problem_body(problem, "1").decode()
    assert error.kind.uri in body
    if error.kind.status >= 500 and error.kind.told is not None:
        assert str(error) not in body, "what is of the host's inside stays there"


@pytest.mark.parametrize("kind", READ_ERRORS)
def test_a_client_raises_what_the_service_raised(kind: type[YggdrasilError]) -> None:
    error = built(kind)
    assert isinstance(error, YggdrasilError)
    problem = problem_of(error)
    again = kind.received(problem.detail, {**problem.about, "where": "a word"})  # where the client asked
    assert (type(again), str(again), again.arguments()) == (kind, str(error), error.arguments())
    assert {name: value for name, value in vars(again).items() if not name.startswith("__")} == {
        name: value for name, value in vars(error).items() if name not in {"__notes__", "later"}
    }


ODD: tuple[Any, ...] = (
    None, [], 3, "words", {}, {"memory": 3}, {"ref": None}, {"partition": "x", "partitions": 5}, {"after": {"a": 1}},
    {"after": 3}, {"memory": None, "after": {"partition": 0, "offset": 0}, "position": [], "end": {}},
)  # fmt: skip


@pytest.mark.parametrize("kind", READ_ERRORS)
@pytest.mark.parametrize("arguments", ODD)
def test_whatever_a_service_says_of_it_an_error_of_ours_is_raised(kind: type[YggdrasilError], arguments: Any) -> None:
    """By another release, or by what is no service of ours."""
    said = {"type": kind.kind.uri, "detail": "what was wrong", "remedy": "mend it", "arguments": arguments}
    answers = httpx2.MockTransport(lambda _: httpx2.Response(kind.kind.status, json=said))
    with (
        Memory(
            Remote("http://127.0.0.1", transport=answers), Drafter("acme/ana", "a", "b"), owns_engine=True
        ) as memory,
        pytest.raises((kind, ServiceError)),
    ):
        memory.describe("feature:x")


def test_no_two_read_errors_share_a_name() -> None:
    names = [NotReadyError.kind.name, *(each.kind.name for each in READ_ERRORS)]
    assert len(set(names)) == len(names)


def test_kinds_of_one_name_have_one_status_and_title() -> None:
    for kind in KINDS:
        assert {(each.status, each.title) for each in KINDS if each.name == kind.name} == {(kind.status, kind.title)}


def test_every_kind_is_in_the_documents() -> None:
    told = (
        (ROOT / "docs" / "service.md").read_text(encoding="utf-8").partition("\n## Errors\n")[2].partition("\n## ")[0]
    )
    rows = {
        int(status): line
        for line in told.splitlines()
        if line.startswith("| ")
        for status in re.findall(r"\d{3}", line[:20])
    }
    for kind in KINDS:
        assert f"`{kind.name}`" in rows[kind.status], kind
    assert INTERNAL in KINDS
