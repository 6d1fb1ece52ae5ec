"""The desk of a session in a store: it is found again, and a damaged one is found out when the store is verified."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.graph.commands import MEMORY, claim, event
from tests.graph.hosts import projecting
from tests.graph.list_log import ListLog
from yggdrasil_projections.graph.store import families
from yggdrasil_schemas.graph.codec import decode_session, encode_session
from yggdrasil_schemas.graph.records import Session, node_number
from yggdrasil_schemas.limits import DESK_MAX

SAID = [
    event("begun", session="one", boundary="open"),
    claim("state", "task:x", "state", "begun", session="one", claim_class="desk"),
    claim("lease", "resource:db", "held_by", "session:one", session="one"),
]
EVENT, NOTE, LEASE = (node_number(seq) for seq in (1, 2, 3))
NOT_THERE, TOO_MUCH = "the session one holds what is not there", "the desk of the session one has more than it may"


def an_event(session: Session) -> None:
    session.desk.append(EVENT)


def what_is_gone(session: Session) -> None:
    session.desk.append(node_number(99))


def one_twice(session: Session) -> None:
    session.desk.append(NOTE)


def too_many(session: Session) -> None:
    session.desk += [NOTE] * DESK_MAX


def an_end(session: Session) -> None:
    session.opened, session.ended = 0, True


CASES = [
    (an_event, [NOT_THERE]),
    (what_is_gone, [NOT_THERE]),
    (one_twice, [TOO_MUCH]),
    (too_many, [TOO_MUCH]),
    (an_end, [TOO_MUCH]),
]


@pytest.mark.parametrize(("damaged", "expected"), CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_damaged_desk_is_found_out(tmp_path: Path, damaged: Callable[[Session], None], expected: list[str]) -> None:
    log = ListLog([said.record(offset) for offset, said in enumerate(SAID)])
    with projecting(log, tmp_path) as projector:
        projector.catch_up()
        projector.store.flush()
    with projecting(log, tmp_path) as projector:
        store = projector.store
        graph = store.peek(MEMORY)
        assert graph is not None and graph.sessions["one"].desk == [NOTE, LEASE]
        assert store.broken() == []
        ((key, row),) = store._db.scan(families.SESSIONS, graph.source.prefix)
        session = decode_session(row)
        damaged(session)
        batch = store._db.batch()
        batch.put(families.SESSIONS, key, encode_session(session))
        store._db.write(batch)
        assert store.broken() == [f"{MEMORY}: {each}" for each in expected]
