"""Histories from seeds: each seed is one record, valid or not, over small pools of names, so that references hit.

What a command says follows from its name most of the time, so a name drawn twice is a repetition; otherwise it is an id
that is used again for something else.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any, Final

from tests.graph.assertions import Claims
from tests.graph.commands import (
    Said,
    adjust,
    attest,
    concept,
    dissolve,
    enable_version,
    episode,
    event,
    judge,
    lift,
    outcome,
    pin,
    policy,
    recall,
    retire,
    sleep,
    thinker,
    use,
    vector,
)
from tests.graph.views import Views
from yggdrasil_infra.log import LogRecord

MEMORIES: Final = ("tenant/a", "tenant/b", "other/a")
TINY: Final = policy(
    "tiny",
    nodes_max=40,
    sessions_open_max=4,
    edges_max=60,
    degree_max=16,
    recalls_kept_max=3,
    principles_max=3,
    attest_interval_commands=5,
    taint_ticks=1,
)
_POLICIES: Final = (
    TINY,
    replace(TINY, name="tiny again"),
    policy("narrow", nodes_max=40, sessions_open_max=2, edges_max=40, degree_max=16, recalls_kept_max=1),
    policy("wide", nodes_max=200, edges_max=1_000, degree_max=64),
    policy("brief", node_half_life_ticks=0.1, edge_half_life_ticks=3.3, permanence_half_life_ticks=1),
    policy("long", node_half_life_ticks=1e6),
    policy("fierce", first_outcome=10, bad_salience=10, recall_salience=10, salience_initial=10),
    policy("thrifty", protected_share=0.0, protect_permanence=1.0, archived_max=1),
    policy("crowded", features_paired_max=32, competitors_max=32, credit_events_max=64),
    policy(
        "fading",
        node_half_life_ticks=1.5,
        archive_salience=1.0,
        archive_permanence=1.0,
        archive_rest_ticks=0,
        archived_max=3,
    ),
    policy(
        "dense",
        concept_density=0.2,
        dissolve_density=0.15,
        concept_usage=2,
        concept_beyond_chance=0,
        absorb_jaccard=0.4,
    ),
    policy("conflict", nodes_max=10, sessions_open_max=1_024),
    policy("unheard of", magic=1),
)
_ORIGINS: Final = ("agent", "agent", "import", "thinker", "user", "tool", "operator")
_TRUSTS: Final = (None, None, None, 0, 1, 2, 3)
_GARBAGE: Final = (b"", b"\x00", b"{", b"[]", b"null", b'{"version":1}', b'{"version":9}', b"{}" * 99, b"\xff" * 40)


_OFTEN: Final = {
    "event": 40,
    "outcome": 18,
    "recall": 14,
    "use": 12,
    "episode": 6,
    "concept": 5,
    "dissolve": 2,
    "adjust": 4,
    "sleep": 3,
    "pin": 4,
    "vector": 4,
    "lift": 3,
    "judge": 6,
    "claim": 8,
    "note": 4,
    "define": 2,
    "alias": 2,
    "relate": 2,
    "retire": 2,
    "policy": 6,
    "attest": 7,
    "broken": 3,
}


def said(seed: int, names: int = 32) -> Said:
    """One command; ``names`` of each kind are drawn from."""
    rng = Random(seed)
    number = rng.randrange(names)
    kind = rng.choices(list(_OFTEN), list(_OFTEN.values()))[0]
    if rng.random() < 0.5:  # what follows then follows from the name
        rng = Random(f"{kind}{number}")
    if kind == "policy":
        chosen = rng.choice(_POLICIES)
        return replace(chosen, name=f"{chosen.name}{number}")
    if kind == "attest":
        return attest(f"attest{number}")
    if kind == "broken":
        return _broken(rng, number)
    experience = {"event": _event, "outcome": _outcome, "recall": _recall, "use": _use}
    return (experience[kind] if kind in experience else _DECISIONS[kind])(rng, number, names)


def _event(rng: Random, number: int, names: int) -> Said:
    chosen = rng.sample([f"f{n}" for n in range(names)], rng.choice((0, 1, 2, 3, 9)))
    informed = (f"recall{rng.randrange(names // 4)}",) if rng.random() < 0.1 else ()
    causes = (f"event{rng.randrange(names)}",) if rng.random() < 0.1 else ()
    session = f"s{rng.randrange(6)}"
    boundary = rng.choice(("open", "open", "close")) if rng.random() < 0.15 else None
    condensed = _condensed(rng, names)
    if rng.random() < 0.7:
        return event(
            f"event{number}",
            *chosen,
            session=session,
            informed_by=informed,
            caused_by=causes,
            boundary=boundary,
            condenses=condensed,
            perspectives=_views(rng),
        )
    key, old = rng.choice(((None, True), ("key0", False), ("key0", False), ("key1", False), ("key1", True)))
    return event(
        f"event{number}",
        *chosen,
        session=session,
        informed_by=informed,
        caused_by=causes,
        key=key,
        supersedes=_corrigible(rng, names) if old else None,
        boundary=boundary,
        condenses=condensed,
        origin=rng.choice(_ORIGINS),
        trust=rng.choice(_TRUSTS),
    )


def _outcome(rng: Random, number: int, names: int) -> Said:
    value = rng.choice((-10.0, -1.5, 0.0, 0.5, 3.0, 10.0))
    about = (
        f"event{rng.randrange(names)}",
        f"episode{rng.randrange(names)}",
        f"recall{rng.randrange(names)}",
        "nobody",
    )
    of = rng.choices(about, (80, 10, 5, 5))[0]
    disaster = value < 0 and rng.random() < 0.4
    steps = (f"event{rng.randrange(names)}",) if rng.random() < 0.1 else ()
    kind = f"kind{rng.randrange(3)}" if value >= 0 or rng.random() < 0.9 else "guardrail_violation"
    origin = rng.choice(("agent", "tool", "operator")) if disaster else "agent"
    return outcome(f"outcome{number}", of, value, kind=kind, catastrophic=disaster, trajectory=steps, origin=origin)


def _recall(rng: Random, number: int, names: int) -> Said:
    returned = [reference for _ in range(rng.randrange(5)) for reference in _references(rng, names)]
    as_of = rng.choice((0, 0, 0, 5, 10_000))
    return recall(f"recall{number % (names // 4)}", *returned, as_of=as_of, perspectives=_views(rng))


def _use(rng: Random, number: int, names: int) -> Said:
    used = dict.fromkeys(reference for _ in range(rng.randrange(3)) for reference in _references(rng, names))
    result = rng.choice(("success", "failure", "unknown"))
    recalled = f"recall{rng.randrange(names // 4)}"
    return use(f"use{number}", recalled, *used, result=result, helpful=rng.random() < 0.5, perspectives=_views(rng))


def _views(rng: Random) -> tuple[str, ...]:
    return tuple(rng.sample([f"view{n}" for n in range(12)], rng.choice((0, 0, 1, 2, 8))))


def _thinker(rng: Random) -> dict[str, Any] | None:
    if rng.random() >= 0.4:
        return None
    start, end, parts = rng.choice((0, 0, 0, 3)), rng.choice((1, 3, 10_000)), rng.choice((1, 1, 2, 3))
    return thinker(f"thinker{rng.randrange(3)}", start, end, part=rng.randrange(parts), parts=parts)


def _episode(rng: Random, number: int, names: int) -> Said:
    events = dict.fromkeys(f"event{rng.randrange(names)}" for _ in range(rng.randint(1, 3)))
    clear, session = rng.choice(("all", "window", "key")), f"s{rng.randrange(6)}"
    return episode(f"episode{number}", *events, session=session, clear=clear, keep=rng.randrange(2), by=_thinker(rng))


def _concept(rng: Random, number: int, names: int) -> Said:
    members = dict.fromkeys(reference for _ in range(3) for reference in _references(rng, names))
    return concept(
        f"concept{number}", "feature:f0", *(each for each in members if each != "feature:f0"), by=_thinker(rng)
    )


def _dissolve(rng: Random, number: int, names: int) -> Said:
    return dissolve(f"dissolve{number}", rng.choice((f"concept{rng.randrange(names)}", *_references(rng, names))))


def _adjust(rng: Random, number: int, names: int) -> Said:
    along = dict.fromkeys(reference for _ in range(3) for reference in _references(rng, names))
    salience, half_life = rng.choice((-1.0, 0.1, 1.0)), rng.choice((0.5, 1.0, 1.05))
    evidence = (f"event{rng.randrange(names)}",)
    return adjust(
        f"adjust{number}", *along, evidence=evidence, salience=salience, half_life=half_life, by=_thinker(rng)
    )


def _sleep(rng: Random, number: int, _names: int) -> Said:
    return sleep(f"sleep{number}", by=_thinker(rng), scope="task" if number % 2 else None)


def _pin(rng: Random, number: int, names: int) -> Said:
    principle = f"event{rng.randrange(names)}" if rng.random() < 0.5 else ""
    of, pinned = principle or _references(rng, names)[0], bool(principle) or rng.random() < 0.5
    return pin(f"pin{number}", of, pinned, permanence=rng.choice((0.0, 6.0)), principle=bool(principle))


def _vector(rng: Random, number: int, names: int) -> Said:
    of = rng.choice((f"event{rng.randrange(names)}", "feature:f0", *_references(rng, names)))
    return vector(f"vector{number}", of, rng.choice(("small", "large", "other")), bytes([number]))


def _lift(rng: Random, number: int, names: int) -> Said:
    of = f"{rng.choice(('event', 'outcome', 'episode'))}{rng.randrange(names)}"
    return lift(f"lift{number}", of, origin=rng.choice(("operator", "operator", "agent")))


def _corrigible(rng: Random, names: int) -> str:
    kinds = ("event",) * 12 + ("episode", "concept", "outcome", "claim", "claim", "claim")
    return f"{rng.choice(kinds)}{rng.randrange(names)}" if rng.random() < 0.97 else "nobody"


def _condensed(rng: Random, names: int) -> tuple[str, ...]:
    some = rng.randint(1, 3) if rng.random() < 0.08 else 0
    return tuple(dict.fromkeys(_corrigible(rng, names) for _ in range(some)))


def _judge(rng: Random, number: int, names: int) -> Said:
    named = dict.fromkeys(_corrigible(rng, names) for _ in range(rng.randint(1, 3)))
    verdicts = ("reject", "resolve", "quarantine", "release", "archive")
    of_claims = (*verdicts, "verify", "promote")
    items = [(each, rng.choice(of_claims if each.startswith("claim") else verdicts)) for each in named]
    evidence = (f"event{rng.randrange(names)}",) if rng.random() < 0.3 else ()
    origin = rng.choice((*_ORIGINS, "operator", "operator"))
    return judge(f"judge{number}", *items, evidence=evidence, origin=origin, by=_thinker(rng))


def _claim(rng: Random, number: int, names: int) -> Said:
    made = (f"{rng.choice(('event', 'claim'))}{rng.randrange(names)}" for _ in range(rng.choice((0, 0, 1, 2))))
    old = _corrigible(rng, names) if rng.random() < 0.1 else None
    condensed = _condensed(rng, names)
    return Claims(rng).claim(rng, f"claim{number}", tuple(dict.fromkeys(made)), old, _thinker(rng), condensed)


def _note(rng: Random, number: int, names: int) -> Said:
    evidence = (f"event{rng.randrange(names)}",) if rng.random() < 0.2 else ()
    return Claims(rng).note(rng, f"claim{number}", f"s{rng.randrange(6)}", evidence, _thinker(rng))


def _define(rng: Random, number: int, _names: int) -> Said:
    if rng.random() < 0.6:
        return Views(rng).define(rng, f"define{number}")
    return Claims(rng).define(rng, f"define{number}")


def _alias(rng: Random, number: int, names: int) -> Said:
    evidence = (f"event{rng.randrange(names)}",) if rng.random() < 0.1 else ()
    return Claims(rng).alias(rng, f"alias{number}", evidence, _thinker(rng))


def _relate(rng: Random, number: int, names: int) -> Said:
    ends = _references(rng, names)[0], rng.choice(("feature:f0", *_references(rng, names)))
    return Claims(rng).relate(f"relate{number}", ends, rng, _thinker(rng))


def _retire(rng: Random, number: int, _names: int) -> Said:
    return retire(f"retire{number}", f"thinker{rng.randrange(4)}", origin=rng.choice(("operator", "operator", "agent")))


_DECISIONS: Final = {
    "episode": _episode,
    "concept": _concept,
    "dissolve": _dissolve,
    "adjust": _adjust,
    "sleep": _sleep,
    "pin": _pin,
    "vector": _vector,
    "lift": _lift,
    "judge": _judge,
    "claim": _claim,
    "note": _note,
    "define": _define,
    "alias": _alias,
    "relate": _relate,
    "retire": _retire,
}


def _broken(rng: Random, number: int) -> Said:
    return rng.choice(
        (
            event(f"event{number}", "twice", "twice"),
            outcome(f"outcome{number}", "event0", 11.0),
            enable_version(f"version{number}"),
            sleep(f"sleep{number}", by=thinker(cursor_from=-1)),
            replace(attest(f"attest{number}"), changed={"version": 2}),
            replace(attest(f"attest{number}"), changed={"origin": "nobody"}),
            replace(attest(f"attest{number}"), content={"text": 1}),
        )
    )


def _references(rng: Random, names: int) -> list[str]:
    number = rng.randrange(names)
    kinds = (
        f"event{number}",
        f"feature:f{number}",
        f"outcome{number}",
        f"episode{number}",
        f"concept{number}",
        f"claim{number}",
        f"use{number}",
        "nobody",
    )
    return rng.choices(kinds, (20, 66, 4, 3, 2, 3, 1, 1))


def record(seed: int, offset: int, names: int = 32, memories: int = len(MEMORIES)) -> LogRecord:
    """One record of a partition in which all of ``MEMORIES`` lie; now and then not a command at all."""
    rng = Random(f"record{seed}")
    memory = MEMORIES[rng.randrange(memories)]
    built = said(seed, names).record(offset, memory)
    if rng.random() < 0.02:
        return built._replace(value=rng.choice(_GARBAGE))
    if rng.random() < 0.01:
        return built._replace(key=rng.choice((None, b"", b"tenant/else")))
    return built


def history(seeds: Iterable[int], names: int = 32, memories: int = len(MEMORIES)) -> list[LogRecord]:
    """Records as they stand in a log: every memory begins with tiny caps, then one record for each seed."""
    records = [TINY.record(offset, memory) for offset, memory in enumerate(MEMORIES[:memories])]
    for seed in seeds:
        records.append(record(seed, len(records), names, memories))
    return records


def alone(records: Iterable[LogRecord], memory: str) -> list[LogRecord]:
    """Only what was said under one memory's key, at other offsets."""
    kept = [each for each in records if each.key == memory.encode()]
    return [each._replace(offset=offset) for offset, each in enumerate(kept)]
