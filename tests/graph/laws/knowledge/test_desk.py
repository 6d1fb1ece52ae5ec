"""The desk of a session: the latest note of each writer, and what becomes of it when the session ends."""

from typing import Any

import pytest

from tests.graph.commands import Said, claim, event, judge, pin, policy, sleep
from tests.graph.laws.knowledge.standing import lines, ruling, slot_of, stands
from tests.graph.scenario import Check, Moment, accepted, given, gone, refused
from yggdrasil_schemas.refusals import Refusal

OPEN = event("begun", "task:x", session="one", boundary="open")
CLOSE = event("done", session="one", boundary="close")


def note(name: str, predicate: str = "state", value: str = "begun", **more: Any) -> Said:
    given_: dict[str, Any] = {"session": "one", "claim_class": "desk"}
    return claim(name, "task:x", predicate, value, **given_ | more)


def desk(*names: str, session: str = "one") -> Check:
    """These notes are on the desk of a session, the oldest first."""

    def check(moment: Moment) -> None:
        assert moment.graph.sessions[session].desk == [moment.number(name) for name in names]

    return check


def test_the_latest_note_of_a_writer_replaces_the_former() -> None:
    moment = given(OPEN, note("first")).when(note("second", value="built"))
    moment.then(accepted(3), gone("first"), desk("second"), stands(second="active"), lines("second", (1, 140)))
    assert moment.graph.heir(2 << 6) is None


def test_a_note_that_says_the_same_again_is_found_by_the_ids_of_both() -> None:
    moment = given(OPEN, note("first")).when(note("second"))
    moment.then(gone("first"), desk("second"))
    assert moment.graph.heir(2 << 6) == moment.number("second")
    moment.when(judge("no", ("first", "reject"))).then(stands(second="rejected"))
    other = given(OPEN, note("first")).when(note("second", value="built"))
    other.when(judge("no", ("first", "reject"))).then(refused(Refusal.NODE_FORGOTTEN))


def test_an_event_that_took_the_place_of_a_note_is_no_note() -> None:
    told = [OPEN, note("first"), event("instead", supersedes="first", source="other")]
    given(*told).when(note("second")).then(desk("first", "second"), stands(first="superseded", instead="active"))


def test_rejected_notes_take_no_room() -> None:
    known = [
        said
        for n in range(8)
        for said in (note(f"n{n}", value=f"v{n}"), judge(f"j{n}", (f"n{n}", "reject"), origin="user"))
    ]
    given(OPEN, *known).when(note("next")).then(stands(next="active"))


def test_notes_of_two_writers_and_what_is_said_elsewhere_stand_beside_each_other() -> None:
    fact = claim("fact", "task:x", "state", "late", origin="user")
    moment = given(OPEN, fact, note("mine")).when(note("yours", value="built", source="other"))
    moment.then(desk("mine", "yours"), stands(fact="active", mine="active", yours="active"))
    assert slot_of(moment, "mine") != slot_of(moment, "yours")


@pytest.mark.parametrize(("predicate", "expected"), [("goal", 2), ("promise", 2), ("intent", 1), ("anything", 1)])
def test_a_desk_holds_several_goals_and_one_intent(predicate: str, expected: int) -> None:
    moment = given(OPEN, note("first", predicate)).when(note("second", predicate, "built"))
    assert len(moment.graph.sessions["one"].desk) == expected


def test_at_the_end_all_but_promises_is_settled() -> None:
    moment = given(OPEN, note("state"), note("owed", "promise", "a call")).when(CLOSE)
    moment.then(
        desk(), stands(state="resolved", owed="active"), ruling("state", slot=slot_of(moment, "state"), by="done")
    )
    session = moment.graph.sessions["one"]
    assert (session.opened, session.ended) == (0, True)
    moment.when(note("late")).then(refused(Refusal.SESSION_NOT_OPEN))
    again = moment.when(event("again", session="one"))
    assert not again.graph.sessions["one"].ended
    again.when(note("later")).then(desk("later"))


