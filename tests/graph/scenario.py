"""given(...).when(...).then(...): a law's test says what was there, what was said, and what is there now.

Nodes are named as commands name them: by the name of the command that made them, or ``feature:x``. Numbers that a check
does not mention may be anything; those that it does mention must match to twelve digits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.graph.commands import MEMORY, Said, command_id
from tests.graph.world import Dump, World, answers, event_number, inconsistencies, state
from yggdrasil_infra.log import LogRecord
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.graph.records import Edge, EdgeKind, Node
from yggdrasil_schemas.ids import id_bytes
from yggdrasil_schemas.refusals import Refusal

PRECISION = 1e-12


@dataclass(frozen=True)
class Moment:
    """One command's answer, with the memory before and after it."""

    world: World
    before: Dump
    known_before: Dump
    answer: Answer

    @property
    def graph(self) -> Graph:
        return self.world.graph(MEMORY)

    def then(self, *checks: "Check") -> "Moment":
        assert inconsistencies(self.graph) == []
        for check in checks:
            check(self)
        return self

    def when(self, said: Said | LogRecord) -> "Moment":
        """Go on from here."""
        return Given(self.world).when(said)

    def number(self, name: str) -> int | None:
        if name.startswith("feature:"):
            return self.graph.feature(name.removeprefix("feature:"))
        return event_number(self.graph, id_bytes(command_id(name)))

    def node(self, name: str) -> Node:
        number = self.number(name)
        found = None if number is None else self.graph.node(number)
        assert found is not None, f"{name} is not in the graph"
        return found

    def edge(self, source: str, kind: EdgeKind, target: str) -> Edge | None:
        first, second = self.number(source), self.number(target)
        return None if first is None or second is None else self.graph.edge((first, int(kind), second))


Check = Callable[[Moment], None]


@dataclass(frozen=True)
class Given:
    world: World

    def when(self, said: Said | LogRecord) -> Moment:
        graph = self.world.graph(MEMORY)
        before, known = state(graph), answers(graph)
        answer = self.world.say(said) if isinstance(said, Said) else self.world.fold_record(said)
        return Moment(self.world, before, known, answer)


def given(*commands: Said, partitions: int = 1) -> Given:
    """A memory in which ``commands`` have happened. All of them must be accepted."""
    world = World(partitions)
    for said in commands:
        answer = world.say(said)
        assert answer.refused is None, f"{said.name}: {answer.refused}"
    return Given(world)


def accepted(seq: int) -> Check:
    def check(moment: Moment) -> None:
        assert moment.answer.refused is None, str(moment.answer.refused)
        assert (moment.answer.seq, moment.answer.duplicate) == (seq, False)

    return check


def refused(reason: Refusal) -> Check:
    """The reason is given; nothing changed, but that a command which could be read is remembered as refused."""

    def check(moment: Moment) -> None:
        assert moment.answer.refused is not None, f"accepted, and {reason.code} was due"
        assert moment.answer.refused.reason == reason
        assert (moment.answer.seq, moment.answer.duplicate) == (0, False)
        assert state(moment.graph) == moment.before
        remembered = len(moment.graph.new_identities) - len(moment.known_before["identities"])
        assert remembered == (1 if reason > Refusal.ID_REUSED else 0)
        if not remembered:
            assert answers(moment.graph) == moment.known_before

    return check


def repeated(seq: int, reason: Refusal | None = None) -> Check:
    """The first answer again, and not one bit of the memory has changed."""

    def check(moment: Moment) -> None:
        answer = moment.answer
        assert (answer.seq, answer.duplicate, answer.attests) == (seq, True, False)
        assert (answer.refused and answer.refused.reason) == reason
        assert state(moment.graph) == moment.before
        assert answers(moment.graph) == moment.known_before

    return check


def node(name: str, **expected: float) -> Check:
    return lambda moment: _compare(name, moment.node(name), expected)


def edge(source: str, kind: EdgeKind, target: str, **expected: float) -> Check:
    def check(moment: Moment) -> None:
        found = moment.edge(source, kind, target)
        assert found is not None, f"no {kind.name} edge from {source} to {target}"
        _compare(f"{source} -{kind.name}-> {target}", found, expected)

    return check


def no_edge(source: str, kind: EdgeKind, target: str) -> Check:
    def check(moment: Moment) -> None:
        assert moment.edge(source, kind, target) is None

    return check


def gone(*names: str) -> Check:
    """These were in the graph, or could have been, and are not in it now."""

    def check(moment: Moment) -> None:
        for name in names:
            number = moment.number(name)
            assert number is None or moment.graph.node(number) is None, f"{name} is in the graph"

    return check


def header(**expected: float) -> Check:
    return lambda moment: _compare("header", moment.graph.header, expected)


def unchanged(*names: str) -> Check:
    """Not even the tick of these nodes has moved."""

    def check(moment: Moment) -> None:
        now = state(moment.graph)["nodes"]
        for name in names:
            number = moment.node(name).number
            assert now[number] == moment.before["nodes"][number], name

    return check


def sessions(**expected: tuple[str, ...]) -> Check:
    """Exactly these sessions are open, with these events in their buffers."""

    def check(moment: Moment) -> None:
        found = {name: tuple(session.buffer) for name, session in moment.graph.sessions.items()}
        assert found == {name: tuple(moment.number(each) for each in buffer) for name, buffer in expected.items()}

    return check


def _compare(name: str, record: object, expected: dict[str, Any]) -> None:
    found = {key: getattr(record, key) for key in expected}
    assert found == {key: pytest.approx(float(value), rel=PRECISION, abs=1e-15) for key, value in expected.items()}, (
        name
    )
