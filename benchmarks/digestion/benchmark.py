"""What the reducer makes of transcripts whose facts are known, by two writers; and of the talk of real people.

The first writer was there when the reducer was made. The second wrote afterwards, in another style, and no wording of
the reducer was chosen for it: bars hold for that one. Beside the grammar stands a model that is scripted: it finds
each fact in its sentence, and now and then one that is not there, which the checks must drop. ``--data`` names a folder
of talk (docs/digestion.md); ``--draw`` prints claims drawn from it, to be judged by people.
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
from .writing import Transcript, Turn, Writer, transcripts

UNTIMED: Final = True
PRECISION: Final = 0.85
RECALL: Final = 0.5
BY_MODEL: Final = 0.95
_MEMORY: Final = "bench/digestion"
_SEED: Final = 38


def run(size: Size, scratch: Path, *, data: Path | None = None, seed: int = _SEED, draw: int = 0) -> Report:
    """Let both writers be read by the grammar, and the second by the scripted model too."""
    report = Report("digestion")
    sessions = size.pick(2, 16, 22)
    for writer in (FIRST, SECOND):
        score = _of(writer, scratch / writer.name, sessions, seed)
        _tell(report, f"{writer.name} writer, grammar", score)
        if writer is SECOND:
            report.bars.append(Bar("second writer, grammar: precision", score.precision, PRECISION))
            report.bars.append(Bar("second writer, grammar: recall", score.recall, RECALL))
    score = _of(SECOND, scratch / "model", sessions, seed, by_model=True)
    _tell(report, "second writer, scripted model", score)
    report.bars.append(Bar("second writer, scripted model: precision", score.precision, BY_MODEL))
    report.bars.append(Bar("second writer, scripted model: recall", score.recall, BY_MODEL))
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
    if __import__("os").environ.get("DBG"):
        from .scores import says

        fs = [f for o in told for f in o.facts]
        for c in claims:
            if not any(says(c, f) for f in fs):
                print("WRONG", c.sort, c.subject, "|", c.predicate, "|", c.object, "<<", [t.text for t in c.turns])
        for o in told:
            for f in o.facts:
                if not any(says(c, f) for c in claims):
                    print("MISSED", [t.text for t in o.turns if f in t.facts])
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
