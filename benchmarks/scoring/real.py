"""Recalls of real memories: the shapes of this project, and sets that nobody here wrote, each left out in turn.

What is evidence of a question is what is reported as used of what it returned, so that strength, use and recency are
what such use has made of them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.embedding import Embedding, reembed
from yggdrasil_infra.embedders import Embedder
from yggdrasil_processors.thinkers.trainer.samples import samples_of
from yggdrasil_processors.thinkers.trainer.trainer import Judged, judge
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp
from yggdrasil_schemas.policy import DEFAULT

from ..recall.sets.data import sets
from ..recall.shapes.benchmark import DATA
from ..recall.shapes.shape import Shape, written
from .recalls import Recall, ask, fitted, ndcg, recalled

REAL: Final = ("locomo", "realtalk")
_MEMORY: Final = "scoring/real"
_NOTES: Final = ("keywords", "long")
_EACH_MIN: Final = 20
Asked = tuple[str, frozenset[int]]


def shapes(count: int) -> Iterator[tuple[str, list[Recall]]]:
    """Yield the recalls of each shape of this project, with at most ``count`` questions of each, by its family."""
    for path in sorted(DATA.glob("*.jsonl")):
        shape = written(path, DATA / "notes.jsonl" if path.stem in _NOTES else None).part(count)
        name = "notes" if path.stem in ("notes", *_NOTES) else path.stem.split("_")[0]
        yield name, _recalls_of(_drafted(shape), [(one.text, one.answers) for one in shape.own])


def talks(data: Path, count: int, model: Embedder | None = None) -> Iterator[tuple[str, list[Recall]]]:
    """Yield the recalls of each memory of LoCoMo and realtalk, as far as ``data`` has them, by the name of its set."""
    for one in sets(data):
        if one.name in REAL or one.name.startswith("talks"):
            for memory in one.part(count).memories if count else one.memories:
                drafts = list(memory.drafts(Drafter(_MEMORY, "benchmark", "benchmark")))
                asked = [(each.text, each.evidence) for each in memory.questions]
                yield one.name, _recalls_of(drafts, asked, model)


def left_out(recalls: dict[str, list[Recall]]) -> Iterator[tuple[str, float, float, float]]:
    """Yield for each set nDCG at ten as served, by the linear form and by the network, fitted to all other sets."""
    for name, own in recalls.items():
        both = fitted(_each([said for other, said in recalls.items() if other != name]), name)
        yield name, ndcg(own, None), ndcg(own, both.linear.logits), ndcg(own, both.network.logits)


def in_time(recalls: dict[str, list[Recall]]) -> Iterator[tuple[str, Judged]]:
    """Yield for each set how a network does on its own last fifth in time, as a trainer judges it."""
    for name, own in recalls.items():
        lessons = [each.lesson(f"{name} {at}") for at, each in enumerate(own)]
        samples = samples_of(lessons)
        if len(samples.labels) >= DEFAULT.scorer_samples_min:
            yield name, judge(lessons, samples)[1]


def _each(lists: list[list[Recall]]) -> list[Recall]:
    """Return recalls of several sets, one set after the other, so that what is left out of a fit is mostly whole sets.

    Of a large set there are so many as of the others on the mean, evenly spread.
    """
    most = max(_EACH_MIN, sum(map(len, lists)) // max(1, len(lists)))
    return [each for said in lists for each in said[:: max(1, -(-len(said) // most))]]


def _drafted(shape: Shape) -> list[Draft]:
    drafter = Drafter(_MEMORY, "benchmark", "benchmark")
    if shape.imported is not None:
        return list(shape.imported(drafter))
    return [
        drafter.record_event(text.text, session=text.session, stamp=Stamp(drafter.derived_id(shape.name, str(at))))
        for at, text in enumerate(shape.texts)
    ]


def _recalls_of(drafts: list[Draft], asked: Iterable[Asked], model: Embedder | None = None) -> list[Recall]:
    """Return what each question of a memory returned, in the order in which they were asked."""
    found: list[Recall] = []
    with TemporaryDirectory() as scratch, Embedded(Path(scratch), partitions=1) as engine:
        drafter = Drafter(_MEMORY, "benchmark", "benchmark")
        for _ in engine.submit_many(drafts):
            pass
        if model is not None:
            reembed(engine, _MEMORY, model)
        memory = Memory(engine, drafter, embedding=Embedding(model) if model else None)
        places = {draft.id: place for place, draft in enumerate(drafts)}
        for text, evidence in asked:
            context = ask(memory, text, record=True)
            refs = {ref for ref in context.refs if places.get(ref) in evidence}
            recall = recalled(context, refs.__contains__)
            if recall is not None:
                found.append(recall)
                memory.report_use(context, sorted(refs), result="success")
    return found
