"""Many events at once: the part of ``Memory`` for importers."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

from yggdrasil_infra.log import LogError, NotFoldedError
from yggdrasil_producers.draft import Draft, Drafter
from yggdrasil_producers.stamps import Stamp, time_ms
from yggdrasil_projections.retrieval.errors import CommandRefusedError, NotYetError
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
from yggdrasil_schemas.moments import Moment
from yggdrasil_schemas.refusals import Refusal, Refused

if TYPE_CHECKING:
    from yggdrasil_schemas.commands.experience import NoteKind
    from yggdrasil_schemas.commands.vectors import Vector

    from .engines.embedding import Embedding
    from .engines.engine import Engine

_CHUNK: Final = 500  # as many as share one durable write
_CHUNK_BYTES: Final = 2 << 20  # give or take an event; append and fold take some 20 times as much for a moment
_FIRST_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, for ``record_many``: what ``record_event`` takes, ``id``, and ``supersedes``.

    ``id`` is a UUIDv7, or a UUIDv8 derived from what is imported (``yggdrasil_schemas.ids.sourced_id``), with which the
    same event may be recorded again and is taken once; without one it gets an id of its own. ``supersedes`` is the id
    of what this holds instead of.
    """

    text: str | None = None
    features: Sequence[str] = ()
    payload: Mapping[str, Any] | None = None
    session: str | None = None
    informed_by: Sequence[str] = ()
    caused_by: Sequence[str] = ()
    at: Moment | None = None
    vector: Vector | None = None
    id: str | None = None
    key: str | None = None
    supersedes: str | None = None
    name: str | None = None
    aliases: Sequence[str] = ()
    rationale: str | None = None
    note: NoteKind | None = None


_FIELDS: Final = tuple(each.name for each in fields(Event))


class RecordManyError(YggdrasilError):
    """``record_many`` has stopped before the end; ``__cause__`` says why.

    ``ids`` are those of the events that are in the log, in their order: whoever goes on begins with the event at
    ``len(ids)``. ``refused`` holds, by their places, those of them that the memory did not take. Of ``unsure``, the
    events after them, it is not known whether they are in the log: ``resend`` each, and go on after those.
    """

    def __init__(
        self, why: str, ids: Sequence[str], refused: Mapping[int, Refused], unsure: Sequence[Draft] = ()
    ) -> None:
        told = f"{why}. In the log: {len(ids)} of the events"
        if refused:
            first = sorted(refused)[:_FIRST_SHOWN]
            shown = ", ".join(f"events.{place} ({refused[place].reason.code})" for place in first)
            told += f", {len(refused)} of them refused: {shown}{', ...' if len(refused) > _FIRST_SHOWN else ''}"
        if unsure:
            told += f"; {len(unsure)} more may be there or not, and are safe to resend"
        super().__init__(told)
        self.ids = list(ids)
        self.refused = dict(refused)
        self.unsure = list(unsure)


@dataclass(slots=True)
class _Done:
    ids: list[str] = field(default_factory=list[str])
    refused: dict[int, Refused] = field(default_factory=dict[int, Refused])


