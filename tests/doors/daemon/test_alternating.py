"""When two kinds of settings count as taking turns, and which settings count at all."""

from pathlib import Path

import orjson
import pytest

from yggdrasil.daemon.commands import alternating
from yggdrasil.daemon.commands.alternating import ALTERNATES_S, FILE, alternates, replaced
from yggdrasil.daemon.commands.wire import differing, mark, settings
from yggdrasil.settings import EmbedderUsed, Kept, remember

A, B = "a", "b"


class Clock:
    """What time it is, for this test."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(alternating, "time", made)
    return made


def test_whoever_changes_settings_once_has_a_daemon(tmp_path: Path, clock: Clock) -> None:
    assert not alternates(tmp_path, A)
    replaced(tmp_path, A, ["YGGDRASIL_LADDER"])
    assert not alternates(tmp_path, B)
    clock.now += 10 * ALTERNATES_S
    assert not alternates(tmp_path, B)


def test_two_that_take_turns_have_none_until_one_is_alone(
    tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    replaced(tmp_path, A, ["YGGDRASIL_LADDER"])
    assert not alternates(tmp_path, B)
    replaced(tmp_path, B, ["YGGDRASIL_LADDER"])
    for _ in range(3):
        for each in (A, B):
            assert alternates(tmp_path, each)
            clock.now += 0.9 * ALTERNATES_S
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2 and len({*said}) == 1 and "(YGGDRASIL_LADDER)" in said[0], said
    assert alternates(tmp_path, A)
    clock.now += 0.5 * ALTERNATES_S
    assert not alternates(tmp_path, A), "the other has not been there for that long"
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize(
    "content",
    [
        *[b"", b"[]", b"{", b'{"seen": [], "told": [], "differs": []}', b"\xff", b"[" * 100_000],
        b'{"seen": {"a": 1%s}, "told": [], "differs": []}' % (b"0" * 400),
    ],
)
def test_a_file_that_says_nothing_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert not alternates(tmp_path, A)


def test_a_clock_that_was_set_back_stops_nobody(tmp_path: Path, clock: Clock) -> None:
    replaced(tmp_path, A, [])
    replaced(tmp_path, B, [])
    clock.now -= 10 * ALTERNATES_S
    assert not alternates(tmp_path, A)


def test_no_setting_can_be_read_from_what_is_kept(tmp_path: Path) -> None:
    found = settings({"OPENAI_API_KEY": "sk-secret"}, tmp_path)
    replaced(tmp_path, mark("here", found), differing({"settings": {}, "build": "there"}, "here", found))
    assert b"sk-secret" not in (tmp_path / FILE).read_bytes()
    assert orjson.loads((tmp_path / FILE).read_bytes())["differs"] == ["the installation", "OPENAI_API_KEY"]


def test_what_another_release_says_of_its_settings_in_another_form_is_another_installation() -> None:
    for said in ([None, "x"], "x", None):
        assert differing({"settings": said, "build": "there"}, "here", {"X": "y"}) == ["the installation"]


def test_only_what_the_embedder_of_the_directory_takes_counts(tmp_path: Path) -> None:
    said = {"YGGDRASIL_EMBEDDER": "minilm", "OPENAI_API_KEY": "x", "YGGDRASIL_RANKER": "own"}
    assert settings(said, tmp_path).items() >= said.items(), "nothing is remembered yet"
    remember(tmp_path, Kept(EmbedderUsed("openai", "openai:small@512", 512), "openai:small@512"))
    hosted = settings(said, tmp_path)
    assert "YGGDRASIL_EMBEDDER" not in hosted and hosted["OPENAI_API_KEY"] == "x"
    for kept in (EmbedderUsed("offline", "minilm@384", 384), EmbedderUsed("supplied", "x@8", 8), "none"):
        remember(tmp_path, Kept(kept))
        assert settings(said, tmp_path) == {"YGGDRASIL_RANKER": "own", "YGGDRASIL_LADDER": None}
