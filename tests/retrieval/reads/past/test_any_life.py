"""Of any life and any two moments: what a memory was, and what is told to have changed, are what it was then."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import orjson
import pytest

from tests.graph.commands import policy
from tests.retrieval.lives import sentence, spoken
from tests.size import turns
from yggdrasil import CommandRefusedError, Diff, Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_projections.retrieval.reads.past.diff import LeftOut
from yggdrasil_projections.retrieval.reads.past.differing import Difference, StateThen
from yggdrasil_schemas.codec import command_of
from yggdrasil_schemas.graph.records import node_number
from yggdrasil_schemas.refusals import Refused

MEMORY: Final = "tenant/agent"
OF_SMALL: Final[dict[str, float]] = {
    "sessions_open_max": 4,
    "edges_max": 900,
    "archived_max": 30,
    "archive_rest_ticks": 0,
    "search_refusal": 0.0,
}
SMALL: Final = [policy("small", nodes_max=nodes_max, **OF_SMALL) for nodes_max in (90, 300)]
SEEDS: Final = turns(4, 30)
PAIRS: Final = turns(5, 40)
TIERS: Final = ("agent", "user", "operator")
STEPS: Final = 320
FILTERS: Final[Sequence[dict[str, Any]]] = (
    {"source": "desk"},
    {"session": "s1"},
    {"feature": "speaker:Ann"},
    {"source": "user", "session": "s1"},
)
MADE: Final = ("record_event", "log_outcome", "commit_episode", "form_concept", "assert_claim")
State = dict[str, StateThen]


class Life(NamedTuple):
    """A memory that has lived, up to a seq."""

    memory: Memory[Any]
    seq: int


def live(engine: Embedded, seed: int) -> Life:
    """Live a random life of all tiers: what the fold's histories say, claims that contradict, and second thoughts."""
    rng = Random(f"diff{seed}")
    tiers = {tier: Memory(engine, Drafter(MEMORY, tier, "diff", tier)) for tier in TIERS}
    refs: list[str] = []
    for number in range(STEPS):
        said = SMALL[seed % 2] if not number else spoken(rng.randrange(10**9))
        fields = said.fields(MEMORY) | ({"origin": rng.choice(TIERS)} if rng.random() < 0.5 else {})
        value = orjson.dumps(fields)
        if (number and said.type == "set_policy") or isinstance(command_of(value), Refused):
            continue
        if engine.submit(Draft(fields["id"], MEMORY, value)).refused is None and said.type in MADE:
            refs.append(fields["id"])
        with suppress(CommandRefusedError):
            refs += act(tiers[rng.choice((*TIERS, "operator"))], rng, refs)
    memory = tiers["operator"]
    return Life(memory, memory.moment().as_of)


def act(memory: Memory[Any], rng: Random, refs: list[str]) -> list[str]:
    """Say, correct, judge or ask something; return what it made."""
    ref = rng.choice(refs[-60:]) if refs else ""
    roll = rng.random()
    if roll < 0.35 or not refs:
        begins = rng.choice((None, f"{rng.randint(2020, 2024)}-{rng.randint(1, 12):02}-01"))
        value = f"city:c{rng.randrange(4)}"
        text = rng.choice((None, "so it is"))
        return [memory.assert_claim(f"person:p{rng.randrange(3)}", "lives_in", value, valid_from=begins, text=text)]
    if roll < 0.5:
        return [
            memory.record_event(sentence(rng), key=f"key{rng.randrange(6)}", features=["speaker:Ann"], session="s1")
        ]
    if roll < 0.6:
        return [memory.supersede(ref, sentence(rng))]
    if roll < 0.85:
        verdict: Any = rng.choice(("reject", "reject", "resolve", "quarantine", "archive", "release"))
        memory.judge({ref: verdict}, reason="so it is")
    elif roll < 0.95:
        memory.get_context(sentence(rng), k=8)
    else:
        memory.log_outcome(ref, rng.choice((-4, 3)), kind="outage")
    return []


@contextmanager
def lived(path: Path, seed: int) -> Iterator[Life]:
    with Embedded(path, partitions=1, sliced=True) as engine:
        yield live(engine, seed)


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Life]:
    with lived(tmp_path_factory.mktemp("diff") / "data", 0) as found:
        yield found


def state(memory: Memory[Any]) -> State:
    """All of a memory but its features, as other reads show it."""
    found: State = {}
    for each in memory.happened(count=1_000).happened:
        it = memory.describe(each.id).memory
        claim = it.claim
        value = each.value if each.kind == "outcome" else None
        held = (value, None, None) if claim is None else (claim.object, claim.valid_from, claim.valid_to)
        found[it.ref] = StateThen(it.status, it.archived, it.stale, it.text, *held)
    return found


def applied(diff: Diff, before: State) -> State:
    """What a memory was at the first moment, and what changed."""
    after = dict(before)
    for each in differences(diff):
        assert after.pop(each.ref, None) == each.before, each
        if each.after is not None:
            after[each.ref] = each.after
    return after


