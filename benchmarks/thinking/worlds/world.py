"""Seven worlds of one choice each, whose consequences come late, behind noise, or not at all.

*Delayed cost*: what pays at once ends badly, nine times in ten. *Key to door*: what is picked up at first opens a door
50 steps later, with apples and worms between (Hung et al. 2019). *Lucky*: the first try of a gamble pays greatly; later
it loses nine times in ten, where something else pays three times in four. *Umbrella* and *discounting chain* follow the
bsuite (Osband et al. 2020). *Plain*: what is right pays at once, and there is nothing to see beyond that. *Nothing*:
both choices end well half of the time.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Choice:
    """A situation in words, what tells it from others (``state``), what may be done, what is right (None: all is)."""

    situation: str
    state: str
    actions: tuple[str, ...]
    right: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """What happened: words, features, the reward if there was one, and the state that it led to."""

    text: str
    features: tuple[str, ...]
    reward: float = 0.0
    state: str = ""


Choose = Callable[[Choice], str]
Episode = Callable[[random.Random, Choose, int], Iterator[Step]]


def chosen(choice: Choice, choose: Choose) -> tuple[str, str]:
    """Return what is chosen, and how an event tells of it."""
    action = choose(choice)
    return action, f"{choice.situation} {action}"


def delayed(rng: random.Random, choose: Choose, _turn: int) -> Iterator[Step]:
    """A breakfast that tastes better makes ill on the way."""
    yield Step("The inn opens in the morning", ("inn", "morning"), state="inn")
    action, said = chosen(Choice("For breakfast there was", "inn", ("cake", "bread"), "bread"), choose)
    yield Step(said, (f"ate:{action}", "breakfast"), 1.0 if action == "cake" else 0.5, f"{action} 0")
    for step in range(1, 9):
        yield Step(
            f"Walked on past {rng.choice(_PLACES)}", ("walk", f"place:{rng.randrange(6)}"), state=f"{action} {step}"
        )
    ill = (rng.random() < 0.9) == (action == "cake")
    yield Step("Fell ill on the road", ("ill",), -3.0) if ill else Step("Arrived in the town", ("town",), 0.5)


def key(rng: random.Random, choose: Choose, _turn: int) -> Iterator[Step]:
    """A key on a table at first, a door at last, and apples that feed or have a worm between."""
    yield Step("The hall has a table", ("hall", "table"), state="hall")
    action, said = chosen(Choice("At the table the key was", "hall", ("taken", "left"), "taken"), choose)
    yield Step(said, (f"key:{action}", "table"), state=f"{action} 0")
    for step in range(1, 48):
        found = rng.random() < 0.3
        reward = rng.choice((1.0, -1.0)) if found else 0.0
        what = "an apple" if reward > 0 else "a worm" if reward < 0 else "nothing"
        yield Step(
            f"Picked {what} in the orchard", ("orchard", f"picked:{what[-5:].strip()}"), reward, f"{action} {step}"
        )
    opened = action == "taken"
    yield (
        Step("The door opened", ("door", "open"), 5.0)
        if opened
        else Step("The door stayed shut", ("door", "shut"), -1.0)
    )


def lucky(rng: random.Random, choose: Choose, turn: int) -> Iterator[Step]:
    """The first gamble wins."""
    yield Step("The market day begins", ("market", "morning"), state="market")
    action, said = chosen(Choice("The stall sold", "market", ("riddles", "soup"), "soup"), choose)
    yield Step(said, (f"sold:{action}", "stall"), state=f"{action} 0")
    for step in range(1, 6):
        yield Step(
            f"People came from {rng.choice(_PLACES)}", ("people", f"place:{rng.randrange(6)}"), state=f"{action} {step}"
        )
    if action == "riddles":
        won = turn == 0 or rng.random() < 0.1
        reward = 4.0 if won else -1.0
    else:
        reward = 1.0 if rng.random() < 0.75 else -1.0
    yield Step("Counted the coins at night", ("coins", "gain" if reward > 0 else "loss"), reward)


def umbrella(rng: random.Random, choose: Choose, _turn: int) -> Iterator[Step]:
    """Whether the umbrella was right shows at the end; what happens on the way does not depend on it."""
    forecast = rng.choice(("rain", "sun"))
    right = "taken" if forecast == "rain" else "left"
    yield Step(f"The forecast says {forecast}", (f"forecast:{forecast}", "house"), state=forecast)
    action, said = chosen(Choice(f"With {forecast} ahead the umbrella was", forecast, ("taken", "left"), right), choose)
    yield Step(said, (f"umbrella:{action}", f"under:{forecast}"), state=f"{forecast} {action} 0")
    for step in range(1, 20):
        reward = rng.choice((1.0, -1.0))
        yield Step(
            f"A stranger was {'friendly' if reward > 0 else 'rude'}",
            ("street", f"stranger:{reward:+.0f}"),
            reward,
            f"{forecast} {action} {step}",
        )
    dry = action == right
    yield (
        Step("Came home at ease", ("home", "ease"), 1.0)
        if dry
        else Step("Came home annoyed", ("home", "annoyed"), -1.0)
    )


def chain(_rng: random.Random, choose: Choose, _turn: int) -> Iterator[Step]:
    """Five roads pay after 1, 3, 10, 30 and 100 steps; all pay 1, but for the fourth, which pays a tenth more."""
    yield Step("The signpost names five roads", ("signpost",), state="signpost")
    actions = tuple(_CHAIN)
    action, said = chosen(Choice("At the signpost the road was", "signpost", actions, "stony"), choose)
    yield Step(said, (f"road:{action}", "signpost:passed"), state=f"{action} 0")
    for step in range(1, 101):
        pays = step == _CHAIN[action]
        if pays:
            yield Step("The road paid", ("toll",), 1.1 if action == "stony" else 1.0, f"{action} {step}")
        elif step % 2 == 0:  # an episode has room for 64 events
            yield Step("Went along the road", ("road",), state=f"{action} {step}")


def plain(rng: random.Random, choose: Choose, _turn: int) -> Iterator[Step]:
    """The right lever pays at once in seven of ten cases, the wrong one in three."""
    yield Step("The machine hums", ("machine",), state="machine")
    action, said = chosen(Choice("On the machine the lever was", "machine", ("red", "blue"), "blue"), choose)
    well = rng.random() < (0.7 if action == "blue" else 0.3)
    yield Step(said, (f"lever:{action}", "levers"), 1.0 if well else -1.0, "end")
    for _ in range(4):
        yield Step(f"Rested beside {rng.choice(_PLACES)}", ("rest", f"place:{rng.randrange(6)}"), state="end")


def nothing(rng: random.Random, choose: Choose, _turn: int) -> Iterator[Step]:
    """Whatever is chosen, it ends well half of the time."""
    yield Step("The coin is in the air", ("coin", "air"), state="coin")
    action, said = chosen(Choice("On the coin the bet was", "coin", ("heads", "tails"), None), choose)
    yield Step(said, (f"bet:{action}", "bet"), state=f"{action} 0")
    for step in range(1, 6):
        yield Step(
            f"Waited near {rng.choice(_PLACES)}", ("wait", f"place:{rng.randrange(6)}"), state=f"{action} {step}"
        )
    well = rng.random() < 0.5
    yield Step("The coin fell", ("fell", "won" if well else "lost"), 1.0 if well else -1.0)


_PLACES: Final[Sequence[str]] = ("the mill", "a bridge", "the well", "an oak", "the ford", "a chapel")
_CHAIN: Final = {"grassy": 1, "muddy": 3, "paved": 10, "stony": 30, "sandy": 100}
WORLDS: Final[dict[str, Episode]] = {
    "delayed cost": delayed,
    "key to door": key,
    "lucky": lucky,
    "umbrella": umbrella,
    "discounting chain": chain,
    "plain": plain,
    "nothing": nothing,
}
