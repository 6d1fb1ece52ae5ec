"""What thinkers and operators decide about a memory: the part of ``Memory`` that agents at work have no need of."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_schemas.commands.decisions import Thinker
from yggdrasil_schemas.commands.vectors import Vector

Decider = Thinker | Mapping[str, Any] | None
"""Who decided: a ``Thinker`` of ``yggdrasil_schemas.commands.decisions``, or a mapping such as
``{"name": "chunker", "version": "1", "cursor_from": 0, "cursor_to": 42}``; None: a person or a tool. A thinker's
decision is taken only if ``cursor_from`` is where that thinker left off, and then ``cursor_to`` is; so it takes effect
once, whoever delivers it how often. A decision of several commands gives each its ``part``, from 0, of ``parts``, at
most 64: they come in any order, each is taken once, and the cursor moves when all are in.
"""


class Decisions:
    """The decisions that a memory takes as commands. ``Memory`` has these methods beside those of agents.

    Whatever found a reason for a decision (a chunker, a clustering, a person) ran outside the fold; here the decision
    itself is recorded, so a replay never needs its reason again. Every method returns the command's id and raises
    InvalidCommandError when the command is malformed (nothing is appended), and CommandRefusedError with the reasons
    that it names; with a ``thinker`` also ``cursor_stale``, ``cursor_ahead``, ``part_stale`` and ``thinkers_full``.
    """

    _drafter: Drafter

    def _submit(self, draft: Draft) -> str:
        """Append a command and return its id."""
        raise NotImplementedError

    def commit_episode(
        self,
        events: Sequence[str],
        *,
        clear: Literal["all", "window", "key"] = "all",
        keep: int = 0,
        episodes: Sequence[str] = (),
        text: str | None = None,
        session: str | None = None,
        thinker: Decider = None,
    ) -> str:
        """Make an episode of 1 to 64 ``events`` that belong together, and return its id.

        Earlier ``episodes`` may belong to it as well, or alone: such as days to a journey.

        The episode carries a share of its events' strength, stands after the last one of ``session`` (by default of
        every open session whose short-term buffer holds one of the events), and can be judged with ``log_outcome`` like
        an event. Its events leave the buffers of those sessions: ``clear`` "all" of them, "window" all but the last
        ``keep`` of each, "key" all but those that matter most; what ``text`` says of it is searched.
        Refused: ``unknown_event``, ``not_an_event``, ``event_forgotten`` (none of them is left).
        """
        draft = self._drafter.commit_episode(
            events, clear=clear, keep=keep, episodes=episodes, text=text, session=session, thinker=thinker
        )
        return self._submit(draft)

    def form_concept(self, members: Sequence[str], *, text: str | None = None, thinker: Decider = None) -> str:
        """Make a concept of 2 to 32 ``members``, and return its id.

        Members are references as ``get_context`` gives them: ids of events, episodes and concepts, and
        ``feature:NAME``. A later event with nearly the same features is absorbed by the concept. New concepts are
        fragile: what does not feed them lets ``sleep`` dissolve them. Refused: ``unknown_reference``,
        ``members_forgotten`` (fewer than two are left).
        """
        return self._submit(self._drafter.form_concept(members, text=text, thinker=thinker))

    def dissolve_concept(self, concept: str, *, text: str | None = None, thinker: Decider = None) -> str:
        """Undo ``concept``: a concept's id, or ``feature:NAME`` of a feature that has become one. Its members stay.

        Refused: ``unknown_reference``, ``not_a_concept``, ``node_forgotten``.
        """
        return self._submit(self._drafter.dissolve_concept(concept, text=text, thinker=thinker))

    def adjust(
        self,
        trajectory: Sequence[str],
        *,
        salience: float = 0.0,
        permanence: float = 0.0,
        half_life: float = 1.0,
        evidence: Sequence[str],
        text: str | None = None,
        thinker: Decider = None,
    ) -> str:
        """Change the nodes along ``trajectory`` (1 to 32 references, in order) a little, and the edges between them.

        ``salience`` and ``permanence``, in [-1, 1], are added; ``half_life``, in [0.5, 2], is a factor. The policy
        bounds what a node is moved by within ``adjust_window_ticks`` (``adjust_salience_max`` and the like), and what
        is protected is never lowered. ``evidence`` are the ids of the 1 to 16 commands that speak for it; one of them
        at least has made something on the trajectory, or joined to it by an edge. Refused: ``unknown_reference``,
        ``node_forgotten``, ``evidence_elsewhere``.
        """
        draft = self._drafter.adjust(
            trajectory,
            salience=salience,
            permanence=permanence,
            half_life=half_life,
            evidence=evidence,
            text=text,
            thinker=thinker,
        )
        return self._submit(draft)

    def sleep(
        self, *, scope: Literal["whole", "task"] = "whole", text: str | None = None, thinker: Decider = None
    ) -> str:
        """Let the memory sleep: what was used often fades more slowly, what has faded is archived, unfed concepts go.

        With the scope ``task`` it looks at what was touched since the last sleep and at the next ``sleep_slice`` nodes
        of the rest, so that it may sleep after every task whatever its size. What is archived is found by a deep ask
        alone; it can still be named, explained, judged and recalled, and the last two bring it back. Nothing is
        forgotten by this unless more than ``archived_max`` are archived, and the whole is looked at.
        """
        return self._submit(self._drafter.sleep(scope=scope, text=text, thinker=thinker))

    def pin(
        self,
        node: str,
        *,
        pinned: bool = True,
        permanence: float = 0.0,
        principle: bool = False,
        text: str | None = None,
    ) -> str:
        """Protect ``node`` (an id, or ``feature:NAME``) from fading and from being forgotten, or no longer.

        When pinned, it has at least ``permanence``, in [0, 10]: so a memory can begin with a core that stays. A pinned
        event, episode or concept may be a ``principle``, which belongs into every context; to pin it again without
        that takes it out. Refused: ``unknown_reference``, ``node_forgotten``, ``not_a_principle``, ``principles_full``.
        """
        draft = self._drafter.pin(node, pinned=pinned, permanence=permanence, principle=principle, text=text)
        return self._submit(draft)

    def lift_catastrophe(self, node: str, *, reason: str) -> str:
        """Say, as the operator, that the catastrophe ``node`` was none: it may fade and be forgotten again.

        ``node`` is an event or an episode, whose outcomes are lifted with it, or one of these outcomes; ``reason``, of
        1 to 1,024 characters, stays in the log. Refused: ``unknown_reference``, ``node_forgotten``,
        ``not_catastrophic``.
        """
        return self._submit(self._drafter.lift_catastrophe(node, reason=reason))

    def retire_thinker(self, name: str) -> str:
        """Free, as the operator, the name of a thinker that will not come back: a memory has room for 32.

        What it decided stays; the parts that are missing of its last decision are awaited no longer. Who takes the name
        later begins at 0. Refused: ``unknown_thinker``.
        """
        return self._submit(self._drafter.retire_thinker(name))

    def propose_scorer(
        self,
        weights: bytes,
        *,
        samples: int,
        metric: int,
        baseline: int,
        active: bool = False,
        text: str | None = None,
        thinker: Decider = None,
    ) -> str:
        """Propose a learned scorer, and return the id under which it may be adopted.

        ``weights`` are the 354 bytes of ``mlp/1``, fitted to ``samples``; ``metric`` is its log loss on what it was not
        fitted to and ``baseline`` that of the linear form, both in thousandths. With ``active`` it counts at once.
        Refused: ``not_allowed``, ``too_few_samples``, ``scorers_full``.
        """
        draft = self._drafter.propose_scorer(
            weights,
            samples=samples,
            metric=metric,
            baseline=baseline,
            active=active,
            text=text,
            thinker=thinker,
        )
        return self._submit(draft)

    def adopt_scorer(self, scorer: str, *, active: bool = True) -> str:
        """Let, as the operator, a scorer that was proposed decide what comes first, from now on.

        Not ``active``, it no longer does, and the one before it does again. Refused: ``unknown_scorer``,
        ``too_few_samples``, ``scorer_not_adopted``.
        """
        return self._submit(self._drafter.adopt_scorer(scorer, active=active))

    def snapshot(self, name: str, *, drop: bool = False) -> str:
        """Give, as the operator, the moment right after this command a ``name``: ``as_of`` and ``diff`` take it then.

        A name has 1 to 64 of ``A-Z a-z 0-9 . _ -`` and begins with a letter or ``_``; a memory has 64 at most.
        With ``drop`` the name is free again. ``snapshots`` lists them. Refused: ``snapshot_exists``,
        ``unknown_snapshot``, ``snapshots_full``.
        """
        return self._submit(self._drafter.snapshot(name, drop=drop))

    def attach_vector(self, node: str, vector: Vector) -> str:
        """Give ``node`` (an id, or ``feature:NAME``) a vector that it was recorded without, or one by another model.

        It takes at least the trust of the node, and of whoever attached the vector that gives way: the one of the same
        model, or of two others the one of less trust, of equals the older one. Nothing else of the memory changes.
        Refused: ``unknown_reference``, ``node_forgotten``, ``not_trusted``.
        """
        return self._submit(self._drafter.attach_vector(node, vector))

    def set_policy(self, **changes: float) -> str:
        """Change constants of the memory's policy from now on, for example ``nodes_max=10_000``; return the id.

        Raises InvalidCommandError for an unknown name or a value out of bounds, CommandRefusedError for a conflict.
        """
        return self._submit(self._drafter.draft("set_policy", {"changes": changes}))
