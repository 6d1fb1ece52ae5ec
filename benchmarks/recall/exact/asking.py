"""The cases put to our memory as its users would, and to other searches as theirs would."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from yggdrasil import Memory, Store
from yggdrasil_infra.embedders import Embedder

from ..peers import Keyed
from ..plain import searches
from .case import Case, Judged, Note, Told
from .measures import Answered, Ranked, best_cut

OURS: Final = "yggdrasil"
KNOWN: Final = f"{OURS}, number known"
BY_SHAPE: Final = ", a cut for each shape"


def ours(
    memories: Sequence[Told], scratch: Path, model: Embedder | None, *, mixed: bool = False
) -> dict[str, list[Answered]]:
    """Tell our memory everything, ask it with default settings, and once more with the number of answers known.

    Told ``mixed``, every second note is a user's, and the others are an agent's; else all are trusted alike.

    The second is asked for as many notes as there are and refuses nothing for want of confidence: it says what the
    order is worth to whoever knows where to cut. Cases whose answer is nothing are left out of it.
    """
    answers: dict[str, list[Answered]] = {OURS: [], KNOWN: []}
    with Store.open(scratch, embedder=model or "none") as store:
        for told in memories:
            memory = store.memory(f"exact/{told.name}")
            user = store.memory(memory.id, source="user", origin="user") if mixed else memory
            ids = {ref: note for note, ref in tell(memory, told, user).items()}
            for case in told.cases:
                context = memory.get_context(case.question, where=case.where, record=False)
                answers[OURS].append(_answered(told, case, [ids[ref] for ref in context.refs]))
                if case.answers:
                    known = memory.get_context(
                        case.question, k=len(case.answers), min_confidence=0.0, where=case.where, record=False
                    )
                    found = [ids[ref] for ref in known.refs]
                    answers[KNOWN].append(_answered(told, case, found))
    return answers


def tell(memory: Memory, told: Told, other: Memory | None = None) -> dict[str, str]:
    """Record all steps in a memory, and return the references of the notes by their ids.

    With an ``other`` voice in it that says every second note, and what takes its place, and judges.
    """
    refs: dict[str, str] = {}
    slots: dict[str, int] = {}
    of: dict[str, str] = {}
    other = other or memory
    for step in told.steps:
        if isinstance(step, Judged):
            getattr(other, step.verdict)(refs[step.note], step.reason)
            continue
        of[step.id] = step.key or (of[step.supersedes] if step.supersedes else step.id)
        voice = (memory, other)[slots.setdefault(of[step.id], len(slots)) % 2]
        noted: dict[str, Any] = {"features": step.features, "name": step.name, "aliases": step.aliases, "key": step.key}
        if step.supersedes is not None:
            refs[step.id] = voice.supersede(refs[step.supersedes], step.text, **noted)
        else:
            refs[step.id] = voice.record_event(step.text, **noted)
    return refs


def plain(memories: Sequence[Told], model: Embedder | None) -> dict[str, list[Answered]]:
    """Ask the textbook's searches, over everything that was ever said: they have no notion of what still stands.

    A filter leaves out what it does not admit, as any of their databases can. Names and aliases stand before a text.
    Of their order as much is returned as is best in hindsight: the best number of notes for all cases, and, under
    another name, the best for each shape, which is more than anybody can know.
    """
    ranked: dict[str, list[_Ranked]] = {}
    for told in memories:
        notes = list(told.notes.values())
        for name, search in searches([note.spoken for note in notes], model).items():
            for case in told.cases:
                order = [(notes[int(place)].id, 0.0) for place in search(case.question)]
                ranked.setdefault(name, []).append(_Ranked.of(told, case, order))
    return {name: found for search, of in ranked.items() for name, found in _cut(search, of, scores=False).items()}


def kept(memories: Sequence[Told], name: str, peer: Keyed, model: Embedder) -> dict[str, list[Answered]]:
    """Ask a peer that keeps one text under each key, and is told each change by whoever uses it, without a mistake.

    What is said under a key, or in place of something, overwrites it (mem0's ``update``, the store's ``put``); what is
    withdrawn or resolved is deleted, and put back when it is reinstated. So it never holds what no longer stands, nor
    its history. Filters, names and the cut are as for ``plain``, with a least score beside the number of notes.
    """
    ranked: list[_Ranked] = []
    for told in memories:
        current: dict[str, Note] = {}
        for slot, note in told.changes():
            if note is None:
                del current[slot]
                peer.delete(told.name, slot)
            else:
                current[slot] = note
                peer.put(told.name, slot, note.spoken, model)
        for case in told.cases:
            order = peer.scored(told.name, case.question, model, len(current))
            ranked.append(_Ranked.of(told, case, [(current[slot].id, score) for slot, score in order]))
    return _cut(name, ranked, scores=True)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What a search has found of a case, within its filter."""

    told: Told
    case: Case
    order: Ranked

    @classmethod
    def of(cls, told: Told, case: Case, order: Ranked) -> "_Ranked":
        """Return it without what the filter of the case does not admit."""
        admitted = told.admitted(case.where)
        return cls(told, case, [(note, score) for note, score in order if note in admitted])


def _cut(name: str, ranked: Sequence[_Ranked], *, scores: bool) -> dict[str, list[Answered]]:
    cuts: dict[str, list[Answered]] = {}
    for cut, by_shape in ((name, False), (f"{name}{BY_SHAPE}", True)):
        found = best_cut([(each.case, each.order) for each in ranked], by_shape=by_shape, scores=scores)
        cuts[cut] = [_answered(each.told, each.case, one) for each, one in zip(ranked, found, strict=True)]
    return cuts


def _answered(told: Told, case: Case, found: Iterable[str]) -> Answered:
    good = told.admitted(case.where).intersection(told.standing())
    return Answered(case, frozenset(found), frozenset(found) - good)
