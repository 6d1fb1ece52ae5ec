"""What is imported again: what is known is not said again, what has changed takes the place of what was said.

Whatever a source has a name for is said under a key, ``import:SOURCE:NAME``. What stands under the key, or was
withdrawn last, is asked for through a port; the id follows from the source, the name, what is said, and the id of what
this source had said before under that key. So a text that goes back to what it was is said again, and so is a note that
was deleted and returns; a run that was cut off makes the same ids. What somebody else has overruled stays so while the
source says the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple, Protocol

import orjson

from yggdrasil_schemas.canonical import canonical_json
from yggdrasil_schemas.codec import encode
from yggdrasil_schemas.commands.envelope import SESSION_DEFAULT
from yggdrasil_schemas.ids import is_of, sourced_id
from yggdrasil_schemas.limits import NAME_CHARS_MAX
from yggdrasil_schemas.names import composed

from .draft import Draft, Drafter
from .stamps import Stamp

IMPORTED: Final = "import:"
"""What the key of something that was imported begins with."""
GONE: Final = "no longer in its source"
"""Why what a source no longer has is withdrawn."""
_LATELY_MAX: Final = 100_000  # keys of this run: what is in a source twice is most likely close to itself


class Named(NamedTuple):
    """What a source of imports calls something, and the key and the id of it before there was one rule for all."""

    source: str
    name: str
    former_key: str | None = None
    former_id: str | None = None

    @property
    def key(self) -> str:
        """The key: whole where a key may be so long, else with a hash of the whole."""
        whole = composed(f"{IMPORTED}{self.source}:{self.name}")
        if len(whole) <= NAME_CHARS_MAX and whole.isprintable():
            return whole
        digest = blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return f"{IMPORTED}{self.source[: NAME_CHARS_MAX // 2]}:#{digest}"


@dataclass(frozen=True, slots=True)
class NamedDraft(Draft):
    """A draft of something that its source has a name for."""

    named: Named


def called(draft: Draft, named: Named) -> NamedDraft:
    """Return the draft of something that its source calls so, under the id that it has when it is said first."""
    fields = orjson.loads(draft.value)
    own = _id_of(fields, named, says(fields), "")
    return NamedDraft(own, draft.memory, encode({**fields, "id": own}), named._replace(former_id=draft.id))


class Version(NamedTuple):
    """Something that was said: the id, whether it stands, what took that away from it, and what it says."""

    id: str
    stands: bool
    by: str | None
    said: Mapping[str, Any]


class Standing(Protocol):
    """What is asked of a memory that is imported into."""

    def under(self, key: str) -> list[Version]:
        """Return what was said under a key, the first first."""
        ...

    def called(self, command_id: str) -> Version | None:
        """Return what a command has said; None of one that is not known."""
        ...

    def keyed(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Yield the keys that begin with ``prefix`` of what stands of this source, each with the id under it."""
        ...


@dataclass(slots=True)
class Counts:
    """What came of what a source has: said for the first time, changed, known, and withdrawn for being gone."""

    of: Counter[str] = field(default_factory=Counter[str])

    @property
    def document(self) -> dict[str, int]:
        """The counts for machines."""
        return {name: self.of[name] for name in ("added", "changed", "known", "withdrawn")}


