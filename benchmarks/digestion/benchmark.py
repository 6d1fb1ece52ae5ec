"""What the reducer makes of transcripts whose facts are known, by three writers; and of the talk of real people.

The first writer was there when the reducer was made. The second wrote then, and was tried once; what that showed was
mended. The third wrote when the reducer was done, and its first try says what to expect (docs/digestion.md).
Beside the grammar stands a model that is scripted: it finds each fact in its sentence, and now and then one that is
not there, which the checks must drop. ``--data`` names a folder of talk (``real``), and ``--draw`` prints claims drawn
from it, to be judged by people.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from yggdrasil import Store
from yggdrasil_schemas.names import name_in_words

from ..measure import Bar, Report, Size, say
from .first import FIRST
from .real import talk
from .scores import Claimed, Score, scored
from .scripted import Scripted
from .second import SECOND
from .third import THIRD
from .writing import Transcript, Turn, Writer, transcripts

UNTIMED: Final = True
PRECISION: Final = 0.85
RECALL: Final = 0.5
BY_MODEL: Final = 0.95
_MEMORY: Final = "bench/digestion"
_SEED: Final = 38


def run(size: Size, scratch: Path, *, data: Path | None = None, seed: int = _SEED, draw: int = 0) -> Report:
    """Let all writers be read by the grammar, and the third by the scripted model too."""
    report = Report("digestion")
    sessions = size.pick(2, 6, 22)
    for writer in (FIRST, SECOND, THIRD):
        score = _of(writer, scratch / writer.name, sessions, seed)
        _tell(report, f"{writer.name} writer, grammar", score)
        if writer is not FIRST:
            report.bars.append(Bar(f"{writer.name} writer, grammar: precision", score.precision, PRECISION))
            report.bars.append(Bar(f"{writer.name} writer, grammar: recall", score.recall, RECALL))
    score = _of(THIRD, scratch / "model", sessions, seed, by_model=True)
    _tell(report, "third writer, scripted model", score)
    report.bars.append(Bar("third writer, scripted model: precision", score.precision, BY_MODEL))
    report.bars.append(Bar("third writer, scripted model: recall", score.recall, BY_MODEL))
    if data is not None:
        for name, found in talk(data, random.Random(seed), draw):
            report.figures[f"{name}: sentences"] = found.sentences
            report.figures[f"{name}: claims for 1,000 sentences"] = found.dense
            for line in found.drawn:
                say(line)
    return report


def _tell(report: Report, name: str, score: Score) -> None:
    report.figures[f"{name}: facts"] = score.facts
    report.figures[f"{name}: claims"] = score.claims
    report.figures[f"{name}: precision"] = score.precision
    report.figures[f"{name}: recall"] = score.recall
    report.figures[f"{name}: said once more"] = score.again
    report.figures[f"{name}: wrongly merged"] = score.merged
    report.figures[f"{name}: claims for 2,000 words"] = score.dense


def _of(writer: Writer, path: Path, sessions: int, seed: int, *, by_model: bool = False) -> Score:
    """Tell a memory what a writer wrote, let the reducer think, and hold its claims against the facts."""
    told = transcripts(writer, sessions, seed)
    model = Scripted(told, seed) if by_model else None
    with Store.open(path, embedder="off") as store:
        turns = _record(store, told)
        (ran,) = store.think("reducer", extraction_model=None if model is None else model.model)
        if ran.stopped is not None:
            raise RuntimeError(f"the reducer stopped: {ran.stopped}")
        claims = _claims(store, turns)
    facts = list(dict.fromkeys(fact for one in told for fact in one.facts))
    return scored(facts, claims, (turn.text for turn in turns.values()))


def _record(store: Store, told: Sequence[Transcript]) -> dict[str, Turn]:
    """Record all turns, each by its speaker in its session; return them by the ids of their events."""
    memory = store.memory(_MEMORY)
    found: dict[str, Turn] = {}
    for one in told:
        for turn in one.turns:
            features = [f"speaker:{turn.speaker}", f"task:{one.name}"]
            found[memory.record_event(turn.text, features=features, session=one.name)] = turn
    return found


def _claims(store: Store, turns: dict[str, Turn]) -> list[Claimed]:
    """Return all claims that the reducer made, with the turns that they name as evidence."""
    memory = store.memory(_MEMORY)
    found: list[Claimed] = []
    since = 0
    while True:
        page = memory.happened(since=since, count=1_000)
        for one in page.happened:
            if one.asserted is not None and one.thinker == "reducer":
                said = one.asserted
                sort = "lesson" if said.predicate in {"lesson", "warning", "recovery"} else "fact"
                named = tuple(turns[each] for each in said.evidence)
                found.append(
                    Claimed(sort, name_in_words(said.subject), said.predicate, name_in_words(said.object or ""), named)
                )
        since = page.position
        if since >= page.as_of:
            return found
