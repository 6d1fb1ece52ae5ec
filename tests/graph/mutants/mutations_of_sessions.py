"""Ways to break the laws of sessions, of the notes on their desks, of digests and of the archive."""

from typing import Final

from tests.graph.mutants.mutation import Mutation

_SESSION: Final = "laws/experience/session.py"
_EVENT: Final = "laws/experience/event.py"
_DESK: Final = "laws/knowledge/desk.py"
_CONDENSING: Final = "laws/standing/condensing.py"
_RULING: Final = "laws/standing/ruling.py"
_REINSTATING: Final = "laws/knowledge/reinstating.py"
_WITHDRAWING: Final = "laws/knowledge/withdrawing.py"
_CLAIMING: Final = "laws/knowledge/claiming.py"
_JUDGING: Final = "laws/knowledge/judging.py"
_BY_HAND_OF_DIGESTS: Final = "laws/knowledge/test_condensing.py"
_BY_HAND_OF_DESKS: Final = "laws/knowledge/test_desk.py"

_SESSIONS: Final = (
    Mutation(
        _SESSION, "anybody ends a session", "return None if maker is not None and who", "return None if True or who"
    ),
    Mutation(_SESSION, "nobody else ends a session", "if trust_of(command) >= (", "if trust_of(command) > ("),
    Mutation(_SESSION, "who began it may not end it", "who(maker) == who(command)", "False"),
    Mutation(
        _SESSION,
        "anybody ends what nobody began",
        "(session.trust if opener is None else opener.trust)",
        "(0 if opener is None else opener.trust)",
    ),
    Mutation(_SESSION, "what goes on has ended", "    session.ended = False\n", ""),
    Mutation(_SESSION, "what has ended goes last", "(not sessions[name].ended, ", "(sessions[name].ended, "),
    Mutation(
        _SESSION, "it ends a tick early", "> header.policy.session_idle_ticks", ">= header.policy.session_idle_ticks"
    ),
    Mutation(_SESSION, "what nobody registered ends", "not (session.opened or session.desk)", "False"),
    Mutation(
        _SESSION,
        "no session ends when another begins",
        "        end_idle_sessions(graph)\n        while",
        "        while",
        by_hand=_BY_HAND_OF_DESKS,
    ),
    Mutation(
        _SESSION, "an ended one is still registered", "session.opened, session.ended = 0, True", "session.ended = True"
    ),
    Mutation(_SESSION, "the desk is left as it is", "    clear_desk(graph, session, 0, by, trust)\n", ""),
    Mutation(
        _SESSION, "a closed one leaves its notes", "    clear_desk(graph, sessions[oldest], 0, NOBODY, TRUST_MAX)\n", ""
    ),
    Mutation(_SESSION, "promises are settled", "claim.predicate == PROMISE", "False"),
    Mutation(_SESSION, "what is pinned is settled", "if node.flags & _PROTECTED or (", "if ("),
    Mutation(
        _SESSION,
        "the oldest note goes, whoever said it",
        "(authority(graph, node), stays[at], at)",
        "(0, stays[at], at)",
    ),
    Mutation(_SESSION, "promises go first", "stays[at], at)", "not stays[at], at)"),
    Mutation(_SESSION, "who is below settles notes", "and authority(graph, node) <= trust", ""),
    Mutation("laws/bounds/nodes.py", "notes are forgotten", "each.opened, *each.desk)", "each.opened)"),
    Mutation("laws/bounds/nodes.py", "what began a session is forgotten", "each.last, each.opened, ", "each.last, "),
    Mutation(
        "laws/decisions/operations.py",
        "a smaller desk keeps its notes",
        "policy.session_desk_max",
        "64",
        by_hand=_BY_HAND_OF_DESKS,
    ),
    Mutation("laws/decisions/sleep.py", "no session ends asleep", "    end_idle_sessions(graph)\n", ""),
    Mutation(
        "laws/decisions/sleep.py",
        "what is held is forgotten with the archive",
        "& ~np.isin(numbers, held(graph)))\n    excess = min",
        ")\n    excess = min",
    ),
)

