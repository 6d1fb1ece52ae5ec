"""Streams that were made: stretches of notes, languages, tasks of an agent, pauses, interleaved sessions, hostile ones.

Lots are drawn from a fixed seed.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Final

from ..recall.shapes.shape import written
from .stream import Stream, Writer

_DATA: Final = Path(__file__).parents[1] / "recall" / "shapes" / "data"
_NOTES: Final = ("handbook", "jottings", "commits", "notes", "exact")
_LANGUAGES: Final = ("language_de", "language_es", "language_ja", "language_ru", "language_tr", "language_zh")
_OWN: Final = Path(__file__).parent / "data"
_MINUTE: Final = 60_000
_BEGIN: Final = 1_700_000_000_000
_GOALS: Final = (
    "migrate the billing tables", "find the leak in the importer", "answer the audit", "order new badges",
    "tune the search page", "renew the certificates", "write the quarterly report", "clean the staging cluster",
    "plan the offsite", "reduce the bill for storage", "translate the welcome mail", "rotate the signing keys",
)  # fmt: skip
_STEPS: Final = (
    "Read what was written about {0}", "Ran the checks for {0}: {1} findings", "Asked a colleague about {0}",
    "Changed {1} lines to {0}", "Searched the log for {0}, {1} hits", "Waited for the pipeline, attempt {1}",
    "Compared two ways to {0}", "Opened ticket {1} about it", "Tried again with a timeout of {1} seconds",
)  # fmt: skip
_TOOLS: Final = ("read", "shell", "ask", "edit", "search", "wait", "compare", "ticket", "retry")


def made() -> list[Stream]:
    """Return all streams that have something to be found."""
    return [
        *(stretches("notes", _NOTES, seed) for seed in (1, 9, 21)),
        *(stretches("languages", _LANGUAGES, seed) for seed in (2, 12, 22)),
        tasks("tasks", 3, goals=True),
        tasks("outcomes", 4, goals=False),
        pauses(5),
        *(interleaved(seed) for seed in (6, 16)),
        chats(),
    ]


def nothing() -> list[Stream]:
    """Return streams in which nothing is to be found: a topic for each line, words by lot, and ten notes."""
    return [hostile(7), babble(8), ten()]


def stretches(name: str, sources: Sequence[str], seed: int) -> Stream:
    """Return stretches of 5 to 30 texts, each from another source than the one before."""
    writer = Writer()
    for stretch in _stretches(sources, Random(seed)):
        for at, text in enumerate(stretch):
            writer.event(text, starts=at == 0)
    return writer.stream(name)


def tasks(name: str, seed: int, *, goals: bool) -> Stream:
    """Return an agent's log: 120 tasks of 3 to 20 steps, most of which end with an outcome, every minute or so.

    With ``goals`` the first step of most tasks names its goal; without them only outcomes tell.
    """
    lots = Random(seed)
    writer = Writer()
    at = _BEGIN
    for number in range(120):
        goal = lots.choice(_GOALS)
        last = ""
        for step in range(lots.randint(3, 20)):
            at += lots.randint(20, 120) * 1_000
            tool = lots.randrange(len(_STEPS))
            text = _STEPS[tool].format(goal if lots.random() < 0.4 else "it", lots.randint(2, 99))
            features = [f"tool:{_TOOLS[tool]}"]
            if goals and step == 0 and lots.random() < 0.9:
                features.append(f"goal:{number} {goal}")
            last = writer.event(text, at=at, starts=step == 0, features=features)
            if lots.random() < 0.1:
                writer.outcome(last, lots.choice((-1.0, -0.5, 0.5, 1.0)), at=at, kind="step")
        if lots.random() < (0.6 if goals else 0.9):
            writer.outcome(last, lots.choice((-7.0, -4.0, 3.0, 5.0, 8.0)), at=at, kind="task")
    return writer.stream(name)


def pauses(seed: int) -> Stream:
    """Return notes in no order, written in sittings: minutes apart within one, hours or days between two."""
    lots = Random(seed)
    texts = [text.text for source in _NOTES for text in written(_DATA / f"{source}.jsonl").texts]
    lots.shuffle(texts)
    writer = Writer()
    at = _BEGIN
    left = 0
    for text in texts:
        starts = left == 0
        at += round(lots.lognormvariate(7.0, 0.7) if starts else lots.lognormvariate(0.7, 1.0)) * _MINUTE
        left = (lots.randint(4, 24) if starts else left) - 1
        writer.event(text, at=at, starts=starts)
    return writer.stream("pauses")


def interleaved(seed: int) -> Stream:
    """Return four sessions that take turns by lot, each with stretches of notes of its own."""
    lots = Random(seed)
    writer = Writer()
    waiting: list[tuple[str, Iterator[list[str]]]] = []
    for number, source in enumerate(("handbook", "jottings", "commits", "notes")):
        other = _LANGUAGES[number]
        waiting.append((f"session {number}", _stretches((source, other), Random(seed + number))))
    open_now: dict[str, list[str]] = {}
    while waiting:
        name, more = waiting[lots.randrange(len(waiting))]
        starts = not open_now.get(name)
        if starts:
            stretch = next(more, None)
            if stretch is None:
                waiting = [each for each in waiting if each[0] != name]
                continue
            open_now[name] = stretch
        writer.event(open_now[name].pop(0), session=name, starts=starts)
    return writer.stream("interleaved")


def chats() -> Stream:
    """Return conversations in ten languages that somebody wrote by hand, one after another: no times, no features."""
    writer = Writer()
    for conversation in (_OWN / "chats.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        for at, line in enumerate(conversation.splitlines()):
            writer.event(line, starts=at == 0)
    return writer.stream("chats")


def hostile(seed: int) -> Stream:
    """Return 800 lines, each about something else than the one before, with a goal and an outcome of its own."""
    lots = Random(seed)
    sources = [[text.text for text in written(_DATA / f"{name}.jsonl").texts] for name in (*_NOTES, *_LANGUAGES)]
    writer = Writer()
    for number in range(800):
        made_up = [f"goal:{number}", f"tool:{lots.randrange(1_000)}"]
        said = f"Hello! {lots.choice(sources[number % len(sources)])}"
        event = writer.event(said, at=_BEGIN + round(lots.lognormvariate(10, 4)), features=made_up)
        writer.outcome(event, lots.choice((-9.0, 9.0)))
    return writer.stream("hostile")


def babble(seed: int) -> Stream:
    """Return 800 lines of words by lot, of one vocabulary, at a steady pace."""
    lots = Random(seed)
    words = sorted({word for text in written(_DATA / "notes.jsonl").texts for word in text.text.split()})
    writer = Writer()
    for number in range(800):
        writer.event(" ".join(lots.choices(words, k=14)), at=_BEGIN + number * _MINUTE)
    return writer.stream("babble")


def ten() -> Stream:
    """Return ten notes."""
    writer = Writer()
    for text in written(_DATA / "notes.jsonl").texts[:10]:
        writer.event(text.text)
    return writer.stream("ten")


def _stretches(sources: Sequence[str], lots: Random) -> Iterator[list[str]]:
    """Yield stretches of 5 to 30 texts of the sources, in their order, until no two of them have any left."""
    texts = {name: [text.text for text in written(_DATA / f"{name}.jsonl").texts] for name in sources}
    last = ""
    while True:
        names = [name for name in sources if name != last and len(texts[name]) >= 5]
        if not names:
            return
        last = lots.choice(names)
        size = lots.randint(5, 30)
        yield texts[last][:size]
        texts[last] = texts[last][size:]
