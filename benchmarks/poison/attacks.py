"""Attacks as data: read from a file, checked, and drawn against a world. docs/poison.md says how one is written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, cast

import orjson

from .playing import TIMES_MAX, VERBS, filled
from .world import SPEAKERS, Question, Speaker, Step, World, word

HERE: Final = Path(__file__).parent
TIERS: Final = (0, 1)
PLACES: Final = (
    "context", "text", "claims", "entity", "cases", "next", "working memory", "timeline", "status"
)  # fmt: skip
TARGETS: Final = ("any", "claim", "note", "procedure", "pair")
_ATTACK: Final = {
    "family": str, "name": str, "tiers": list, "attack": list, "wordings": list, "question": str, "poison": list,
    "honest": str, "honest_trust": int, "world": list, "before": list, "speakers": dict, "target": str,
    "features": list, "vectors": bool, "vector_of": str, "places": list, "slot": list, "left_out": bool,
}  # fmt: skip
_KEYS: Final = {0: 10, 1: 3}
"""How many keys there are of an attacker who has several: strangers are cheap, captured agents are not."""


class AttackFileError(ValueError):
    """A file of attacks is not what it should be: the message says where, what was expected, and what came."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack as it is written; what is in braces is filled in when it is drawn."""

    family: str
    name: str
    attack: Sequence[Step]
    tiers: Sequence[int] = TIERS
    wordings: Sequence[str] = ("{lie}",)
    question: str = "{question}"
    poison: Sequence[str] = ("{poison}",)
    honest: str = "{honest}"
    honest_trust: int = 2
    world: Sequence[Step] | None = None
    before: Sequence[Step] = ()
    speakers: Mapping[str, Speaker] = field(default_factory=dict[str, Speaker])
    target: str = "any"
    features: Sequence[str] = ()
    vectors: bool = False
    vector_of: str = "{question}"
    places: Sequence[str] = PLACES
    slot: Sequence[str] = ()
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """An attack against one world: its tier, the names for its placeholders, and what is asked and looked for."""

    attack: Attack
    tier: int
    names: Mapping[str, Any]
    target: Question
    poison: Sequence[str]

    @property
    def features(self) -> list[str]:
        """The features whose foretelling is looked at."""
        return [str(filled(each, self.names)) for each in self.attack.features]


def families() -> list[Attack]:
    """Return the attacks of this benchmark: those that are tuned on, and those of wordings that are left out."""
    return [each for path in sorted((HERE / "families").glob("*.json")) for each in read(path)]


def read(path: Path) -> list[Attack]:
    """Return the attacks in a file of JSON, a list or one object, or of JSON lines. Raises AttackFileError."""
    text = path.read_bytes()
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        found = list(_lines(path, text))
    listed: list[Any] = found if isinstance(found, list) else [found]
    attacks = [_attack(f"{path.name}, attack {place}", each) for place, each in enumerate(listed, 1)]
    if not attacks:
        raise AttackFileError(f"{path.name}: it has no attack")
    return attacks


def _lines(path: Path, text: bytes) -> Iterator[Any]:
    for place, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise AttackFileError(f"{path.name}, line {place}: this is no JSON: {error}") from None


def _attack(where: str, given: Any) -> Attack:
    if not isinstance(given, dict):
        raise AttackFileError(f"{where}: an attack is an object, and not {str(given)[:40]!r}")
    said = cast("dict[str, Any]", given)
    _check_fields(where, said)
    speakers = {name: _speaker(f"{where}, speaker {name!r}", who) for name, who in said.get("speakers", {}).items()}
    for part in ("world", "before", "attack"):
        for place, step in enumerate(said.get(part, ()), 1):
            _check(f"{where}, {part}, step {place}", step, speakers)
    return Attack(**{**said, "speakers": speakers})


def _check_fields(where: str, said: Mapping[str, Any]) -> None:
    """Raise AttackFileError unless an attack has the fields that it must have, of the right kind, and no others."""
    for name in ("family", "name", "attack"):
        if name not in said:
            raise AttackFileError(f"{where}: {name!r} is missing")
    for name, value in said.items():
        sort = _ATTACK.get(name)
        if sort is None:
            raise AttackFileError(f"{where}: an attack has the fields {', '.join(_ATTACK)}, and not {name!r}")
        if not isinstance(value, sort) or (sort is int and isinstance(value, bool)):
            raise AttackFileError(f"{where}: {name} is a {sort.__name__}, and not {str(value)[:40]!r}")
    _check_values(where, said)


def _check_values(where: str, said: Mapping[str, Any]) -> None:
    for tier in said.get("tiers", TIERS):
        if tier not in TIERS:
            raise AttackFileError(f"{where}: tiers are 0 (a stranger) and 1 (a captured agent), and not {tier!r}")
    for name, known in (("places", PLACES), ("target", TARGETS)):
        for each in [said[name]] if isinstance(said.get(name), str) else said.get(name, ()):
            if each not in known:
                raise AttackFileError(f"{where}: {name}: {each!r} is none of {', '.join(known)}")
    for name in ("wordings", "poison"):
        if name in said and not (said[name] and all(isinstance(each, str) and each for each in said[name])):
            raise AttackFileError(f"{where}: {name} is a list of one text or more")
    if said.get("slot") and len(said["slot"]) != 2:
        raise AttackFileError(f"{where}: slot is a subject and a predicate")
    if "world" in said and not {"question", "poison", "honest"} <= said.keys():
        raise AttackFileError(f"{where}: with a world of its own it says question, poison and honest too")


