"""How a memory is corrected: what no longer holds leaves every default answer, and stays in the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import stamp
from yggdrasil_schemas.commands.experience import NoteKind
from yggdrasil_schemas.commands.knowledge import Verdict
from yggdrasil_schemas.commands.vectors import Vector
from yggdrasil_schemas.moments import Moment


class Corrections:
    """What becomes of what was said before. ``Memory`` has these methods beside those that record.

    A reference is the id of an event, an episode or a concept, as ``record_event`` returns and answers give it; what
    was superseded, withdrawn or resolved is out of every answer at once, but for those that ask for the ``history``. It
    is still explained, nothing is lost, and ``reinstate`` undoes each of them.

    Nobody changes what was said, or judged, by somebody who is trusted more: an operator before a tool, a tool before a
    user, a user before an agent, a thinker or an import. Every method returns the command's id and raises
    InvalidCommandError when the command is malformed (nothing is appended), and CommandRefusedError:
    ``not_trusted``, ``unknown_reference``, ``not_corrigible`` (a feature or an outcome), ``node_protected`` (it is
    pinned, or took part in a catastrophe: that takes an operator), ``node_forgotten``.
    """

    _drafter: Drafter

    def _submit(self, draft: Draft) -> str:
        """Append a command and return its id."""
        raise NotImplementedError

    def supersede(
        self,
        old: str,
        text: str | None = None,
        *,
        features: Sequence[str] = (),
        payload: Mapping[str, Any] | None = None,
        session: str | None = None,
        informed_by: Sequence[str] = (),
        caused_by: Sequence[str] = (),
        key: str | None = None,
        name: str | None = None,
        aliases: Sequence[str] = (),
        rationale: str | None = None,
        note: NoteKind | None = None,
        vector: Vector | None = None,
        at: Moment | None = None,
    ) -> str:
        """Record ``text`` in place of ``old``, and return the new event's id; the rest is as ``record_event`` has it.

        ``old`` need not be the latest: whatever was said in its place since is superseded as well, unless another
        ``key`` is given: then ``old`` alone is, and what has that key. Refused beside what is named above:
        ``slot_full``, and what ``record_event`` is refused for.
        """
        noted: dict[str, Any] = {"name": name, "aliases": aliases, "rationale": rationale, "note": note}
        draft = self._drafter.record_event(
            text,
            features=features,
            payload=payload,
            informed_by=informed_by,
            caused_by=caused_by,
            key=key,
            supersedes=old,
            **noted,
            session=session,
            vector=vector,
            stamp=stamp(at),
        )
        return self._submit(draft)

    def withdraw(self, ref: str, reason: str, *, evidence: Sequence[str] = ()) -> str:
        """Say that ``ref`` does not hold, and why in at most 128 characters; it is out of every default answer.

        ``evidence`` are the ids of at most 16 commands that speak for it.
        """
        return self.judge({ref: "reject"}, reason=reason, evidence=evidence)

    def resolve(self, ref: str, reason: str = "resolved", *, evidence: Sequence[str] = ()) -> str:
        """Say that ``ref``, an open question or a problem, is settled: it is out of every default answer."""
        return self.judge({ref: "resolve"}, reason=reason, evidence=evidence)

    def reinstate(self, ref: str, reason: str = "reinstated", *, evidence: Sequence[str] = ()) -> str:
        """Let ``ref`` stand again, whatever it was that took it out.

        What has taken its place, or has its key now, is superseded by it; that takes the trust of both. Out of a
        quarantine it comes as it went in: what waited, waits, until it is reinstated once more.
        """
        return self.judge({ref: "release"}, reason=reason, evidence=evidence)

    def judge(self, verdicts: Mapping[str, Verdict], *, reason: str, evidence: Iterable[str] = ()) -> str:
        """Give 1 to 64 references a verdict each: ``reject``, ``resolve``, ``quarantine``, ``archive`` or ``release``.

        All of them take effect, or none. What is in quarantine is out of every default answer until it is released; so
        is what is archived, for all but a deep question. Claims can also be given ``verify`` and ``promote``.
        """
        return self._submit(self._drafter.judge(verdicts, reason=reason, evidence=list(evidence)))
