"""The steps of the demo, each a heading, a sentence that says why it matters, and what came of it."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from yggdrasil.engines.embedded import Embedded
from yggdrasil.memory import Memory
from yggdrasil_producers.importers import Import
from yggdrasil_projections.retrieval.answers import Context
from yggdrasil_projections.retrieval.reads.operations.overview import (
    Lesson,
    lessons,
    outcomes_by_kind,
    strongest_features,
    strongest_pairs,
    troubled_features,
)

from ..agent.asking import show_explanation
from ..agent.foretelling import show_foretelling
from ..agent.importing.folding import run_import
from ..opening import catch_up
from ..options import MEMORY_DEFAULT
from ..screen import Screen, clean, counted, number
from .intention import FILE, Intention, intention_from
from .thought import Thought

if TYPE_CHECKING:
    from yggdrasil_projections.graph.working_set import Graph

_SHOWN: Final = 8
_LESSONS_SHOWN: Final = 5
_FILES_SHOWN: Final = 3
_SHA_CHARS: Final = 12
_PATH_CHARS_MAX: Final = 42  # two of them and their numbers fit into a terminal of 110 columns
_SESSION: Final = "demo"
_EXAMPLE_KIND: Final = "demo-example"
_FORETELLS: Final = 0.05  # valence: of a commit's dozen features each learns a twelfth of an outcome, and few are known


class Demo:
    """One run of the demo. ``report`` collects what it found, for machines."""

    def __init__(self, screen: Screen, path: Path) -> None:
        self.screen = screen
        self.path = path
        self.report: dict[str, Any] = {"files": []}
        self._step = 0

    def run(self, repo: Path, source: Import, commits: int) -> dict[str, Any]:
        """Go through all steps and return the report."""
        name = clean(repo.resolve().name) or "the repository"
        self.report["repo"] = str(repo)
        # Without vectors: a history would take ten times as long.
        with Memory.open(self.path, MEMORY_DEFAULT, source="demo", embedder="off") as memory:
            catch_up(self.screen, memory.engine)
            memory.set_policy(foretell_valence=_FORETELLS)
            self._import(name, memory, source, commits)
            graph = memory.engine.graph(memory.id)
            self._strongest(graph)
            self._together(graph)
            intention = intention_from(graph, self._lessons(memory, graph))
            self._foretell(memory, intention)
            context = self._ask(memory, intention.question)
            self._act(memory, intention, context)
            self.report["thinking"] = Thought(self.screen, memory).show(self._heading)
            self._replay(memory)
        return self.report

    def _heading(self, title: str, *why: str) -> None:
        self._step += 1
        self.screen.tell()
        self.screen.tell(f"{self._step}. {title}", "bold green")
        for line in why:
            self.screen.tell(f"   {line}", "dim")
        self.screen.tell()

    def _import(self, name: str, memory: Memory[Embedded], source: Import, commits: int) -> None:
        self._heading(
            f"Remember the history of {name}",
            "Each commit becomes an event in an append-only log, with its files, folders and author as features.",
            "What became of it is an outcome: reverted -3, mended soon after -1, released +0.5. The log is the memory;",
            "a pure function folds it into a graph of what matters.",
        )
        result = run_import(self.screen, memory.engine, source, "commit")
        graph = memory.engine.graph(memory.id)
        self.screen.tell(f"{counted(result.units, 'commit')}: {result.sentence}")
        if result.units < commits:
            self.screen.tell(f"(the newest {result.units:,} of {commits:,}: --commits-max {commits} takes all)", "dim")
        header = graph.header
        self.screen.tell(f"The graph now has {header.nodes:,} nodes and {header.edges:,} edges.")
        kinds = outcomes_by_kind(graph)
        told = ", ".join(f"{clean(kind)} {count:,}" for kind, count in kinds.items())
        self.screen.tell(f"Outcomes: {told or 'none yet'}.")
        self.report["import"] = {
            "commits": result.units,
            "new": result.new,
            "known": result.known,
            "refused": result.refused,
            "nodes": header.nodes,
            "edges": header.edges,
            "outcomes": kinds,
        }

    def _strongest(self, graph: "Graph") -> None:
        self._heading(
            "The files that matter most",
            "Salience rises when something happens and fades with every event after it. Permanence is what stays,",
            "and comes from outcomes: a failure weighs five times as much as a success. Impact says how it went.",
        )
        found = strongest_features(graph, FILE, _SHOWN)
        if not found:
            self.screen.tell("No commit of this history has changed a file.")
            return
        self.screen.table(
            ["file", ">commits", ">salience", ">permanence", ">impact"],
            [
                (_short(f.name), f.occurrences, number(f.salience), number(f.permanence), number(f.impact))
                for f in found
            ],
        )
        self.report["files"] = found

    def _together(self, graph: "Graph") -> None:
        self._heading(
            "Files that change together",
            "Features of one event are associated; an association that is not renewed fades. Nobody wrote these down:",
            "they are what the history taught.",
        )
        found = strongest_pairs(graph, FILE, _SHOWN)
        if found:
            self.screen.table(
                ["file", "changes with", ">times", ">weight now"],
                [(_short(p.first), _short(p.second), p.together, number(p.weight)) for p in found],
            )
        else:
            self.screen.tell("No two files have changed together yet.")
        self.report["pairs"] = found

    def _lessons(self, memory: Memory, graph: "Graph") -> Lesson | None:
        """Show what failed; return the worst that really did."""
        self._heading(
            "What bad outcomes taught",
            "A failure is remembered longer than a success, and it marks the files that it touched.",
        )
        found = lessons(graph, _LESSONS_SHOWN)
        worst = found[0] if found and found[0].kind != _EXAMPLE_KIND else None
        if not found:
            self._no_lessons(memory, graph)
            found = lessons(graph, _LESSONS_SHOWN)
        for lesson in found:
            self._show_lesson(lesson)
        troubled = troubled_features(graph, FILE, _LESSONS_SHOWN)
        if troubled:
            self.screen.tell()
            self.screen.tell("Files whose changes failed most often (impact below 0: more harm than good on balance):")
            self.screen.table(
                ["file", ">bad outcomes", ">commits", ">impact", ">permanence"],
                [(_short(t.name), t.bad, t.occurrences, number(t.impact), number(t.permanence)) for t in troubled],
            )
        self.report["lessons"] = found
        self.report["troubled_files"] = troubled
        return worst

    def _show_lesson(self, lesson: Lesson) -> None:
        """Print what was done, what came of it, and which files it touched."""
        sha = clean((lesson.event_payload or {}).get("sha", ""))[:_SHA_CHARS]
        files = [_short(name) for name in lesson.features if name.startswith(FILE)]
        self.screen.tell(f"{lesson.value:>+4g}  {sha} {clean(lesson.event_text or '', 90)}".replace("   ", "  "))
        self.screen.tell(f"      {clean(lesson.text or lesson.kind, 110)}", "dim")
        if files:
            more = f" and {len(files) - _FILES_SHOWN} more" if len(files) > _FILES_SHOWN else ""
            self.screen.tell(f"      files: {', '.join(files[:_FILES_SHOWN])}{more}", "dim")

    def _no_lessons(self, memory: Memory, graph: "Graph") -> None:
        """Say that nothing bad is known; record a labelled example, so that the rest can be seen."""
        self.screen.tell("No commit of this history was reverted or mended soon after: there is nothing bad to learn.")
        good = lessons(graph, _FILES_SHOWN, bad=False)
        if good:
            self.screen.tell("What went well is remembered too, for example:")
        for lesson in good:
            self._show_lesson(lesson)
        event = memory.record_event(
            "EXAMPLE, made up by the demo: released without running the tests",
            features=["kind:release", "tests:skipped"],
            session=_EXAMPLE_KIND,
        )
        memory.log_outcome(event, -3, kind=_EXAMPLE_KIND, text="EXAMPLE: the release had to be withdrawn",
                           session=_EXAMPLE_KIND)  # fmt: skip
        self.screen.tell("So the demo has recorded one made-up event with a bad outcome, to show what that looks like:")
        self.screen.tell()

    def _foretell(self, memory: Memory, intention: Intention) -> None:
        self._heading(
            "What that foretells",
            "Each feature learns which outcome it predicts; what its companions explain already teaches it nothing.",
            "So an agent is warned before it acts. How sure that is comes from how many outcomes agree.",
        )
        features = [name for lesson in self.report["lessons"][:1] for name in lesson.features] or intention.features
        found = memory.foretell(intention.question, features=features)
        self.screen.tell(
            f'foretell("{clean(intention.question)}", features=[{counted(len(features), "feature")}])', "bold"
        )
        show_foretelling(self.screen, found)
        self.report["foretelling"] = found

    def _ask(self, memory: Memory, question: str) -> Context:
        self._heading(
            "Ask it",
            "An agent asks before it acts; this question is derived from the history. The answer is memories with",
            "their evidence, and the reading is recorded too: nothing that an agent was told is without a trace.",
        )
        self.screen.tell(f'get_context("{clean(question)}")', "bold")
        context = memory.get_context(question, session=_SESSION)
        self.screen.table(
            ["memory", "outcomes", ">similarity", ">score"],
            [
                (
                    clean(entry.memory.text, 70),
                    ", ".join(f"{o.kind} {o.value:+g}" for o in entry.memory.outcomes[:2]) or "-",
                    number(entry.scores.relevance),
                    number(entry.scores.priority),
                )
                for entry in context.found
            ],
        )
        self.screen.tell(f"recall {context.recall_id}, as of seq {context.as_of}", "dim")
        self.report["question"] = question
        self.report["context"] = context
        return context

    def _act(self, memory: Memory, intention: Intention, context: Context) -> None:
        self._heading(
            "Act on it, and explain the action",
            "An agent records what it does together with the recall that informed it. Later anybody can ask why: the",
            "answer holds what the agent had been told, with the values as they were then, and the place in the log.",
        )
        informed = [context.recall_id] if context.recall_id else []
        action = memory.record_event(
            intention.action, features=intention.features, informed_by=informed, session=_SESSION
        )
        why = memory.explain_action(action)
        self.screen.tell(f"explain_action({action})", "bold")
        show_explanation(self.screen, why)
        self.report["action"] = action
        self.report["explanation"] = why

    def _replay(self, memory: Memory[Embedded]) -> None:
        from yggdrasil_processors.auditing.audit import audit

        self._heading(
            "Prove it: replay the log from offset 0",
            "The log is folded once more into an empty store. If the memory is nothing but the log, then both digests",
            "are equal, and so are both chains of record hashes.",
        )
        engine = memory.engine
        partition = engine.partition(memory.id)
        total = 2 * engine.log.end_offset(partition)
        with (
            tempfile.TemporaryDirectory(prefix="yggdrasil-replay-") as fresh,
            self.screen.progress("Replaying", total) as advance,
        ):
            found = audit(engine.log, Path(fresh) / "store", partition, engine.store(partition), advance)
        digest = {entry.memory: entry for entry in found.compared}[memory.id]
        self.screen.tell(f"{found.records:,} records folded again.")
        self.screen.tell(f"  digest of the memory    {digest.standing}")
        self.screen.tell(f"  digest of the replay    {digest.replayed}")
        self.screen.tell(f"  chain of the memory     {found.standing_chain}")
        self.screen.tell(f"  chain of the replay     {found.chain}")
        if found.same:
            self.screen.tell("Equal: this memory is what its log says, and nothing else.", "bold green")
        else:
            self.screen.tell(f"DIFFERENT. {found.altered or 'The replay gave another memory.'}", "bold red")
        self.report["replay"] = {
            "records": found.records,
            "same": found.same,
            "digest": digest.standing,
            "replayed_digest": digest.replayed,
            "chain": found.standing_chain,
            "replayed_chain": found.chain,
        }


def _short(feature: str) -> str:
    """Return a file's name for a table: of a long path the end, which tells files apart."""
    path = clean(feature.removeprefix(FILE))
    return path if len(path) <= _PATH_CHARS_MAX else "…" + path[1 - _PATH_CHARS_MAX :]