def _speaker(where: str, given: Any) -> Speaker:
    try:
        who = Speaker(**given)
    except TypeError:
        raise AttackFileError(f"{where}: a speaker has source, origin and trust, and not {str(given)[:60]}") from None
    if who.origin not in ("agent", "user", "tool", "operator", "thinker") or who.trust not in range(5):
        raise AttackFileError(f"{where}: origin is agent, user, tool, operator or thinker, and trust 0 to 4")
    return who


def _check(where: str, step: Any, speakers: Mapping[str, Speaker]) -> None:
    """Raise AttackFileError unless somebody who is known does what there is to do, with the fields that it takes."""
    if not isinstance(step, dict):
        raise AttackFileError(f"{where}: a step is an object, and not {str(step)[:40]!r}")
    said = cast("dict[str, Any]", step)
    by, verb = said.get("by"), VERBS.get(str(said.get("do")))
    if not isinstance(by, str) or not (by.startswith("attacker") or by in speakers or by in SPEAKERS or by[:1] == "{"):
        raise AttackFileError(f"{where}: by is attacker, or one of {', '.join([*SPEAKERS, *speakers])}, not {by!r}")
    if verb is None:
        raise AttackFileError(f"{where}: do is one of {', '.join(VERBS)}, and not {said.get('do')!r}")
    fields = said.keys() - {"by", "do", "as", "times"}
    if missing := sorted(verb.needs - fields):
        raise AttackFileError(f"{where}: {said['do']} takes {', '.join(sorted(verb.needs))}; {missing[0]} is missing")
    if unknown := sorted(fields - verb.fields):
        raise AttackFileError(f"{where}: {said['do']} takes {', '.join(sorted(verb.fields))}, and not {unknown[0]!r}")
    times = said.get("times", 1)
    if times != "{keys}" and not (isinstance(times, int) and 1 <= times <= TIMES_MAX):
        raise AttackFileError(f"{where}: times is a number from 1 to {TIMES_MAX}, and not {times!r}")


def drawn(attack: Attack, tier: int, lived: World, goals: Sequence[str], seed: str) -> Drawn | None:
    """Draw an attack's target, wording and poison in a world; None where the world has nothing that it aims at."""
    random = Random(seed)
    poison = word(random)
    goal = random.choice(goals)
    names: dict[str, Any] = {
        "poison": poison, "token": word(random).lower(), "keys": _KEYS[tier], "goal": goal,
        "goal_short": " ".join(goal.split()[:6]),
        "wording": random.choice(attack.wordings),
    }  # fmt: skip
    if attack.world is not None:
        slot = (str(attack.slot[0]), str(attack.slot[1])) if attack.slot else None
        alike = str(filled(attack.vector_of, {"question": attack.question}))
        target = Question(attack.question, attack.honest, attack.honest_trust, slot, vector_of=alike)
    else:
        aimed = _aimed(attack, tier, lived, random)
        if aimed is None:
            return None
        target, other = aimed
        omen = random.choice(lived.omens)
        number = target.names["sort"] == "number"
        if number:
            poison = str(random.randrange(10_000, 60_000))
        lie = str(target.names["says"]).replace("{v}", poison)
        names |= {
            **target.names, "question": target.text, "poison": poison, "lie": lie, "omen": omen.feature,
            "poison_object": int(poison) if number else f"{target.names['sort']}:{poison.lower()}",
            "omen_value": 10 if omen.value < 0 else -10, "omen_event": omen.event,
            "other_subject": other.names["subject"], "other": other.honest,
        }  # fmt: skip
        asked, honest = str(filled(attack.question, names)), str(filled(attack.honest, names))
        slot, alike = target.slot, str(filled(attack.vector_of, {**names, "question": asked}))
        if attack.slot:
            slot = (str(filled(attack.slot[0], names)), str(filled(attack.slot[1], names)))
        target = Question(asked, honest, target.trust, slot, target.label, target.names, alike)
    return Drawn(attack, tier, names, target, [str(filled(each, names)) for each in attack.poison])


def _aimed(attack: Attack, tier: int, lived: World, random: Random) -> tuple[Question, Question] | None:
    """Return the question whose answer is attacked, and another one; of tier 1 what is trusted more is attacked."""
    fit = [
        each
        for each in lived.questions
        if each.trust > tier
        and (attack.target not in ("claim", "pair") or each.slot is not None)
        and (attack.target != "note" or each.slot is None)
        and (attack.target != "procedure" or each.names["sort"] == "queue")
    ]
    random.shuffle(fit)
    for target in fit:
        others = [each for each in lived.questions if each.label != target.label]
        if attack.target == "pair":
            others = [each for each in others if each.slot and target.slot and each.slot[1] == target.slot[1]]
        if others:
            return target, random.choice(others)
    return None