class Recordings:
    """What importers say to a memory. ``Memory`` has this method beside those of agents."""

    _drafter: Drafter
    _embedding: Embedding | None

    def _live(self) -> Engine:
        """Return the engine. Raises LogError when the memory is closed."""
        raise NotImplementedError

    def record_many(self, events: Iterable[Event | Mapping[str, Any]], *, texts_first: bool = False) -> list[str]:
        """Record events in order, hundreds with each durable write; return their ids once all is durable and folded.

        ``events`` are ``Event``s or mappings with the same fields, and are drawn as they are needed: beside the ids,
        some hundreds are held at a time. Where there is an embedder, what is said next gets its vectors, 64 texts in
        a call, while what was said before is appended and folded.

        With ``texts_first`` all texts are recorded before a vector is made: they are found by their words at once, and
        by what they mean as their vectors come, each with a command of its own. A service makes these after this has
        returned (``overview(vectors=True)`` says how many texts have one); here it returns once they are there.

        Raises RecordManyError, which says what was recorded and where to go on: for an event that is malformed, once
        those before it are recorded; for one that the memory refuses, once those that were appended with it are; and
        for what ``events``, the embedder and the log raise.
        """
        done = _Done()
        source = iter(events)
        while True:
            drafts, wrong = self._drawn(source, len(done.ids))
            self._append_all(drafts, done, texts_first=texts_first)
            if wrong is not None:
                raise RecordManyError(str(wrong).rstrip("."), done.ids, done.refused) from wrong
            if not drafts:
                break
        if texts_first and done.ids:
            self._give_vectors(done)
        return done.ids

    def _give_vectors(self, done: _Done) -> None:
        """Give the texts that have none their vectors, where they are made here. Raises RecordManyError."""
        from .engines.reading import Reading

        engine = self._live()
        if self._embedding is None or self._embedding.current.provider == "supplied" or not isinstance(engine, Reading):
            return
        from .engines.embedding import reembed

        try:
            reembed(engine, self._drafter.memory, self._embedding.current)
        except YggdrasilError as error:
            raise RecordManyError(str(error).rstrip("."), done.ids, done.refused) from error

    def _drawn(self, source: Iterator[Event | Mapping[str, Any]], first: int) -> tuple[list[Draft], Exception | None]:
        """Return the next events as drafts, up to the first that is wrong, and what is wrong with that one."""
        drafts: list[Draft] = []
        left = _CHUNK_BYTES
        try:
            while len(drafts) < _CHUNK and left > 0:
                given = next(source, None)
                if given is None:
                    break
                draft = self._draft_of(given, f"events.{first + len(drafts)}: ")
                drafts.append(draft)
                left -= len(draft.value)
        except Exception as error:  # whatever the caller's own iterator raises: what came before is recorded
            return drafts, error
        return drafts, None

    def _draft_of(self, given: Event | Mapping[str, Any], where: str) -> Draft:
        try:
            event = given if isinstance(given, Event) else _event(given)
            at = None if event.at is None else time_ms(event.at)
            return self._drafter.record_event(
                event.text,
                features=event.features,
                payload=event.payload,
                informed_by=event.informed_by,
                caused_by=event.caused_by,
                key=event.key,
                supersedes=event.supersedes,
                name=event.name,
                aliases=event.aliases,
                rationale=event.rationale,
                note=event.note,
                session=event.session,
                vector=event.vector,
                stamp=Stamp(event.id, at),
            )
        except InvalidCommandError as error:
            raise InvalidCommandError(error.reason, where + error.detail) from error

    def _append_all(self, drafts: list[Draft], done: _Done, *, texts_first: bool) -> None:
        """Append drafts, and note what became of them. Raises RecordManyError when one is refused or not appended."""
        engine = self._live()
        taken = 0
        batch: list[Draft] = []
        try:
            with closing(self._batches(engine, drafts, texts_first=texts_first)) as batches:
                for batch in batches:
                    taken = 0
                    for draft, answer in engine.submit_many(batch, texts_first=texts_first):
                        taken += 1
                        if answer is not None and answer.refused is not None:
                            done.refused[len(done.ids)] = answer.refused
                        done.ids.append(draft.id)
        except NotFoldedError as error:  # the last of its ids and all before it are in the log
            appended = frozenset(error.ids)
            end = max((at for at, draft in enumerate(batch) if draft.id in appended), default=taken - 1) + 1
            done.ids += [draft.id for draft in batch[taken:end]]
            raise RecordManyError(str(error).rstrip("."), done.ids, done.refused) from error
        except YggdrasilError as error:
            unsure = batch[taken:] if isinstance(error, LogError | NotYetError) else []
            raise RecordManyError(str(error).rstrip("."), done.ids, done.refused, unsure) from error
        if done.refused:
            first = done.refused[min(done.refused)]
            raise RecordManyError(str(first).rstrip("."), done.ids, done.refused) from CommandRefusedError(first)

    def _batches(self, engine: Engine, drafts: list[Draft], *, texts_first: bool) -> Generator[list[Draft], None, None]:
        """Yield drafts as they are to be appended: together, or as their vectors are made."""
        if self._embedding is None:
            yield drafts
            return
        from .engines.beside import as_before, completed_beside

        if texts_first:
            yield from as_before(engine, drafts)
            return
        yield from completed_beside(self._embedding, engine, drafts)


def _event(given: Mapping[str, Any]) -> Event:
    unknown = sorted(given.keys() - set(_FIELDS))
    if unknown:
        said = f"an event has the fields {', '.join(_FIELDS)}, and not {str(unknown[0])[:80]}"
        raise InvalidCommandError(Refusal.INVALID_BODY.code, said)
    return Event(**given)
