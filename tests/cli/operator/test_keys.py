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


def test_the_list_shows_which_agents_a_key_opens_and_until_when(cli: Cli) -> None:
    keys = ("--keys", "keys.json")
    made = cli.ok(
        "key", "new", *keys, "--tenant", "me", "--role", "read", "--agents", "guest-*", "--expires", "2h", "--json"
    ).json
    assert 0 < made["expires_ms"] - made["created_ms"] - 7_200_000 + 1_000 < 2_000
    cli.ok("key", "new", *keys, "--tenant", "me", "--role", "read", "--name", "x", "--expires", "2999-01-31T12:00Z")
    renewed = cli.ok("key", "renew", *keys, made["id"], "--json").json
    assert (renewed["agents"], renewed["expires_ms"]) == ("guest-*", None)
    listed = cli.ok("key", "list", *keys).out
    assert "me/guest-*" in listed and "never" in listed and "2999-01-31 12:00 UTC" in listed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tenant", "me", "--role", "write"), "roles: must be append, read, audit, operate or embed"),
        (("--tenant", "_me", "--role", "read"), "tenant"),
        (("--tenant", "a/b", "--role", "read"), "tenant"),
        (("--tenant", "me", "--role", "read", "--origin", "operator"), "origin"),
        (("--tenant", "me", "--role", "read", "--name", ""), "name"),
        (("--tenant", "me"), "--role"),
        (("--tenant", "me", "--role", "read", "--agents", "[a-z]"), "agents"),
        (("--tenant", "me", "--role", "read", "--expires", "soon"), "12h, 30d or 8w"),
        (("--tenant", "me", "--role", "read", "--expires", "2020-01-01"), "over already"),
    ],
)
def test_what_is_no_key_is_refused(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    run = cli("key", "new", "--keys", "keys.json", *arguments)
    assert run.code == 2
    assert said in run.err
    assert not (cli.place / "keys.json").exists()
