"""The oracle's memory, and what all laws do: settle, steady, mark, link, remove."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from types import SimpleNamespace
from typing import Final

from tests.graph.oracle.records import (
    EDGE_KINDS,
    GONE_AFTER,
    ONE,
    ZERO,
    Account,
    Act,
    Edge,
    EdgeKey,
    Gift,
    Name,
    Node,
    Perspective,
    Recall,
    Scorer,
    Session,
    Thing,
    by_number,
    constants,
    decimal,
    exact,
    halved,
    numbers,
    sign,
    within,
)
from tests.graph.oracle.regards import move, settle
from yggdrasil_schemas.graph.knowledge import Definition
from yggdrasil_schemas.policy import DEFAULT, Policy
from yggdrasil_schemas.refusals import Refusal

NEAR = Decimal("1e-9")
HEIRS_MAX = 8
TAINTS_MAX = 1_024
SERVED: Final = "yggdrasil-serve/"
CORRIGIBLE: Final = ("record_event", "commit_episode", "form_concept", "assert_claim")
STANDING: Final = ("active", "prior", "contested")
HELD: Final = (*STANDING, "candidate", "quarantined")  # by its slot
LEVELS: Final = ((5, exact(5 / 3)), (15, exact(2.5)), (30, exact(5)), (60, exact(10)), (100, exact(25)))
"""What each level of consolidation takes and gives, in rules version 1."""


@dataclass(eq=False)
class Memory:
    """Everything that one memory holds.

    ``ties`` and ``unsure`` say what the last command has decided by less than rounding may change: which nodes and
    edges could be exchanged for others of a rank, and which nodes stand at a threshold.
    """

    policy: Policy = DEFAULT
    seq: int = 0
    saying: int = 0  # the seq of the present command
    vouched: int = 0  # how far what it joins is trusted
    tick: int = 0
    attested: int = 0
    episode: Node | None = None
    slept: int = 0  # the tick of the last sleep
    heeded: int = 0  # events that are trusted 1 or more
    looked: int = 0  # the number of the last node that had its turn in one
    outcomes: Counter[str] = field(default_factory=Counter[str])
    nodes: dict[Name, Node] = field(default_factory=dict[Name, Node])
    edges: dict[EdgeKey, Edge] = field(default_factory=dict[EdgeKey, Edge])  # by link and unlink alone
    made: dict[Name, Node] = field(default_factory=dict[Name, Node])  # or confirmed by a command, live or not
    accepted: dict[Name, str] = field(default_factory=dict[Name, str])  # the types of accepted commands
    seqs: dict[Name, int] = field(default_factory=dict[Name, int])  # of accepted commands
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    recalls: dict[Name, Recall] = field(default_factory=dict[Name, Recall])  # those that are kept, oldest first
    every_recall: dict[Name, Recall] = field(default_factory=dict[Name, Recall])  # dropped or not
    cursors: dict[str, int] = field(default_factory=dict[str, int])
    open: dict[str, tuple[int, int, set[int]]] = field(default_factory=dict[str, tuple[int, int, set[int]]])
    origin: str = ""  # of the present command
    by_person: bool = False  # who is trusted as a user, at least
    by_operator: bool = False  # the same
    stamped: int = 0  # how far the writer of the present command is trusted
    trust: int = 0  # of what the present command says
    place: str = ""  # the session of the present command, or who speaks where it names none
    taints: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])  # tick and root
    source: str = ""  # of the present command
    process: str = ""  # of the present command
    predicates: dict[str, Definition] = field(default_factory=dict[str, Definition])  # that the memory defined
    roles: dict[str, list[Perspective]] = field(default_factory=dict[str, list[Perspective]])
    things: dict[str, Thing] = field(default_factory=dict[str, Thing])  # by each of their names, where there are more
    relations: dict[EdgeKey, list[tuple[int, int]]] = field(default_factory=dict[EdgeKey, list[tuple[int, int]]])
    gifts: list[Gift] = field(default_factory=list[Gift])  # of the present command
    accounts: dict[Name, Account] = field(default_factory=dict[Name, Account])
    acts: dict[Name, Act] = field(default_factory=dict[Name, Act])
    scorers: dict[Name, Scorer] = field(default_factory=dict[Name, Scorer])  # that are kept, oldest first
    snapshots: dict[str, int] = field(default_factory=dict[str, int])  # the seqs of moments, by their names
    digests: dict[Name, tuple[list[Name], int]] = field(default_factory=dict[Name, tuple[list[Name], int]])
    principles: list[Node] = field(default_factory=list[Node])
    grown: set[Node] = field(default_factory=set[Node])  # what got an edge in this command
    ties: set[int | tuple[int, int, int]] = field(default_factory=set[int | tuple[int, int, int]])
    unsure: set[int] = field(default_factory=set[int])
    happened: list[str] = field(default_factory=list[str])  # names of the rules that were applied

    def __post_init__(self) -> None:
        self.p: SimpleNamespace = constants(self.policy)
        self._at: defaultdict[Node, dict[EdgeKey, None]] = defaultdict(dict)  # the keys of the edges of each node

    # References

    def live(self, reference: Name) -> Node | None:
        node = self.left(reference) or self.nodes.get(reference)
        return node if node is not None and node.live else None

    def left(self, command: Name) -> Node | None:
        """What a command made or confirmed, or, of a note, what says the same in its place; live or not."""
        node = self.made.get(command)
        for _ in range(HEIRS_MAX if self.accepted.get(command) == "assert_claim" else 0):
            if node is None or node.live or node.heir is None:
                break
            node = node.heir
            self.happened.append("its note says the same")
        return node

    def unknown(self, references: Iterable[Name]) -> bool:
        """Whether one is the id of no accepted command. A feature's name cannot be unknown: names are not kept."""
        return any(not each.startswith("feature:") and each not in self.accepted for each in references)

    def not_among(self, ids: Iterable[Name], *types: str) -> Refusal | None:
        for each in ids:
            if each not in self.accepted:
                return Refusal.UNKNOWN_EVENT
            if self.accepted[each] not in types:
                return Refusal.NOT_AN_EVENT
        return None

    def left_of(self, command: Name) -> Node | None:
        """What a command made, or the first live heir of that."""
        node: Node | None = self.made[command]
        for _ in range(HEIRS_MAX):
            if node is None or node.live:
                break
            node = node.heir
        return node if node is not None and node.live else None

    # What stands

    def not_corrigible(self, command: Name) -> Refusal | None:
        if command not in self.accepted:
            return Refusal.UNKNOWN_REFERENCE
        return None if self.accepted[command] in CORRIGIBLE else Refusal.NOT_CORRIGIBLE

    def may_change(self, node: Node) -> Refusal | None:
        """Why the present command may not change what a node is; None when it may."""
        if node.protected and not self.by_operator:
            return Refusal.NODE_PROTECTED
        return Refusal.NOT_TRUSTED if self.trust < node.authority else None

    def pin_holds(self, node: Node) -> bool:
        """Whether a node is pinned, for all that the present command says."""
        return "pinned" in node.flags and not self.by_operator

    def in_slot(self, slot: bytes) -> list[Node]:
        """By number; what has the slot, and has not left it."""
        having = (node for node in self.nodes.values() if slot and node.slot == slot)
        return by_number(node for node in having if node.status in HELD or _kept_in_mind(node))

    @property
    def voice(self) -> bytes:
        """The 8 bytes that stand for who speaks."""
        return voice(self.source, self.process)

    @property
    def taint(self) -> bytes | None:
        """Whose word came into the session of an agent who speaks, not long ago."""
        if self.origin != "agent" or self.place not in self.taints:
            return None
        tick, root = self.taints[self.place]
        return root if self.tick - tick < self.p.taint_ticks else None

    def take_in(self, root: bytes) -> None:
        """The session has something foreign in it from now on."""
        if self.p.taint_ticks:
            self.taints[self.place] = self.tick, root
            self.happened.append("tainted")
            while len(self.taints) > TAINTS_MAX:
                del self.taints[min(self.taints, key=lambda each: (self.taints[each][0], hashed(each)))]
                self.happened.append("a taint forgotten")

    def give(self, node: Node) -> None:
        """A node is about to be given something by an outcome, or a report of use."""
        if len(self.gifts) < 64 and all(each.node is not node for each in self.gifts):
            self.gifts.append(Gift(node, self.worth(node)))

    def worth(self, node: Node) -> tuple[Decimal, ...]:
        """What may be given."""
        sums = (node.salience, self.lasting(node), node.impact, node.valence, node.stability)
        return (*sums, *map(Decimal, (node.good, node.bad, node.usage, node.served)))

    def account_for(self, name: Name, sign: int, kind: Node | None) -> None:
        """What was given by the present command."""
        for gift in self.gifts:
            gift.more = tuple(now - then for now, then in zip(self.worth(gift.node), gift.before, strict=True))
            gift.before = (gift.node.stability / gift.before[4],)
        self.accounts[name] = Account(self.tick, sign, kind, self.gifts, moved=self.saying)

    def move(self, name: Name, way: int) -> None:
        """What a command gave is taken back (-1), or given again (1), as far as it is left."""
        account = self.accounts.get(name)
        if account is None or account.out == (way < 0):
            return
        account.out = way < 0
        self.happened.append("taken back" if account.out else "given again")
        if account.kind is not None and account.sign:
            self.outcomes["good" if account.sign > 0 else "bad"] += way
        since = self.tick - account.tick
        for gift in account.gifts:
            if gift.node.live:
                uses = way * int(gift.more[7])
                self._move(gift, since, way)
                given = dict(zip(account.under, gift.regards, strict=True))
                gift.regards = move(self, gift.node, given, since, uses, back=account.out)
                if gift.told:
                    gift.told = self._foretell(gift, account, way)
        account.edges = [moved for each in account.edges if (moved := self._move_edge(account, each, way))]
        account.tick, account.moved = self.tick, self.saying

    def _move_edge(
        self, account: Account, given: tuple[EdgeKey, Decimal, Decimal], way: int
    ) -> tuple[EdgeKey, Decimal, Decimal] | None:
        """What really moved; None where the edge is not there any more."""
        key, more, longer = given
        edge = self.edges.get(key)
        if edge is None or edge.made > account.moved:
            self.happened.append("an edge was gone" if edge is None else "an edge was another")
            return None
        self.settle(edge)
        weight, half_life = edge.weight, edge.half_life
        self.multiply_half_life(edge, longer if way > 0 else 1 / longer)
        since, lasting = self.tick - account.tick, edge.half_life if way > 0 else half_life
        edge.weight = rounded(weight + way * more * halved(since, lasting), ZERO, self.p.weight_max)
        self.happened.append("taken from an edge" if way < 0 else "an edge was given it again")
        quotient = edge.half_life / half_life
        return key, way * (edge.weight - weight), quotient if way > 0 else 1 / quotient

    def _move(self, gift: Gift, since: int, way: int) -> None:
        node, p = gift.node, self.p
        salience, permanence, impact, valence, _, good, bad, usage, served = gift.more
        self.settle(node)
        before = self.worth(node)
        if way > 0:
            self.multiply_stability(node, gift.before[0])
            self.steady(node)
        node.salience = rounded(node.salience + way * salience * halved(since, node.half_life), ZERO, p.salience_max)
        lasting = permanence * halved(since, p.permanence_half_life_ticks)
        node.permanence = rounded(node.permanence + way * lasting, ZERO, p.permanence_max)
        node.impact = rounded(node.impact + way * impact, -p.impact_max, p.impact_max)
        node.valence = rounded(node.valence + way * valence, Decimal(-10), Decimal(10))
        node.swayed |= {"impact", "valence"}
        node.good = max(0, node.good + way * int(good))
        node.bad = max(0, node.bad + way * int(bad))
        node.usage = max(0, node.usage + way * int(usage))
        node.served = max(0, node.served + way * int(served))
        if way < 0:
            self.multiply_stability(node, 1 / gift.before[0])
        self.steady(node)
        gift.more = tuple(way * (now - then) for now, then in zip(self.worth(node), before, strict=True))
        gift.before = (node.stability / before[4] if way > 0 else before[4] / node.stability,)

    def _foretell(self, gift: Gift, account: Account, way: int) -> Decimal:
        """What really moved."""
        kind = account.kind
        if kind is None or not kind.live:
            return ZERO
        key = gift.node, "causal", kind
        edge = self.edges.get(key)
        if way < 0 and (edge is None or edge.made > account.moved):
            return ZERO
        half_life = edge.half_life if edge is not None else self.p.edge_half_life_ticks
        before = edge.weight if edge is not None else ZERO
        weight = before + way * gift.told * halved(self.tick - account.tick, half_life)
        if weight <= NEAR:
            if edge is not None:
                self.unlink(key)
                self.happened.append("foretells no longer")
            return before if way < 0 else ZERO
        if edge is None:
            edge = self.link(*key, weight)
        else:
            self.settle(edge)
            edge.weight = min(weight, self.p.weight_max)
        return way * (edge.weight - before)

    def first_status(self, trust: int) -> str:
        """Of what is said so, is no claim, and contradicts nothing."""
        if trust >= self.p.notes_trust_min:
            return "active"
        self.happened.append("waits for want of trust")
        return "candidate"

    def consist(self, whole: Node, parts: list[Node]) -> None:
        """What a new episode or concept has from what it is made of."""
        whole.trust = min(self.trust, *(part.trust for part in parts))
        whole.status = self.first_status(whole.trust)
        if any(part.fallen for part in parts):
            whole.flags.add("stale")
            self.happened.append("made stale")

    # Values

    def pass_a_tick(self) -> None:
        """An event happens, by the present command."""
        self.tick += 1
        self.heeded += 1 if self.trust else 0
        for node in self.nodes.values():
            gone = self.tick - node.touched >= GONE_AFTER * node.half_life
            node.salience = ZERO if gone else node.salience * node.each_tick
            for regard in node.regards.values():
                regard.pass_to(self.tick)
        for edge in self.edges.values():
            gone = self.tick - edge.touched >= GONE_AFTER * edge.half_life
            edge.weight = ZERO if gone else edge.weight * edge.each_tick

    def settle(self, record: Node | Edge) -> None:
        """Salience and weight are always those of the present tick; permanence erodes when it is touched."""
        record.permanence = self.lasting(record)
        record.touched = self.tick

    def lasting(self, record: Node | Edge) -> Decimal:
        """Permanence at the present tick; reading does not settle it."""
        return record.permanence * halved(self.tick - record.touched, self.p.permanence_half_life_ticks)

    def gain_salience(self, node: Node, more: Decimal) -> None:
        node.salience = within(node.salience + more, ZERO, self.p.salience_max)

    def gain_permanence(self, record: Node | Edge, more: Decimal) -> None:
        record.permanence = within(record.permanence + more, ZERO, self.p.permanence_max)

    def gain_weight(self, edge: Edge, more: Decimal) -> None:
        edge.weight = within(edge.weight + more, ZERO, self.p.weight_max)

    def judge(self, node: Node, more: Decimal) -> None:
        """Impact takes a judgement in, once what was there has faded by it."""
        node.impact -= node.impact * (1 - self.p.impact_kept) * min(abs(more), ONE)
        self.gain_impact(node, more)

    def gain_impact(self, node: Node, more: Decimal) -> None:
        node.impact = within(node.impact + more, -self.p.impact_max, self.p.impact_max)
        node.swayed.add("impact")

    def gain_valence(self, node: Node, more: Decimal) -> None:
        node.valence = within(node.valence + more, Decimal(-10), Decimal(10))
        node.swayed.add("valence")

    def contradict(self, node: Node, value: Decimal, size: Decimal) -> bool:
        """Permanence gives way where a node has stood for the opposite of ``value``; whether it has."""
        stood = node.valence if node.valence else node.impact
        unclear = abs(node.valence) < NEAR if "valence" in node.swayed else abs(node.impact) < NEAR
        if unclear and node.swayed:
            self.unsure.add(node.number)  # nothing on paper, a trifle by rounding, or the reverse
        if not value or sign(stood) != -sign(value):
            return False
        if not node.protected:
            node.permanence *= 1 - self.p.contradiction_loss * min(size, ONE)
            self.happened.append("contradicted")
        return True

    def multiply_stability(self, node: Node, factor: Decimal) -> None:
        node.stability = within(node.stability * factor, self.p.stability_min, self.p.stability_max)

    def multiply_half_life(self, edge: Edge, factor: Decimal) -> None:
        self._last(edge, edge.half_life * factor)

    def _last(self, record: Node | Edge, half_life: Decimal) -> None:
        record.half_life = within(half_life, Decimal("0.1"), self.p.half_life_max_ticks)
        record.each_tick = halved(1, record.half_life)

    def revive(self, node: Node) -> None:
        if "archived" in node.flags:
            self.happened.append("revived")
            node.flags.discard("archived")
            node.salience = min(max(node.salience, self.p.revived_salience), self.p.salience_max)
            lower = max(node.level - 2, 0)
            self.multiply_stability(node, self.level_factor(lower) / self.level_factor(node.level))
            node.level = lower
            self.steady(node)
            settle(self, node)

    def level_factor(self, level: int) -> Decimal:
        return LEVELS[level - 1][1] if level else ONE

    def density(self, node: Node) -> Fraction:
        d, k, b = self.degree(node), len(node.kinds), len(node.marks)
        return Fraction(d, d + 16) * (1 + Fraction(k, 5) + Fraction(b, b + 4)) / 3

    def degree(self, node: Node) -> int:
        return len(self.edges_of(node))

    def steady(self, node: Node) -> None:
        p = self.p
        kind = {
            "event": ONE,
            "outcome": p.outcome_half_life,
            "feature": p.concept_half_life if "conceptual" in node.flags else p.feature_half_life,
            "episode": p.episode_half_life,
            "concept": p.concept_half_life,
            "claim": p.claim_half_life,
        }[node.kind]
        by_permanence = 1 + p.half_life_per_permanence * node.permanence
        by_density = 1 + p.half_life_per_density * decimal(self.density(node))
        lasting = p.node_half_life_ticks * kind * node.stability * by_permanence * by_density
        self._last(node, p.half_life_max_ticks if "pinned" in node.flags else lasting)

    def at_least(self, value: Fraction | Decimal, bar: Fraction | Decimal, node: Node) -> bool:
        """``value >= bar``, with a note when rounding could see it otherwise."""
        short = Fraction(value) - Fraction(bar)
        if abs(short) < Fraction(NEAR) * max(Fraction(1), abs(Fraction(bar))):
            self.unsure.add(node.number)
        return short >= 0

    # The graph

    def make(self, name: Name, kind: str, marks: Iterable[int] = (), ordinal: int = 0) -> Node:
        """A new node with ``salience_initial``, stability 1 and no permanence; it is steadied with what it has now."""
        node = Node(name, kind, self.seq + 1, ordinal, self.tick, self.source, self.process)
        node.salience, node.marks = self.p.salience_initial, set(marks)
        self.nodes[name] = node
        if kind != "feature":
            self.made[name] = node
        self.steady(node)
        return node

    def link(self, source: Node, kind: str, target: Node, weight: Decimal = ONE, usage: int = 0) -> Edge:
        """A new edge."""
        if (source, kind, target) in self.edges:
            raise AssertionError(f"there is a {kind} edge already")
        edge = Edge(self.tick, within(weight, ZERO, self.p.weight_max), usage=usage)
        edge.made, edge.trust = self.saying, self.vouched
        self._last(edge, self.p.edge_half_life_ticks)
        self.edges[source, kind, target] = edge
        for end in (source, target):
            end.kinds |= {kind} & set(EDGE_KINDS)
            self.grown.add(end)
            self._at[end][source, kind, target] = None
        return edge

    def unlink(self, key: EdgeKey) -> None:
        del self.edges[key]
        self.relations.pop(key, None)
        for end in {key[0], key[2]}:
            del self._at[end][key]

    def says_again(self, edge: Edge) -> bool:
        """Whether the present command counts for an edge that is there."""
        if self.vouched < edge.trust and self.vouched < self.p.teach_trust_min:
            self.happened.append("said again in vain")
            return False
        edge.trust = max(edge.trust, self.vouched)
        return True

    def reinforce(self, edge: Edge, more: Decimal) -> None:
        self.settle(edge)
        if not self.says_again(edge):
            return
        self.gain_weight(edge, more)
        edge.usage += 1
        self.multiply_half_life(edge, self.p.edge_reinforce_half_life)

    def edges_of(self, node: Node) -> list[EdgeKey]:
        """The oldest first."""
        return list(self._at[node])

    def targets(self, source: Node, kind: str) -> list[Node]:
        """Where edges of a kind lead from ``source``, by number."""
        return by_number(key[2] for key in self._at[source] if key[0] is source and key[1] == kind)

    def sources(self, kind: str, target: Node) -> list[Node]:
        """Whence edges of a kind lead to ``target``, by number."""
        return by_number(key[0] for key in self._at[target] if key[2] is target and key[1] == kind)

    def between(self, nodes: Iterable[Node]) -> list[EdgeKey]:
        """The edges between those of some nodes that stand, but for the causal ones; the first 64."""
        ends = {node for node in nodes if node.status in STANDING}
        keys = {key for node in ends for key in self._at[node] if key[0] in ends and key[2] in ends}
        return self.sorted_keys(key for key in keys if key[1] != "causal")[:64]

    def containers(self, node: Node, kind: str) -> list[Node]:
        return [each for each in self.sources("contains", node) if each.kind == kind]

    def contained(self, node: Node, *kinds: str) -> list[Node]:
        return [each for each in self.targets(node, "contains") if each.kind in kinds]

    def held(self) -> set[Node]:
        """What open sessions hold: their buffers, their last events, those that registered them, and their notes."""
        sessions = self.sessions.values()
        several = {node for session in sessions for node in (*session.buffer, *session.desk)}
        ends = {node for session in sessions for node in (session.last, session.opened) if node is not None}
        return several | ends

    def name_heirs(self, going: Collection[Node]) -> None:
        """All that go at once find out who inherits, while everything is still in place."""
        found = {node: self._inheriting(node) for node in going if node.kind in ("event", "episode", "concept")}
        direct = {node for node, heirs in found.items() if any(each not in going for each in heirs)}
        for node, heirs in found.items():
            best = [each for each in heirs if each not in going] or [each for each in heirs if each in direct] or heirs
            node.heir = best[0] if best else None
            if node.heir in going:
                self.happened.append("inherited by what goes")
            elif heirs and heirs[0] in going:
                self.happened.append("inherited by what stays")

    def _inheriting(self, node: Node) -> list[Node]:
        return [*self.containers(node, "episode"), *self.containers(node, "concept")]

    def remove(self, node: Node) -> None:
        """A node goes with its edges, and the chain is joined over an event or an episode."""
        if node.kind in ("event", "episode"):
            self._join(node)
        for key in self.edges_of(node):
            self.unlink(key)
        del self.nodes[node.name]
        node.live = False
        if node in self.principles:
            self.principles.remove(node)
            self.happened.append("principle forgotten")
        if node.vectors:
            self.happened.append("vectors forgotten")
        if node.spent is not None:
            self.happened.append("adjustments forgotten")
        if node.regards:
            self.happened.append("regards forgotten")
        if node.ruling is not None:
            self.happened.append("ruling forgotten")
        if node.claim is not None:
            self.happened.append("claim forgotten")

    def _join(self, event: Node) -> None:
        earlier = self.sources("temporal", event)
        later = [each for each in self.targets(event, "temporal") if "opening" not in each.flags]
        if not earlier or not later:
            return
        before, after = earlier[0], later[0]
        first, second = self.edges[before, "temporal", event], self.edges[event, "temporal", after]
        self.settle(first)
        self.settle(second)
        joint = self.link(before, "temporal", after, min(first.weight, second.weight))
        self._last(joint, max(first.half_life, second.half_life))
        joint.permanence = min(max(first.permanence, second.permanence), self.p.permanence_max)
        joint.usage = max(first.usage, second.usage)
        if "opening" in event.flags:
            after.flags.add("opening")
        self.happened.append("joined")

    def sorted_keys(self, keys: Iterable[EdgeKey]) -> list[EdgeKey]:
        return sorted(keys, key=numbers)


def spoken(source: str, process: str) -> str:
    """Whoever speaks: the key, if the service took it in, else the source."""
    return f"key\0{process.removeprefix(SERVED)}" if process.startswith(SERVED) else f"source\0{source}"


def voice(source: str, process: str) -> bytes:
    """The 8 bytes that stand for whoever speaks."""
    return blake2b(spoken(source, process).encode(), digest_size=8, person=b"yggdrasil-who").digest()


def hashed(place: str) -> bytes:
    """The 8 bytes that stand for a session of which it is known that it took in something foreign."""
    return blake2b(place.encode(), digest_size=8, person=b"yggdrasil-taint").digest()


def rounded(value: Decimal, low: Decimal, high: Decimal) -> Decimal:
    """A value within its bounds, where next to nothing is nothing."""
    return within(value, low, high) if abs(value) > NEAR else ZERO


def _kept_in_mind(node: Node) -> bool:
    """Whether a slot remembers that a claim was rejected."""
    return node.claim is not None and node.status == "rejected" and node.remembered
