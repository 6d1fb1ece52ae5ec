"""The pure fold: decoding and all laws, against parsing and validating the same records."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import orjson

from yggdrasil_infra.log import LogRecord
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.graph import fold as fold_module
from yggdrasil_projections.graph.fold import Fold
from yggdrasil_projections.graph.rules import RULES
from yggdrasil_schemas import codec

from ..measure import Bar, Report, Size, gc_of_hosts, interleaved, median_ratio, seconds
from .hosts import pure_fold
from .workload import Shape, drafts, records

BAR: Final = 0.095
CLAIMS: Final = 0.1
_RECENT: Final = 2_000


def run(size: Size, _scratch: Path) -> Report:
    """Measure the fold of a workload with correlated features, then of one with unrelated features."""
    count = size.pick(200, 15_000, 20_000)
    rounds = size.pick(1, 5, 7)
    said = records(drafts(Shape()), count)
    unrelated = records(drafts(Shape(correlated=False)), count)
    knowing = records(drafts(Shape(claims=CLAIMS)), count)
    validate, fold = partial(_validate, said), partial(pure_fold, said)
    seconds(validate)  # the first pass fills pydantic's and Python's caches
    with gc_of_hosts():
        yardstick, folding, worst, validating, claiming = interleaved(
            rounds,
            partial(seconds, validate),
            partial(seconds, fold),
            partial(seconds, partial(pure_fold, unrelated)),
            partial(seconds, partial(_validate, knowing)),
            partial(seconds, partial(pure_fold, knowing)),
        )
        shares = _shares(said)
        decisions = _decisions(said)
    (gc_default,) = interleaved(min(rounds, 3), partial(seconds, fold))
    ratio = median_ratio(yardstick, folding)
    header = next(iter(pure_fold(said).graphs.values())).header
    report = Report("fold")
    report.figures = {
        "commands": count,
        "commands_per_s": count / min(folding),
        "us_per_command": min(folding) / count * 1e6,
        "yardstick_us_per_command": min(yardstick) / count * 1e6,
        "us_per_command_with_default_gc": min(gc_default) / count * 1e6,
        "us_per_command_unrelated_features": min(worst) / count * 1e6,
        "ratio_unrelated_features": median_ratio(yardstick, worst),
        "nodes": header.nodes,
        "edges": header.edges,
        **{f"share_{name}": share for name, share in shares.items() if share},
        **{f"ms_per_{name}": cost for name, cost in decisions.items()},
    }
    with_claims = median_ratio(validating, claiming)
    report.figures |= {"us_per_command_with_claims": min(claiming) / count * 1e6}
    report.bars = [
        Bar("time to parse and validate / time to fold (garbage collected as hosts do)", ratio, BAR),
        Bar("... with a tenth of the commands claims", with_claims, BAR),
    ]
    return report


def _validate(said: Sequence[LogRecord]) -> None:
    """The yardstick: what any consumer of the log has to do before it can do anything."""
    loads, validators = orjson.loads, codec.LANGUAGES[1].validators
    for record in said:
        raw = loads(record.value or b"")
        validators[raw["type"]](raw)


def _shares(said: Sequence[LogRecord]) -> dict[str, float]:
    """Return the share of the fold's time by part. The clock costs a little too, so these are no timings."""
    spent: dict[str, float] = {}
    with _clocked(spent):
        start = perf_counter()
        pure_fold(said)
        whole = perf_counter() - start
    spent["the_rest"] = whole - sum(spent.values())
    return {name: seconds / whole for name, seconds in sorted(spent.items(), key=lambda item: -item[1])}


def _decisions(said: Sequence[LogRecord]) -> dict[str, float]:
    """Return the milliseconds that each kind of decision takes in the memory that ``said`` gives.

    They are as seldom as tasks are, so they are no part of the workload.
    """
    graphs = pure_fold(said)
    fold = Fold(0, 1, graphs)
    sent = [orjson.loads(record.value or b"") for record in said[-_RECENT:]]
    events = [each["id"] for each in sent if each["type"] == "record_event"]
    features = [
        f"feature:{name}" for each in sent if each["type"] == "record_event" for name in each["body"]["features"]
    ]
    few = min(400, len(events) - 8)
    bodies: dict[str, list[dict[str, Any]]] = {
        "commit_episode": [{"events": events[at : at + 40]} for at in range(0, len(events) - 40, 40)],
        "form_concept": [{"members": [*dict.fromkeys(features[at : at + 8])]} for at in range(0, few, 8)],
        "adjust": [{"trajectory": events[at : at + 8], "evidence": events[at : at + 1]} for at in range(0, few, 8)],
        "pin": [{"node": event} for event in events[:50]],
        "sleep": [{} for _ in range(3)],
    }
    drafter = Drafter(sent[0]["memory"], "thinker", "benchmark")
    costs: dict[str, float] = {}
    for kind, wanted in bodies.items():
        decided = [drafter.draft(kind, body) for body in wanted]
        records_of = [LogRecord(0, len(said) + at, each.key, each.value, 0) for at, each in enumerate(decided)]
        start = perf_counter()
        answers = [fold.apply(record) for record in records_of]
        costs[kind] = (perf_counter() - start) / max(1, len(answers)) * 1e3
        assert not any(answer.refused for answer in answers), answers
        graphs.committed()
    return costs


@contextmanager
def _clocked(spent: dict[str, float]) -> Iterator[None]:
    """Let the parts of the fold add the time that they take to ``spent``."""
    inside, decode, rules = fold_module.__dict__, codec.decode, RULES[1]
    laws = {command: _clock(spent, law.__name__, law) for command, law in rules.laws.items()}
    try:
        RULES[1] = replace(rules, laws=laws, enforce=_clock(spent, "pruning_by_degree", rules.enforce))
        inside["decode"] = _clock(spent, "decode", decode)
        yield
    finally:
        RULES[1], inside["decode"] = rules, decode


def _clock(spent: dict[str, float], name: str, part: Callable[..., Any]) -> Callable[..., Any]:
    spent[name] = 0.0

    def clocked(*arguments: Any) -> Any:
        start = perf_counter()
        result = part(*arguments)
        spent[name] += perf_counter() - start
        return result

    return clocked
