"""A memory that has misled comes after its equal, through everything that an agent sees of it."""

from yggdrasil import Memory

EQUAL = ("the gate opens with the amber key", "the gate opens with the birch key")


def order(memory: Memory) -> list[str]:
    return memory.get_context("which key opens the gate?", k=2, record=False).refs


def fail(memory: Memory, ref: str, others: int) -> None:
    """Ask until it is among what is returned, use it, and fail; other things happen meanwhile."""
    context = memory.get_context("which key opens the gate?", k=2)
    assert ref in context.refs
    assert context.recall_id is not None
    memory.report_use(context.recall_id, [ref], result="failure")
    for n in range(others):
        memory.record_event(f"something else {n}", session="other")


def test_one_failed_use_never_lifts_and_several_sink(memory: Memory) -> None:
    """Of two that are alike the younger comes first; it is the one that misleads."""
    older, younger = (memory.record_event(text, session=text) for text in EQUAL)
    assert order(memory) == [younger, older]
    for _ in range(3):
        fail(memory, younger, others=2)
        assert order(memory) == [older, younger]
    scores = [entry.scores.priority for entry in memory.get_context("which key opens the gate?", k=2).found]
    assert scores[0] > scores[1] + 0.005


def test_not_even_one_that_had_helped_is_lifted_by_a_failure(memory: Memory) -> None:
    older, younger = (memory.record_event(text, session=text) for text in EQUAL)
    helped = memory.get_context("which key opens the gate?", k=2)
    assert helped.recall_id is not None
    memory.report_use(helped.recall_id, [older], result="success")
    for _ in range(4):
        found = memory.get_context("which key opens the gate?", k=2, record=False).found
        before = {entry.memory.ref: entry.scores.priority for entry in found}
        fail(memory, older, others=0)
        found = memory.get_context("which key opens the gate?", k=2, record=False).found
        after = {entry.memory.ref: entry.scores.priority for entry in found}
        assert after[older] - before[older] < after[younger] - before[younger]


def test_what_informed_an_act_that_failed_has_a_part_of_the_lesson(memory: Memory) -> None:
    """Whether the use itself went well was not said; how the act ended was, later."""
    older, younger = (memory.record_event(text, session=text) for text in EQUAL)
    asked = memory.get_context("which key opens the gate?", k=2)
    assert asked.recall_id is not None
    act = memory.record_event("tried it", session="act", informed_by=[asked.recall_id])
    memory.report_use(asked.recall_id, [younger])
    memory.log_outcome(act, -5)
    found = {entry.memory.ref: entry.memory for entry in memory.get_context("key to the gate", record=False).found}
    assert found[younger].valence == 0.03 * -5
    assert found[younger].impact == -0.1 * 5 * 1.5
    assert (found[older].valence, found[older].impact) == (0, 0)


def test_what_is_as_near_but_for_a_little_sinks_as_well(memory: Memory) -> None:
    """Both lead to each other by what they share, and the longer is a little less relevant."""
    nearer = memory.record_event("flush the queue to clear the timeout", session="a", features=["topic:timeouts"])
    longer = memory.record_event(
        "restart the cache by hand to clear the timeout", session="b", features=["topic:timeouts"]
    )
    asked = "how to clear the timeout?"
    assert memory.get_context(asked, k=2, record=False).refs == [nearer, longer]
    for _ in range(3):
        context = memory.get_context(asked, k=2)
        assert context.recall_id is not None
        memory.report_use(context.recall_id, [nearer], result="failure")
    assert memory.get_context(asked, k=2, record=False).refs == [longer, nearer]


def test_what_is_clearly_nearer_stays_first_though_it_has_misled(memory: Memory) -> None:
    """Strength decides between what is about as relevant, and makes nothing relevant that is not."""
    near = memory.record_event("flush the queue to clear the timeout of the payment service", session="a")
    memory.record_event("the timeout of the login page was raised", session="b")
    asked = "how to clear the timeout of the payment service?"
    for _ in range(9):
        context = memory.get_context(asked, k=2)
        assert context.recall_id is not None
        memory.report_use(context.recall_id, [near], result="failure")
    assert memory.get_context(asked, k=2, record=False).refs[0] == near
