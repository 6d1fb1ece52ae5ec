"""Requests to a query service: connections that are kept, problems as errors, and what is safe to send again."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.metadata import version
from threading import Event
from time import monotonic
from typing import Any, Final, cast
from urllib.parse import quote, urlsplit

import httpx2
import orjson

from yggdrasil_infra.forking import in_child
from yggdrasil_infra.http.callers import spoken
from yggdrasil_infra.log import LogError, Receipt
from yggdrasil_producers.draft import Draft
from yggdrasil_producers.gateway.appends import BATCH_BYTES_MAX, BATCH_MAX, FIELDS
from yggdrasil_projections.graph.fold import Answer
from yggdrasil_projections.retrieval.errors import (
    READ_ERRORS,
    InvalidAskError,
    NotReadyError,
    NotYetError,
    UnknownActionError,
    UnknownNodeError,
)
from yggdrasil_projections.retrieval.past.forks import CannotForkError, ForkDiffersError, ForkThereError
from yggdrasil_projections.retrieval.past.moment import BeingBuiltError, NoSuchMomentError
from yggdrasil_schemas.errors import InvalidCommandError, YggdrasilError
from yggdrasil_schemas.problems import FORBIDDEN, ExitCode
from yggdrasil_schemas.refusals import Refusal, Refused

_CONNECT_S: Final = 5.0
_ANSWER_S: Final = 60.0  # beyond what the service itself lets a request wait
_CONNECTIONS_MAX: Final = 64
_KEPT_S: Final = 20.0  # less than most servers and proxies keep one, so that few are closed under us
_PATIENCE_S: Final = 30.0  # with a service that is busy
_PAUSE_S: Final = 1.0
_WAIT: Final = Event()  # never set
_PROBLEM: Final = "urn:yggdrasil:problem:"
_OF_FORKS: Final = (ForkThereError, ForkDiffersError, CannotForkError)
_TOLD: Final[tuple[type[YggdrasilError], ...]] = (*READ_ERRORS, NoSuchMomentError, BeingBuiltError, *_OF_FORKS)
_ERRORS: Final = {each.kind.name: each for each in _TOLD}
_NOT_CONNECTED: Final = (httpx2.ConnectError, httpx2.ConnectTimeout)
_OF_PLAIN: Final = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")  # how OpenSSL says that what answers speaks no TLS
_SHOWN_CHARS: Final = 80
_LABEL_CHARS_MAX: Final = 63  # a longer part of a host's name cannot be looked up, nor an empty one
_KEY: Final = re.compile("ygg_[0-9a-f]+_")  # how a key begins
_ASKED: Final = re.compile("([?#]).+", re.DOTALL)
_NOT_THERE: Final = "it is of another release"
_NO_PATH: Final = f"give its URL without a path, unless a proxy wants one; or {_NOT_THERE}"
_NO_KEY: Final = (
    "takes a key, and was given none: give it in YGGDRASIL_KEY, or by --key-file where a command has that; "
    "`yggdrasil key new` makes one"
)
_WRONG_KEY: Final = (
    "does not know the key that it was given (in YGGDRASIL_KEY, unless a program or --key-file names another): it may "
    "be another service's, have ended or have been taken back; `yggdrasil key new` makes one"
)
_HEADER: Final = "Authorization"  # of which the service speaks to who has no key that it knows
_HALF: Final = "a text of it holds half of a character (a lone surrogate), which nothing can send: leave it out"


class ServiceError(YggdrasilError):
    """The service cannot do what was asked. ``problem`` is the name of the kind, ``status`` that of HTTP."""

    def __init__(self, problem: str, status: int, message: str) -> None:
        super().__init__(message)
        self.problem = problem
        self.status = status


class AccessError(ServiceError):
    """The key opens nothing, or not this."""

    def ends(self) -> tuple[ExitCode, str]:
        """Return that a command ends with no access: nothing is broken, and to try again is in vain."""
        return ExitCode.NO_ACCESS, self.problem


class NoKeyError(AccessError):
    """What was given as a key can be none; nothing was sent. The message does not show it."""

    kind = replace(FORBIDDEN, code="no_key")

    def __init__(self, *_: object) -> None:
        super().__init__(
            "no_key",
            FORBIDDEN.status,
            "what was given as the key (YGGDRASIL_KEY, unless the program names another) can be none: it is one word "
            "without quotes, as `yggdrasil key new` printed it",
        )

    def ends(self) -> tuple[ExitCode, str]:
        """Return that a command ends with wrong usage: no service was asked."""
        return ExitCode.USAGE, self.problem


class ServiceAwayError(LogError):
    """No service answers. What was sent may have been taken all the same; a command is safe to send again."""


Parameters = Mapping[str, str | int | float | Sequence[str] | None]
"""The parameters of a request; None: left out, several: each given."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request about a memory, or about none: a GET, or a POST of ``sent``.

    ``again`` says whether it may be sent twice; unless it says so a GET may, and a POST not. ``ref`` and ``after`` are
    what errors will speak of, ``by`` the headers that say in whose name it is sent, and whether without a trace. Of one
    that is ``watched`` whoever asks hears each time how far what it asks for is built, and asks again.
    """

    memory: str
    path: str
    query: Parameters = field(default_factory=dict[str, Any])
    sent: Mapping[str, Any] | None = None
    again: bool | None = None
    ref: str = ""
    after: Receipt | None = None
    by: Mapping[str, str] = field(default_factory=dict[str, str])
    watched: bool = False

    @property
    def url(self) -> str:
        """The path of the request."""
        if not self.memory and self.path:  # of none in particular
            return f"/v1{self.path}"
        memory = "/".join(quote(part, safe="") for part in self.memory.split("/", 1))
        return f"/v1/memories{'/' if memory else ''}{memory}{self.path}"


def plain_key(given: str) -> str | None:
    """Return a key as it is sent, without the blanks and lines around it; None for what can be none."""
    plain = given.strip()
    return plain if plain.isascii() and plain.isprintable() and len(plain.split()) == 1 else None


def no_address(url: str) -> str | None:
    """Return why ``url`` is no address of a service; None where it is one. No key that stands in it is shown."""
    if "@" in url or _KEY.search(url):
        return "a name or a key stands in the service's URL: write http://HOST:PORT, and give the key in YGGDRASIL_KEY"
    shown = _ASKED.sub(r"\1...", url)[:_SHOWN_CHARS]  # what is asked of a service may be a key
    told = f"{shown!r} is no URL of a service; write http://HOST:PORT"
    try:
        parts = urlsplit(url)
        port = parts.port
        host = httpx2.URL(url).raw_host.decode()
    except (ValueError, httpx2.InvalidURL) as error:
        return f"{told} ({error})"
    plain = url.startswith(("http://", "https://")) and url.isprintable() and " " not in url
    named = all(0 < len(each) <= _LABEL_CHARS_MAX for each in host.removesuffix(".").split("."))
    return None if plain and named and port != 0 and not parts.query and not parts.fragment else told


class ServiceClient:
    """Sends requests and returns the bodies of their answers. Safe to use from several threads."""

    def __init__(
        self,
        url: str,
        key: str | None,
        transport: httpx2.BaseTransport | None = None,
        where: str | None = None,
        patience_s: float | None = None,
    ) -> None:
        """Connect when something is sent: as ``url`` says, or through ``transport``, which is closed with this.

        ``where`` is what errors call the service, the URL unless given. For ``patience_s``, 30 unless given, a request
        is sent again while the service says that it is busy. Blanks and lines around a key are no part of it, as a
        file or a secret may end with them. Raises NoKeyError, and InvalidAskError for what is no URL of a service.
        """
        if (said := no_address(url)) is not None:
            raise InvalidAskError(said)
        self._patience_s = _PATIENCE_S if patience_s is None else patience_s
        self._url = where or url.rstrip("/")
        self._keyed = key is not None
        self._not_there = _NO_PATH if where is None else _NOT_THERE
        headers = {"User-Agent": f"yggdrasil/{version('yggdrasil-substrate')}"}
        if key is not None:
            if (usable := plain_key(key)) is None:
                raise NoKeyError  # a client of HTTP that is given it all the same may show it
            headers["Authorization"] = f"Bearer {usable}"
        self._connected = partial(
            httpx2.Client,
            transport=transport,
            # Where nothing is encrypted, no certificate is trusted either: to load them takes as long as a request.
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.startswith("http:") else True,
            base_url=url.rstrip("/"),
            headers=headers,
            timeout=httpx2.Timeout(_ANSWER_S, connect=_CONNECT_S),
            limits=httpx2.Limits(max_connections=_CONNECTIONS_MAX, keepalive_expiry=_KEPT_S),
        )
        self._client = self._connected()
        in_child(self, ServiceClient._anew)

    def send(self, asked: Asked) -> bytes:
        """Return the body of a good answer. Raises what the service says is wrong, and ServiceAwayError."""
        answer = self._patiently(asked)
        if answer.is_success:
            return answer.content
        raise self.wrong(asked, _problem(answer), answer.status_code)

    def look(self, asked: Asked, missing: str) -> bytes | None:
        """Return the body of a good answer, None for the problem ``missing``. Raises as ``send`` does."""
        answer = self._patiently(asked)
        if answer.is_success:
            return answer.content
        if _problem(answer).get("type") == _PROBLEM + missing:
            return None
        raise self.wrong(asked, _problem(answer), answer.status_code)

    def close(self) -> None:
        """Close all connections. Closing twice is allowed."""
        self._client.close()

    def _anew(self) -> None:
        """Begin with no connection in a forked process: an answer on its parent's would be the parent's."""
        if not self._client.is_closed:
            self._client = self._connected()

    def _patiently(self, asked: Asked) -> httpx2.Response:
        """Send, and send again while the service says that it is busy, for as long as it asks for."""
        until = monotonic() + self._patience_s
        while True:
            answer = self._once(asked)
            if answer.status_code not in {429, 503} or (asked.watched and _is(answer, BeingBuiltError)):
                return answer
            asked_for = answer.headers.get("Retry-After", "")
            pause = float(asked_for) if asked_for.isdigit() else _PAUSE_S
            if monotonic() + pause > until:
                return answer
            _WAIT.wait(pause)

    def _once(self, asked: Asked) -> httpx2.Response:
        if self._client.is_closed:
            raise LogError(f"the connection to {self._url} is closed")
        request: dict[str, Any] = {"params": {name: value for name, value in asked.query.items() if value is not None}}
        method, headers = "GET", dict(asked.by)
        if asked.sent is not None:
            method = "POST"
            request["content"] = _json(asked.sent)
            headers["Content-Type"] = "application/json"
        for attempt in (1, 2):
            try:
                return self._client.request(method, asked.url, headers=headers, **request)
            except UnicodeEncodeError as error:
                raise InvalidAskError(_HALF) from error
            except httpx2.InvalidURL as error:
                raise InvalidAskError(f"it cannot be asked over HTTP: {error}") from error
            except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError) as error:
                # A connection that was kept may be closed by the other side just now.
                if attempt == 2 or not (method == "GET" if asked.again is None else asked.again):
                    raise self._away(error) from error
            except httpx2.HTTPError as error:
                raise self._away(error, nothing_sent=attempt == 1 and isinstance(error, _NOT_CONNECTED)) from error
        raise ServiceAwayError(f"no service answers at {self._url}")

    def _away(self, error: Exception, *, nothing_sent: bool = False) -> ServiceAwayError:
        told = f"no service answers at {self._url} ({error}); see whether `yggdrasil serve` runs there"
        if any(each in str(error) for each in _OF_PLAIN):
            told = f"what answers at {self._url} speaks no TLS: write http:// instead"
        if nothing_sent:
            return ServiceAwayError(told)
        return ServiceAwayError(
            f"{told}. What was sent may have been taken all the same; a command is safe to send again under its id"
        )

    def wrong(self, asked: Asked, problem: Mapping[str, Any], status: int) -> YggdrasilError:
        """Return the error that a problem is."""
        name = str(problem.get("type", "")).removeprefix(_PROBLEM)
        detail = str(problem.get("detail") or f"{self._url} answers {status}, and not in our words")
        told = f"{detail}. {problem.get('remedy', '')}".strip()
        about = problem.get("arguments")
        known: dict[str, Any] = {"memory": asked.memory, "ref": asked.ref}
        known |= cast(dict[str, Any], about) if isinstance(about, dict) else {}
        if asked.after is not None:
            known.setdefault("after", {"partition": asked.after.partition, "offset": asked.after.offset})
        match name:
            case "invalid" if asked.ref and detail.startswith("path.ref: "):  # as where the directory itself is asked
                return UnknownNodeError(asked.memory, asked.ref)
            case "invalid" if asked.ref and detail.startswith("path.id: ") and asked.path.startswith("/actions/"):
                return UnknownActionError(f"{asked.memory}: no recorded event has the id {asked.ref}; check the id")
            case "invalid" if problem.get("reason"):
                return InvalidCommandError.received(detail, {"reason": problem["reason"]})
            case "unauthenticated" if _HEADER in told:  # else it says more of the key, as that it has expired
                return AccessError(name, status, f"{self._url} {_WRONG_KEY if self._keyed else _NO_KEY}")
            case "unauthenticated" | "forbidden":
                return AccessError(name, status, told)
            case "not_ready" | "busy" | "too_many_requests":
                away = asked.sent is not None and asked.again  # a command: its log is away
                return ServiceAwayError(told) if away else NotReadyError(told)
            case "not_found":  # of a service of ours, which has no such path
                return ServiceError(name, status, f"{self._url} serves nothing at {asked.url}: {self._not_there}")
            case _ if name in _ERRORS:
                try:
                    return _ERRORS[name].received(detail, known | {"where": self._url})
                except (AttributeError, KeyError, TypeError, ValueError):  # of another release, or of none of ours
                    return ServiceError(name, status, told)
            case _:
                return ServiceError(name, status, told)


def _json(sent: Mapping[str, Any]) -> bytes:
    """Return what is sent. Raises InvalidAskError for what JSON does not have."""
    try:
        return orjson.dumps(sent)
    except TypeError as error:
        raise InvalidAskError(_HALF if "surrogates" in str(error) else f"it cannot be sent as JSON: {error}") from error


def _is(answer: httpx2.Response, kind: type[YggdrasilError]) -> bool:
    """Whether an answer is the problem that an error is."""
    return _problem(answer).get("type") == kind.kind.uri


def _problem(answer: httpx2.Response) -> dict[str, Any]:
    try:
        found = orjson.loads(answer.content)
    except orjson.JSONDecodeError:  # of a proxy, for one
        return {}
    return cast(dict[str, Any], found) if isinstance(found, dict) else {}


def body_of(record: bytes) -> dict[str, Any]:
    """Return what a request says of a command: all but what the service stamps."""
    fields = orjson.loads(record)
    return {name: fields[name] for name in FIELDS if name in fields}


def spoken_of(record: bytes) -> dict[str, str]:
    """Return the headers that say in whose name a command is sent, as it is stamped."""
    fields = orjson.loads(record)
    return spoken(fields["source"], fields["process"], fields["origin"])


def batches(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    """Yield as many commands at a time as one request may hold; what is sent of one is shorter than its record."""
    batch: list[Draft] = []
    left = BATCH_BYTES_MAX
    for draft in drafts:
        if batch and (len(batch) == BATCH_MAX or len(draft.value) > left):
            yield batch
            batch, left = [], BATCH_BYTES_MAX
        batch.append(draft)
        left -= len(draft.value)
    if batch:
        yield batch


def answer_of(draft: Draft, answer: dict[str, Any]) -> Answer:
    """Return what the fold said of a command. Raises NotYetError when the service does not know it yet."""
    if answer["accepted"] is None:
        raise NotYetError(Receipt.parsed(answer["receipt"]), None)
    known = bool(answer.get("known"))  # a service from before it said so does not
    if answer["accepted"]:
        return Answer(draft.memory, draft.id, answer["seq"], duplicate=known)
    reason = Refusal[answer["reason"].upper()]
    detail = str(answer["detail"]).removesuffix(reason.sentence).removesuffix(". ")
    return Answer(draft.memory, draft.id, refused=Refused(reason, detail), duplicate=known)


def quoted(part: str) -> str:
    """Return a part of a path, with nothing in it that would end that part."""
    return quote(part, safe="")
