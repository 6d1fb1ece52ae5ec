"""The way in: say a command to the oracle, and it answers as the fold should."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import localcontext
from typing import Any, Final

from tests.graph.commands import Said
from tests.graph.oracle.bounds import enforce
from tests.graph.oracle.decisions import (
    adjust,
    adopt_scorer,
    attach_vector,
    attest,
    commit_episode,
    dissolve_concept,
    form_concept,
    lift_catastrophe,
    pin,
    retire_thinker,
    set_policy,
    snapshot,
)
from tests.graph.oracle.events import record_event
from tests.graph.oracle.knowing.claims import assert_fact
from tests.graph.oracle.knowing.desk import note_down
from tests.graph.oracle.knowing.judging import judge
from tests.graph.oracle.knowing.naming import alias_entity, define, relate
from tests.graph.oracle.memory import Memory, spoken
from tests.graph.oracle.outcomes import log_outcome
from tests.graph.oracle.recalls import record_read, record_recall, report_use
from tests.graph.oracle.records import DIGITS
from tests.graph.oracle.slumber import sleep
from yggdrasil_schemas.refusals import Refusal

Law = Callable[[Memory, str, dict[str, Any], str], Refusal | None]


def assert_claim(m: Memory, name: str, body: dict[str, Any], session: str) -> Refusal | None:
    """A note, or something else."""
    return (
        note_down(m, name, body, session) if body.get("claim_class") == "desk" else assert_fact(m, name, body, session)
    )


LAWS: Final[dict[str, Law]] = {
    "record_event": record_event,
    "log_outcome": log_outcome,
    "record_recall": record_recall,
    "record_read": record_read,
    "report_use": report_use,
    "commit_episode": commit_episode,
    "form_concept": form_concept,
    "dissolve_concept": dissolve_concept,
    "adjust": adjust,
    "sleep": sleep,
    "adopt_scorer": adopt_scorer,
    "pin": pin,
    "lift_catastrophe": lift_catastrophe,
    "retire_thinker": retire_thinker,
    "attach_vector": attach_vector,
    "judge": judge,
    "assert_claim": assert_claim,
    "define": define,
    "alias_entity": alias_entity,
    "relate": relate,
    "set_policy": set_policy,
    "attest": attest,
    "snapshot": snapshot,
}

TRUST: Final = {"operator": 4, "tool": 3, "user": 2, "agent": 1, "thinker": 1, "import": 1}


@dataclass(frozen=True)
class Answer:
    """What became of a command."""

    seq: int
    refusal: Refusal | None
    duplicate: bool = False


@dataclass
class Model:
    """A memory, and the answers that it has given. It takes commands that are of the language, and no others."""

    memory: Memory = field(default_factory=Memory)
    answered: dict[str, tuple[str, Answer]] = field(default_factory=dict[str, tuple[str, Answer]])

    def say(self, said: Said) -> Answer:
        m, name = self.memory, said.fields()["id"]
        what = json.dumps([said.type, said.body, said.content], sort_keys=True)
        if name in self.answered:
            before, answer = self.answered[name]
            if before != what:
                return Answer(0, Refusal.ID_REUSED)
            return Answer(answer.seq, answer.refusal, duplicate=True)
        m.ties, m.unsure, m.happened, m.grown, m.gifts = set(), set(), [], set(), []
        m.origin = said.fields()["origin"]
        m.stamped = min(TRUST[m.origin], said.fields().get("trust", TRUST[m.origin]))
        m.by_person = m.origin in ("user", "operator") and m.stamped >= 2
        m.by_operator = m.origin == "operator" and m.stamped >= 2
        m.source, m.process = said.fields()["source"], said.fields()["process"]
        named = said.session not in ("", "default")
        m.place = f"session\0{said.session}" if named else spoken(m.source, m.process)
        m.trust = 0 if m.taint is not None else m.stamped
        m.saying, m.vouched = m.seq + 1, m.trust
        with localcontext(DIGITS):
            refusal = LAWS[said.type](m, name, said.body, said.session)
            if refusal is None:
                m.seq += 1
                m.accepted[name], m.seqs[name] = said.type, m.seq
                enforce(m)
        answer = Answer(0 if refusal else m.seq, refusal)
        self.answered[name] = what, answer
        return answer
