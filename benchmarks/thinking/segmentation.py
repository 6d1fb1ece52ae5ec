"""Whether episodes begin where something else begins: the chunker's boundaries against known ones, shape by shape.

Conversations whose sessions are hidden (with times, and blind), a repository's releases, Python's manuals one after
another, stretches of notes and of languages, tasks of an agent, sittings, sessions that take turns, chats; beside
pieces of the true mean length, the longest pauses (told how many), and TextTiling. And streams in which nothing is to
be found. ``--data`` is a file in LoCoMo's format, ``--documents`` the folder html of Debian's python3-doc, and
``--repository`` a git repository with releases; without it this checkout is read, which has no release yet.
"""

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Final

from ..measure import Bar, Report, Size, say, seconds
from .baselines import BASELINES, segmented
from .made import made, nothing
from .real import conversations, manuals, releases
from .scores import Agreement, agreement
from .stream import Stream, decided, starts_of

UNTIMED: Final = True

BEHIND_MAX: Final = 3.0
"""Points of F1 that the chunker may be behind the best of the others on a shape."""
FOR_NOTHING_MAX: Final = 4.0
"""Episodes for 100 events in which nothing is to be found; the buffer alone forces two to three."""
_DOCUMENTS: Final = Path("/usr/share/doc")
_CHECKOUT: Final = Path(__file__).parents[2]
_FOLDERS: Final = ("howto", "faq")


def run(
    size: Size,
    scratch: Path,
    data: Path | None = None,
    documents: Path | None = None,
    repository: Path | None = None,
) -> Report:
    """Compare on every shape that is there; a quick run takes two conversations, and 2,000 events of each stream."""
    del scratch
    report = Report("segmentation")
    found: dict[str, dict[str, list[Agreement]]] = {}
    took = events = 0.0
    for whole in streams(size, data, documents, repository or _CHECKOUT):
        stream = whole.part(size.pick(40, 2_000, 1_000_000))
        if not stream.starts:
            continue
        places = stream.places()
        truth = [places[start] for start in stream.starts]
        took += seconds(lambda stream=stream: decided(stream))  # type: ignore[misc]
        events += len(stream.happenings)
        by_all = {"chunker": starts_of(stream, decided(stream))}
        by_all |= {name: segmented(stream, segment) for name, segment in BASELINES.items()}
        for name, starts in by_all.items():
            agreed = agreement(truth, [places[start] for start in starts], places.values())
            found.setdefault(stream.name, {}).setdefault(name, []).append(agreed)
    _tell(report, found)
    report.figures["chunker_events_per_second"] = events / took
    for stream in nothing():
        per_hundred = 100 * len(decided(stream)) / max(100, len(stream.events))
        report.figures[f"{stream.name}_episodes_per_100_events"] = per_hundred
        report.bars.append(Bar(f"{stream.name}: episodes for 100 events", per_hundred, FOR_NOTHING_MAX, at_most=True))
    return report


def streams(size: Size, data: Path | None, html: Path | None, repository: Path) -> Iterator[Stream]:
    """Yield all streams that there are here with something to be found."""
    yield from made()
    if size is Size.TINY:
        return
    if data:
        yield from conversations(data)[: size.pick(2, 4, 1_000_000)]
    pages = [html] if html else sorted(_DOCUMENTS.glob("python3*/html"))
    if pages:
        for folder in _FOLDERS:
            yield from manuals(pages[-1], folder)
    released = releases(repository)
    if not released:
        say(f"  {repository.name}: no releases, so there is nothing to compare; --repository PATH names another")
    yield from released


def _tell(report: Report, found: dict[str, dict[str, list[Agreement]]]) -> None:
    """Add the figures of each shape, the mean of its streams, and the bars."""
    means: dict[str, list[float]] = {}
    for shape, by_all in found.items():
        f1: dict[str, float] = {}
        for name, agreed in by_all.items():
            whole = Agreement(
                mean(one.precision for one in agreed),
                mean(one.recall for one in agreed),
                mean(one.f1 for one in agreed),
                mean(one.window_diff for one in agreed),
            )
            report.figures |= whole.figures(f"{shape}_{name}")
            f1[name] = whole.f1
            means.setdefault(name, []).append(whole.f1)
        best = max(f1[name] for name in BASELINES)
        report.bars.append(Bar(f"{shape}: F1 over the best other", f1["chunker"] - best, -BEHIND_MAX))
    overall = {name: mean(each) for name, each in means.items()}
    report.figures |= {f"mean_{name}_f1": each for name, each in overall.items()}
    best = max(overall[name] for name in BASELINES)
    report.bars.append(Bar("mean F1 over the best other", overall["chunker"] - best, 0.0))
