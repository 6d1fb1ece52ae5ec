"""Which memories an output used: labels, words and vectors, on answers by two writers in four worlds.

Of each answer it is known what it used. The first writer quotes, cites and says what was of no use; the second says it
in other words, mixes, denies in passing and contradicts. Every default stands beside a threshold that was chosen
without the writer and the world that it is tried on. ``--world FILE`` names answers of others, as JSON: a list of
``question``, ``memories``, ``answer``, ``used`` (places from 0), and ``cites``.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from yggdrasil.knowing.using import embedding_by
from yggdrasil_infra.embedders import EmbedderMissingError, open_embedder
from yggdrasil_projections.retrieval.using import vectors, words
from yggdrasil_projections.retrieval.using.finding import VECTORS_MIN, WORDS_MIN, Returned, find

from ..measure import Bar, Report, Size
from . import first, second, third
from .scoring import GRID, Scored, best, quality
from .worlds import WORLDS, World
from .writing import Case, Told, Writer, cases

UNTIMED: Final = True
LABELS: Final = 0.95
_SEED: Final = 39
_EMBEDDERS: Final = ("pair", "minilm")
_WRITERS: Final[dict[str, tuple[Writer, Sequence[World]]]] = {
    "first": (first.write, WORLDS),
    "second": (second.write, WORLDS),
    "third": (third.write, [third.ALLOTMENT]),
}
Method = Callable[[Case], list[float]]
Sets = dict[tuple[str, str], list[Case]]


def run(size: Size, scratch: Path, *, world: Path | None = None, seed: int = _SEED) -> Report:
    """Try each method on each writer in each world."""
    del scratch
    report = Report("using")
    count = size.pick(3, 40, 150)
    if world is not None:
        plain, citing = _of_file(world)
    else:
        plain, citing = _written(count, seed, cites=False), _written(count, seed + 1, cites=True)
    for writer in sorted({name for name, _ in citing}):
        told = quality([each for key, found in citing.items() if key[0] == writer for each in map(_labels, found)], 1.0)
        report.figures[f"labels, {writer} writer: precision"] = told.precision
        report.figures[f"labels, {writer} writer: recall"] = told.recall
        report.bars.append(Bar(f"labels, {writer} writer: F1", told.f1, LABELS))
    if plain:
        _tell(report, "words", plain, WORDS_MIN, _words)
        for setting, method in _by_vectors(_EMBEDDERS if size is Size.FULL else _EMBEDDERS[:1]):
            few = {key: found[: size.pick(2, 6, 60)] for key, found in plain.items()}
            _tell(report, f"vectors, {setting}", few, VECTORS_MIN, method)
    return report


def _written(count: int, seed: int, *, cites: bool) -> Sets:
    return {
        (name, each.name): cases(each, writer, count * (len(WORLDS) // len(worlds)), seed, cites=cites)
        for name, (writer, worlds) in _WRITERS.items()
        for each in worlds
    }


def _tell(report: Report, name: str, sets: Sets, default: float, method: Method) -> None:
    """Note a method's curve, its quality at the default, and at thresholds from other writers and worlds."""
    scored = {key: [Scored(method(case), case.told.used) for case in found] for key, found in sets.items()}
    for writer in sorted({each for each, _ in sets}):
        own = {key: found for key, found in scored.items() if key[0] == writer}
        all_of_it = [each for found in own.values() for each in found]
        for least in GRID[::2]:
            at = quality(all_of_it, least)
            report.figures[f"{name}, {writer} writer, from {least:.2f}: precision"] = at.precision
            report.figures[f"{name}, {writer} writer, from {least:.2f}: recall"] = at.recall
        at = quality(all_of_it, default)
        report.figures[f"{name}, {writer} writer, default {default:g}: precision"] = at.precision
        report.figures[f"{name}, {writer} writer, default {default:g}: recall"] = at.recall
        report.figures[f"{name}, {writer} writer, default {default:g}: F1"] = at.f1
        left_out = list(_left_out(own, scored))
        if left_out:
            report.figures[f"{name}, {writer} writer, threshold of others: F1"] = quality(left_out, 1.0).f1
        for way in sorted({way for key in own for case in sets[key] for way in case.told.way.split()}):
            of_way = [
                each
                for key in own
                for each, case in zip(scored[key], sets[key], strict=True)
                if way in case.told.way.split()
            ]
            report.figures[f"{name}, {writer} writer, {way}: F1"] = quality(of_way, default).f1


def _left_out(
    own: dict[tuple[str, str], list[Scored]], scored: dict[tuple[str, str], list[Scored]]
) -> Iterator[Scored]:
    """Yield each set's cases, used or not (1 or 0) by the threshold that is best for other writers in other worlds."""
    for (writer, world), found in own.items():
        others = [each for key, rest in scored.items() if key[0] != writer and key[1] != world for each in rest]
        if others:
            least = best(others)
            yield from (Scored([float(score >= least) for score in each.scores], each.used) for each in found)


def _labels(case: Case) -> Scored:
    refs = [str(place) for place in range(len(case.memories))]
    found = find(Returned(refs, [[each] for each in case.memories], case.question), case.told.text, "labels")
    return Scored([each.score for each in found.scores], case.told.used)


def _words(case: Case) -> list[float]:
    return words.scores(case.told.text, [[each] for each in case.memories], case.question)


def _vectors(embed: vectors.Embed, case: Case) -> list[float]:
    return vectors.scores(case.told.text, [[each] for each in case.memories], embed)


def _by_vectors(settings: Sequence[str]) -> Iterator[tuple[str, Method]]:
    """Yield the embedders that are there."""
    for setting in settings:
        try:
            embedder = open_embedder(setting)
        except EmbedderMissingError:
            continue
        embed = _once(embedding_by(embedder))
        yield setting, partial(_vectors, embed)
        embedder.close()


def _once(embed: vectors.Embed) -> vectors.Embed:
    """Return what embeds each text once."""
    known: dict[str, NDArray[np.float64]] = {}

    def embedded(texts: Sequence[str]) -> NDArray[np.float64]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, embed(new), strict=True))
        return np.array([known[text] for text in texts])

    return embedded


def _of_file(path: Path) -> tuple[Sets, Sets]:
    """Return the cases of a file, those that do not cite and those that do, as of one writer in one world."""
    plain, citing = list[Case](), list[Case]()
    for each in orjson.loads(path.read_bytes()):
        told = Told(each["answer"], frozenset(each["used"]), each.get("way", "plain"))
        case = Case(path.stem, each.get("question", ""), each["memories"], told)
        (citing if each.get("cites") else plain).append(case)
    key = ("the file's", path.stem)
    return {key: plain} if plain else {}, {key: citing} if citing else {}