class Again:
    """Goes through the drafts of one import, and passes on what is to be said."""

    def __init__(self, drafter: Drafter, standing: Standing | None, called: str | None = None) -> None:
        """``standing`` is None where nothing can be read: then an id follows from what is said alone.

        ``called`` is a name for the source, where there are several of one sort.
        """
        self._drafter = drafter
        self._standing = standing
        self._called = called
        self.counts = Counts()
        self.said: dict[str, Version] = {}
        """What is said under which key, where somebody has to keep that; see ``keeping``."""
        self.keeping = False
        self._lately: dict[str, Version] = {}
        self._ids: dict[str, str] = {}  # of what a draft was called, what it is now
        self._names: set[bytes] = set()

    def passed_on(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Yield the drafts that are to be appended, with their ids."""
        for draft in drafts:
            found = self._one(draft)
            if found is not None:
                yield found

    def gone(self, sort: str) -> Iterator[Draft]:
        """Yield what withdraws what stands of a source of this sort and was in no draft."""
        if self._standing is None:
            return
        source = sort if self._called is None else f"{sort}/{self._called}"
        for key, ref in list(self._standing.keyed(f"{IMPORTED}{source}:")):
            if _short(key) not in self._names:
                self.counts.of["withdrawn"] += 1
                stamp = Stamp(self._drafter.derived_id("gone", ref))
                draft = self._drafter.judge({ref: "reject"}, reason=GONE, stamp=stamp)
                if self.keeping:
                    self.said[key] = self._standing.under(key)[-1]._replace(stands=False, by=draft.id)
                yield draft

    def _one(self, draft: Draft) -> Draft | None:
        if not isinstance(draft, NamedDraft):
            return self._with_evidence(draft)
        named = draft.named
        fields = orjson.loads(draft.value)
        said = says(fields)
        if self._called is not None and fields["body"]["key"] == named.key:  # else it is a key that a door shares
            named = named._replace(source=f"{named.source}/{self._called}")
            fields["body"]["key"] = named.key
        key: str = fields["body"]["key"]
        self._names.add(_short(key))
        before, superseded = self._before(named, key, draft.id)
        if before and _is_known(before[-1], said, self._source):
            self.counts.of["known"] += 1
            self._note(draft.id, before[-1].id)
            return None
        self.counts.of["changed" if before else "added"] += 1
        own = _id_of(fields, named, said, before[-1].id if before else "")
        body = fields["body"] | ({"supersedes": superseded} if superseded else {})
        self._note(draft.id, own)
        if len(self._lately) >= _LATELY_MAX:
            self._lately.pop(next(iter(self._lately)))
        self._lately[key] = Version(own, stands=True, by=None, said=said)
        if self.keeping:
            self.said[key] = self._lately[key]
        return replace(draft, id=own, value=encode({**fields, "id": own, "body": body}))

    @property
    def _source(self) -> str:
        return composed(self._drafter.source)

    def _before(self, named: Named, key: str, former: str) -> tuple[list[Version], str | None]:
        """Return what this source has said of it, the first first, and what of that has to be superseded by its id."""
        if key in self._lately:
            return [self._lately[key]], None
        if self._standing is None:
            return [], None
        found = self._ours(self._standing.under(key))
        if found:
            return found, None
        if named.former_key is not None:
            found = self._ours(self._standing.under(named.former_key))
        if not found:
            one = self._standing.called(named.former_id or former)
            found = [one] if one is not None else []
        return found, found[-1].id if found and found[-1].stands else None

    def _ours(self, versions: list[Version]) -> list[Version]:
        return [each for each in versions if is_of(self._source, each.id)]

    def _with_evidence(self, draft: Draft) -> Draft:
        """Return a draft that goes by the ids that what it is evidence of has by now."""
        fields = orjson.loads(draft.value)
        evidence: list[str] = fields["body"].get("evidence") or []
        now = [self._ids.get(each, each) for each in evidence]
        if now == evidence:
            return draft
        own = sourced_id(self._source, "import-evidence", draft.id, *now)
        return replace(draft, id=own, value=encode({**fields, "id": own, "body": {**fields["body"], "evidence": now}}))

    def _note(self, draft: str, now: str) -> None:
        if len(self._ids) >= _LATELY_MAX:
            self._ids.pop(next(iter(self._ids)))
        self._ids[draft] = now


def _id_of(fields: Mapping[str, Any], named: Named, said: Mapping[str, Any], before: str) -> str:
    """Return the id of what a source says under a name, after what it has said ``before``."""
    digest = blake2b(canonical_json(said), digest_size=16).hexdigest()
    return sourced_id(fields["source"], IMPORTED, named.source, named.name, digest, before)


def says(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a command says, as far as it makes another saying: its content but for vectors, features, session."""
    content: Mapping[str, Any] = fields.get("content") or {}
    body: Mapping[str, Any] = fields["body"]
    said = {
        "text": content.get("text"),
        "payload": content.get("payload") or None,
        "name": content.get("name"),
        "aliases": list(content.get("aliases") or ()),
        "rationale": content.get("rationale"),
        "features": list(body.get("features") or ()),
        "note": body.get("note"),
        "session": None if fields.get("session") == SESSION_DEFAULT else fields.get("session"),
    }
    return {name: value for name, value in said.items() if value not in (None, [])}


def _is_known(last: Version, said: Mapping[str, Any], source: str) -> bool:
    """Return whether it is known that a source says this: it stands, or somebody else has overruled it."""
    withdrawn_here = not last.stands and last.by is not None and is_of(source, last.by)
    return dict(last.said) == dict(said) and not withdrawn_here


def _short(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=8).digest()
