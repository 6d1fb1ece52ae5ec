"""What is on the desks, to whom it is shown, and until when."""

from tests.retrieval.reads.sessions.conftest import Team
from yggdrasil import Where


def test_a_desk_comes_in_the_order_in_which_one_works(team: Team) -> None:
    session = team.agent.session(task="T-1", name="one")
    session.promise("Call Bo", due="2026-01-02")
    session.promise("Call Ana", due="2026-01-01")
    session.promise("Some day")
    session.note(progress="built", subgoal="Test it", threat="The cache is cold", intent="run the tests", ready=True)
    session.note(goal="Ship it")
    notes = team.agent.desk(task="T-1").notes
    assert [note.predicate for note in notes] == [
        "goal", "intent", "subgoal", "threat", "promise", "promise", "promise", "progress", "ready",
    ]  # fmt: skip
    assert [note.value for note in notes[4:]] == ["Call Ana", "Call Bo", "Some day", "built", True]
    assert {(note.subject, note.session, note.status, note.trust) for note in notes} == {
        ("task:T-1", "one", "active", 1)
    }
    assert [note.overdue for note in notes[4:7]] == [True, True, False] and notes[6].due is None
    assert team.agent.desk(session="one").notes == team.agent.desk(task="task:T-1").notes == notes
    assert team.agent.desk(task="T-2").notes == [] and team.agent.desk().notes == notes


def test_the_latest_note_stands_and_what_was_settled_is_gone(team: Team) -> None:
    session = team.agent.session(task="T-1", name="one")
    session.note(progress="begun")
    session.note(progress="built")
    goal = session.note(goal="Ship it")[0]
    assert [note.value for note in team.agent.desk(task="T-1").notes] == ["Ship it", "built"]
    session.settle(goal)
    assert [note.value for note in team.agent.desk(task="T-1").notes] == ["built"]


def test_at_the_end_promises_are_left_until_they_are_settled(team: Team) -> None:
    session = team.agent.session(task="T-1", name="one")
    session.note(progress="built")
    promise = session.promise("Call Ana", due="2026-01-01")
    session.end("Shipped")
    (left,) = team.agent.desk(task="T-1").notes
    assert (left.ref, left.overdue, left.status) == (promise, True, "active")
    assert team.agent.desk(session="one").notes == team.agent.desk().notes == [left]
    team.agent.judge({promise: "resolve"}, reason="called")
    assert team.agent.desk(task="T-1").notes == []


def test_what_waits_is_shown_to_its_own_task_and_session_alone(team: Team) -> None:
    session = team.stranger.session(task="T-1", name="theirs")
    session.note(progress="poisoned")
    assert [note.status for note in team.agent.desk(session="theirs").notes] == ["candidate"]
    assert [note.said_by for note in team.agent.desk(task="T-1").notes] == ['stranger "web"']
    assert team.agent.desk().notes == []
    assert team.agent.seen(trust_min=1).desk(task="T-1").notes == []


def test_desks_are_searched_within_their_session_or_task_alone(team: Team) -> None:
    session = team.agent.session(task="T-1", name="one")
    (note,) = session.note(progress="The zebra is striped")
    question = "What is striped like a zebra?"
    asked = {"record": False, "min_confidence": 0.0}
    assert team.agent.get_context(question, **asked).refs == []  # type: ignore[arg-type]
    for where in (
        Where(sessions=["one"]),
        Where(features_all=["task:T-1"]),
        Where(features_any=["task:T-1", "task:T-2"]),
    ):
        assert note in team.agent.get_context(question, where=where, **asked).refs  # type: ignore[arg-type]
    for where in (Where(sessions=["two"]), Where(features_all=["task:T-2"]), Where(features_any=["task:T-1", "x"])):
        assert team.agent.get_context(question, where=where, **asked).refs == []  # type: ignore[arg-type]
    assert [claim.ref for claim in team.agent.claims("task:T-1", sort="desk").claims] == [note]


def test_desks_outlive_the_buffer_and_are_in_mind(team: Team) -> None:
    session = team.agent.session(task="T-1", name="one")
    (goal,) = session.note(goal="Ship it")
    team.agent.commit_episode([session.record_event("Built"), session.record_event("Tested")], text="Built and tested")
    for number in range(70):
        session.record_event(f"Step {number}")
    (mind,) = team.agent.working_memory(session="one").sessions
    assert [note.ref for note in mind.desk] == [goal] and len(mind.episodes) == 1
    session.end()
    assert team.agent.working_memory(session="one").sessions == []


def test_of_many_notes_the_first_are_shown_and_the_rest_is_counted(team: Team) -> None:
    for number in range(8):
        session = team.agent.session(task=f"T-{number}")
        for note in range(32):
            session.note(**{f"note{note:02}": "x"})
    found = team.agent.desk()
    assert (len(found.notes), found.left_out) == (200, 56)


def test_a_note_whose_ground_has_fallen_says_so_on_the_desk_and_in_the_context(team: Team) -> None:
    team.agent.session(task="T-1", name="one")
    event = team.agent.record_event("The build was green", session="one")
    note = team.agent.assert_claim("task:T-1", "progress", "built", sort="desk", evidence=[event], session="one")
    assert [(each.ref, each.session, each.stale) for each in team.agent.desk(task="T-1").notes] == [
        (note, "one", False)
    ]
    assert "STALE" not in team.agent.session_context("one").text()
    team.agent.withdraw(event, "It was another build")
    assert [(each.ref, each.stale) for each in team.agent.desk(task="T-1").notes] == [(note, True)]
    context = team.agent.session_context("one")
    assert [each.stale for each in context.notes] == [True]
    assert "STALE: what it rests on has fallen" in context.text()
    assert team.agent.desk().notes == [], "to others it is not there"
