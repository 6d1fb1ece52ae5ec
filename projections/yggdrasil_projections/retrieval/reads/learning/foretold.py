"""What a situation foretells: which of its features have come to mean an outcome, how sure that is, and what follows.

The lessons of the laws as an agent can use them before it acts. Nothing here searches or ranks memories, and what is
asked leaves no trace. Everything is bounded: features, edges of each, outcomes behind it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from typing import Final, NamedTuple

from yggdrasil_projections.graph.arithmetic import decayed
from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands.experience import KIND_PREFIX
from yggdrasil_schemas.graph.records import EdgeKey, EdgeKind, Node, NodeFlag, NodeKind, is_feature
from yggdrasil_schemas.limits import VALUE_MAX
from yggdrasil_schemas.names import composed

from ...answers import Follows, Foretelling, Foretold, KindForetold
from ...asks import check_named
from ...index.names import FeatureNames, Path
from ...lens import stands
from ...memories import reference_of
from ...query import Read, Source, Timed
from ...ranking.query import WORDS_MAX
from ..ranked.evidence import AGREEING_MIN, Evidence, evidence
from ..ranked.taught import Taught, taught

FORETOLD_MAX: Final = 8
"""Features in one answer, those first that say most."""
NAMED_MAX: Final = 64  # features of a question that are looked at: two reads of the store for each
_KINDS_MAX: Final = 8
_OUTCOMES_MAX: Final = 3
_JUDGED_MAX: Final = 16  # events that are looked at for these
_FOLLOWING_MAX: Final = 8  # of each feature
_STEPS_MAX: Final = 32  # events with a feature that are looked at for these
_CARRIED_MAX: Final = 8  # features of the event after one, the first
_AROUND: Final = "`'\"()[]<>{},;:!?"  # signs that stand around a path in a sentence, and are no part of it
_DOUBT: Final = 4.0
_CAUSAL: Final = int(EdgeKind.CAUSAL)
_ASSOCIATIVE: Final = int(EdgeKind.ASSOCIATIVE)
_CONTAINS: Final = int(EdgeKind.CONTAINS)
_TEMPORAL: Final = int(EdgeKind.TEMPORAL)
_TRAJECTORY: Final = int(EdgeKind.TRAJECTORY)
_CARRIED: Final = (_CONTAINS, _ASSOCIATIVE)  # what an event has, and what an episode's events have in common


class Lesson(NamedTuple):
    """A feature that foretells something, what, how sure that is, and how often it was so."""

    node: Node
    name: str
    taught: Taught
    sureness: float
    evidence: Evidence

    @property
    def size(self) -> float:
        """How much it says, in [0, 20]."""
        return abs(self.taught.valence) * self.sureness + VALUE_MAX * self.evidence.excess


def foretold(graph: Graph, names: FeatureNames, text: str, features: Sequence[str] = ()) -> list[Foretold]:
    """Return what is foretold by the features of a situation: those in ``features`` and those that ``text`` names.

    Those are among them whose valence has at least the size of the policy's ``foretell_valence``, and that an outcome
    has judged; and those with which events end well or badly more often than without, beyond chance (``evidence``).
    What stands on nearly every event is not, unless most of them end so. At most 8 are returned, those that say most
    first: by the size of the valence times its sureness, and ten times that excess.
    """
    return _told(graph, _nodes(graph, named(graph, names, text, features)))


def foretell(graph: Graph, names: FeatureNames, text: str, features: Sequence[str] = ()) -> Foretelling:
    """Return what the features of a situation foretell, and what has usually followed each of them."""
    nodes = _nodes(graph, named(graph, names, text, features))
    follows = [each for node, name in nodes for each in _following(graph, node, name)]
    return Foretelling(text, [name for _, name in nodes], _told(graph, nodes), follows, graph.header.seq)


def foretold_by(graph: Graph, name: str) -> Foretold | None:
    """Return what one feature foretells; None where it foretells nothing, or is not there."""
    return next(iter(_told(graph, _nodes(graph, [name]))), None)


def named(graph: Graph, names: FeatureNames, text: str, features: Sequence[str]) -> list[str]:
    """Return the names in ``features``, then those that the first 64 words of ``text`` name; each once.

    Of ``features`` a path counts as the one that is known and that it means: ``./pay.py`` may be ``file:src/pay.py``.
    Last come the paths whose last name the text says: ``file:src/app/pay.py`` is found by "pay.py". Where it names one
    of them with its folders, the others that end so are not meant.
    """

    def trust_of(name: str) -> int:
        return max((node.trust for node, _ in _nodes(graph, [name])), default=0)

    asked = [*map(composed, features)]
    given = [each for feature in asked for each in _meant(names, feature, trust_of)]
    given.sort(key=lambda name: name not in asked)  # or many that one may mean would push out what was given as it is
    text = composed(text)
    said = names.tokenizer.words(text)[:WORDS_MAX]
    at = _between_spaces(text)
    whole = {name for path in at if "/" in path for name in names.at_path(path, trust_of)}
    told = {_last_name(name) for name in whole} - set(at)
    ending = [name for name in names.ending_in(said, trust_of) if name in whole or _last_name(name) not in told]
    return list(dict.fromkeys((*given, *names.named_by(said), *sorted(whole), *ending)))[:NAMED_MAX]


def _between_spaces(text: str) -> list[str]:
    """Return the first 64 words of a text as they stand between spaces, without the signs around them."""
    return [word.lstrip(_AROUND).rstrip(f"{_AROUND}.") for word in text.split()[:WORDS_MAX]]


def _last_name(path: str) -> str:
    return path.partition(":")[2].rpartition("/")[2]


def _meant(names: FeatureNames, feature: str, trust_of: Callable[[str], int]) -> list[str]:
    """Return a feature, or the paths that it means where it is none as it is spelt.

    Where somebody has recorded ``./pay.py`` as it is, it means both: nobody hides a file by another spelling of it.
    """
    known = [feature] if feature in names.numbers else []
    path = Path.of(feature)
    if path is None or (known and path.is_spelt(feature)):
        return [feature]
    return [*known, *names.at_path(feature, trust_of)] or [feature]


def lesson_of(graph: Graph, node: Node, name: str = "") -> Lesson | None:
    """Return what a feature foretells, by what it was taught and how often events with it ended so, or None."""
    of = taught(graph, node)
    if not of.good + of.bad:
        return None
    by_value = of.foretells(graph.header.policy.foretell_valence)
    bad = of.valence < 0 if by_value else of.bad > of.good
    if not by_value and (of.bad if bad else of.good) < AGREEING_MIN:
        return None  # before events are counted: most features of a question end here
    found = evidence(graph, node, of, bad=bad)
    turned = found.opposing and of.tier < of.top  # by whom, the counts do not say
    if found.is_everywhere or not (by_value or (found.excess and not turned)):
        return None
    return Lesson(node, name, of, sureness(-1.0 if bad else 1.0, of.good, of.bad), found)


def sureness(valence: float, good: int, bad: int) -> float:
    """Return how sure the sign of a valence is, in [0, 1]: the share of judgements that agree, beyond a half, twice.

    Four judgements of which two agree are taken for granted (Agresti and Coull 1998, "add two successes and two
    failures"): so one judgement gives 0.2, four that agree 0.5, and 36 that agree 0.9. It is 0 when as many
    judgements, or more, were of the other sign: the valence is then what others of its events left over.
    """
    agreeing = good - bad if valence > 0 else bad - good
    return max(0, agreeing) / (good + bad + _DOUBT)


def _nodes(graph: Graph, names: Iterable[str]) -> list[tuple[Node, str]]:
    """Return the live features among ``names``."""
    found: list[tuple[Node, str]] = []
    for name in names:
        number = graph.feature(name)
        node = None if number is None else graph.node(number)
        if node is not None:
            found.append((node, name))
    return found


def _told(graph: Graph, nodes: list[tuple[Node, str]]) -> list[Foretold]:
    found = (lesson_of(graph, node, name) for node, name in nodes)
    lessons = [each for each in found if each is not None]
    lessons.sort(key=lambda each: (-each.size, each.name))
    return [_lesson(graph, each) for each in lessons[:FORETOLD_MAX]]


def _lesson(graph: Graph, each: Lesson) -> Foretold:
    node = each.node
    links = sorted(graph.links(node.number), reverse=True)
    kinds = [
        KindForetold(graph.feature_name(key[2]).removeprefix(KIND_PREFIX), _weight(graph, key))
        for key in links
        if key[1] == _CAUSAL and key[0] == node.number and is_feature(key[2])
    ]
    kinds.sort(key=lambda kind: (-kind.weight, kind.kind))
    latest = [reference_of(graph, number) for number in _outcomes(graph, node, links)]
    of, seen = each.taught, each.evidence
    said = of.valence, each.sureness, of.good, of.bad
    return Foretold(each.name, *said, kinds[:_KINDS_MAX], latest, seen.events, seen.base_rate)


def _outcomes(graph: Graph, feature: Node, links: list[EdgeKey]) -> list[int]:
    """Return the latest outcomes of what has a feature, the latest first; only the youngest that are judged count."""
    found: set[int] = set()
    judged = 0
    for source, kind, target in links:
        if target != feature.number or kind not in _CARRIED or is_feature(source):
            continue
        node = graph.expect(source)
        if node.kind == NodeKind.OUTCOME or not node.good + node.bad:
            continue
        found.update(
            key[2]
            for key in graph.links(source)
            if key[1] == _CAUSAL and key[0] == source and _is_outcome(graph.expect(key[2]))
        )
        judged += 1
        if judged == _JUDGED_MAX:
            break
    return sorted(found, reverse=True)[:_OUTCOMES_MAX]


def _is_outcome(node: Node) -> bool:
    """Whether a node is an outcome that stands."""
    return node.kind == NodeKind.OUTCOME and stands(node)


def _following(graph: Graph, feature: Node, name: str) -> list[Follows]:
    """Return what came with the next event most often, after the youngest events that have a feature.

    A trajectory remembers the steps between leading features for longer than the events are there: where it has counted
    more of a step, its count holds.
    """
    links = graph.links(feature.number)
    times: dict[int, int] = {}
    steps = 0
    for event in _latest_events(graph, feature, links):
        after = _next(graph, event)
        if after is None:
            continue
        steps += 1
        for number in graph.parts(after).carriers[:_CARRIED_MAX]:
            times[number] = times.get(number, 0) + 1
    weights: dict[int, float] = {}
    for key in sorted(
        key for key in links if key[1] == _TRAJECTORY and key[0] == feature.number and is_feature(key[2])
    ):
        forgotten = max(0, graph.expect_edge(key).usage - times.get(key[2], 0))
        times[key[2]] = times.get(key[2], 0) + forgotten
        steps += forgotten
        weights[key[2]] = _weight(graph, key)
    known = [number for number in times if times[number] and graph.node(number) is not None]
    known.sort(key=lambda number: -times[number])  # of equals the one that came last, as that is how they were counted
    return [
        Follows(
            name, graph.feature_name(number), times[number] / (steps + _DOUBT), times[number], weights.get(number, 0.0)
        )
        for number in known[:_FOLLOWING_MAX]
    ]


def _latest_events(graph: Graph, feature: Node, links: Iterable[EdgeKey]) -> list[int]:
    """Return the youngest events that have a feature, the youngest first."""
    holders = sorted((key[0] for key in links if key[1] == _CONTAINS and key[2] == feature.number), reverse=True)
    events = (number for number in holders if graph.expect(number).kind == NodeKind.EVENT)
    return list(islice(events, _STEPS_MAX))


def _next(graph: Graph, event: int) -> int | None:
    """Return the event after one in its session."""
    for key in graph.links(event):
        if key[1] == _TEMPORAL and key[0] == event and not graph.expect(key[2]).flags & NodeFlag.OPENING:
            return key[2]
    return None


def _weight(graph: Graph, key: EdgeKey) -> float:
    edge = graph.expect_edge(key)
    return decayed(edge.weight, graph.header.tick - edge.tick, edge.half_life)


@dataclass(frozen=True, slots=True)
class AskForetelling(Timed[Foretelling]):
    """Return what a situation foretells, and what usually follows it, by its features.

    These are the ones in ``features`` (at most 32), and those that ``text`` names by their words; what the memory
    does not know is passed over. A path may be given as it is spelt anywhere: ``./pay.py`` means ``file:src/pay.py``.
    It is no recall. Raises InvalidAskError.
    """

    text: str | None = None
    _: KW_ONLY
    features: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", check_named(self.text or "", self.features))

    def read(self, source: Source, /) -> Foretelling:
        """Answer it."""
        with source.indexed() as (graph, index):
            return foretell(graph, index.feature_names, self.text or "", self.features)


FORETELLING: Final = Read(
    "foretell",
    AskForetelling,
    Foretelling,
    "POST /foretold",
    "What a situation foretells",
    """Return what the features of a situation have come to mean, and what usually follows them.

These are the ones that are given, and those that the text names. It is no recall.""",
    example={"text": "Deploy on a Friday?", "features": ["deploy"]},
)
