"""How calls are read: what failed, which files are touched, and what must never be recorded."""

from typing import Any

import pytest

from yggdrasil.doors.hooks import results, tools
from yggdrasil.doors.hooks.redaction import HIDDEN, clean, is_private
from yggdrasil_producers.importers.git_kinds import kind_of

PYTEST = (
    "tests/a.py .F\nE   assert 1 == 2\nFAILED tests/a.py::test_one - assert 1 == 2\n=== 1 failed, 2 passed in 0.31s ==="
)
JEST = "  ● adds\n    expect(received).toBe(expected)\nTests:       1 failed, 2 passed, 3 total\nTime: 1.2 s"
GO = "--- FAIL: TestAdd (0.00s)\n    add_test.go:9: want 3\nFAIL\nFAIL\texample.org/add\t0.004s"
CARGO = "test add ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out"
MAKE = "cc -c x.c\nx.c:3: error: expected ';'\nmake: *** [Makefile:7: x.o] Error 1"


@pytest.mark.parametrize(
    ("output", "tests", "failed"),
    [
        (PYTEST, "pytest", True),
        ("...\n3 passed in 0.02s", "pytest", False),
        ("2 passed, 1 warning in 65.02s (0:01:05)", "pytest", False),
        ("1 error in 0.10s", "pytest", True),
        (JEST, "jest", True),
        ("Tests:       3 passed, 3 total", "jest", False),
        ("      Tests  1 failed | 2 passed (3)", "jest", True),
        (GO, "go", True),
        ("ok  \texample.org/add\t0.004s", "go", False),
        (CARGO, "cargo", True),
        ("test result: ok. 12 passed; 0 failed; 0 ignored", "cargo", False),
        ("Ran 3 tests in 0.1s\n\nFAILED (failures=1)", "unittest", True),
        ("Ran 3 tests in 0.1s\n\nOK", "unittest", False),
        (MAKE, "make", True),
        ("the tests passed, they say", None, False),
    ],
)
def test_what_programs_that_test_say_stands_above_an_exit_code_of_0(
    output: str, tests: str | None, failed: bool
) -> None:
    found = results.of_success({"stdout": output, "stderr": "", "interrupted": False})
    assert (found.code, found.tests, found.failed) == (0, tests, failed)
    assert bool(found.lines) <= failed


def test_a_red_run_says_what_was_red() -> None:
    assert "FAILED tests/a.py::test_one - assert 1 == 2" in results.of_failure(f"Exit code 1\n{PYTEST}").lines
    assert results.of_failure("Exit code 127\nnope: command not found") == results.Result(
        127, True, None, "", ("nope: command not found",)
    )
    assert results.of_failure("The user doesn't want to proceed").code is None


@pytest.mark.parametrize(
    ("response", "code", "failed"),
    [
        ("hello world\n", None, None),
        ("Exit code: 0\nWall time: 0 seconds\n", 0, False),
        ("Chunk ID: test\nProcess exited with code 7\nFinal output:\n", 7, True),
        ({"stdout": "", "exit_code": 3}, 3, True),
        ({"stdout": "", "stderr": "", "interrupted": True}, None, None),
        (PYTEST, None, True),
        (
            "On branch main\nUntracked files:\n\t.codex/\n\nnothing added to commit but untracked files present",
            None,
            True,
        ),
        ("fatal: not a git repository (or any of the parent directories): .git", None, True),
        (None, None, None),
        (["?"], None, None),
    ],
)
def test_what_codex_and_claude_code_answer(response: Any, code: int | None, failed: bool | None) -> None:
    found = results.of_success(response)
    assert (found.code, found.failed) == (code, failed)


def edited(tool: str, **given: Any) -> list[tuple[str, str]]:
    return [(each.path, each.change) for each in tools.edits("/p", "/p/src", tool, given)]


