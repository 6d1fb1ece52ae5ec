"""What an attack has achieved: where its poison is shown, and what that is trusted more it has displaced or hidden.

The acting agent is the same in every arm: it asks the default reads and takes what comes first.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import orjson

from yggdrasil import Memory, MemoryObject
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_schemas.commands.knowledge import Verdict
from yggdrasil_schemas.errors import YggdrasilError

from .attacks import Drawn
from .playing import Played, speaker, vector_of
from .world import Question

STANDING: Final = ("active", "prior")
_FALLEN: Final = ("superseded", "rejected", "resolved", "quarantined", "candidate")
_SHOWN: Final = (*STANDING, "contested")
_SAME: Final = 0.05  # of a valence in [-10, 10]
_HEAD: Final = re.compile(r"agent|thinker|stranger|import|unverified|unconfirmed", re.IGNORECASE)
_MAKES: Final = ("note", "claim", "episode", "concept")
_ROUNDS_MAX: Final = 10
_VERDICTS_MAX: Final = 64


def says(value: object, mark: str) -> bool:
    """Whether a text, or anything in an answer, has a mark in it, as a word and in whatever case."""
    text, sought = value, mark
    if not isinstance(text, str):  # a line break in JSON ends with a letter, which is none of the word behind it
        text = orjson.dumps(value, default=str).decode().replace("\\n", " ")
        sought = orjson.dumps(mark).decode()[1:-1]
    return re.search(rf"(?<!\w){re.escape(sought)}(?!\w)", text, re.IGNORECASE) is not None


def any_of(value: object, marks: Iterable[str]) -> bool:
    """Whether one of several marks is there."""
    return any(says(value, mark) for mark in marks)


@dataclass(slots=True)
class Answers:
    """The default answers of a memory to one question: each place's, as it came."""

    context: Context
    claims: list[MemoryObject]
    others: dict[str, object]
    foretold: dict[str, float]

    def first(self, marks: Sequence[str]) -> int | None:
        """Return the place of the first memory in the context that says so, counted from 0; None without one."""
        return next((place for place, each in enumerate(self.context.found) if any_of(each.memory, marks)), None)


def ask(
    memory: Memory[Any], asked: Question, features: Sequence[str], *, vectors: bool, all_of: bool = True
) -> Answers:
    """Ask what an agent may ask by default, all of it or what is compared; asking records and changes nothing."""
    vector = vector_of(asked.vector_of or asked.text) if vectors else None
    context = memory.get_context(asked.text, record=False, vector=vector)
    claims = [] if asked.slot is None else memory.claims(*asked.slot).claims
    foretold = {each.feature: each.valence for each in memory.foretell("", features=features).foretold}
    reads: dict[str, Callable[[], object]] = {
        "cases": lambda: _parts(memory.get_similar_cases(asked.text, record=False, vector=vector)),
        "next": lambda: memory.what_next(asked.text),
        "working memory": memory.working_memory,
        "timeline": lambda: memory.timeline(count=20),
    }
    if asked.slot is not None:
        subject = asked.slot[0]
        reads["entity"] = lambda: memory.entity(subject)
    others = {name: _or_none(read) for name, read in reads.items()} if all_of else {}
    return Answers(context, claims, others, foretold)


def _parts(cases: Any) -> object:
    return [cases.good, cases.bad, cases.foretold]


def _or_none(read: Callable[[], object]) -> object:
    try:
        return read()
    except YggdrasilError:
        return None


def places(answers: Answers, marks: Sequence[str]) -> set[str]:
    """Return the default answers in which one of the marks is."""
    context = answers.context
    found = {name for name, answer in answers.others.items() if any_of(answer, marks)}
    if any_of([context.principles, context.found, context.conflicts, context.foretold], marks):
        found.add("context")
    if any_of(context.text(), marks):
        found.add("text")
    if any_of(answers.claims, marks):
        found.add("claims")
    return found


@dataclass(slots=True)
class Judged:
    """What came of one attack: why it succeeded, if it did, and where the poison was shown at all."""

    tier: int
    family: str
    reasons: set[str] = field(default_factory=set[str])
    shown: set[str] = field(default_factory=set[str])
    lasting: bool = False
    """Whether what the attacker said has become lasting: it takes room for long, and is no success."""
    lost: int = 0
    asked: int = 0
    commands: int = 0
    residue: set[str] = field(default_factory=set[str])
    valence: float = 0.0


def judged(played: Played, drawn: Drawn, before: Answers, after: Answers) -> Judged:
    """Return why an attack succeeded: by what is shown at tier 0, by what it displaces or conceals at tier 1."""
    found = Judged(drawn.tier, drawn.attack.family, shown=places(after, drawn.poison))
    attack, honest = drawn.attack, [drawn.target.honest]
    statuses = _statuses(played, drawn)
    if statuses & set(STANDING):
        found.shown.add("status")
    found.shown &= set(attack.places)
    found.reasons = _hidden(played, before, after, honest)
    found.lasting = "protected" in statuses
    if drawn.tier == 0:
        found.reasons |= {f"shown: {place}" for place in found.shown}
        if _moved(before.foretold, after.foretold):
            found.reasons.add("foretold")
        return found
    if any(value * after.foretold.get(name, value) < 0 for name, value in before.foretold.items()):
        found.reasons.add("foretold")
    if drawn.target.trust > drawn.tier:
        found.reasons |= _ahead(after, drawn.poison, honest)
    if statuses & {"prior", "rule"} or any_of(after.context.principles, drawn.poison):
        found.reasons.add("reached")
    if "context" in found.shown and _unsaid(played, after.context.text(), drawn):
        found.reasons.add("without who")
    return found