_NOTES: Final = (
    Mutation(_DESK, "notes go on where a session has ended", "session is None or session.ended", "session is None"),
    Mutation(_DESK, "one desk for all writers", "blake2b(slot + voice,", "blake2b(slot,"),
    Mutation(_DESK, "one goal at a time", "_MANY if body.predicate in DESK_OF_MANY else _ONE", "_ONE"),
    Mutation(
        _DESK,
        "an event in the place of a note is forgotten",
        "if claim is None or claim.sort != DESK:",
        "if False:",
        by_hand=_BY_HAND_OF_DESKS,
    ),
    Mutation(_DESK, "notes of more trust give way", "authority(graph, former) <= trust", "True"),
    Mutation(
        _DESK, "what is pinned gives way", "or not former.flags & _PROTECTED)", "or True)", by_hand=_BY_HAND_OF_DESKS
    ),
    Mutation(_DESK, "rejected notes take room", "and each.status < _OUT_FROM]", "]", _BY_HAND_OF_DESKS),
    Mutation(
        _DESK,
        "the evidence of a note is trusted more",
        "min([trust_here(graph, command), *[each.trust for each in evidence]])",
        "trust_here(graph, command)",
    ),
    Mutation(_DESK, "an id stands for other words", "claim.value == now.value:", "True:", by_hand=_BY_HAND_OF_DESKS),
    Mutation(_DESK, "what says the same is not found", "claim.value == now.value:", "False:"),
    Mutation(
        _SESSION,
        "a note does not keep its session open",
        "    session.tick = graph.header.tick\n    clear",
        "    clear",
    ),
    Mutation(
        _SESSION,
        "a full desk grows",
        "    clear_desk(graph, session, graph.header.policy.session_desk_max, by, trust)\n",
        "",
    ),
    Mutation(
        _SESSION,
        "what is held alone goes as any note",
        "return int(claim is not None and claim.predicate == LEASE)",
        "return 0",
        by_hand=_BY_HAND_OF_DESKS,
    ),
    Mutation(_CLAIMING, "what is held alone is never let go", "        _lease(graph, command, node)\n", ""),
    Mutation(
        _CLAIMING,
        "sessions that nobody registered hold things",
        " and session is not None and session.opened:",
        " and session is not None:",
    ),
    Mutation(_DESK, "a stranger's note leaves no taint", "if trust_of(command) == FOREIGN:", "if False:"),
    Mutation(
        _DESK,
        "what was replaced is still on a desk",
        "            session.desk.remove(former.number)\n",
        "            pass\n",
    ),
)

_DIGESTS: Final = (
    Mutation(
        _EVENT,
        "a digest is trusted as its writer",
        "    own = concluded(command, own, condensed) if condensed else own\n",
        "",
    ),
    Mutation(
        _CLAIMING,
        "a claim of a digest is trusted as its writer",
        "concluded(command, trust_here(graph, command), condensed)",
        "trust_here(graph, command)",
    ),
    Mutation(
        "laws/derivation.py",
        "who measures is held to what is condensed",
        " if command.origin in _CONCLUDING else trust",
        "",
    ),
    Mutation(
        _CONDENSING, "a digest takes the place of what is trusted more", " and authority(graph, node) <= trust", ""
    ),
    Mutation(_CONDENSING, "a digest takes the place of what is pinned", "and not node.flags & _PROTECTED", "and True"),
    Mutation(
        _CONDENSING,
        "what waits takes something away",
        "if stands and each is not digest and",
        "if each is not digest and",
    ),
    Mutation(_CONDENSING, "what stays is not joined", "        else:\n            left.append(each)\n", ""),
    Mutation(
        _CONDENSING, "what is out is joined", "if each is digest or each.status >= _OUT_FROM:", "if each is digest:"
    ),
    Mutation(
        _CONDENSING,
        "a digest that is confirmed condenses by that trust",
        "min([trust_of(maker), *own])",
        "digest.trust",
        _BY_HAND_OF_DIGESTS,
    ),
    Mutation(
        _CONDENSING,
        "a digest condenses though nobody says so",
        "    if own and not isinstance",
        "    if not isinstance",
        by_hand=_BY_HAND_OF_DIGESTS,
    ),
    Mutation(
        _CONDENSING,
        "the ruling says nothing of whose word it was",
        'Ruling(b"", by, trust, digest.number)',
        'Ruling(b"", by, 0, digest.number)',
    ),
    Mutation(
        _CLAIMING,
        "what is condensed contends with its digest",
        "going = [old, *[each for each in condensed if yields(graph, each, trust)]]",
        "going = [old]",
    ),
    Mutation(
        _CLAIMING, "who confirms condenses", "    if same is None:\n        condense", "    if True:\n        condense"
    ),
    Mutation(
        _CLAIMING,
        "what waits makes room that there is not",
        "if place.status not in (_CANDIDATE, _QUARANTINED):",
        "if True:",
        _BY_HAND_OF_DIGESTS,
    ),
    Mutation(_RULING, "a digest is stale for what gave way to it", " and not _gave_way_to(graph, each, node)", ""),
    Mutation(_RULING, "an event is stale for its digest", "elif other.kind == _CLAIM:", "else:"),
    Mutation(
        "laws/knowledge/confirming.py",
        "a digest that is confirmed condenses nothing",
        "        condense_late(graph, node, by)\n",
        "",
    ),
    Mutation(_JUDGING, "a digest that is released condenses nothing", "    condense_late(graph, node, given.by)\n", ""),
    Mutation(
        _JUDGING,
        "what gave way to a digest stays out",
        "        uncondense(graph, node, given.by)\n",
        "        pass\n",
    ),
    Mutation(_JUDGING, "settled digests give way", '    if verdict != "resolve":\n', "    if True:\n"),
    Mutation(
        _REINSTATING,
        "all that was condensed stands again",
        " and graph.ruling(each).instead == node.number:\n            _stand_again(graph, each, node, by)\n\n\ndef",
        ":\n            _stand_again(graph, each, node, by)\n\n\ndef",
        by_hand=_BY_HAND_OF_DIGESTS,
    ),
    Mutation(
        _WITHDRAWING,
        "a digest without its last word keeps its place",
        "            uncondense(graph, node, verdict.by)\n",
        "",
        _BY_HAND_OF_DIGESTS,
    ),
    Mutation(
        _WITHDRAWING,
        "a digest without its writer's word keeps its place",
        "    weigh_digest(graph, node, verdict.by)\n\n\n# Names",
        "\n\n# Names",
        _BY_HAND_OF_DIGESTS,
    ),
    Mutation(_WITHDRAWING, "a word from below that is withdrawn counts", " and said >= node.trust:", ":"),
)

