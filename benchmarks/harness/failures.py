"""Whether the recovery that works comes first after ten tries, where a failure has several of which one works.

Recoveries are claims about the kind of failure, told in any order by an agent that has tried none of them. Each time
the failure is met, the agent asks, does what comes first, and says how it went: which recovery it has used, and the
outcome. With some ``chance`` it goes well for another reason, or badly for one, so that one try proves little.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from yggdrasil import Memory, Where

TRIES: Final = 10
_KINDS: Final = {
    "loop": ("The agent went in circles over the same two files", (
        "write down what was tried, and stop at the third time", "ask a person for the next step",
        "begin with a fresh context and the plan alone", "take the last change back", "try another tool")),
    "context_exhaustion": ("The window was full before the task was done", (
        "sum the session up and go on in a new one", "drop the logs that were read", "read files in parts",
        "hand a part over to another agent", "keep the plan in a file")),
    "verification_divergence": ("The tests say it is done, and the reviewer says it is not", (
        "ask the reviewer for one failing case", "run the tests on a clean checkout", "compare both lists of criteria",
        "let a second reviewer decide", "read the task again, word by word")),
    "tool": ("The search tool answered nothing for a word that is there", (
        "rebuild the index of the tool", "quote the word", "search in parts of the tree", "log in again",
        "use the slow search")),
}  # fmt: skip


def ranks(memory: Memory[Any], seed: int, chance: float = 0.0) -> list[int]:
    """Return at which place the recovery that works stands, from 1, before the first try and after each."""
    random = Random(f"failures {seed}")
    kind = list(_KINDS)[seed % len(_KINDS)]
    what, recoveries = _KINDS[kind]
    works, order = random.choice(recoveries), random.sample(recoveries, len(recoveries))
    claims = {
        memory.assert_claim(
            f"failure:{kind}", "recovery", each, text=f"When {what.lower()}: {each}", sort="lesson"
        ): each
        for each in order
    }
    where = Where(kinds=["claim"], features_any=[f"failure:{kind}"])
    places: list[int] = []
    for number in range(TRIES + 1):
        session = f"run {number}"
        shown = memory.get_context(f"{what}. What helps?", k=len(recoveries), session=session, where=where)
        listed = [each.memory.ref for each in memory.recoveries(kind).recoveries if each.memory.ref in claims]
        places.append(_place(listed, claims, works))
        if number == TRIES or not listed:
            continue
        first = listed[0]
        well = (claims[first] == works) != (random.random() < chance)
        memory.report_use(shown, [first], result="success" if well else "failure", helpful=well)
        event = memory.record_event(
            f"{what}; did: {claims[first]}",
            features=[f"failure:{kind}"],
            informed_by=[str(shown.recall_id)],
            session=session,
        )
        memory.log_outcome(event, 3 if well else -3, kind="recovery" if well else f"failure:{kind}", session=session)
    return places + [places[-1]] * (TRIES + 1 - len(places))


def _place(listed: Sequence[str], claims: dict[str, str], works: str) -> int:
    """Return at which place what works is listed; after all of them where it is not."""
    return next((place for place, ref in enumerate(listed, 1) if claims[ref] == works), len(claims) + 1)
