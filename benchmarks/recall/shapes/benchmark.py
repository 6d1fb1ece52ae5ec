"""Whether answers hold on any shape of memory: beside plain searches of the same words and vectors, shape by shape.

Notes without names, keywords, long questions, paragraphs of documents, manual pages, commits, exact facts, eight
languages, dialogues, and notes among lines of chat, each without vectors and with those of the offline models. More
were written by other hands, when the ranker was there: jottings and a handbook, then errands, the log of a lab, a
handbook for tenants, French, Korean, and six memories of ten notes.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Final

from yggdrasil_infra.embedders import Embedder

from ...measure import Bar, Report, Size, say
from ..embedding import Cached, offline
from ..peers import Mem0, mem0_python
from ..plain import searches
from .asking import Answers, asked, ranked, remembered
from .dialogues import dialogues, needles
from .documents import FOLDERS, documents
from .manuals import manuals
from .shape import CUTS, Shape, written

UNTIMED: Final = True

DATA: Final = Path(__file__).parent / "data"
PLAIN: Final = ("bm25", "vectors", "fusion")
OF_NOTES: Final = ("keywords", "long")
SLACK: Final = {1: 3.0, 3: 1.0, 10: 1.0}  # points that a shape may be behind the best of the plain searches
GAIN: Final = 2.0
OWN_REFUSED: Final = 3.0
FOREIGN_REFUSED: Final = 60.0
_DOCUMENTS: Final = Path("/usr/share/doc")
_MANUALS: Final = Path("/usr/share/man")
_FEW: Final = ("exact", "language_de")
_FOREIGN: Final = 60  # questions of other shapes that each is asked


def run(size: Size, scratch: Path, data: Path | None = None, documents: Path | None = None) -> Report:
    """Ask every shape; a quick run takes a part of the questions.

    ``data`` names a file in LoCoMo's format, ``documents`` the folder html of Debian's python3-doc.
    """
    report = Report("shapes")
    shapes = [shape.part(size.pick(2, 12, 100_000)) for shape in _shapes(size, data, documents)]
    shapes = [shape for shape in shapes if size is not Size.TINY or shape.name in _FEW]
    found: dict[str, dict[str, Answers]] = {}
    peer = mem0_python() if size is Size.FULL else None
    with offline() as models:
        for model in (None, *(Cached(model) for model in models[: size.pick(1, 1, 2)])):
            name = "words" if model is None else model.model
            for number, shape in enumerate(shapes):
                say(f"  {shape.name}: {len(shape.texts)} texts, {len(shape.asked)} questions, {name}")
                answers = _ask(shape, scratch / f"{name}-{number}", model, peer)
                found[f"{name}/{shape.name}/{number}"] = answers
    _tell(report, found)
    return report


def _shapes(size: Size, data: Path | None, html: Path | None) -> Iterator[Shape]:
    """Yield the shapes that this machine has, with questions of others as foreign ones."""
    notes = written(DATA / "notes.jsonl")
    shapes = [notes, *(written(DATA / f"{name}.jsonl", DATA / "notes.jsonl") for name in OF_NOTES)]
    others = sorted(file for file in DATA.glob("*.jsonl") if file.stem not in ("notes", *OF_NOTES))
    shapes += [_of_family(written(file)) for file in others]
    if size is not Size.TINY:
        pages = [html] if html else sorted(_DOCUMENTS.glob("python3*/html"))
        shapes += [documents(pages[-1], name) for name in FOLDERS if (pages[-1] / name).exists()] if pages else []
        shapes += [manuals(_MANUALS)] if (_MANUALS / "man1").exists() else []
    chats = dialogues(data) if data else []
    shapes += [*chats, needles(notes, chats)] if chats else []
    for shape in shapes:
        foreign = [one.text for other in shapes if _foreign(shape, other) for one in other.own]
        yield replace(shape, foreign=foreign[:: max(1, len(foreign) // _FOREIGN)])


def _of_family(shape: Shape) -> Shape:
    """Return a memory of a few notes as one of its kind, of which there are several."""
    return replace(shape, name="few") if shape.name.startswith("few_") else shape


def _foreign(shape: Shape, other: Shape) -> bool:
    """Whether the questions of ``other`` are about something else; of another language, if this has one of its own."""
    families = [
        "notes" if each.name in ("notes", "needles", *OF_NOTES) else each.name.split("_")[0] for each in (shape, other)
    ]
    if families[0] == "language":
        return families[1] == "language" and shape.name != other.name
    apart = families[0] != families[1] and families[1] != "language"
    return apart and not (shape.name == "needles" and other.name == "dialogues")


def _ask(shape: Shape, scratch: Path, model: Embedder | None, peer: Path | None) -> dict[str, Answers]:
    with remembered(shape, scratch, model) as memory:
        answers = {"yggdrasil": asked(memory, shape)}
    texts = [text.text for text in shape.texts]
    answers |= {name: ranked(search, shape) for name, search in searches(texts, model).items()}
    if peer is not None and model is not None:
        with Mem0(peer) as mem0:
            mem0.add(texts, model)
            answers["mem0"] = ranked(lambda question: mem0.search(question, model, max(CUTS))[0], shape)
    return answers


def _tell(report: Report, found: dict[str, dict[str, Answers]]) -> None:
    models = dict.fromkeys(key.split("/")[0] for key in found)
    for model in models:
        table: dict[str, dict[str, float]] = {}
        grouped: dict[str, list[dict[str, float]]] = {}
        for key, answers in found.items():
            of, shape, _ = key.split("/")
            if of == model:
                figures = {name: value for by, each in answers.items() for name, value in each.figures(by).items()}
                grouped.setdefault(shape, []).append(figures)
        for shape, several in grouped.items():
            table[shape] = {name: mean(one[name] for one in several) for name in several[0]}
            report.figures |= {f"{model} {shape} {name}": value for name, value in table[shape].items()}
        _judge(report, model, table)


def _judge(report: Report, model: str, table: dict[str, dict[str, float]]) -> None:
    plain = [name for name in PLAIN if f"{name}_at_1" in next(iter(table.values()))]
    for cut in CUTS:
        behind = {
            shape: max(of[f"{name}_at_{cut}"] for name in plain) - of[f"yggdrasil_at_{cut}"]
            for shape, of in table.items()
        }
        worst = max(behind, key=lambda shape: behind[shape])
        what = f"{model}, at {cut}: points behind the best plain search ({worst})"
        report.bars.append(Bar(what, behind[worst], SLACK[cut], at_most=True))
        ours = mean(of[f"yggdrasil_at_{cut}"] for of in table.values())
        best = max(mean(of[f"{name}_at_{cut}"] for of in table.values()) for name in plain)
        report.bars.append(Bar(f"{model}, at {cut}: points ahead on the mean of all shapes", ours - best, GAIN))
    own = {shape: of["yggdrasil_refused_own"] for shape, of in table.items()}
    worst = max(own, key=lambda shape: own[shape])
    report.bars.append(Bar(f"{model}: own questions refused, percent ({worst})", own[worst], OWN_REFUSED, at_most=True))
    if model != "words":
        foreign = mean(of["yggdrasil_refused_foreign"] for of in table.values())
        report.bars.append(Bar(f"{model}: foreign questions refused, percent", foreign, FOREIGN_REFUSED))
