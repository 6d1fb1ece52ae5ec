"""Requests by chance, over the OpenAPI document and far beyond it: the same ones for the same seed."""

from base64 import b64encode
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

import orjson

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get")
JSON = "application/json"
TYPES = (JSON, "Application/JSON; charset=latin-1", "text/plain", "", f"{JSON}, text/html", "\xff/\x80", JSON * 9)
LETTERS = "aZ0 .-_:/\\\"'%{}[]<>\x00\x01\x7f\n\r\t\u00e9\u0308\u202e\u2028\ufeff\uffff\U0001f600\u0130\u1e9e"
POISON: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 2**64 - 1, -(2**63), 0.5, -0.0, 1e308, 5e-324, "", " ", "\x00",
    "\ud800", "a" * 200, "a" * 140_000, "..", "../../etc", "%s%n", "feature:", "null", "NaN", [], {}, [[]], {"": {}},
    "2026-13-45", "9999999999999-0", "0-0", "0-99999999999999999999", "\U0001f600" * 70, "e\u0301" * 65,
)  # fmt: skip
RAW = (
    b"NaN", b"-Infinity", b"1e999", b"[" * 5_000, b'{"a":' * 500, b'"\\ud800"', b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b'{"type":"record_event","type":"sleep","body":{}}', b"9" * 5_000, b'"\xed\xa0\x80"', b"{}{}", b"\x00", b"",
)  # fmt: skip
HEADERS = (
    b"Content-Encoding: gzip", b"Content-Length: 5", b"Content-Length: -1", b"Content-Length: 99999999999999999999",
    b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip, chunked", b"Expect: 100-continue", b"Expect: \xff",
    b"Upgrade: websocket\r\nConnection: Upgrade", b"Connection: close", b"Host: [::1", b"Host: \xff", b"Accept: \x01",
    b"X-Request-Id: \xc3\xa9", b"Authorization: Bearer", b"Authorization: Basic Og==", b"Authorization: \xff\xfe",
    b"Origin: null", b"Range: bytes=0-1", b"Cookie: " + b"a=b;" * 900, b"A: " + b"b" * 20_000, b" folded", b"NoColon",
    b"Accept: application/openmetrics-text; version=1.0.0; q=x", b"Content-Type: " + b"a" * 9_000, b"X\x00: 1", b":",
)  # fmt: skip