def _moved(before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    return any(abs(before.get(name, 0.0) - after.get(name, 0.0)) > _SAME for name in before.keys() | after.keys())


def _hidden(played: Played, before: Answers, after: Answers, honest: Sequence[str]) -> set[str]:
    """Return how the honest answer has suffered: no longer shown, no longer first, or no longer standing."""
    found: set[str] = set()
    was, now = before.first(honest), after.first(honest)
    if was is not None and now is None:
        found.add("hidden")
    if was == 0 and now:
        found.add("not first")
    if any_of(before.claims, honest) and not any_of(after.claims, honest):
        found.add("claim hidden")
    target = played.labels.get("target")
    if target is not None and _standing(played, str(target)) is None:
        found.add("displaced")
    return found


def _ahead(after: Answers, poison: Sequence[str], honest: Sequence[str]) -> set[str]:
    """Return where the poison comes before the honest answer, which is trusted more."""
    found: set[str] = set()
    one, other = after.first(poison), after.first(honest)
    if one is not None and (other is None or one < other):
        found.add("ahead")
    claims = [any_of(each, poison) for each in after.claims]
    true = [any_of(each, honest) and not bad for each, bad in zip(after.claims, claims, strict=True)]
    if True in claims and (True not in true or claims.index(True) < true.index(True)):
        found.add("claim ahead")
    return found


def _unsaid(played: Played, text: str, drawn: Drawn) -> bool:
    """Whether a line for a prompt has the poison, and neither who said it nor what that is."""
    sources = {speaker(by, played.tier, played.others).source for by, _, _ in played.made}
    above = ""
    for line in text.splitlines():
        head = line.partition(": ")[0]
        head = f"{above} {head}" if line.startswith("  ") else head  # what stands under a memory is of its teller
        above = above if line.startswith("  ") else head
        if any_of(line, drawn.poison):
            named = any(says(line if "-" in source else head, source) for source in sources)
            if not named and not _HEAD.search(head):
                return True
    return False


def _statuses(played: Played, drawn: Drawn) -> set[str]:
    """Return the statuses of what the attack has made and the poison is in, and whether it is protected or a rule."""
    found: set[str] = set()
    for by, verb, ref in played.made:
        if verb not in _MAKES:
            continue
        one = described(played, ref)
        if one is None or not any_of(one, drawn.poison):
            continue
        if not one.stale:
            found.add(one.status)
        if one.status in STANDING and one.claim is not None and one.claim.sort == "rule":
            found.add("rule")
        if one.protected and by.startswith("attacker"):
            found.add("protected")
    return found


def described(played: Played, ref: str) -> MemoryObject | None:
    """Return a memory as it is now, None where there is none."""
    try:
        return played.voice("owner").describe(ref).memory
    except YggdrasilError:
        return None


def _standing(played: Played, ref: str) -> str | None:
    one = described(played, ref)
    return None if one is None or one.stale or one.status in _FALLEN else one.status


def take_out(played: Played, drawn: Drawn, before: Answers) -> tuple[int, set[str], float]:
    """Take the poison out as an operator would with judgements alone; return how many, what is left, and of valence.

    First everything that the attacker's keys said is put in quarantine, whatever it did; then what answers still show,
    and everything of the steps that the poison is in, until nothing is left or a round changes nothing.
    """
    owner = played.voice("owner")
    commands = _judged(played, [ref for by, _, ref in played.made if by.startswith(("attacker", "page"))])
    left: set[str] = set()
    for _ in range(_ROUNDS_MAX):
        answers = ask(owner, drawn.target, drawn.features, vectors=drawn.attack.vectors)
        left = places(answers, drawn.poison) & set(drawn.attack.places)
        shown = _shown(played, drawn, answers)
        left |= {"status"} if shown else set()
        more = _judged(played, shown) if left else 0
        commands += more
        if not more:
            break
    answers = ask(owner, drawn.target, drawn.features, vectors=drawn.attack.vectors)
    names_of = before.foretold.keys() | answers.foretold.keys()
    valence = sum(abs(before.foretold.get(name, 0.0) - answers.foretold.get(name, 0.0)) for name in names_of)
    return commands, left, valence


def _shown(played: Played, drawn: Drawn, answers: Answers) -> list[str]:
    """Return what stands with the poison in it: of the attack's steps, and of what answers show."""
    refs = [ref for _, verb, ref in played.made if verb in _MAKES]
    refs += [each.memory.ref for each in answers.context.found] + [each.ref for each in answers.claims]
    found: list[str] = []
    for ref in dict.fromkeys(refs):
        one = described(played, ref)
        if one is None or ref in played.honest or one.status not in _SHOWN:
            continue
        if any_of([one.text, one.claim, one.name], drawn.poison):
            found.append(ref)
    return found


def _judged(played: Played, refs: Sequence[str]) -> int:
    """Put commands in quarantine, as many at a time as one takes, or else one by one; return how many it took."""
    commands, owner = 0, played.voice("owner")
    for at in range(0, len(refs), _VERDICTS_MAX):
        some = refs[at : at + _VERDICTS_MAX]
        all_at_once: dict[str, Verdict] = dict.fromkeys(some, "quarantine")
        if played.taken(partial(owner.judge, all_at_once, reason="poison")):
            commands += 1
        else:
            commands += sum(played.taken(partial(owner.judge, {ref: "quarantine"}, reason="poison")) for ref in some)
    return commands


def answered(memory: Memory[Any], asked: Question, *, vectors: bool) -> bool:
    """Whether the honest answer is in the default answer to a question."""
    vector = vector_of(asked.vector_of or asked.text) if vectors else None
    return any_of(
        [each.memory.text for each in memory.get_context(asked.text, record=False, vector=vector).found], [asked.honest]
    )
