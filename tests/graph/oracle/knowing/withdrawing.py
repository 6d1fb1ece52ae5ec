"""What is taken out by a verdict beside a node, and put back; and what stands again then."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tests.graph.oracle.knowing.condensing import condense_late, fallen_digest, own_words
from tests.graph.oracle.knowing.lines import contend_again
from tests.graph.oracle.knowing.naming import call, full, meaning, related_by, said_so, thing, unsaid
from tests.graph.oracle.knowing.standing import become
from tests.graph.oracle.memory import HELD, STANDING, Memory
from tests.graph.oracle.records import Act, Line, Name, Node, Recall, Ruling, Thing, by_number

LOOKED_AT: Final = 64
GIVEN: Final = {"reject": "rejected", "quarantine": "quarantined", "release": "active"}
LINES_MAX: Final = 8
SLOT_MAX: Final = 8


def judge_act(m: Memory, name: Name, command: Name, act: Act, verdict: str) -> None:
    """A verdict on what a command did beside its node."""
    if verdict == "quarantine" and act.status != "active":
        m.happened.append("out already")
        return
    if verdict == "release" and (command not in m.acts or m.acts[command].status == "active"):
        return
    was = m.acts[command].status if command in m.acts else "active"
    now = replace(act, status=GIVEN[verdict], ruled=m.trust, by=name)
    kind = m.accepted[command]
    if verdict == "release":
        now.taken = m.acts[command].by
        BACK[kind](m, name, command, now)
        now.kept, now.taken = None, ""
        m.happened.append(f"put back: {kind}")
    elif was == "active":
        now.kept = OUT[kind](m, name, command, now)
        m.happened.append(f"taken out: {kind}")
    m.acts[command] = now


def reinstate(m: Memory, name: Name, gone: Node, word: Name | None) -> None:
    """What gave way to something, or was contested for it, contends anew."""
    if not gone.slot:
        return
    ruled = by_number(node for node in m.nodes.values() if node.slot == gone.slot)[-LOOKED_AT:]
    for node in reversed(ruled):
        if node is gone or node.status not in ("superseded", "contested", "quarantined") or node.ruling is None:
            continue
        if (node.ruling.instead is gone) if word is None else (node.ruling.by == word):
            _stand_again(m, name, node, gone)


def stand_without(m: Memory, name: Name, digest: Node) -> None:
    """What gave way to a digest stands again, since that is out."""
    for node in fallen_digest(m, digest):
        if node.status == "superseded":
            m.happened.append("stands without its digest")
            _stand_again(m, name, node, digest)


def _weigh(m: Memory, name: Name, digest: Node) -> None:
    """A digest of other words than before: it stands in the place of what it condenses, or gives that back."""
    if digest.status in ("candidate", "quarantined") or not own_words(digest):
        if not own_words(digest) and fallen_digest(m, digest):
            m.happened.append("its writer says so no longer")
        stand_without(m, name, digest)
    elif digest.status in STANDING:
        condense_late(m, name, digest)


def _stand_again(m: Memory, name: Name, node: Node, gone: Node) -> None:
    rivals = [each for each in m.in_slot(node.slot) if each is not node and each is not gone]
    held = [each for each in m.in_slot(node.slot) if each.status != "rejected"]
    if node.status == "superseded" and len(held) >= SLOT_MAX:
        return
    if node.claim is None:
        if all(each.status not in ("active", "prior") for each in rivals):
            become(m, node, m.first_status(node.trust), Ruling(node.slot, name, 0, None))
            m.happened.append("an event stands again")
        return
    if gone.claim is not None and node.claim.closed == gone.claim.begins:
        node.claim.closed = float("inf")
    means = meaning(m, node.claim.predicate)
    waited = node.out and node.was == "candidate"
    if waited or node.trust == 0 or node.claim.sort == "rule" or means.review:
        become(m, node, "candidate", Ruling(node.slot, name, 0, None))
        m.happened.append("waits again")
    else:
        m.happened.append("a claim stands again")
        contend_again(m, name, node, means, without=gone)


def _take_words(m: Memory, name: Name, command: Name, act: Act) -> list[tuple[Node, Line | None, str]]:
    taken: list[tuple[Node, Line | None, str]] = []
    for node in act.what:
        lines = node.claim.lines if node.live and node.claim else []
        mine = [line for line in lines if line.seq == m.seqs[command]]
        if lines and not mine and _let_pass_by(node, command):
            taken.append((node, None, node.status))
            reinstate(m, name, node, command)
            become(m, node, "candidate", Ruling(node.slot, name, 0, None))
            m.happened.append("passed no more")
        if mine and len(lines) > 1:
            taken.append((node, mine[0], ""))
            node.claim.lines = [line for line in lines if line is not mine[0]]
            _hold_by(m, name, command, node, act, mine[0])
        elif mine and not node.protected and node.authority <= act.ruled:
            taken.append((node, mine[0], node.status))
            become(m, node, act.status, Ruling(node.slot, name, act.ruled, None, act.reason))
            m.happened.append("gone with its last word")
            stand_without(m, name, node)
            reinstate(m, name, node, None)
    return taken


def _let_pass_by(node: Node, command: Name) -> bool:
    return node.status in HELD and node.ruling is not None and node.ruling.by == command


def _put_words(m: Memory, name: Name, command: Name, act: Act) -> None:
    for node, line, status in sorted(act.kept, key=lambda each: (each[1] is not None, each[0].number)):
        if line is None:
            if node.live and node.claim and node.ruling and node.ruling.by == act.taken:
                contend_again(m, name, node, meaning(m, node.claim.predicate))
                m.happened.append("passed again")
            continue
        lines = node.claim.lines if node.live and node.claim else []
        if status and node.live and node.ruling and node.ruling.by == act.taken:
            become(m, node, status, Ruling(node.slot, name, 0, None))
            if status in ("active", "prior", "contested"):
                contend_again(m, name, node, meaning(m, node.claim.predicate))
                _weigh(m, name, node)
            m.happened.append("back with its last word")
        elif node.live and len(lines) < LINES_MAX and all(each.who != line.who for each in lines):
            node.claim.lines = sorted([*lines, line], key=lambda each: each.who)
            _hold_by(m, name, command, node, act, line)


def _hold_by(m: Memory, name: Name, command: Name, node: Node, act: Act, word: Line) -> None:
    claim = node.claim
    if claim is None:
        return
    if word.trust > node.trust or (not act.taken and word.trust == node.trust):
        m.happened += ["counted anew"] * (claim.seen > 0)
        claim.seen = 0
    node.trust = max(line.trust for line in claim.lines)
    if node.status not in ("active", "prior", "contested", "candidate"):
        return
    if node.ruling is not None and node.ruling.trust > act.ruled:
        m.happened.append("judged by more trust")
        return
    by = node.ruling.by if node.ruling else ""
    if act.taken and by == act.taken:
        m.happened.append("waited for this word alone")
        contend_again(m, name, node, meaning(m, claim.predicate))
        _weigh(m, name, node)
        return
    reinstate(m, name, node, command)
    if node.trust == 0 or by == command:
        become(m, node, "candidate", Ruling(node.slot, name, 0, None))
        m.happened.append("waits for want of a word")
    elif node.status != "candidate" and word.trust < node.trust:
        m.happened.append("its word counted for nothing")
    elif node.status != "candidate":
        contend_again(m, name, node, meaning(m, claim.predicate))
    _weigh(m, name, node)


def _take_name(m: Memory, _name: Name, command: Name, act: Act) -> bool:
    name, canonical, before, said = act.what
    if canonical is not None:
        known = thing(m, name)
        if not any(seq == m.seqs[command] for _, seq in known.said.get(name, [])):
            return False
        call(m, unsaid(known, name, [m.seqs[command]]))
    if said:
        _name_again(m, name, before, said)
    return True


def _put_name(m: Memory, _name: Name, command: Name, act: Act) -> None:
    name, canonical, _, said = act.what
    if not act.kept:
        return
    if canonical is None:
        call(m, unsaid(thing(m, name), name, [seq for _, seq in said]))
    else:
        known = thing(m, name)
        since = [seq for _, seq in known.said.get(name, [])]
        if since and max(since) < m.seqs[command]:
            call(m, Thing(known.canonical, {each: said for each, said in known.said.items() if each != name}))
        _name_again(m, name, canonical, [(act.trust, m.seqs[command])])


def _name_again(m: Memory, name: Name, canonical: Name, said: list[tuple[int, int]]) -> None:
    known, to = thing(m, name), thing(m, canonical)
    if to.canonical == name or (known.canonical != to.canonical and known.aliases):
        m.happened.append("stands for something else by now")
        return
    after = said_so(to, {name: said})
    if not full(m, to, after):
        call(m, after)


def _take_relation(m: Memory, _name: Name, command: Name, act: Act) -> bool:
    said = m.relations.get(act.what, [])
    left = [each for each in said if each[0] != m.seqs[command]]
    if left == said:
        return False
    if left:
        m.relations[act.what] = left
    else:
        m.unlink(act.what)
    return True


def _put_relation(m: Memory, _name: Name, command: Name, act: Act) -> None:
    source, kind, target = act.what
    if not act.kept or not source.live or not target.live:
        return
    if act.what not in m.edges:
        m.vouched = act.trust
        m.link(source, kind, target, m.p.association_weight)
    related_by(m, act.what, m.seqs[command], act.trust)


def _take_report(m: Memory, _name: Name, command: Name, act: Act) -> list[Node] | None:
    recall: Recall = act.what
    if recall not in m.recalls.values():
        return None
    m.move(command, -1)
    if recall.reported != m.seqs[command]:
        return None
    used, recall.used, recall.reported = recall.used, [], 0
    return used


def _put_report(m: Memory, _name: Name, command: Name, act: Act) -> None:
    recall = act.what
    if act.kept is None or recall not in m.recalls.values() or recall.reported:
        return
    m.move(command, 1)
    recall.used, recall.reported = act.kept, m.seqs[command]


def _take_vector(m: Memory, _name: Name, command: Name, act: Act) -> tuple[int, int] | None:
    node, model = act.what
    if not node.live or node.vectors.get(model, (0, 0))[0] != m.seqs[command]:
        return None
    kept: tuple[int, int] = node.vectors.pop(model)
    if not node.vectors:
        node.flags.discard("vectored")
    return kept


def _put_vector(m: Memory, _name: Name, _command: Name, act: Act) -> None:
    node, model = act.what
    if act.kept and node.live and model not in node.vectors and len(node.vectors) < 2:
        node.vectors[model] = act.kept
        node.flags.add("vectored")


OUT: Final[dict[str, Callable[[Memory, Name, Name, Act], object]]] = {
    "assert_claim": _take_words,
    "judge": _take_words,
    "alias_entity": _take_name,
    "relate": _take_relation,
    "report_use": _take_report,
    "attach_vector": _take_vector,
}
BACK: Final[dict[str, Callable[[Memory, Name, Name, Act], None]]] = {
    "assert_claim": _put_words,
    "judge": _put_words,
    "alias_entity": _put_name,
    "relate": _put_relation,
    "report_use": _put_report,
    "attach_vector": _put_vector,
}
