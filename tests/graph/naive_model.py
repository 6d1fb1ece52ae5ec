"""An independent model of the laws without bounds: plain dicts, and every value fades a little with every tick.

Written from the docstrings of the laws, not from their code. It fades with ``**`` where the fold looks up a table, and
it has no numbers for nodes, no lazy values and no cache.
"""

from dataclasses import dataclass, field
from typing import Any

from yggdrasil_schemas.policy import Policy
from yggdrasil_schemas.refusals import Refusal

from tests.graph.commands import Said

Name = str  # a command's id, or "feature:..."
Answer = tuple[str, int, Refusal | None]  # "done", "refused" or "again"; seq; reason


@dataclass
class Thing:
    kind: str
    salience: float
    half_life: float
    permanence: float = 0.0
    impact: float = 0.0
    usage: int = 0
    candidates: int = 0
    recalled_at: int = -1
    last_event: Name = ""
    catastrophic: bool = False


@dataclass
class Link:
    weight: float
    half_life: float
    permanence: float = 0.0


@dataclass
class NaiveMemory:
    policy: Policy
    things: dict[Name, Thing] = field(default_factory=dict)
    links: dict[tuple[Name, str, Name], Link] = field(default_factory=dict)
    last_of_session: dict[str, Name] = field(default_factory=dict)
    before: dict[Name, Name] = field(default_factory=dict)
    contained: dict[Name, list[Name]] = field(default_factory=dict)
    returned: dict[Name, list[Name]] = field(default_factory=dict)
    there_at: dict[Name, set[Name]] = field(default_factory=dict)
    reported: set[Name] = field(default_factory=set)
    known: dict[Name, tuple[str, dict[str, Any], Answer]] = field(default_factory=dict)
    seq: int = 0
    tick: int = 0

    def say(self, said: Said) -> Answer:
        fields = said.fields()
        name = fields["id"]
        if name in self.known:
            kind, body, (_, seq, reason) = self.known[name]
            same = (kind, body) == (said.type, said.body)
            return ("again", seq, reason) if same else ("refused", 0, Refusal.ID_REUSED)
        law = getattr(self, "_" + said.type)
        reason = law(name, said.body, said.session)
        self.seq += reason is None
        answer = ("refused", 0, reason) if reason else ("done", self.seq, None)
        self.known[name] = (said.type, said.body, answer)
        return answer

    def _is(self, name: Name, kind: str) -> bool:
        return name in self.known and self.known[name][0] == kind and self.known[name][2][2] is None

    def _fade(self) -> None:
        self.tick += 1
        erosion = 2.0 ** (-1 / self.policy.permanence_half_life_ticks)
        for thing in self.things.values():
            thing.salience *= 2.0 ** (-1 / thing.half_life)
            thing.permanence *= erosion
        for link in self.links.values():
            link.weight *= 2.0 ** (-1 / link.half_life)
            link.permanence *= erosion

    def _link(self, source: Name, kind: str, target: Name, weight: float = 1.0) -> None:
        self.links[source, kind, target] = Link(weight, self.policy.edge_half_life_ticks)

    def _thing(self, kind: str) -> Thing:
        return Thing(kind, self.policy.salience_initial, self.policy.node_half_life_ticks)

    def _record_event(self, name: Name, body: dict[str, Any], session: str) -> Refusal | None:
        if not all(self._is(recall, "record_recall") for recall in body["informed_by"]):
            return Refusal.UNKNOWN_RECALL
        p = self.policy
        self._fade()
        features = ["feature:" + feature for feature in body["features"]]
        newness, rivals = 0.0, []
        for feature in features:
            thing = self.things.get(feature)
            if thing is None:
                newness += 1
                thing = self.things[feature] = self._thing("feature")
            else:
                newness += 1 / (1 + thing.usage)
                thing.salience = min(thing.salience + p.feature_salience, p.salience_max)
                if thing.last_event and thing.last_event not in rivals:
                    rivals.append(thing.last_event)
            thing.usage += 1
            thing.last_event = name
        event = self.things[name] = self._thing("event")
        event.salience += p.novelty_max * (newness / len(features) if features else 1)
        self.contained[name] = features
        for feature in features:
            self._link(name, "contains", feature)
        paired = features[: p.features_paired_max]
        for first in paired:
            for second in paired[paired.index(first) + 1 :]:
                self._associate(first, second)
        previous = self.last_of_session.get(session)
        if previous:
            self._link(previous, "temporal", name)
            self.before[name] = previous
        self.last_of_session[session] = name
        for rival in [rival for rival in rivals if rival != previous][: p.competitors_max]:
            self.things[rival].salience *= 1 - p.competitor_loss
        return None

    def _associate(self, first: Name, second: Name) -> None:
        """The link runs from the feature that was known earlier; here it is found in either direction."""
        for pair in ((first, second), (second, first)):
            link = self.links.get((pair[0], "associative", pair[1]))
            if link:
                link.weight = min(link.weight + self.policy.association_weight, self.policy.weight_max)
                return
        self._link(first, "associative", second, self.policy.association_weight)

    def _log_outcome(self, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
        event_name, value, p = body["event"], body["value"], self.policy
        if event_name not in self.known or self.known[event_name][2][2] is not None:
            return Refusal.UNKNOWN_EVENT
        if not self._is(event_name, "record_event"):
            return Refusal.NOT_AN_EVENT
        kind = "feature:outcome:" + body["kind"]
        first = kind not in self.things
        if first:
            self.things[kind] = self._thing("feature")
        else:
            self.things[kind].salience = min(self.things[kind].salience + p.feature_salience, p.salience_max)
        self.things[kind].usage += 1
        m = abs(value) * (p.first_outcome if first else 1)
        self.things[name] = self._thing("outcome")
        self._link(event_name, "causal", name)
        self._link(name, "contains", kind)
        for thing in (self.things[event_name], self.things[name]):
            self._take(thing, m, value)
            if value == 0:
                thing.half_life *= p.neutral_half_life
            if body["catastrophic"]:
                thing.catastrophic = True
                thing.half_life = min(thing.half_life * p.catastrophic_half_life, p.half_life_max_ticks)
        features = self.contained[event_name]
        for feature in features:
            self._take(self.things[feature], m / len(features), value)
            self._gain(self.links[event_name, "contains", feature], p.credit_share * m)
        self._credit(event_name, p.credit_share * m, value)
        causal = self.links[event_name, "causal", name]
        self._gain(causal, m)
        causal.permanence = min((p.bad_permanence if value < 0 else p.good_permanence) * m, p.permanence_max)
        if value < 0:
            for (source, _, target), link in self.links.items():
                if event_name in (source, target):
                    link.half_life = min(link.half_life / p.bad_edge_decay, p.half_life_max_ticks)
        return None

    def _credit(self, name: Name, credit: float, value: float) -> None:
        for _ in range(self.policy.credit_events_max):
            earlier = self.before.get(name)
            if earlier is None:
                return
            self._gain(self.links[earlier, "temporal", name], credit)
            thing = self.things[earlier]
            thing.salience = min(thing.salience + credit, self.policy.salience_max)
            self._sway(thing, credit if value > 0 else -credit)
            name = earlier

    def _gain(self, link: Link, weight: float) -> None:
        link.weight = min(link.weight + weight, self.policy.weight_max)

    def _take(self, thing: Thing, m: float, value: float) -> None:
        p = self.policy
        salience, permanence = {1: (p.good_salience, p.good_permanence), -1: (p.bad_salience, p.bad_permanence)}.get(
            (value > 0) - (value < 0), (0.0, 0.0)
        )
        thing.salience = min(thing.salience + salience * m, p.salience_max)
        thing.permanence = min(thing.permanence + permanence * m, p.permanence_max)
        self._sway(thing, m if value > 0 else -m)

    def _sway(self, thing: Thing, impact: float) -> None:
        thing.impact = max(-self.policy.impact_max, min(self.policy.impact_max, thing.impact + impact))

    def _unknown(self, references: list[Name]) -> bool:
        return any(not name.startswith("feature:") and not self._accepted(name) for name in references)

    def _accepted(self, name: Name) -> bool:
        return name in self.known and self.known[name][2][2] is None

    def _record_recall(self, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
        if self._unknown(body["returned"]):
            return Refusal.UNKNOWN_REFERENCE
        if body["as_of"] > self.seq:
            return Refusal.AS_OF_AHEAD
        self.returned[name] = [each for each in body["returned"] if each in self.things]
        self.there_at[name] = set(self.things)
        for each in self.returned[name]:
            thing = self.things[each]
            if thing.recalled_at != self.tick:
                thing.salience += self.policy.recall_salience * (1 - thing.salience / self.policy.salience_max)
                thing.candidates += 1
                thing.recalled_at = self.tick
        return None

    def _report_use(self, name: Name, body: dict[str, Any], _session: str) -> Refusal | None:
        p, recall = self.policy, body["recall"]
        if self._unknown(body["used"]):
            return Refusal.UNKNOWN_REFERENCE
        if not self._is(recall, "record_recall"):
            return Refusal.UNKNOWN_RECALL
        if recall in self.reported:
            return Refusal.RECALL_REPORTED
        used = [each for each in body["used"] if each in self.things]
        # A feature that came after the recall cannot be told from one that was forgotten and came again.
        used = [each for each in used if not each.startswith("feature:") or each in self.there_at[recall]]
        if any(each not in self.returned[recall] for each in used):
            return Refusal.NOT_RECALLED
        impact = {"success": p.impact_success, "failure": p.impact_failure, "unknown": 0.0}[body["result"]]
        impact += p.impact_helpful * body["helpful"] + p.impact_prevented * body["prevented_error"]
        for each in used:
            thing = self.things[each]
            thing.usage += 1
            gain = p.use_permanence + p.impact_permanence * max(0.0, impact)
            thing.permanence = min(thing.permanence + gain, p.permanence_max)
            thing.half_life = min(thing.half_life * p.use_half_life, p.half_life_max_ticks)
            self._sway(thing, impact)
        self.reported.add(recall)
        return None