class Requests:
    """Draws requests. ``names`` are values that mean something where they are sent to: ids, references, receipts."""

    def __init__(self, rng: Random, document: dict[str, Any], keys: list[str], memory: str, names: list[str]) -> None:
        self._rng = rng
        self._shapes = document["components"]["schemas"]
        self._operations = [
            (method.upper(), path, operation)
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ]
        self._keys = keys
        self._tenant, self._agent = memory.split("/")
        self._names = names

    def whole(self) -> bytes:
        """A request that is one by HTTP, and of which anything may be wrong but that."""
        rng = self._rng
        method, path, operation = rng.choice(self._operations)
        target = self._target(path, operation)
        body = self._body(operation)
        if rng.random() < 0.03:
            method = rng.choice(METHODS[:7])
        if rng.random() < 0.02:
            target = "/" + quote(self._text(), safe=rng.choice(("", "/?&=%")))
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        if rng.random() < 0.98:
            lines.append(f"Authorization: Bearer {rng.choice(self._keys)}")
        if body is not None:
            lines.append(f"Content-Type: {JSON if rng.random() < 0.97 else rng.choice(TYPES)}")
            chunked = rng.random() < 0.1
            lines.append("Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}")
            body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked and body else body
            body = body or (b"0\r\n\r\n" if chunked else b"")
        return "\r\n".join((*lines, "", "")).encode("latin-1") + (body or b"")

    def broken(self) -> bytes:
        """Bytes that may be no request at all, or several."""
        rng = self._rng
        data = bytearray(self.whole()[:70_000])
        how: tuple[Callable[[bytearray], object], ...] = (
            lambda it: it.__delitem__(slice(rng.randrange(len(it)), None)),
            lambda it: it.__setitem__(rng.randrange(len(it)), rng.randrange(256)),
            lambda it: it.__setitem__(rng.randrange(min(200, len(it))), rng.randrange(256)),
            lambda it: it.insert(rng.randrange(min(200, len(it))), rng.choice(b"\x00\r\n :\xff")),
            lambda it: it.__setitem__(slice(rng.randrange(len(it)), None), rng.randbytes(rng.randrange(400))),
            lambda it: it.extend(self.whole()),
            self._with_header,
            lambda it: it.__setitem__(slice(0, it.index(b" ")), rng.choice(METHODS).encode()),
            lambda it: it.__setitem__(slice(0, it.index(b"\r")), rng.randbytes(rng.randrange(60))),
        )
        for _ in range(rng.randrange(1, 4)):
            if len(data) > 300:
                try:
                    rng.choice(how)(data)
                except ValueError:  # what should be changed is not there any more
                    continue
        return bytes(data)

    def _with_header(self, data: bytearray) -> None:
        at = data.index(b"\r\n") + 2
        data[at:at] = self._rng.choice(HEADERS) + b"\r\n"

    def _target(self, path: str, operation: dict[str, Any]) -> str:
        rng = self._rng
        asked: list[str] = []
        for each in operation.get("parameters", ()):
            name, place = each["name"], each["in"]
            if name in ("tenant", "agent") and rng.random() < 0.97:
                value: Any = self._tenant if name == "tenant" else self._agent
            else:
                value = self._value(each["schema"]) if rng.random() < 0.85 else self._poison()
            said = quote(str(value).encode(errors="surrogatepass")[:3_000], safe=rng.choice(("", ":")))
            if place == "path":
                path = path.replace(f"{{{name}}}", said or "x")
            elif place == "query" and (each.get("required") or rng.random() < 0.5):
                asked += [f"{name}={said}"] * (1 if rng.random() < 0.97 else 2)
        if rng.random() < 0.03:
            asked.append(rng.choice(("unknown=1", "%00=%ff", "&&=", "count=1;count=2", "before=%zz", "session=+%20+")))
        return path + ("?" + "&".join(asked) if asked else "")

    def _body(self, operation: dict[str, Any]) -> bytes | None:
        rng = self._rng
        said = operation.get("requestBody")
        if said is None:
            return rng.choice(RAW) if rng.random() < 0.01 else None
        if rng.random() < 0.03:
            return rng.choice(RAW)
        value = self._value(said["content"][JSON]["schema"])
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            value = self._spoilt(value)
        try:
            data = orjson.dumps(value)
        except (orjson.JSONEncodeError, TypeError):
            return rng.choice(RAW)
        if rng.random() < 0.03:
            at = rng.randrange(len(data))
            data = data[:at] + rng.choice((b"", b"\xff", rng.choice(RAW))) + data[at + rng.randrange(3) :]
        return data

    def _spoilt(self, value: Any) -> Any:
        """``value`` with something else in one place of it, one more, or one less."""
        rng = self._rng
        if isinstance(value, dict) and value and rng.random() < 0.85:
            found = dict(value)
            name = rng.choice(list(found))
            match rng.randrange(6):
                case 0:
                    del found[name]
                case 1:
                    found[self._text()[:40].encode(errors="replace").decode()] = self._poison()
                case _:
                    found[name] = self._spoilt(found[name])
            return found
        if isinstance(value, list) and value and rng.random() < 0.7:
            items = list(value)
            at = rng.randrange(len(items))
            items[at] = self._spoilt(items[at])
            return items * rng.choice((1, 1, 1, 40))
        return self._poison()

    def _value(self, shape: dict[str, Any], depth: int = 0) -> Any:
        """A value of a shape; its patterns are met only by chance, or by what is known to mean something."""
        rng = self._rng
        if "$ref" in shape:
            return self._value(self._shapes[shape["$ref"].rsplit("/", 1)[1]], depth)
        if "const" in shape:
            return shape["const"]
        if "enum" in shape:
            return rng.choice(shape["enum"])
        for several in ("anyOf", "oneOf"):
            if several in shape:
                return self._value(rng.choice(shape[several]), depth)
        match shape.get("type"):
            case "object":
                return self._object(shape, depth)
            case "array":
                count = rng.randrange(shape.get("minItems", 0), min(shape.get("maxItems", 6), 6) + 1)
                return [self._value(shape.get("items", {}), depth + 1) for _ in range(count)]
            case "integer":
                low, high = int(shape.get("minimum", -5)), int(shape.get("maximum", 2**53))
                return rng.choice((low, high, low + 1, rng.randrange(low, min(high, low + 300) + 1)))
            case "number":
                return rng.uniform(shape.get("minimum", -20.0), shape.get("maximum", 20.0))
            case "boolean":
                return rng.random() < 0.5
            case "null":
                return None
            case "string":
                return self._string(shape)
        return self._poison()

    def _object(self, shape: dict[str, Any], depth: int) -> dict[str, Any]:
        rng = self._rng
        needed = shape.get("required", ())
        found = {
            name: self._value(part, depth + 1)
            for name, part in shape.get("properties", {}).items()
            if name in needed or rng.random() < (0.4 if depth < 4 else 0.1)
        }
        if shape.get("additionalProperties") not in (None, False) and rng.random() < 0.3:
            found["more"] = self._poison()
        return found

    def _string(self, shape: dict[str, Any]) -> str:
        rng = self._rng
        if shape.get("contentEncoding") == "base64" or rng.random() < 0.02:
            return b64encode(rng.randbytes(rng.choice((0, 6, 64)))).decode()
        if "pattern" in shape or rng.random() < 0.3:
            return rng.choice(self._names)
        return self._text()[: shape.get("maxLength", 200)] or "a"

    def _text(self) -> str:
        rng = self._rng
        if rng.random() < 0.5:
            return " ".join(rng.choices(("deploy", "friday", "outage", "who", "why", "m1"), k=rng.randrange(1, 9)))
        return "".join(rng.choices(LETTERS, k=rng.randrange(30)))

    def _poison(self) -> Any:
        return self._rng.choice(POISON) if self._rng.random() < 0.7 else self._rng.choice(self._names)