def test_what_a_stranger_writes_replaces_and_ends_nothing_of_more_trust() -> None:
    low = note("low", value="poison", trust=0)
    given(OPEN, note("mine")).when(low).then(desk("mine", "low"), stands(mine="active", low="candidate"))
    theirs = event("x", session="one", boundary="close", source="stranger", trust=0)
    given(OPEN, note("mine")).when(theirs).then(refused(Refusal.NOT_TRUSTED))
    taken = event("x", session="one", boundary="open", source="stranger", trust=0)
    given(OPEN).when(taken).then(refused(Refusal.NOT_TRUSTED))
    own = event("x", session="one", boundary="close", trust=0)
    given(OPEN, note("of a user", origin="user")).when(own).then(desk(), stands(**{"of a user": "active"}))


def test_what_was_said_in_a_poisoned_session_may_still_be_ended_by_its_writer() -> None:
    page = event("page", session="one", source="web", trust=0)
    given(OPEN, page, note("mine")).when(CLOSE).then(stands(mine="resolved"))


def test_a_protected_note_stays_until_somebody_settles_it() -> None:
    moment = given(OPEN, note("first"), pin("keep", "first")).when(note("second", value="built"))
    moment.then(desk("first", "second"))
    moment.when(CLOSE).then(desk(), stands(first="active", second="resolved"))


def test_a_full_desk_loses_nothing_to_who_is_trusted_less() -> None:
    small = policy("small", nodes_max=100, edges_max=1_000, sessions_open_max=5)  # two notes
    told = [small, OPEN, note("a", "goal", "a", origin="user"), note("b", "goal", "b", origin="user")]
    moment = given(*told).when(note("c", "promise", "c"))
    moment.then(desk("a", "b"), stands(a="active", b="active", c="active"))
    given(*told).when(note("c", "state")).then(desk("a", "b"), stands(c="resolved"))
    given(*told).when(note("c", "goal", "c", origin="user")).then(desk("b", "c"), stands(a="resolved"))


def test_nobody_from_below_ends_a_session_that_no_one_began() -> None:
    said = event("said", session="one", origin="user")
    given(said).when(event("x", session="one", boundary="close")).then(refused(Refusal.NOT_TRUSTED))
    given(said).when(event("x", session="one", boundary="open")).then(refused(Refusal.NOT_TRUSTED))
    moment = given(event("said", session="one")).when(event("x", session="one", boundary="close"))
    assert moment.graph.sessions["one"].ended


def test_a_note_keeps_its_session_open() -> None:
    told = [policy("short", session_idle_ticks=3), OPEN, *[event(f"e{n}", session="busy") for n in range(3)]]
    later = [note("state"), *[event(f"f{n}", session="busy") for n in range(3)]]
    given(*told, *later).when(sleep("tired")).then(stands(state="active"))
    given(*told, *later, event("more", session="busy")).when(sleep("tired")).then(stands(state="resolved"))


def test_a_full_desk_settles_what_was_noted_longest_ago_and_promises_last() -> None:
    small = policy("small", nodes_max=100, edges_max=1_000, sessions_open_max=5)  # two notes
    before = [small, OPEN, note("owed", "promise", "a call"), note("first", "goal", "a")]
    moment = given(*before).when(note("second", "goal", "b"))
    moment.then(desk("owed", "second"), stands(first="resolved", owed="active"))
    moment.when(note("third", "promise", "c")).then(desk("owed", "third"), stands(second="resolved"))
    more = given(*before, note("a", "promise", "b")).when(note("b", "promise", "c"))
    more.then(desk("a", "b"), stands(owed="active"))


def test_nobody_crowds_out_the_notes_of_who_is_trusted_more() -> None:
    small = policy("small", nodes_max=100, edges_max=1_000, sessions_open_max=5)  # two notes
    told = [small, OPEN, note("a", "goal", "a"), note("b", "goal", "b")]
    moment = given(*told).when(note("c", "promise", "c", source="web", trust=0))
    moment.then(desk("a", "b"), stands(a="active", b="active", c="candidate"))