def test_the_files_of_an_edit() -> None:
    assert edited("Edit", file_path="/p/a.py", old_string="x = 1\ny", new_string="x = 2\ny") == [
        ("a.py", "- x = 1\n+ x = 2")
    ]
    assert edited("Edit", file_path="a.py", old_string="x", new_string="") == [("src/a.py", "- x")]
    assert edited("Write", file_path="/p/a.py", content="1\n2\n3\n") == [("a.py", "3 lines written")]
    assert edited("MultiEdit", file_path="/p/a.py", edits=[{"old_string": "a", "new_string": "b"}]) == [
        ("a.py", "- a\n+ b")
    ]
    assert edited("NotebookEdit", notebook_path="/p/a.ipynb", new_source="1") == [("a.ipynb", "1 lines written")]
    assert edited("Write", file_path="/p/.env", content="A=b") == [(".env", "")]
    for outside in ("/q/a.py", "../../a.py", "/p/.git/config", "", None, 7, "/p"):
        assert edited("Edit", file_path=outside, old_string="a", new_string="b") == []


def test_the_files_of_a_patch() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-old\n+new\n*** Add File: /p/b.py\n+all\n"
        "*** Delete File: c.py\n*** Update File: d.py\n*** Move to: e.py\n@@\n+x\n*** End Patch"
    )
    assert edited("apply_patch", command=patch) == [
        ("src/a.py", "- old\n+ new"), ("b.py", "+ all"), ("src/c.py", ""), ("src/d.py", ""), ("src/e.py", "+ x")
    ]  # fmt: skip
    assert edited("apply_patch", input=patch) == edited("apply_patch", command=patch)
    assert edited("apply_patch", command=["?"]) == []


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('git commit -m "Fix it"', "Fix it"),
        ("git add . && git -C x commit -am 'Fix it' -m 'Because'", "Fix it\n\nBecause"),
        ('git commit -m "$(cat <<\'EOF\'\nFix it\n\nBecause "so".\nEOF\n)"', 'Fix it\n\nBecause "so".'),
        ("git commit -qam 'Fix it'", "Fix it"),
        ("git commit --amend --no-edit", None),
        ("git log --grep commit", None),
        ("echo done", None),
    ],
)
def test_the_message_of_a_commit(command: str, message: str | None) -> None:
    assert tools.commit_message(command) == message


def test_which_commits_mend() -> None:
    mending = [
        "fix: a",
        "Fix the count",
        "Mends what broke",
        'Revert "A"',
        "Repair it",
        "hotfix(api): b",
        "Crashes at 0",
    ]
    other = [
        "Add a prefix",
        "feat: fixtures",
        "Say more\n\nfixes nothing",
        "",
        "Fix a typo",
        "docs: fix a link",
        "Bump flake8-bugbear",
    ]
    for message in [*mending, *other]:
        kind = kind_of(message.partition("\n")[0], "", 1, ())
        assert tools.mends(message) == (kind in {"fix", "revert"}) == (message in mending), "as the importer has it"


def test_which_commands_only_look() -> None:
    assert all(
        map(tools.only_looks, ["ls -la", "cd x && git status | head", "env", "grep -r a . | wc -l", "git -C x log"])
    )
    assert not any(
        map(tools.only_looks, ["make", "cat a > b", "git push", "cd x; rm y", "catch22", "echo $(rm x) > y"])
    )
    assert [tools.program(each) for each in ("A=b uv run pytest -q | tail", "cd x && ./run.sh", "ls")] == [
        "pytest",
        "run.sh",
        "",
    ]