_WORDS: Final = (
    Mutation(_WITHDRAWING, "a word that is withdrawn undoes what was judged", " or ruling.trust > ruled:", ":"),
)

_ARCHIVE: Final = (
    Mutation(
        _JUDGING,
        "what is archived is found",
        "    graph.settle(node.number)\n    node.flags |= _ARCHIVED\n",
        "    graph.settle(node.number)\n",
    ),
    Mutation(
        _JUDGING,
        "anybody brings back what is archived",
        "before._replace(trust=max(before.trust, given.trust))",
        "before",
    ),
    Mutation(_JUDGING, "why it has its status is lost", "given if before.by == NOBODY else", "given if True else"),
    Mutation(
        _JUDGING,
        "what is archived stays so",
        "        revive(graph, node)\n        rule(graph, node, Status",
        "        rule(graph, node, Status",
    ),
    Mutation(
        _JUDGING,
        "what is established comes back as any other",
        "        rule(graph, node, Status(node.status), given)\n        return\n",
        "        rule(graph, node, _ACTIVE, given)\n        return\n",
        _BY_HAND_OF_DESKS,
    ),
    Mutation(
        _JUDGING,
        "outcomes are archived",
        "node.kind == NodeKind.OUTCOME and verdict not in _OF_ACTS",
        'node.kind == NodeKind.OUTCOME and verdict not in (*_OF_ACTS, "archive")',
    ),
)

_LOOKING: Final = "laws/decisions/looking.py"
_SLEEP: Final = "laws/decisions/sleep.py"
_NAPS: Final = (
    Mutation(_LOOKING, "the turn begins anew each time", "header.looked = turn[-1] if turn else 0", "pass"),
    Mutation(
        _LOOKING,
        "who had the turn last has it again",
        'np.uint64(each), "right")) for each',
        'np.uint64(each), "left")) for each',
    ),
    Mutation(_LOOKING, "after the youngest nobody has a turn", ", _living(graph, keys, 0, header.looked))", ")"),
    Mutation(_LOOKING, "a slice is one too long", "header.policy.sleep_slice)", "header.policy.sleep_slice + 1)"),
    Mutation(
        _LOOKING,
        "what was touched in the tick of a sleep is asleep",
        "(node := graph.node(each)) is not None and node.tick >= slept]",
        "(node := graph.node(each)) is not None and node.tick > slept]",
    ),
    Mutation(
        _LOOKING, "what is removed has a turn", "if changed.get(each, True) is not None]\n    newest", "]\n    newest"
    ),
    Mutation("working_set.py", "what a sleep has touched is asleep", "is not None and node.tick == tick}", "is None}"),
    Mutation(_SLEEP, "nobody remembers when it slept", "    graph.header.slept = graph.header.tick\n", ""),
    Mutation(_SLEEP, "a sleep after a task looks at all", 'if command.body.scope == "task":', "if False:"),
    Mutation(_SLEEP, "a look at the whole is one at a part", 'if command.body.scope == "task":', "if True:"),
    Mutation(_SLEEP, "what was touched lately is archived", " & _rested(graph, rows)", ""),
    Mutation(_SLEEP, "what is consolidated rests no longer than the rest", ' * factors[rows["level"]]', ""),
    Mutation(
        _SLEEP,
        "what rested just long enough stays",
        "elapsed >= policy.archive_rest_ticks",
        "elapsed > policy.archive_rest_ticks",
    ),
)

SESSIONS: Final = (*_SESSIONS, *_NOTES, *_DIGESTS, *_WORDS, *_ARCHIVE, *_NAPS)
