"""Whatever is said, by however many, the state stays small; and it decides the same however a history is read."""

from dataclasses import fields
from random import Random

import orjson
import pytest

from tests.thinkers.chunker.told import GARDEN, SERVER, Told, members, reloaded
from yggdrasil_processors.thinkers.chunker.state import EVENTS_MAX, SESSIONS_MAX, Held
from yggdrasil_processors.thinkers.chunker.terms import TERMS_MAX
from yggdrasil_processors.thinkers.frame.kept import STATE_BYTES_MAX
from yggdrasil_processors.thinkers.thinker import Decision
from yggdrasil_schemas.limits import DECISION_PARTS_MAX, EPISODE_EVENTS_MAX, FEATURE_CHARS_MAX, NAME_CHARS_MAX


def life(told: Told, lots: Random, steps: int) -> list[list[Decision]]:
    """Tell a mixed life of several sessions by lot; return what each thing led to."""
    found: list[list[Decision]] = []
    events: list[str] = []
    for number in range(steps):
        session = "abcd"[min(3, int(lots.expovariate(1.0)))]
        lot = lots.random()
        if lot < 0.12 and events:
            told.outcome(lots.choice(events[-5:]), lots.choice((-8.0, -1.0, 0.5, 6.0)), session=session)
        elif lot < 0.14 and len(events) > 3:
            told.episode(lots.sample(events[-8:], 2))
        else:
            features = [f"tool:{lots.randrange(4)}"] + ([f"goal:{number // 40}"] if lots.random() < 0.1 else [])
            text = lots.choice(GARDEN if number // 30 % 2 else SERVER)
            causes = events[-1:] if lots.random() < 0.2 else []
            after = round(lots.lognormvariate(11, 2))
            events.append(told.event(text, session=session, features=features, causes=causes, after=after))
        found.append(told.taken())
    return found


@pytest.mark.parametrize("every", [1, 7, 256])
def test_it_decides_the_same_whatever_the_pages_and_kept_in_between(every: int) -> None:
    steps = 200 if every == 1 else 500
    plain = life(Told(), Random(5), steps)
    assert len([one for made in plain for one in made]) > steps // 25
    triggers = {one.payload["trigger"] for made in plain for one in made}
    assert {"boundary", "outcome"} <= triggers

    class Kept(Told):
        def taken(self) -> list[Decision]:
            if self.seq % every == 0:
                self.state = reloaded(self.state)
            return super().taken()

    assert life(Kept(), Random(5), steps) == plain


def test_each_event_is_in_one_episode_and_none_comes_before_it_happened() -> None:
    told = Told()
    made = [one for step in life(told, Random(8), 900) for one in step] + told.rest()
    named = [event for one in made for event in members(one)]
    assert len(named) == len(set(named))
    for one in made:
        numbers = [int(event[1:]) for event in members(one)]
        assert numbers == sorted(numbers)
        assert one.payload["span"] == [numbers[0], numbers[-1]]
        assert 1 <= len(numbers) <= EPISODE_EVENTS_MAX


def test_a_hostile_writer_makes_it_neither_large_nor_busy() -> None:
    told = Told()
    lots = Random(3)
    for number in range(3_000):
        word = "".join(lots.choices('abcdefghijklmnop\\"\u0001\u6f22\U0001f600', k=12))
        features = [f"{number}{place}:".ljust(FEATURE_CHARS_MAX, "\u6f22") for place in range(32)]
        text = f"{word} " * 30 if number % 100 else word * 10_000
        before = len(told.decisions)
        event = told.event(text, session=f"{number % 1_500}".ljust(NAME_CHARS_MAX, "\U0001f600"), features=features)
        told.outcome(event, lots.choice((-10.0, 0.1, 10.0)))
        assert len(told.decisions) - before <= DECISION_PARTS_MAX // 2
    assert len(told.state.sessions) <= SESSIONS_MAX
    assert len(orjson.dumps(told.state)) < STATE_BYTES_MAX // 4
    assert len(told.decisions) <= 3_000 // 2


def test_a_full_state_is_below_its_bound() -> None:
    told = Told()
    for turn in range(EVENTS_MAX - 5):
        for number in range(SESSIONS_MAX):
            told.event(
                "\\" * 80 + f" {turn} " + "\u6f22\u5b57" * 300, session=f"{number}".ljust(128, "\U0001f600"), after=0
            )
    held = [event for stretch in told.state.sessions.values() for event in stretch.events]
    assert len(held) > 3_000
    assert max(len(event.terms) for event in held) <= TERMS_MAX
    assert len(orjson.dumps(told.state)) < STATE_BYTES_MAX


def test_no_whole_text_is_kept() -> None:
    told = Told()
    told.event("secret " * 5_000, features=["speaker:ann"])
    (held,) = told.state.sessions["s"].events
    sizes = {field.name: len(orjson.dumps(getattr(held, field.name))) for field in fields(Held)}
    assert sum(sizes.values()) < 700, sizes
