"""The trainer: what reports teach it, when it proposes, and who teaches little."""

from base64 import b64encode
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.scoring.made import taught
from benchmarks.scoring.worlds import World
from benchmarks.scoring.worlds import told as world
from yggdrasil import Memory, Store
from yggdrasil.engines.embedded import Embedded
from yggdrasil_processors.thinkers.frame.thinking import ASKED_MAX
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_processors.thinkers.trainer import Trained, Trainer
from yggdrasil_processors.thinkers.trainer.fitting import Samples, fit_linear, fit_network, log_loss
from yggdrasil_processors.thinkers.trainer.samples import (
    SAMPLES_MAX,
    Lesson,
    latest,
    lesson_of,
    reporter_weights,
    samples_of,
)
from yggdrasil_processors.thinkers.trainer.trainer import LESSONS_MAX, PAGES_MAX, TESTED_MIN, Judged, judge
from yggdrasil_producers.draft import Drafter
from yggdrasil_projections.retrieval.ranking.scoring.scorers import ONE, Features
from yggdrasil_projections.retrieval.reads.operations.reported import AskReported, Reported, ReportedPage
from yggdrasil_projections.retrieval.reads.operations.scorers import Scorers
from yggdrasil_projections.retrieval.reads.operations.standing import (
    AskStanding,
    StandingAct,
    StandingCommand,
    Standings,
)
from yggdrasil_schemas.ids import derived_id

STRENGTH, RECENCY = 1, 4


def rows(chance: np.random.Generator, count: int = 8) -> Features:
    return chance.integers(0, ONE + 1, (count, 9))


def lesson(name: str, of: Features, used: Sequence[int], by: str = "ana", **other: Any) -> Lesson:
    encoded = b64encode(of.astype("<i2").tobytes()).decode()
    return Lesson(derived_id(name), by, "success", encoded, list(used), **other)