def differences(diff: Diff) -> Iterable[Difference]:
    return chain(diff.learnt, diff.fell, diff.changed)


def pairs(life: Life, count: int) -> Iterator[tuple[int, int | None]]:
    rng = Random(f"pairs{life.seq}")
    yield 1, None
    for _ in range(count):
        a, b = sorted(rng.choices(range(1, life.seq + 1), k=2))
        yield a, rng.choice((b, b, None))


def test_what_changed_makes_of_what_was_what_is(tmp_path: Path) -> None:
    whys, what = Counter[str](), Counter[str]()
    for seed in range(SEEDS):
        with lived(tmp_path / f"data{seed}", seed) as one:  # each has the files of its pasts open
            for at, (a, b) in enumerate(pairs(one, PAIRS)):
                diff = told_truly(one, (0, 0, 2, 3)[at % 4], a, b)
                whys.update(each.why or "" for each in diff.fell)
                for each in diff.changed:
                    was, now = orjson.loads(orjson.dumps([each.before, each.after]))
                    what.update(name for name in was if was[name] != now[name])
    assert whys.keys() >= {"superseded", "rejected", "resolved", "archived", "forgotten"}, whys
    assert what.keys() >= {"status", "valid_to"}, what


def told_truly(life: Life, trust_min: int, a: int, b: int | None) -> Diff:
    """Compare a diff with what other reads show at both moments, but for what is in quarantine today.

    That is also what was forgotten or rejected there: nothing but a release lifts a verdict of quarantine.
    """
    memory = life.memory.seen(trust_min=trust_min)
    quarantined = life.memory.engine.fallen_today(life.memory.id).nodes

    def fallen(ref: str) -> bool:
        became = life.memory.became(ref)
        return became is not None and became.place is not None and node_number(became.place.seq) in quarantined

    before, after = (
        {ref: each for ref, each in state(it).items() if not fallen(ref)}
        for it in (memory.as_of(a), memory if b is None else memory.as_of(b))
    )
    diff = memory.diff(a, b, count=1_000)
    assert applied(diff, before) == after, (a, b)
    left, refs = diff.left_out, [each.ref for each in differences(diff)]
    assert (left.learnt, left.fell, left.changed, left.grew, left.faded) == (0, 0, 0, 0, 0)
    assert len(refs) == len(set(refs))
    assert all((each.before is None) == (each in diff.learnt) for each in differences(diff))
    assert all((each.after is None) == (each.why == "forgotten") for each in differences(diff))
    grown = {each.ref for each in (*diff.grew, *diff.faded) if not each.ref.startswith("feature:")}
    assert grown <= before.keys() & after.keys()
    for each in diff.answers:
        assert {one.ref for one in (*each.lost, *each.moved)} <= before.keys()
        assert {one.ref for one in each.gained} <= after.keys()
    assert dict(Counter(each.kind for each in diff.learnt)) == diff.learnt_kinds
    assert dict(Counter(each.why for each in diff.fell)) == diff.fell_whys
    return diff


def test_nothing_changes_in_no_time(life: Life) -> None:
    for a in Random(life.seq).sample(range(1, life.seq + 1), 4):
        diff = life.memory.diff(a, a)
        assert diff.since == diff.as_of == a and diff.left_out == LeftOut()
        assert not any((*differences(diff), *diff.grew, *diff.faded, *diff.foretold, *diff.answers, diff.asked))


def test_filters_only_hide(life: Life) -> None:
    def told(diff: Diff) -> dict[str, Any]:
        lists = (diff.learnt, diff.fell, diff.changed, diff.grew, diff.faded)
        return {str(each): each for each in chain(*lists, diff.foretold, diff.answers)}

    hidden = 0
    for a, b in pairs(life, 3):
        whole = life.memory.diff(a, b, count=1_000, questions=5)
        for given in FILTERS:
            some = life.memory.diff(a, b, count=1_000, questions=5, **given)
            assert told(some).keys() <= told(whole).keys(), given
            hidden += len(told(whole)) - len(told(some))
            if "session" in given:
                of_it = given["session"]
                assert {each.session for each in differences(some)} | {each.session for each in some.answers} <= {of_it}
                if len(given) == 1:
                    assert [each for each in differences(whole) if each.session == of_it] == [*differences(some)]
    assert hidden


def test_what_is_not_told_is_counted(life: Life) -> None:
    whole, some = (life.memory.diff(1, count=count) for count in (1_000, 2))
    for name in ("learnt", "fell", "changed", "grew", "faded", "foretold"):
        of_it, few = getattr(whole, name), getattr(some, name)
        assert few == of_it[:2]
        assert len(few) + getattr(some.left_out, name) == len(of_it) + getattr(whole.left_out, name)
    assert some.learnt_kinds == whole.learnt_kinds and some.fell_whys == whole.fell_whys
