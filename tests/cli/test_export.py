"""What stores still hold of a lost log, written as commands, and put into another one."""

import shutil
from pathlib import Path

from tests.cli.runs import Cli


def test_a_log_that_is_gone_leaves_what_its_stores_hold(cli: Cli) -> None:
    first = cli.ok("record", "Deployed on a Friday", "--feature", "deploy").line
    recalled = cli.ok("context", "Why not deploy?", "--json").json["recall_id"]
    cli.ok("record", "Waited until Monday", "--feature", "deploy", "--informed-by", recalled, "--caused-by", first)
    cli.ok("outcome", first, "-3", "--kind", "outage", "--text", "The site was down")
    Path("worker").mkdir()
    shutil.move(".yggdrasil/graph", "worker/graph")  # a directory of stores alone, as a worker has
    document = cli.ok("export", "worker", "kept.jsonl", "--json").json
    assert (document["memories"], document["commands"]) == (1, 3)
    assert document["missing"] == {"record_recall": 1} and document["references_left_out"] == 1
    run = cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json
    assert (run["new"], run["known"], run["refused"]) == (3, 0, {})
    assert cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json["known"] == 3
    explained = cli.ok("explain", first, "--dir", "new").out
    assert "The site was down" in explained
    run = cli("export", "worker", "kept.jsonl")
    assert run.code == 2 and "kept.jsonl cannot be written: File exists" in run.err


def test_a_log_that_cannot_be_opened_leaves_what_its_stores_hold(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday", "--feature", "deploy")
    (manifest,) = Path(".yggdrasil/log/records").glob("MANIFEST-*")
    manifest.write_bytes(manifest.read_bytes()[:100])
    run = cli("verify", ".yggdrasil")
    assert run.code == 1 and "`yggdrasil export .yggdrasil FILE`" in run.out + run.err
    run = cli("backup", ".yggdrasil", "backups", "--accept-loss")
    assert run.code == 1 and "`yggdrasil verify` says" in run.err
    assert "Deployed" not in cli("context", "Who deployed?").out
    run = cli.ok("export", ".yggdrasil", "kept.jsonl")
    assert "The log is damaged" in run.out + run.err
    assert cli.ok("import", "commands", "kept.jsonl", "--dir", "new", "--json").json["new"] == 1
    assert "Deployed on a Friday" in cli.ok("context", "Who deployed?", "--dir", "new").out


def test_a_line_that_is_no_command_is_named_before_anything_is_appended(cli: Cli) -> None:
    cli.ok("record", "Deployed on a Friday")
    cli.ok("export", ".yggdrasil", "kept.jsonl")
    with Path("kept.jsonl").open("a") as file:
        file.write('{"role": "user"}\n')
    run = cli("import", "commands", "kept.jsonl", "--dir", "new")
    assert run.code == 2 and "kept.jsonl, line 2: no command (version_missing)" in run.err
    assert not Path("new").exists()
