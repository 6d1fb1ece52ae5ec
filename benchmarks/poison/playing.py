"""Doing what steps say, through the public facade, each in the name of who speaks: the same code in every arm."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from yggdrasil import Memory, Store
from yggdrasil_producers.draft import Draft
from yggdrasil_producers.envelopes import OpenedAs
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.errors import YggdrasilError

from .world import SPEAKERS, Speaker, Step

TIMES_MAX: Final = 1_000
_DIMENSION: Final = 64
_PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")
_HOW: Final = frozenset({"by", "do", "as", "times"})
_WHAT: Final = {0: "a stranger", 1: "an agent", 2: "a user", 3: "a tool", 4: "an operator"}
EVERYONE: Final = Speaker("everyone", "user", 2)


@dataclass(frozen=True, slots=True)
class Verb:
    """What a step may do: which fields it takes, which of them it must have, and how it is said."""

    fields: frozenset[str]
    needs: frozenset[str]
    say: Callable[..., Any]


def _verb(say: Callable[..., Any], needs: str, others: str = "") -> Verb:
    return Verb(frozenset(f"{needs} {others}".split()), frozenset(needs.split()), say)


def _note(memory: Memory[Any], *, text: str, supersedes: str | None = None, **said: Any) -> str:
    return memory.record_event(text, **said) if supersedes is None else memory.supersede(supersedes, text, **said)


def _claim(memory: Memory[Any], *, subject: str, predicate: str, object: Any, **said: Any) -> str:
    return memory.assert_claim(subject, predicate, object, **said)


def _use(memory: Memory[Any], *, recall: Any, used: Any = "all", **how: Any) -> str:
    return memory.report_use(recall, recall.refs if used == "all" else used, **how)


def _episode(memory: Memory[Any], *, events: list[str], text: str) -> str:
    return memory.commit_episode(events, text=text)


def _policy(memory: Memory[Any], **changes: float) -> str:
    return memory.set_policy(**changes)


_NOTED: Final = "features session informed_by caused_by key name aliases rationale note supersedes vector at"
VERBS: Final = {
    "note": _verb(_note, "text", _NOTED),
    "claim": _verb(
        _claim,
        "subject predicate object",
        "text confidence evidence valid_from valid_to supersedes candidate sort qualifiers",
    ),
    "outcome": _verb(
        lambda memory, event, value, **how: memory.log_outcome(event, value, **how),
        "event value",
        "kind catastrophic trajectory text session",
    ),
    "ask": _verb(lambda memory, text, **how: memory.get_context(text, **how), "text", "session vector features"),
    "use": _verb(_use, "recall", "used result helpful prevented_error"),
    "judge": _verb(lambda memory, verdicts, reason: memory.judge(verdicts, reason=reason), "verdicts reason"),
    "withdraw": _verb(lambda memory, ref, reason: memory.withdraw(ref, reason), "ref reason"),
    "reinstate": _verb(lambda memory, ref, reason: memory.reinstate(ref, reason), "ref reason"),
    "verify": _verb(lambda memory, ref, reason: memory.verify(ref, reason), "ref reason"),
    "promote": _verb(lambda memory, ref, reason: memory.promote(ref, reason), "ref reason"),
    "alias": _verb(lambda memory, name, canonical: memory.alias(name, canonical), "name canonical"),
    "unalias": _verb(lambda memory, name: memory.unalias(name), "name"),
    "relate": _verb(
        lambda memory, source, target, relation, reason: memory.relate(source, target, relation, reason),
        "source target relation reason",
    ),
    "episode": _verb(_episode, "events text"),
    "concept": _verb(lambda memory, members, text: memory.form_concept(members, text=text), "members text"),
    "adjust": _verb(
        lambda memory, trajectory, **how: memory.adjust(trajectory, **how),
        "trajectory evidence",
        "salience permanence half_life",
    ),
    "pin": _verb(lambda memory, node, **how: memory.pin(node, **how), "node", "principle permanence"),
    "vector": _verb(lambda memory, node, vector: memory.attach_vector(node, vector), "node vector"),
    "policy": _verb(_policy, "", "nodes_max sessions_open_max recalls_kept_max"),
    "define": _verb(
        lambda memory, predicate, cardinality, **how: memory.define(predicate, cardinality, **how),
        "predicate cardinality",
        "resolution review confirmations",
    ),
    "sleep": _verb(lambda memory: memory.sleep(), ""),
}


def speaker(name: str, tier: int, others: Mapping[str, Speaker]) -> Speaker:
    """Return who a name is: of the attack, of every world, or an attacker of the tier. Raises KeyError."""
    if name.startswith("attacker"):
        return Speaker(f"{name.replace(' ', '-')}-key", "agent", tier)
    return others[name] if name in others else SPEAKERS[name]


def vector_of(text: str) -> Vector:
    """Return a vector of the words of a text, such that texts with the same words have the same one."""
    values = [0] * _DIMENSION
    for each in re.findall(r"\w+", text.casefold()):
        digest = blake2b(each.encode(), digest_size=8).digest()
        for place in range(0, 8, 2):
            values[digest[place] % _DIMENSION] += 1 if digest[place + 1] & 1 else -1
    most = max(1, *map(abs, values))
    return Vector.of("words", bytes((each * 127 // most) & 0xFF for each in values))


def filled(value: Any, names: Mapping[str, Any]) -> Any:
    """Return a value with its placeholders filled in: one that is nothing else becomes what it stands for."""
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole and whole[1] in names:
            found = names[whole[1]]
            return filled(found, {key: one for key, one in names.items() if key != whole[1]})
        for _ in range(3):  # a wording has placeholders of its own
            value = _PLACEHOLDER.sub(lambda match: str(names.get(match[1], match[0])), value)
        return value
    if isinstance(value, Mapping):
        return {filled(key, names): filled(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [filled(each, names) for each in value]
    return value


@dataclass(slots=True)
class Batch:
    """An engine that holds commands until ``flush`` appends them in one durable write: a life takes many of them."""

    engine: Any
    held: list[Draft] = field(default_factory=list[Draft])

    def submit(self, draft: Draft) -> None:
        """Hold a command. What the memory says of it is known later, as over Kafka."""
        self.held.append(draft)

    def flush(self) -> set[str]:
        """Append what is held; return the ids of what was refused."""
        answers = list(self.engine.submit_many(self.held))
        self.held.clear()
        return {draft.id for draft, answer in answers if answer.refused is not None}


@dataclass(slots=True)
class Played:
    """A memory in which steps are done: what they are called, who made what, and how many were refused."""

    store: Store
    memory: str
    tier: int = 0
    others: Mapping[str, Speaker] = field(default_factory=dict[str, Speaker])
    arm: str = "ours"
    labels: dict[str, Any] = field(default_factory=dict[str, Any])
    made: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """Of each step that was taken: who did it, the verb, and the reference that it made."""
    honest: set[str] = field(default_factory=set[str])
    """What was said before the attack."""
    refused: int = 0
    _batch: Batch = field(init=False)
    _voices: dict[Speaker, Memory[Any]] = field(default_factory=dict[Speaker, Memory[Any]])

    def __post_init__(self) -> None:
        """Hold commands back from the store's engine."""
        self._batch = Batch(self.store.engine)

    def voice(self, name: str) -> Memory[Any]:
        """Return the memory as somebody speaks to it; in an arm without trust all are one user."""
        who = speaker(name, self.tier, self.others)
        if self.arm != "ours":
            who = EVERYONE
        if who not in self._voices:
            role: OpenedAs = "operator" if who.origin in ("operator", "thinker") else "agent"
            voice = self.store.memory(self.memory, source=who.source, origin=who.origin, role=role)
            voice.engine = self._batch
            usual = {"user": 2, "tool": 3, "operator": 4}.get(who.origin, 1)
            self._voices[who] = voice if who.trust >= usual else voice.speaking(trust=who.trust)
        return self._voices[who]

    def play(self, steps: Iterable[Step], names: Mapping[str, Any]) -> None:
        """Do all steps in order; what a memory refuses, or what speaks of a step that was refused, is left out."""
        for step in steps:
            for turn in range(1, 1 + filled(step.get("times", 1), names)):
                self._one(filled(dict(step), {**names, "n": turn}))
        self.flush()

    def flush(self) -> None:
        """Append what is held, and forget what was refused."""
        if self._batch.held:
            refused = self._batch.flush()
            self.refused += len(refused)
            self.made = [each for each in self.made if each[2] not in refused]
            self.labels = {
                name: made for name, made in self.labels.items() if not (isinstance(made, str) and made in refused)
            }

    def taken(self, command: Callable[[], object]) -> bool:
        """Say one command at once; return whether it was taken."""
        before = self.refused
        try:
            command()
            self.flush()
        except YggdrasilError:
            return False
        return self.refused == before

    def _one(self, step: Step) -> None:
        said = {name: value for name, value in step.items() if name not in _HOW}
        if self.arm == "labels only" and "text" in said and step["do"] in ("note", "claim", "episode"):
            who = speaker(step["by"], self.tier, self.others)
            said["text"] = f"{who.source} ({_WHAT[who.trust]}) says: {said['text']}"
        if "vector" in said:
            said["vector"] = vector_of(said["vector"])
        if step["do"] in ("ask", "use"):
            self.flush()
        try:
            result = VERBS[step["do"]].say(self.voice(step["by"]), **self._referred(said))
        except (YggdrasilError, KeyError):
            self.refused += 1
            return
        ref = result.recall_id if isinstance(result, Context) else result
        if ref is not None:
            self.made.append((step["by"], step["do"], ref))
        if "as" in step:
            self.labels[step["as"]] = result

    def _referred(self, said: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value if name in ("text", "vector") else self._resolved(value, whole=name == "recall")
            for name, value in said.items()
        }

    def _resolved(self, value: Any, *, whole: bool = False) -> Any:
        """Return a value with names of steps (``@page``) as what they made; KeyError where that was refused."""
        if isinstance(value, str) and value.startswith("@"):
            found = self.labels[value[1:]]
            return found.recall_id if isinstance(found, Context) and not whole else found
        if isinstance(value, dict):
            return {self._resolved(key): each for key, each in value.items()}
        if isinstance(value, list):
            return [self._resolved(each) for each in value]
        return value
