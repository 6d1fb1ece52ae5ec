"""The laws of operations: a memory's policy, the request to prove its state, and moments that have names."""

from yggdrasil_projections.graph.working_set import Graph
from yggdrasil_schemas.commands import Attest, SetPolicy, Snapshot
from yggdrasil_schemas.graph.records import NOBODY
from yggdrasil_schemas.limits import SNAPSHOTS_MAX, TRUST_MAX
from yggdrasil_schemas.policy import changed
from yggdrasil_schemas.refusals import Refusal, Refused

from ..authority import refuse_unless_operator
from ..experience.session import clear_desk, close_oldest_session
from ..learning.recall import drop_old_recalls


def set_policy(graph: Graph, command: SetPolicy, _seq: int, _record: bytes) -> Refused | None:
    """Change constants from this command on; stored half-lives change with the next touch (design, section 5)."""
    policy = changed(graph.header.policy, command.body.changes)
    if policy.conflict():
        return Refused(Refusal.POLICY_CONFLICT)
    graph.header.policy = policy
    while len(graph.sessions) > policy.sessions_open_max:
        close_oldest_session(graph)
    for name in sorted(graph.sessions):
        session = graph.sessions[name]
        del session.buffer[: -policy.session_buffer_max]
        clear_desk(graph, session, policy.session_desk_max, NOBODY, TRUST_MAX)
        graph.changed_sessions[name] = session
    drop_old_recalls(graph)
    return None


def attest(graph: Graph, _command: Attest, seq: int, _record: bytes) -> Refused | None:
    """Ask every host for the digest at this seq, at most once in ``attest_interval_commands`` (design, section 5)."""
    header = graph.header
    last = header.attested_seq
    if last and seq - last < header.policy.attest_interval_commands:
        return Refused(Refusal.ATTEST_TOO_SOON)
    header.attested_seq = seq
    return None


def snapshot(graph: Graph, command: Snapshot, seq: int, _record: bytes) -> Refused | None:
    """Name the moment at this seq, or take a name back; a name stands for one moment as long as it is kept."""
    forbidden = refuse_unless_operator(command)
    if forbidden is not None:
        return forbidden
    name, kept = command.body.name, graph.snapshots
    if command.body.drop:
        if name not in kept:
            return Refused(Refusal.UNKNOWN_SNAPSHOT)
        graph.changed_snapshots[name] = None
        return None
    if name in kept:
        return Refused(Refusal.SNAPSHOT_EXISTS)
    if len(kept) >= SNAPSHOTS_MAX:
        return Refused(Refusal.SNAPSHOTS_FULL)
    graph.changed_snapshots[name] = seq
    return None
