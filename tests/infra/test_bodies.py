"""Long texts in a body of JSON are cut as they arrive: what is left is JSON, and longer than anything that is taken."""

import json
from random import Random
from typing import Any

import pytest

from yggdrasil_infra.http.bodies import TEXT_BYTES_MAX, TEXTS_BYTES_MAX, Texts
from yggdrasil_infra.http.problems import ProblemError
from yggdrasil_schemas.limits import RECORD_BYTES_MAX, TEXT_CHARS_MAX

LEFT = 50
SIGNS = ["a", '"', "\\", "\n", "é", "\U0001f600", "\x01", "漢", "u", "\ud83d", "{", "[", ","]


def text(rng: Random, length: int) -> str:
    return "".join(rng.choice(SIGNS) for _ in range(length))


def value(rng: Random, depth: int = 0) -> Any:
    kind = rng.randrange(6)
    if kind < 3 or depth > 3:
        return text(rng, rng.choice([0, 1, 5, 19, 20, 21, 40, 100]))
    if kind == 3:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind == 4:
        return {text(rng, 3): value(rng, depth + 1) for _ in range(rng.randrange(4))}
    return rng.choice([1, None, True, 2.5])


def cut(body: bytes, rng: Random, text_max: int = LEFT) -> bytes:
    texts, found, at = Texts(text_max=text_max), b"", 0
    while at < len(body):
        size = rng.choice([1, 1, 2, 3, 7, 100])
        found += texts.cut(body[at : at + size])
        at += size
    return found + texts.rest


def check(found: Any, sent: Any) -> None:
    if isinstance(sent, str):
        assert sent.startswith(found)
        longest = max(len(json.dumps(sent)), len(sent.encode("utf-8", "surrogatepass")) + 2)
        assert found == sent or longest > LEFT
    elif isinstance(sent, list):
        for one, other in zip(found, sent, strict=True):
            check(one, other)
    elif isinstance(sent, dict):
        assert found.keys() == sent.keys()
        for name in sent:
            check(found[name], sent[name])
    else:
        assert found == sent


@pytest.mark.parametrize("seed", range(300))
def test_whatever_is_sent_stays_json_with_its_texts_cut(seed: int) -> None:
    rng = Random(f"bodies{seed}")
    for _ in range(5):
        sent = value(rng)
        body = json.dumps(sent, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
        check(json.loads(cut(body, rng).decode("utf-8", "surrogatepass")), sent)


@pytest.mark.parametrize("sign", ["x", "é", "\U0001f600", "\n", "\x01", '"'])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_what_is_left_of_a_text_is_longer_than_any_that_is_taken(sign: str, ascii_only: bool) -> None:
    body = json.dumps({"text": sign * 2_000_000}, ensure_ascii=ascii_only).encode()
    texts = Texts()
    found = b"".join(texts.cut(body[at : at + 65_536]) for at in range(0, len(body), 65_536)) + texts.rest
    left = json.loads(found)["text"]
    assert len(left) > TEXT_CHARS_MAX and len(json.dumps(left, ensure_ascii=False).encode()) > RECORD_BYTES_MAX
    assert len(found) <= TEXT_BYTES_MAX + 20


def test_a_body_has_a_bound_all_the_same() -> None:
    texts = Texts()
    part = b'"' + b"x" * (1 << 20)
    with pytest.raises(ProblemError):
        for _ in range(TEXTS_BYTES_MAX // len(part) + 2):
            texts.cut(part)