SECRET = "hunter2-Very-Secret"
SHAPES = [
    "API_KEY={} make", "export DB_PASSWORD='{}'", 'curl -H "Authorization: Bearer {}"', "curl -u me:{} http://x",
    "psql postgres://me:{}@host/db", "mysql --password={} x", "tool --api-key {} x", "{{'password': '{}'}}",
    'token = "{}"', "client_secret: {}", "X=1 OTHER={} run", "AWS_SECRET_ACCESS_KEY={}", "set-cookie: {}",
    "mysql -u root -p{} shop", "mysqldump -p '{}' shop", "sshpass -p {} ssh host", "docker login -u me -p {} host",
    "redis-cli -a {} ping", "ldapsearch -D cn=x -w {} -b y", "sqlcmd -S h -U sa -P {}", "unzip -P {} a.zip",
    "7z x -p{} a.7z", "openssl enc -k {} -in a", "openssl rsa -passin pass:{}", "smbclient //h/s -U me%{}",
    "mongosh -u me -p {} db", "mosquitto_pub -P {} -t x", "tool --pass {}", "keytool -storepass {} -list",
    "set -gx API {}; make", "set -x HIDDEN {}", "set --export A {}", "setenv HIDDEN {}", "$env:HIDDEN = '{}'",
    "$Env:HIDDEN={}", "[Environment]::SetEnvironmentVariable('HIDDEN', '{}')", "machine h login me password {}",
    "machine h\n  login me\n  password {}\n", "curl 'https://x/y?a=b&key={}'", "curl https://x/y?sig={}",
    "AccountKey={};EndpointSuffix=x", "curl -ume:{} http://x", 'curl -H "Authorization: Token {}"',
    'curl -H "Proxy-Authorization: Custom a {}"', "machine h password {} login me", "git clone https://{}@github.com/x",
    "curl https://x/y?X-Amz-Signature={}", "aws configure set aws_secret_access_key {}", "setx HIDDEN {}",
    "kubectl create secret generic x --from-literal=pw={}", "ALTER USER a PASSWORD '{}'", "htpasswd -bc f me {}",
    "CREATE USER a IDENTIFIED BY '{}'", "echo {} | docker login --password-stdin", "echo '{}' | sudo -S ls",
    "my password is {}", "plink -pw {} h", "ssh-keygen -N '{}'", "mysqladmin -u root password {}", "vault login {}",
    "cqlsh -u me -p {}", "twine upload -u me -p {} x", "lftp -u me,{} h", "nmcli dev wifi connect x password {}",
    'curl -d "{{\\"password\\":\\"{}\\"}}" x', 'os.environ["DB_PASSWORD"] = "{}"', "curl -su me:{} http://x",
    'curl -H "Authorization: Token token="{}""', "mysql -u me -p'a;{}' shop", "mysql \\\n  -p{} shop", "mysql.exe -p{}",
    "docker login -u me -p{} host", "7zz x -p{} a.7z", "CREATE USER a IDENTIFIED WITH mysql_native_password BY '{}'",
    "ALTER USER a PASSWORD 'x''{}'", "TOKEN=ab\"{}\" make", "TOKEN=$'{}' make", "X+={} make", "${{env:HIDDEN}} = '{}'",
    "password: a,{}", "password: |\n  first\n  {}\nafter: 1", "my password is: {}", "my password is '{}'",
    "cat <<< {}", "machine h login me account you password {}", "psql postgres://me:a@{}@host/db",
]  # fmt: skip
TOKENS = [
    "sk-proj-abcdefghij0123456789", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "github_pat_11AAAAAAA0aaaaaaaaaa",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghijkl", "glpat-abcdefghij0123456789", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijkl",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY", "a" * 64,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\n-----END OPENSSH PRIVATE KEY-----",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nb3Blb\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    "https://hooks.slack.com/services/T00000000/B00000000/aB3dE5gH7jK9mN1pQ3sT5vW7",
    "https://discord.com/api/webhooks/123456789012345678/abc-DEF_ghi",
    "https://canary.discordapp.com/api/webhooks/123456789012345678/abc-DEF_ghi",
    "https://contoso.webhook.office.com/webhookb2/11111111-2222@3333/IncomingWebhook/abc/def-ghij",
    "https://hooks.zapier.com/hooks/catch/123456/abcdefgh", "https://chat.example.org/hooks/abcdefghijklmnopqrstuvwxyz",
    "https://maker.ifttt.com/trigger/event/with/key/abcdefghijk",
    "https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "whsec_abcdefghij0123456789",
    "AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQQ", "https://hook.eu1.make.com/abcdefghijklmnop",
    "https://prod-1.westeurope.logic.azure.com:443/workflows/abcdef/triggers/manual/paths/invoke",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY.",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_not_recorded(shape: str) -> None:
    found = clean(shape.format(SECRET))
    assert SECRET not in found
    assert HIDDEN in found


@pytest.mark.parametrize("token", TOKENS)
def test_tokens_are_not_recorded(token: str) -> None:
    assert token.rstrip("-")[-8:] not in clean(f"it said {token} and went on")
    assert "and went on" in clean(f"it said {token} and went on")


def test_a_key_of_which_a_part_is_there_is_not_recorded() -> None:
    def key(letter: str) -> str:
        body = f"{letter * 40}/{letter * 23}"
        return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"

    change = {"file_path": "/r/a.yaml", "old_string": "x: 1\n" + key("A"), "new_string": "x: 2\n" + key("Q")}
    (edit,) = tools.edits("/r", "/r", "Edit", change)
    assert edit.change == "- x: 1\n+ x: 2"
    assert clean("MII/aaa\nbbb\n-----END RSA PRIVATE KEY-----\nafter") == f"{HIDDEN}\nafter"


def test_a_secret_that_is_cut_through_is_not_recorded() -> None:
    line = f"error: cannot connect {'x' * 100} to postgres://bob:{'hunter2long' * 6}@host/db"
    assert all("hunter2" not in each for each in results.of_failure(f"Exit code 1\n{line}").lines)
    told = results.of_failure(f"Exit code 2\nmake: *** [Makefile:3: curl --token {SECRET} x] Error 1")
    assert told.tests == "make" and SECRET not in told.summary


@pytest.mark.parametrize("shape", ["htpasswd -nb bob {}", "htpasswd -b -c f bob {}"])
def test_what_is_told_by_place_is_not_recorded(shape: str) -> None:
    assert SECRET not in clean(shape.format(SECRET))


def test_what_is_no_secret_stays() -> None:
    for text in (
        "x == y and z", "commit 63a379667d127d873311d7c1c8e64d258df5e0f2", "src/yggdrasil/doors/hooks/redaction.py:12",
        "The token budget is small", "https://example.org/a?b=1",
        "test_that_a_very_long_name_of_a_test_stays_as_it_is_written",
        "docker run -p 8080:80 x", "psql -p 5432 shop", "mkdir -p a/b && ssh -p 22 host", "set -euo pipefail",
        "src/hooks/useSomethingThatIsLong/index.ts", "git set -x", "the webhook is at https://example.org/docs",
        "the password is wrong", "git clone https://me@example.org/x", "echo hello | grep h", "curl -upstream x",
        "set -e; make", "pass: 12, fail: 0", "cp -a one two",
        "pytest -q tests/a.py::test_b --maxfail 1", "AVeryLongNameOfAClassInJavaWithoutAnyDigits",
        "a basic calculator", "Bearer authentication", "x << y",
    ):  # fmt: skip
        assert clean(text) == text


def test_what_is_fed_into_a_command_is_not_recorded() -> None:
    for fed in (
        "cat > .env <<EOF\nTHE-VALUE\nEOF",
        "cat <<'END' > x\nTHE-VALUE\nEND\nmake",
        "a <<-X && b\n\tTHE-VALUE\n\tX\n",
        "cat <<\\EOF\nTHE-VALUE\nEOF",
        "cat <<'!'\nTHE-VALUE\n!",
        "cat <<1\nTHE-VALUE\n1",
        "cat <<EOF\nTHE-VALUE",
    ):
        assert "THE-VALUE" not in tools.shown(fed)
        assert "<<" in tools.shown(fed)
    assert tools.shown("cat <<A <<B\none\nA\ntwo\nB\ndone") == "cat <<A <<B done"
    assert tools.shown("echo $((1<<2))\n2 more") == "echo $((1<<2)) 2 more"
    assert tools.commit_message("git commit -F - <<EOF\nFix it\n\nWell.\nEOF") == "Fix it\n\nWell."


def test_texts_are_bounded_and_show_all_that_they_say() -> None:
    assert len(clean("x " * 100_000)) <= 1_000
    assert clean("a\u202eb\x00c\ud800d\u200be") == "a b c d e"
    assert clean("line\n\tline") == "line\n\tline"


def test_files_of_which_only_the_name_is_recorded() -> None:
    assert all(
        map(is_private, [".env", "a/.env.local", "id_rsa", "x/key.pem", "credentials.json", "a/secrets.yaml", ".npmrc"])
    )
    assert not any(map(is_private, ["a.py", "environment.py", "keys.py", "docs/env.md"]))


def test_a_long_name_of_a_feature_keeps_its_end() -> None:
    found = tools.feature("file", "a/" * 100 + "name.py")
    assert len(found) == 128
    assert found.endswith("name.py")