def test_a_note_moves_to_the_desk_of_the_session_in_which_it_is_renewed() -> None:
    other = event("other", session="two", boundary="open")
    moment = given(OPEN, note("first"), other).when(note("second", session="two"))
    moment.then(desk(), desk("second", session="two"), gone("first"))


def test_what_is_never_ended_ends_by_age() -> None:
    short = policy("short", session_idle_ticks=3)
    told = [short, OPEN, note("state"), *[event(f"e{n}", session="busy") for n in range(4)]]
    given(*told).when(event("new", session="third")).then(stands(state="resolved"))
    given(*told).when(sleep("tired")).then(stands(state="resolved"))
    given(*told[:-1]).when(sleep("tired")).then(stands(state="active"))


def test_a_smaller_desk_loses_notes_at_once() -> None:
    small = policy("small", nodes_max=100, edges_max=1_000, sessions_open_max=5)  # two notes
    told = [OPEN, note("a", "goal", "a"), note("b", "goal", "b"), note("c", "goal", "c")]
    given(*told).when(small).then(desk("b", "c"), stands(a="resolved", b="active", c="active"))


def test_what_has_ended_makes_room_first() -> None:
    few = policy("few", sessions_open_max=2)
    told = [few, OPEN, event("e", session="two"), event("f", session="one"), CLOSE]
    moment = given(*told).when(event("g", session="three"))
    assert sorted(moment.graph.sessions) == ["three", "two"]


def test_what_a_session_holds_is_free_when_it_ends_however_that_happens() -> None:
    held = claim("mine", "resource:db", "held_by", "session:one", session="one")
    rival = claim("yours", "resource:db", "held_by", "session:two", session="two", source="other")
    two = event("two", session="two", boundary="open", source="other")
    moment = given(OPEN, two, held).when(rival)
    moment.then(desk("mine"), desk("yours", session="two"), stands(mine="active", yours="contested"))
    moment.when(CLOSE).then(stands(mine="resolved"))
    moment = given(OPEN, two, held, rival).when(judge("free", ("mine", "reject")))
    moment.then(stands(mine="rejected", yours="active"))
    aged = [policy("short", session_idle_ticks=1), OPEN, held, event("a"), event("b"), event("c")]
    given(*aged).when(event("d", session="new")).then(stands(mine="resolved"))
    few = [policy("few", nodes_max=100, edges_max=1_000, sessions_open_max=5), OPEN, held]
    given(*few, note("first")).when(note("second", "intent")).then(desk("mine", "second"), stands(mine="active"))


def test_what_was_settled_by_the_end_is_brought_back_by_a_release() -> None:
    moment = given(OPEN, note("state"), CLOSE).when(judge("yes", ("state", "release")))
    moment.then(stands(state="active"))


def test_done_work_is_archived_and_brought_back() -> None:
    moment = given(event("e")).when(judge("away", ("e", "archive")))
    moment.then(stands(e="active"), ruling("e", by="away", trust=1, reason="it was found out"))
    assert moment.node("e").flags & 16
    back = moment.when(judge("back", ("e", "release")))
    assert not back.node("e").flags & 16
    given(event("e", origin="user")).when(judge("away", ("e", "archive"))).then(refused(Refusal.NOT_TRUSTED))
    put_away = judge("away", ("e", "archive"), origin="thinker")
    assert given(event("e", origin="user")).when(put_away).node("e").flags & 16
    given(event("e", origin="user"), pin("p", "e")).when(put_away).then(refused(Refusal.NODE_PROTECTED))


def test_what_was_archived_comes_back_as_it_was_and_by_as_much_trust() -> None:
    told = [
        claim("c", "ana", "likes", "tea", source="one"),
        judge("up", ("c", "verify"), origin="user"),
        judge("sure", ("c", "promote"), origin="user"),
        judge("away", ("c", "archive"), origin="operator"),
    ]
    given(*told).when(judge("back", ("c", "release"), origin="user")).then(refused(Refusal.NOT_TRUSTED))
    back = given(*told).when(judge("back", ("c", "release"), origin="operator"))
    back.then(stands(c="prior"))
    assert not back.node("c").flags & 16
