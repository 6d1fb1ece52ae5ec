"""Histories from seeds: each seed is one record, valid or not, over small pools of names, so that references hit.

What a command says follows from its name most of the time, so a name drawn twice is a repetition; otherwise it is an id
that is used again for something else.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Final

from yggdrasil_infra.log import LogRecord

from tests.graph.commands import Said, attest, enable_version, event, outcome, policy, recall, use

MEMORIES: Final = ("tenant/a", "tenant/b", "other/a")
TINY: Final = policy(
    "tiny",
    nodes_max=40,
    sessions_open_max=4,
    edges_max=60,
    degree_max=16,
    recalls_kept_max=3,
    attest_interval_commands=5,
)
_POLICIES: Final = (
    TINY,
    replace(TINY, name="tiny again"),
    policy("narrow", nodes_max=40, sessions_open_max=2, edges_max=40, degree_max=16, recalls_kept_max=1),
    policy("wide", nodes_max=200, edges_max=1_000, degree_max=64),
    policy("brief", node_half_life_ticks=0.1, edge_half_life_ticks=3.3, permanence_half_life_ticks=1),
    policy("long", node_half_life_ticks=1e9, half_life_max_ticks=1e12),
    policy("fierce", first_outcome=10, bad_salience=10, salience_max=10, recall_salience=10, salience_initial=10),
    policy("thrifty", nodes_kept_share=0.1, edges_kept_share=0.1, degree_kept_share=0.1),
    policy("crowded", features_paired_max=32, competitors_max=32, credit_events_max=64, weight_max=10),
    policy("conflict", nodes_max=10, sessions_open_max=1_024),
    policy("unheard of", magic=1),
)
_GARBAGE: Final = (b"", b"\x00", b"{", b"[]", b"null", b'{"version":1}', b'{"version":9}', b"{}" * 99, b"\xff" * 40)


def said(seed: int, names: int = 32) -> Said:
    """One command; ``names`` of each kind are drawn from."""
    rng = Random(seed)
    number = rng.randrange(names)
    kind = rng.choices(("event", "outcome", "recall", "use", "policy", "attest", "broken"), (40, 18, 14, 12, 4, 4, 3))[
        0
    ]
    if rng.random() < 0.5:  # what follows then follows from the name
        rng = Random(f"{kind}{number}")
    if kind == "event":
        chosen = rng.sample([f"f{n}" for n in range(names)], rng.choice((0, 1, 2, 3, 9)))
        informed = (f"recall{rng.randrange(names // 4)}",) if rng.random() < 0.1 else ()
        return event(f"event{number}", *chosen, session=f"s{rng.randrange(6)}", informed_by=informed)
    if kind == "outcome":
        value = rng.choice((-10.0, -1.5, 0.0, 0.5, 3.0, 10.0))
        of = rng.choices((f"event{rng.randrange(names)}", f"recall{rng.randrange(names)}", "nobody"), (90, 5, 5))[0]
        disaster = value < 0 and rng.random() < 0.4
        return outcome(f"outcome{number}", of, value, kind=f"kind{rng.randrange(3)}", catastrophic=disaster)
    if kind == "recall":
        returned = [reference for _ in range(rng.randrange(5)) for reference in _references(rng, names)]
        return recall(f"recall{number % (names // 4)}", *returned, as_of=rng.choice((0, 0, 0, 5, 10_000)))
    if kind == "use":
        used = dict.fromkeys(reference for _ in range(rng.randrange(3)) for reference in _references(rng, names))
        result = rng.choice(("success", "failure", "unknown"))
        return use(
            f"use{number}", f"recall{rng.randrange(names // 4)}", *used, result=result, helpful=rng.random() < 0.5
        )
    if kind == "policy":
        chosen_policy = rng.choice(_POLICIES)
        return replace(chosen_policy, name=f"{chosen_policy.name}{number}")
    if kind == "attest":
        return attest(f"attest{number}")
    return rng.choice(
        (
            event(f"event{number}", "twice", "twice"),
            outcome(f"outcome{number}", "event0", 11.0),
            enable_version(f"version{number}"),
            replace(attest(f"attest{number}"), changed={"version": 2}),
            replace(attest(f"attest{number}"), changed={"origin": "nobody"}),
            replace(attest(f"attest{number}"), content={"text": 1}),
        )
    )


def _references(rng: Random, names: int) -> list[str]:
    number = rng.randrange(names)
    kinds = (f"event{number}", f"feature:f{number}", f"outcome{number}", f"use{number}", "nobody")
    return rng.choices(kinds, (20, 75, 4, 1, 1))


def record(seed: int, offset: int, names: int = 32, memories: int = len(MEMORIES)) -> LogRecord:
    """One record of a partition in which all of ``MEMORIES`` lie; now and then not a command at all."""
    rng = Random(f"record{seed}")
    memory = MEMORIES[rng.randrange(memories)]
    built = said(seed, names).record(offset, memory)
    if rng.random() < 0.02:
        return replace(built, value=rng.choice(_GARBAGE))
    if rng.random() < 0.01:
        return replace(built, key=rng.choice((None, b"", b"tenant/else")))
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
    return [replace(each, offset=offset) for offset, each in enumerate(kept)]
