"""Who says so: the sources of a claim, what their words weigh, and which of two claims more speaks for."""

from collections.abc import Iterable, Sequence
from typing import Final

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Envelope
from yggdrasil_schemas.graph.knowledge import OPEN_FROM, Claim, Definition, Line
from yggdrasil_schemas.graph.records import Node
from yggdrasil_schemas.limits import LINES_MAX, SIGHTINGS_MAX

from ..authority import who
from ..derivation import taint_of

Start = tuple[int, int]
"""When something began: the moment from which on it is said to hold, and the seq at which it was said first."""
_CONCLUDING: Final = ("thinker", "import")


def heard_from(graph: Graph, command: Envelope, evidence: Sequence[Node]) -> tuple[bytes, bytes]:
    """Return who says what a claim says, and whom they have it from.

    That is whoever said the oldest of its evidence, or what came into an agent's session; else themselves. What a
    thinker concludes, or is imported, is no word of its own, but theirs. So what one source says counts once, however
    often it is concluded, and by whom.
    """
    voice = who(command)
    if evidence:
        root = _root(graph, min(evidence, key=lambda each: each.number), voice)
        return (root if command.origin in _CONCLUDING else voice), root
    taint = taint_of(graph, command)
    return voice, voice if taint is None else taint.root


def with_line(lines: tuple[Line, ...], line: Line) -> tuple[Line, ...]:
    """Return lines with one more; of those of one source the word is kept that outlasts the other.

    Of more than eight the least is left out: the least trusted, then the one that weighs least, then the oldest. So
    many words from below never crowd out one from above.
    """
    kept = [each for each in lines if each.who != line.who]
    said = [each for each in lines if each.who == line.who and _is_later_word(each, line)]
    kept += said or [line]
    if len(kept) > LINES_MAX:
        kept.remove(min(kept, key=lambda each: (each.trust, each.weight, each.seq)))
    return tuple(sorted(kept))


def sighted(definition: Definition, claim: Claim, line: Line, tier: int, newest: int) -> Claim:
    """Return a claim with one more sighting, if a word for it is one: what was seen again, and not just said again.

    ``newest`` is the seq of the newest event that the word is concluded from, 0 for none, and ``tier`` the trust that
    the claim had before. A word that is trusted less is no sighting, and of what is trusted more from now on counting
    begins anew: what was seen so far was seen by who is trusted less.
    """
    seen = 0 if line.trust > tier else claim.seen
    counts = definition.confirm_by == "evidence" and newest > 0 and line.trust >= max(1, tier)
    if counts and (not seen or newest >= claim.sighted + definition.confirm_gap):
        return claim._replace(seen=min(seen + 1, SIGHTINGS_MAX), sighted=newest)
    return claim._replace(seen=seen)


def support(lines: Iterable[Line]) -> int:
    """Return what lines weigh together."""
    weight = 0
    for line in lines:
        weight += line.weight
    return weight


def outweighs(lines: tuple[Line, ...], start: Start, rivals: tuple[Line, ...], began: Start, margin: int) -> bool:
    """Whether more speaks for a claim than for its rival: of each their lines, and moment and seq at which they began.

    Of whoever has said both, the later word counts, or the one that was more trusted. The one that began later needs
    more than ``margin`` and all that was said for the other since; the earlier one, that more was said for it since
    than for the other at all. So one word against another decides nothing, two against one do, and old words do not
    outweigh new ones.
    """
    mine, theirs = last_words(lines, rivals), last_words(rivals, lines)
    if is_later(start, began):
        return not theirs or support(mine) > margin + support(_since(theirs, start))
    return support(_since(mine, began)) > support(theirs)


def last_words(lines: tuple[Line, ...], rivals: tuple[Line, ...]) -> list[Line]:
    """Return those of the most trusted lines whose source has not said the rivals later, or when it was trusted more.

    Lines of who is trusted less are kept and shown, and count for nothing: not one for many from below.
    """
    said = {line.who: line for line in rivals}
    tier = max([line.trust for line in lines], default=0)
    own = (line for line in lines if line.trust == tier)
    return independent(line for line in own if line.who not in said or _is_later_word(line, said[line.who]))


def independent(lines: Iterable[Line]) -> list[Line]:
    """Return lines of which no two have one source, or have it from one: of such the one that weighs most, or is older.

    Who repeats what another said, or what came into their session, is no second source.
    """
    kept: list[Line] = []
    for line in sorted(lines, key=lambda each: (-each.weight, each.seq, each.who)):
        if all(line.who != each.who and line.root != each.root for each in kept):
            kept.append(line)
    return kept


def is_later(start: Start, other: Start) -> bool:
    """Whether something that began at a moment, if known, and a seq began later than something else."""
    if OPEN_FROM in (start[0], other[0]) or start[0] == other[0]:
        return start[1] > other[1]
    return start[0] > other[0]


def _root(graph: Graph, node: Node, voice: bytes) -> bytes:
    """Return whom a node comes from: of a claim the first that said so; ``voice`` where nobody did."""
    claim = graph.claim(node)
    if claim is not None:
        return min(claim.lines, key=lambda line: line.seq).root
    maker = graph.maker(node.number)
    return voice if maker is None else who(maker)


def _is_later_word(line: Line, other: Line) -> bool:
    """Whether the word of a source outlasts another one of it: it was more trusted then, or else came later."""
    if line.trust != other.trust:
        return line.trust > other.trust
    return is_later((line.begins, line.seq), (other.begins, other.seq))


def _since(lines: list[Line], start: Start) -> list[Line]:
    return [line for line in lines if is_later((line.begins, line.seq), start) or line.begins == start[0] != OPEN_FROM]
