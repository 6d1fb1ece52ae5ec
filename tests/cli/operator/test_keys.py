"""`yggdrasil key`: a key is shown once, and the file keeps none."""

import pytest

from tests.cli.runs import Cli


def test_a_key_is_printed_once_and_shown_without_what_opens(cli: Cli) -> None:
    key = cli.ok("key", "new", "--keys", "keys.json", "--tenant", "me", "--role", "read", "--name", "planner").line
    listed = cli.ok("key", "list", "--keys", "keys.json")
    assert "planner" in listed.out
    assert key.split("_", 2)[1] in listed.out
    assert key.split("_", 2)[2] not in listed.out + (cli.place / "keys.json").read_text()
    assert key.split("_", 2)[2] not in cli.ok("key", "list", "--keys", "keys.json", "--json").out


def test_a_revoked_key_is_gone(cli: Cli) -> None:
    made = cli.ok("key", "new", "--keys", "keys.json", "--tenant", "*", "--role", "audit", "--json").json
    assert (made["tenant"], made["roles"], made["name"]) == ("*", ["audit"], "operator")
    assert made["key"].startswith(f"ygg_{made['id']}_")
    cli.ok("key", "revoke", "--keys", "keys.json", made["id"])
    assert cli.ok("key", "list", "--keys", "keys.json", "--json").json == []
    assert cli("key", "revoke", "--keys", "keys.json", made["id"]).code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tenant", "me", "--role", "write"), "'append', 'read', 'audit' or 'operate'"),
        (("--tenant", "_me", "--role", "read"), "tenant"),
        (("--tenant", "a/b", "--role", "read"), "tenant"),
        (("--tenant", "me", "--role", "read", "--origin", "operator"), "origin"),
        (("--tenant", "me", "--role", "read", "--name", ""), "name"),
        (("--tenant", "me"), "--role"),
    ],
)
def test_what_is_no_key_is_refused(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    run = cli("key", "new", "--keys", "keys.json", *arguments)
    assert run.code == 2
    assert said in run.err
    assert not (cli.place / "keys.json").exists()