def together(of: Features) -> list[int]:
    """Which are needed: those that are strong and old, or weak and recent."""
    return np.flatnonzero((of[:, STRENGTH] > ONE // 2) != (of[:, RECENCY] > ONE // 2)).tolist()


def similar(of: Features) -> list[int]:
    return np.flatnonzero(of[:, 0] > ONE * 3 // 4).tolist()


def lessons(count: int, needed: Any = together, seed: int = 1, by: str = "ana") -> list[Lesson]:
    chance = np.random.default_rng(seed)
    found = [rows(chance) for _ in range(count)]
    return [lesson(f"{by} {seed} {at}", each, needed(each), by) for at, each in enumerate(found)]


def report(of: Lesson, **changed: Any) -> Reported:
    given: dict[str, Any] = {
        "id": of.id,
        "at": 0,
        "by": of.by,
        "trust": 1,
        "result": of.result,
        "recall": "r",
        "ranker": "hybrid/7",
    }
    rest: dict[str, Any] = {"returned": 8, "used": of.used, "features": "nine/1", "after": 0, "rows": of.rows}
    return Reported(**(given | rest | changed))


def page(reports: Sequence[Reported], position: int, end: int) -> ReportedPage:
    return ReportedPage(list(reports), position, end, position)


NONE = Scorers([], "hybrid/7", 100, thinkers_adopt=False, as_of=1)


def told(
    state: Trained, taught: Sequence[Lesson], scorers: Scorers = NONE, taken_back: Container[str] = ()
) -> Sequence[Decision]:
    """A turn of a trainer, as the frame has it: the reports are all that is new in the log."""
    trainer, at, asked_again = Trainer(), state.position + len(taught), False
    while queries := trainer.asks(state, "m", again=asked_again):
        asked_again = True
        answers: list[Any] = []
        for query in queries:
            if isinstance(query, AskReported):
                answers.append(page([report(each) for each in taught], at, at))
            elif isinstance(query, AskStanding):
                answers.append(standings(query.commands, taken_back))
            else:
                answers.append(scorers)
        if decided := trainer.answered(state, answers):
            return decided
    return ()


def standings(ids: Iterable[str], taken_back: Container[str]) -> Standings:
    acts = {each: StandingAct("rejected" if each in taken_back else "active", None, []) for each in ids}
    return Standings([StandingCommand(each, 1, "report_use", None, act) for each, act in acts.items()], 1)


def test_it_proposes_what_is_better_than_the_linear_form() -> None:
    state = Trained()
    (decision,) = told(state, lessons(60))
    assert decision.type == "adopt_scorer"
    assert (decision.body["active"], decision.body["features"]) == (False, "nine/1")
    assert decision.body["metric"] < 0.98 * decision.body["baseline"]
    assert decision.body["samples"] >= 100
    assert state.unfitted == 0


def test_it_proposes_nothing_where_the_linear_form_says_all() -> None:
    assert told(Trained(), lessons(60, similar)) == ()


def test_it_proposes_nothing_of_fewer_samples_than_the_policy_asks_for() -> None:
    assert told(Trained(), lessons(60), Scorers([], "hybrid/7", 10_000, thinkers_adopt=False, as_of=1)) == ()


def test_its_own_counts_at_once_only_where_thinkers_adopt() -> None:
    (decision,) = told(Trained(), lessons(60), Scorers([], "hybrid/7", 100, thinkers_adopt=True, as_of=1))
    assert decision.body["active"] is True


def test_the_same_reports_give_the_same_weights_and_few_more_no_second_proposal() -> None:
    one, other = Trained(), Trained()
    first, second = told(one, lessons(60))[0], told(other, lessons(60))[0]
    assert first.body == second.body
    assert told(one, []) == ()
    assert told(one, lessons(5, seed=2)) == ()


def test_it_reads_on_until_the_end_of_the_log() -> None:
    trainer, state = Trainer(), Trained()
    taught = lessons(60)
    assert [type(each).__name__ for each in trainer.asks(state, "m", again=False)] == ["AskReported"]
    assert trainer.answered(state, [page([report(each) for each in taught[:30]], 30, 60)]) == ()
    (first,) = trainer.asks(state, "m", again=True)
    assert getattr(first, "position", None) == 30
    assert trainer.answered(state, [page([report(each) for each in taught[30:]], 60, 60)]) == ()
    last = trainer.asks(state, "m", again=True)
    assert [type(each).__name__ for each in last] == ["AskScorers", "AskStanding"]
    assert len(trainer.answered(state, [NONE, standings([each.id for each in taught], ())])) == 1
    assert trainer.asks(state, "m", again=True) == ()
    assert trainer.asks(state, "m", again=False) != ()


def test_what_was_taken_back_after_it_was_read_teaches_nothing() -> None:
    true = lessons(60)
    lies = [lesson(f"lie {at}", rows(np.random.default_rng(at)), [0, 1], "liar") for at in range(60)]
    state, alone = Trained(), Trained()
    told(state, lies, Scorers([], "hybrid/7", 10_000, thinkers_adopt=False, as_of=1))
    assert len(state.lessons) == 60
    (decision,) = told(state, true, taken_back={each.id for each in lies})
    assert (decision.body, state.lessons) == (told(alone, true)[0].body, true)


def test_what_holds_no_features_teaches_nothing() -> None:
    good = lessons(1)[0]
    assert lesson_of(report(good)) == good
    for wrong in (
        {"rows": ""},
        {"rows": "A"},
        {"rows": "!" * 16},
        {"rows": b64encode(b"\xff" * 144).decode()},
        {"rows": good.rows + "AAAA"},
        {"features": "nine/2"},
        {"after": -1},
        {"after": 50},
        {"returned": 9},
    ):
        assert lesson_of(report(good, **wrong)) is None, wrong


def test_principles_are_not_ranked_and_so_teach_nothing() -> None:
    given = lessons(1)[0]
    found = lesson_of(report(given, after=2, returned=10, used=[0, 3]))
    assert found is not None
    assert found.used == [1]


def test_at_most_two_that_were_not_used_for_each_that_was() -> None:
    of = rows(np.random.default_rng(3), 10)
    taught = [lesson("one", of, [0, 4]), lesson("two", of, []), lesson("three", of, list(range(9)))]
    samples = samples_of(taught)
    for group, (used, unused) in enumerate(((2, 4), (0, 0), (9, 1))):
        own = samples.labels[samples.groups == group]
        assert ((own > 0.5).sum(), (own < 0.5).sum()) == (used, unused)
    assert len(samples_of(taught, every=True).labels) == 30
    assert samples_of(taught).features.tolist() == samples.features.tolist(), "the lot is the same whoever draws it"


def test_a_failure_weighs_half() -> None:
    of = rows(np.random.default_rng(3))
    failed = lesson("one", of, [0])
    failed.result = "failure"
    assert set(samples_of([failed]).weights.tolist()) == {0.5}


def test_what_chance_has_shown_weighs_by_how_rarely_it_does() -> None:
    of = rows(np.random.default_rng(3), 6)
    taught = lesson("one", of, [0, 1, 2, 3, 4, 5], chances=[1_000, 500, 100, 0, -5, 10**400])
    others = lessons(3)  # so that nobody names everything
    samples = samples_of([taught, *others])
    assert samples.weights[samples.groups == 0].tolist() == [1.0, 2.0, 5.0, 1.0, 1.0, 1.0]
    heard = lesson_of(report(taught, chances=taught.chances, returned=6))
    assert heard is not None
    assert heard.chances == [1_000, 500, 100, 1_000, 1_000, 1_000], "what is no chance says nothing"


def test_nobody_weighs_more_than_all_others_together() -> None:
    loud, quiet = lessons(200, by="loud"), [*lessons(12, by="ana"), *lessons(12, by="ben", seed=2)]
    mixed = [*quiet, *loud]
    samples = samples_of(mixed)
    by = np.array([mixed[group].by for group in samples.groups.tolist()])
    of = {name: float(samples.weights[by == name].sum()) for name in ("ana", "ben", "loud")}
    assert of["loud"] == pytest.approx(of["ana"] + of["ben"])
    assert set(samples.weights[by != "loud"].tolist()) == {1.0}


def test_a_few_reports_of_another_or_of_who_names_everything_take_no_weight() -> None:
    of = rows(np.random.default_rng(3))
    lies = [lesson(f"lie {at}", of, range(8), "liar") for at in range(40)]
    assert set(samples_of([*lessons(50), *lessons(19, by="ben")]).weights.tolist()) == {1.0}
    assert set(samples_of([*lessons(50), *lies]).weights.tolist()) == {1.0, 0.1}
    silent = [lesson(f"none {at}", of, [], "silent") for at in range(40)]
    assert set(samples_of([*lessons(50), *silent]).weights.tolist()) == {1.0}, "nothing named is no measure"


def test_what_cannot_be_judged_is_not_proposed() -> None:
    """The last fifth by weight is one recall of which chance has shown everything: nothing is left to judge by."""
    chance = np.random.default_rng(0)
    taught = [lesson(f"all {at}", rows(chance, 10), range(10), "all") for at in range(20)]
    taught.append(lesson("last", rows(chance, 10), [0, 1], "x", chances=[1] * 10))
    judged = judge(taught, samples_of(taught))[1]
    assert judged.used + judged.unused < TESTED_MIN
    assert not judged.better
    good = Judged(100, 5, 5, 0.1, 0.5, None, 1.0, 0.5, 0.5)
    assert good.better
    for changed in ({"used": 4}, {"used": 0, "unused": 50}, {"used": 50, "unused": 0}, {"network": 0.0, "linear": 0.0}):
        assert not good._replace(**changed).better, changed


def test_it_ends_its_turn_after_some_pages_and_goes_on_later() -> None:
    trainer, state = Trainer(), Trained()
    for at in range(PAGES_MAX):
        assert trainer.asks(state, "m", again=at > 0)
        assert trainer.answered(state, [page([], at + 1, 10_000)]) == ()
    assert trainer.asks(state, "m", again=True) == ()
    assert PAGES_MAX < ASKED_MAX
    (first,) = trainer.asks(state, "m", again=False)
    assert isinstance(first, AskReported)
    assert first.position == PAGES_MAX
    trainer.answered(state, [page([], PAGES_MAX + 1, 10_000)])
    assert trainer.asks(state, "m", again=True) != ()


def test_who_names_everything_weighs_less_than_a_fifth() -> None:
    of = rows(np.random.default_rng(3))
    liars = [lesson(f"lie {at}", of, range(8), "liar") for at in range(5)]
    assert reporter_weights([*liars, *lessons(5)])["liar"] < 0.2
    assert reporter_weights([*liars, *lessons(5)])["ana"] == 1.0


def test_a_liar_moves_little_and_pushes_nobody_out() -> None:
    true = lessons(80)
    of = [rows(np.random.default_rng(at)) for at in range(2_000)]
    lies = [lesson(f"lie {at}", each, range(8), "liar") for at, each in enumerate(of)]
    kept = latest([*true, *lies], LESSONS_MAX)
    assert len(kept) == LESSONS_MAX
    assert kept[:80] == true
    samples = samples_of(kept)
    assert len(samples.labels) == SAMPLES_MAX
    assert (samples.weights == 1.0).sum() == len(samples_of(true).labels)
    chance = np.random.default_rng(99)
    asked = [rows(chance) for _ in range(40)]
    network, before = fit_network(samples), fit_network(samples_of(true))
    for each in asked:
        first = set(np.argsort(-network.logits(each))[:2].tolist())
        wanted = set(np.argsort(-before.logits(each))[:2].tolist())
        assert first & wanted or not together(each)


def test_what_is_judged_by_is_later_than_what_is_fitted_to() -> None:
    samples = samples_of(lessons(50))
    train, test = samples.parted()
    assert train.groups.max() < test.groups.min()
    assert 0.1 < test.weights.sum() / samples.weights.sum() < 0.3


def test_where_nothing_can_be_learnt_the_network_is_the_linear_form() -> None:
    chance = np.random.default_rng(4)
    noise = [lesson(f"{at}", rows(chance), chance.permutation(8)[:2].tolist()) for at in range(60)]
    samples = samples_of(noise)
    network, linear = fit_network(samples), fit_linear(samples)
    apart = np.abs(network.logits(samples.features) - linear.logits(samples.features))
    assert apart.max() < 0.01 * ONE * ONE
    assert judge(noise, samples)[1].better is False


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_one_kind_of_label_alone_breaks_nothing(label: float) -> None:
    chance = np.random.default_rng(5)
    samples = Samples(rows(chance, 40), np.full(40, label), np.ones(40), np.arange(40))
    assert log_loss(fit_network(samples).logits(samples.features), samples) < 0.5


def test_in_a_memory_it_proposes_and_an_operator_adopts(tmp_path: Path) -> None:
    with Store.open(tmp_path, embedder="off") as store:
        memory: Memory[Any] = store.memory("scoring/world")
        drafter = Drafter(memory.id, "benchmark", "benchmark")
        topics = world(cast(Embedded, memory.engine), drafter, World("test", "together", 22, 16, 0.0), 1)
        assert len(taught(memory, topics)) == 22
        (run,) = store.think("trainer")
        assert (run.decided, run.stopped) == (1, None)
        (proposed,) = memory.scorers().scorers
        assert (proposed.origin, proposed.standing, proposed.trust) == ("thinker", "proposed", 1)
        assert memory.scorers().ranker == "hybrid/7"
        memory.adopt_scorer(proposed.id)
        assert memory.get_context(topics[0].question).versions["ranker"].endswith(proposed.digest)
        assert store.think("trainer")[0].decided == 0
