"""What is told where a key or an address is wrong: what is the matter, what to do, and never the key."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.doors.mcp.speaking import talking_to
from tests.service.conftest import LOOPBACK
from yggdrasil import Memory
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.service_client import AccessError, Asked, ServiceClient, ServiceError, no_address
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_projections.retrieval.errors import InvalidAskError
from yggdrasil_schemas.errors import YggdrasilError

SECRET = "ygg_0123456789ab_secret"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """A service, and the keys of another tenant and of a reader beside those that are none of its."""
    file = tmp_path / "keys.json"
    keys = {
        "other": new_key(file, "other", ["append", "read"], "stranger")[1],
        "reader": new_key(file, "acme", ["read"], "reader")[1],
        "expired": new_key(file, "acme", ["append"], "expired", expires_ms=1)[1],
        "wrong": SECRET,
        "empty": "",
    }
    with Embedded(tmp_path / "data") as engine, Serving(engine, Service(LOOPBACK, Keys(file), rate=0)) as it:
        yield it.url, keys


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("wrong", "does not know the key that it was given (in YGGDRASIL_KEY"),
        ("empty", "takes a key, and was given none: give it in YGGDRASIL_KEY"),
        ("expired", "has expired at 1970-01-01T00:00:00+00:00. Ask whoever runs the service for a new one"),
        ("other", "this key is not for this memory. Use a key of this tenant"),
        ("reader", "takes a key with the role append"),
    ],
)
def test_a_key_that_does_not_open_it(house: tuple[str, dict[str, str]], which: str, said: str) -> None:
    url, keys = house
    with Memory.connect(url, memory="acme/ana", key=keys[which]) as memory:
        with pytest.raises(AccessError) as told:
            memory.record_event("x")
        assert said in str(told.value)
        with talking_to(memory) as assistant:
            heard = assistant.refused("remember", text="x")
    assert said in heard and "Authorization" not in heard
    assert not keys[which] or keys[which] not in heard + str(told.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"http://user:{SECRET}@127.0.0.1:1", "give the key in YGGDRASIL_KEY"),
        ("http://", "is no URL of a service; write http://HOST:PORT"),
        ("http://127.0.0.1:99999", "is no URL of a service; write http://HOST:PORT (Port out of range"),
        ("http://127.0.0.1:8787?key=1", "is no URL of a service"),
        (f"http://127.0.0.1:1/?key={SECRET[4:]}", "'http://127.0.0.1:1/?...' is no URL of a service"),
        (f"http://{SECRET}:1", "give the key in YGGDRASIL_KEY"),
        (f"http://127.0.0.1:{SECRET}", "give the key in YGGDRASIL_KEY"),
        ("http://127.0.0.1:1\n", "is no URL of a service"),
        ("http://a b:1", "is no URL of a service"),
        ("http://a..b:1", "is no URL of a service"),
        ("http://[::1", "is no URL of a service"),
    ],
)
def test_what_is_no_address(url: str, said: str) -> None:
    with pytest.raises(InvalidAskError) as told:
        Memory.connect(url, memory="acme/ana", key=SECRET)
    assert said in str(told.value) and SECRET[4:] not in str(told.value)
    assert no_address(url) == str(told.value)


@pytest.mark.parametrize("url", [" http://127.0.0.1:1", "HTTP://127.0.0.1:1", "127.0.0.1:1", SECRET])
def test_what_a_command_refuses_as_no_address(url: str) -> None:
    assert SECRET not in str(no_address(url))


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1]:9465",
        "http://Host/",
        "https://host",
        "https://host/yggdrasil/",
        "https://h/ygg_1",
        "http://ü.example",
    ],
)
def test_what_is_an_address(url: str) -> None:
    assert no_address(url) is None
    Memory.connect(url, memory="acme/ana", key=SECRET).close()


def test_an_address_where_something_else_is(house: tuple[str, dict[str, str]]) -> None:
    url, keys = house
    for wrong, said in (
        (f"{url}/here", f"{url}/here serves nothing at /v1/memories/acme/ana/commands: give its URL without a path"),
        (url.replace("http:", "https:"), "speaks no TLS: write http:// instead"),
        ("http://127.0.0.1:1", "no service answers at http://127.0.0.1:1"),
    ):
        with Memory.connect(wrong, memory="acme/ana", key=keys["other"]) as memory:
            with pytest.raises(YggdrasilError) as told:
                memory.record_event("x")
            assert said in str(told.value) and keys["other"] not in str(told.value)


def test_a_directory_s_service_that_lacks_something_is_of_another_release() -> None:
    lacks = httpx2.MockTransport(
        lambda _: httpx2.Response(404, json={"type": "urn:yggdrasil:problem:not_found", "detail": "nothing"})
    )
    client = ServiceClient("http://localhost", None, lacks, where="/data")
    with closing(client), pytest.raises(ServiceError) as told:
        client.send(Asked("acme/ana", "/new"))
    assert str(told.value) == "/data serves nothing at /v1/memories/acme/ana/new: it is of another release"
