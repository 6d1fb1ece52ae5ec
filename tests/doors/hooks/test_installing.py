"""Settings of an agent get our hooks and keep everything else; and the plugin is whole in what is shipped."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import Cli
from yggdrasil.doors.hooks import installing
from yggdrasil.doors.hooks.events import HANDLERS
from yggdrasil.doors.hooks.installing import HooksError, installed, settings_file

EVENTS = {"SessionStart", *HANDLERS}
THEIRS: dict[str, Any] = {
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say 'done"}]}],
        "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "prettier", "timeout": 9}]}],
        "Notification": [{"hooks": []}],
    },
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "my project"
    (made / ".claude").mkdir(parents=True)
    return made


def test_install_again_and_remove_leave_all_else_as_it_was(project: Path) -> None:
    file = settings_file("claude", project, {})
    file.write_text(json.dumps(THEIRS))
    done = installing.install("claude", file, installing.command("python3", "yggdrasil", None, None))
    assert set(done.added) == EVENTS
    found = json.loads(file.read_text())
    assert found["model"] == "opus"
    for event, groups in THEIRS["hooks"].items():
        assert found["hooks"][event][: len(groups)] == groups
    before = file.read_bytes()
    again = installing.install("claude", file, installing.command("python3", "yggdrasil", None, None))
    assert (set(again.unchanged), again.added, again.replaced) == (EVENTS, (), ())
    assert file.read_bytes() == before
    moved = installing.install("claude", file, installing.command("/a b/python3", "yggdrasil", "/data", "me/x"))
    assert set(moved.replaced) == EVENTS
    assert all("'/a b/python3'" in line and "--memory me/x" in line for line in installed(file).values())
    assert sum(str(installing.SCRIPT) in line for line in file.read_text().splitlines()) == len(EVENTS)
    assert set(installing.remove(file).removed) == EVENTS
    assert json.loads(file.read_text()) == THEIRS
    assert installing.remove(file).removed == ()


def test_a_hook_of_ours_in_a_group_of_theirs_goes_alone(project: Path) -> None:
    file = settings_file("claude", project, {})
    line = installing.command("python3", "yggdrasil", None, None)
    theirs = {"type": "command", "command": "theirs"}
    file.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [theirs, {"type": "command", "command": line}]}]}}))
    assert installing.remove(file).removed == ("Stop",)
    assert json.loads(file.read_text()) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


def test_a_file_of_ours_alone_goes_with_the_hooks(project: Path) -> None:
    file = settings_file("codex", project, {})
    done = installing.install("codex", file, "python3 -I -S /x/yggdrasil/doors/hooks/hook.py")
    assert "PostToolUseFailure" not in done.added, "Codex has no such event"
    assert file.stat().st_mode & 0o777 == 0o600
    installing.remove(file)
    assert not file.exists()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"Stop": {}}}',
        "// a comment\n{}",
        '{"a": 1e400}',
        '{"a": NaN}',
        "[" * 99_999,
    ],
)
def test_what_cannot_be_understood_is_left_alone(project: Path, text: str) -> None:
    file = settings_file("claude", project, {})
    file.write_text(text)
    with pytest.raises(HooksError, match="mend it, and give the command again"):
        installing.install("claude", file, "x")
    assert file.read_text() == text


def test_a_link_stays_one(project: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o644)
    file = settings_file("claude", project, {})
    file.symlink_to(real)
    installing.install("claude", file, "python3 /x/yggdrasil/doors/hooks/hook.py")
    assert file.is_symlink()
    assert set(installed(real)) == EVENTS
    assert real.stat().st_mode & 0o777 == 0o644
    assert set(installing.remove(file).removed) == EVENTS
    assert file.is_symlink()
    assert real.read_text() == "{}\n", "what it leads to is somebody else's, and has none of ours any more"


def test_what_is_no_utf_8_is_left_alone_and_half_of_a_character_stays(project: Path) -> None:
    file = settings_file("claude", project, {})
    file.write_bytes(b'{"a": "caf\xe9"}')
    with pytest.raises(HooksError, match="mend it, and give the command again"):
        installing.install("claude", file, "x")
    assert file.read_bytes() == b'{"a": "caf\xe9"}'
    file.write_text('{"a": "\\ud800"}')
    installing.install("claude", file, installing.command("python3", "yggdrasil", None, None))
    assert json.loads(file.read_text())["a"] == "\ud800"
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_where_settings_are(tmp_path: Path) -> None:
    assert settings_file("claude", tmp_path, {}) == tmp_path / ".claude" / "settings.local.json"
    assert settings_file("codex", tmp_path, {}) == tmp_path / ".codex" / "hooks.json"
    assert settings_file("claude", None, {"CLAUDE_CONFIG_DIR": "/c"}) == Path("/c/settings.json")
    assert settings_file("codex", None, {"CODEX_HOME": "/c"}) == Path("/c/hooks.json")
    assert settings_file("claude", None, {}) == Path.home() / ".claude" / "settings.json"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o660])
def test_whose_a_file_is_and_who_may_read_it_stays(project: Path, mode: int) -> None:
    """Whatever the umask is."""
    file = settings_file("claude", project, {})
    file.write_text("{}")
    file.chmod(mode)
    whose = (12_345, 12_345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(file, *whose)
    before = os.umask(0o077)
    try:
        installing.install("claude", file, installing.command("python3", "yggdrasil", None, None))
        installing.install("claude", file, installing.command("python3", "yggdrasil", "/data", None))
    finally:
        os.umask(before)
    found = file.stat()
    assert (found.st_mode & 0o777, (found.st_uid, found.st_gid)) == (mode, whose)


def test_the_folder_is_a_plugin() -> None:
    for manifest in (".claude-plugin", ".codex-plugin"):
        assert json.loads((installing.PLUGIN / manifest / "plugin.json").read_text())["name"] == "yggdrasil"
    said = json.loads((installing.PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]
    assert set(said) == EVENTS
    for groups in said.values():
        for each in groups[0]["hooks"]:
            root = "${CLAUDE_PLUGIN_ROOT}"
            assert each["command"] == f'sh "{root}/hook.sh" python3 -I -S "{root}/hook.py"'
            assert each["timeout"] <= 3, "Codex gives the end of a session three seconds"


def test_on_the_command_line(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YGGDRASIL_DIR", str(project / "data"))
    done = cli("hooks", "install", "--project", str(project))
    assert done.code == 0
    assert "added: SessionStart" in done.out
    assert "there already" in cli("hooks", "install", "--project", str(project)).out
    shown = json.loads(cli("hooks", "show", "--project", str(project), "--json").out)
    assert (shown["memory"], shown["service"], shown["waiting"]) == ("me/my-project-6385d042", "away", 0)
    assert set(shown["events"]) == EVENTS
    assert cli("hooks", "install", "--memory", "nonsense", "--project", str(project)).code == 2
    assert "removed: SessionStart" in cli("hooks", "remove", "--project", str(project)).out
    settings_file("claude", project, {}).write_text("{")
    assert cli("hooks", "install", "--project", str(project)).code == 2
