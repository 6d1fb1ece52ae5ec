"""What the connector relates, across sessions too, with its reason; and what it does not."""

from tests.thinkers.digestion.told import Claiming, Told
from yggdrasil_processors.thinkers.digestion import Connector
from yggdrasil_processors.thinkers.digestion.connector import CLAIM_MAX, SESSION_MAX
from yggdrasil_projections.retrieval.reads.knowledge.digested import Connected


def related(told: Told, *sessions: str) -> set[tuple[str | None, str, str | None]]:
    found: list[Connected] = []
    for session in sessions or ("one",):
        found += told.digestion(session).connections
    return {(each.source_text, each.relation, each.target_text) for each in found}


def test_what_one_claim_ends_with_is_what_another_is_about(told: Told) -> None:
    told.says("Checkout depends on payments", ("service:checkout", "depends_on", "service:payments"), session="one")
    told.says("Payments leads to refunds", ("service:payments", "leads_to", "refunds"), session="two")
    told.says("Refunds is_a report", ("topic:refunds", "is_a", "report"), session="three")
    told.says("The report is due on Monday", ("thing:report", "due", "Monday"), session="four")
    told.digest(Claiming, Connector)
    assert related(told, "one", "two", "three", "four") == {
        ("checkout depends on payments", "depends_on", "payments leads to refunds"),
        ("payments leads to refunds", "leads_to", "refunds is a report"),
        ("refunds is a report", "example_of", "report due Monday"),
    }


def test_a_reason_is_shown_wherever_a_relation_is(told: Told) -> None:
    told.says("Checkout depends on payments", ("service:checkout", "depends_on", "service:payments"))
    told.says("Payments is down", ("service:payments", "status", "down"), session="two")
    told.digest(Claiming, Connector)
    why = "since checkout depends on payments, and payments status down: it depends on payments"
    (connected,) = told.digestion().connections
    assert (connected.reason, connected.by) == (why, "connector")
    memory = told.memory
    assert why in [each.reason for each in memory.neighbourhood(connected.source).neighbours]
    assert [each.reason for each in memory.lineage(connected.source).related] == [why]
    assert [each.reason for each in memory.dependents(connected.target).dependents] == [why]


def test_two_hops_across_sessions_are_within_reach_by_the_connector_alone(told: Told) -> None:
    told.says("Ana works for Acme", ("person:ana", "works_for", "org:acme"), session="one")
    told.says("Acme is located in Oslo", ("org:acme", "located_in", "city:oslo"), session="two")
    told.digest(Claiming)
    claim = told.claim("works_for").claim.ref
    near = {each.ref for each in told.memory.neighbourhood(claim, depth=1).neighbours}
    told.digest(Claiming, Connector)
    nearer = {each.ref for each in told.memory.neighbourhood(claim, depth=1).neighbours}
    assert told.claim("located_in", session="two").claim.ref in nearer - near


def test_one_thing_relates_the_few_claims_that_end_with_it_and_not_the_many(told: Told) -> None:
    told.says("The pump is fed by the valve", ("pump:north", "fed_by", "valve:v7"), session="one")
    told.says("The workshop made the valve", ("workshop:holm", "made", "valve:v7"), session="two")
    for number in range(16):
        told.says(f"Person {number} lives in Oslo", (f"person:p{number}", "lives_in", "city:oslo"), session="three")
    told.digest(Claiming, Connector)
    assert related(told, "one", "two", "three") == {("holm made v7", "related", "north fed by v7")}


def test_lessons_apply_agree_and_contradict(told: Told) -> None:
    def learnt(task: str, text: str, session: str) -> None:
        event = told.memory.record_event(text, session=session)
        told.memory.assert_claim(f"task:{task}", "lesson", text, sort="lesson", evidence=[event])

    learnt("a", "Run the migration of payments first", "one")
    learnt("b", "Do not run the migration of payments first", "two")
    learnt("c", "Run migrations of payments first", "three")
    told.says("Payments is down", ("service:payments", "status", "down"), session="four")
    told.digest(Claiming, Connector)
    a, b, c = (f"{task} lesson {text}" for task, text in (
        ("a", "Run the migration of payments first"),
        ("b", "Do not run the migration of payments first"),
        ("c", "Run migrations of payments first"),
    ))  # fmt: skip
    assert related(told, "one", "two", "three", "four") == {
        (b, "contradicts", a),
        (c, "contradicts", b),
        (c, "supports", a),
        *((lesson, "applies_to", "payments status down") for lesson in (a, b, c)),
    }


def test_rare_words_relate_where_there_are_enough_others_to_be_rare_among(told: Told) -> None:
    pair = (
        ("service:a", "failed_with", "heisenbug in the tokenizer"),
        ("service:b", "blocked_by", "tokenizer heisenbug"),
    )
    for at, claim in enumerate(pair):
        told.says(claim[2], claim, session=f"s{at}")
    told.digest(Claiming, Connector)
    assert not related(told, "s0", "s1")
    for at in range(20):
        told.says(f"number{at} was word{at}", (f"thing:n{at}", f"p{at}", f"word{at}"), session="else")
    told.says(pair[0][2], ("service:c", "saw", pair[0][2]), session="s2")
    told.digest(Claiming, Connector)
    found = told.digestion("s2").connections
    assert {each.relation for each in found} == {"related"}
    assert {each.reason for each in found} == {
        "both speak of heisenbug and tokenizer, and hardly anything else here does"
    }


def test_what_strangers_say_is_only_related_to_what_others_say(told: Told) -> None:
    told.says("Payments is down", ("service:payments", "status", "down"), session="two")
    told.says(
        "Checkout depends on payments",
        ("service:checkout", "depends_on", "service:payments"),
        by="web",
        trust=0,
    )
    told.digest(Claiming, Connector)
    assert {relation for _, relation, _ in related(told, "one", "two")} == {"related"}


def test_relations_are_found_once_and_are_bounded(told: Told) -> None:
    for at in range(2 * SESSION_MAX):
        told.says(f"t{at}", (f"thing:a{at}", "depends_on", "service:payments"), session="two")
    told.says("Payments is down", *(("service:payments", f"p{at}", f"v{at}") for at in range(SESSION_MAX)))
    told.digest(Claiming, Connector)
    found = told.digestion().connections
    assert CLAIM_MAX < len(found) <= SESSION_MAX
    assert [one.decided for one in told.digest(Claiming, Connector)] == [0, 0]
    assert told.digestion().connections == found
