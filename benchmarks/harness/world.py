"""A world of tasks, drawn by seed: tools, and the hidden rules by which they fail. docs/harness.md has the format.

A task is a goal in words and a plan of calls. The words say how the task stands (its size, its place, its hour), each
in one of several wordings; a rule makes a tool fail where that is so, until its remedy was applied. A fifth or so of
the failures share their message with another rule, some rules have another remedy from the middle on, and now and then
a call fails once for no reason, so that whatever is tried then seems to help.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")
_ARTICLE: Final = re.compile(r"\ba(?= [aeiou])")
TRIES: Final = 5
"""A task may take so many steps for each call of its plan; then it is given up."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: the kinds of failure that it shows, and the remedies for any of them, in the order of its manual."""

    failures: Sequence[str]
    remedies: Sequence[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of task: its workflow, the tools that it calls in order, and its goals with ``{attribute}``s in them."""

    name: str
    workflow: str
    plan: Sequence[str]
    goals: Sequence[str]
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """``tool`` fails with ``failure`` where all of ``when`` holds, unless ``remedy`` was applied: the hidden truth."""

    tool: str
    when: Mapping[str, str]
    failure: str
    remedy: str
    later: str | None = None
    """The remedy from the middle of the tasks on, where that is another one."""


@dataclass(frozen=True, slots=True)
class World:
    """What tasks are drawn from: as a file says it."""

    name: str
    tasks: int
    attributes: Mapping[str, Mapping[str, Sequence[str]]]
    failures: Mapping[str, Sequence[str]]
    tools: Mapping[str, Tool]
    kinds: Sequence[Kind]
    rules: Sequence[Rule] = ()
    drawn_rules: int = 0
    changing: float = 0.0
    hiccups: float = 0.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a plan: what it fails with, in order, each with its remedy; ``hiccup`` is a failure that comes once."""

    tool: str
    needs: Sequence[tuple[str, str]]
    hiccup: str | None = None

    def fails(self, applied: Sequence[str], turn: int) -> str | None:
        """Return the message with which the call fails at its ``turn``, from 0; None where it passes."""
        if turn == 0 and self.hiccup is not None:
            return self.hiccup
        return next((message for message, remedy in self.needs if remedy not in applied), None)


@dataclass(frozen=True, slots=True)
class Task:
    """One task; ``style`` chooses among the wordings in which the agent writes about it."""

    number: int
    kind: Kind
    goal: str
    calls: Sequence[Call]
    style: int

    @property
    def tools(self) -> list[str]:
        """The tools that its plan calls, each once."""
        return list(dict.fromkeys(self.kind.plan))

    @property
    def limit(self) -> int:
        """After so many steps it is given up."""
        return TRIES * len(self.calls)


def drawn(world: World, seed: int, *, left_out: bool = True) -> list[Task]:
    """Draw the tasks of a world; without ``left_out`` only of the kinds that one may look at while tuning."""
    random = Random(f"{world.name} {seed}")
    rules = [*world.rules, *_rules(world, random)]
    kinds = [kind for kind in world.kinds if left_out or not kind.left_out]
    return [_task(world, rules, kinds, number, random) for number in range(world.tasks)]


def _rules(world: World, random: Random) -> list[Rule]:
    """Draw so many rules for each tool as the world says, each about another value that its goals speak of."""
    found: list[Rule] = []
    for name, tool in world.tools.items():
        spoken = [
            attribute
            for kind in world.kinds
            if name in kind.plan
            for attribute in dict.fromkeys(PLACEHOLDER.findall(" ".join(kind.goals)))
        ]
        values = [(attribute, value) for attribute in spoken for value in world.attributes[attribute]]
        random.shuffle(values)
        for attribute, value in list(dict.fromkeys(values))[: world.drawn_rules]:
            first, second = random.sample(list(tool.remedies), 2)
            later = second if random.random() < world.changing else None
            found.append(Rule(name, {attribute: value}, random.choice(list(tool.failures)), first, later))
    return found


def _task(world: World, rules: Sequence[Rule], kinds: Sequence[Kind], number: int, random: Random) -> Task:
    kind = random.choice(list(kinds))
    goal = random.choice(list(kind.goals))
    stands = {name: random.choice(list(world.attributes[name])) for name in PLACEHOLDER.findall(goal)}
    for name, value in stands.items():
        goal = goal.replace(f"{{{name}}}", random.choice(list(world.attributes[name][value])))
    goal = _ARTICLE.sub("an", goal)
    late = 2 * number >= world.tasks
    calls: list[Call] = []
    for tool in kind.plan:
        needs = [
            (random.choice(list(world.failures[rule.failure])), (late and rule.later) or rule.remedy)
            for rule in rules
            if rule.tool == tool and all(stands.get(name) == value for name, value in rule.when.items())
        ]
        strange = random.choice(list(world.failures[random.choice(list(world.tools[tool].failures))]))
        calls.append(Call(tool, needs, strange if random.random() < world.hiccups else None))
    return Task(number, kind, goal, calls, random.randrange(1_000))
