import json
from pathlib import Path

from tests.cli.runs import Cli
from yggdrasil_infra.local_log.files import RECORDS, open_records
from yggdrasil_infra.local_log.log import LocalLog
from yggdrasil_infra.local_log.record import frame, place
from yggdrasil_schemas.partitions import partition_for

PARTITION = partition_for(b"me/agent", 4)


def asked(cli: Cli) -> str:
    cli.ok("record", "Deployed on a Friday", "--feature", "deploy")
    cli.ok("record", "Deployed on a Monday", "--feature", "deploy")
    recall: str = cli.ok("context", "Should we deploy on Friday?", "-k", "10", "--json").json["recall_id"]
    return recall


def reverse_what_was_returned() -> None:
    """Rewrite the last record, a recall, so that the log itself vouches for it: only asking again can tell."""
    with LocalLog.open_read_only(Path(".yggdrasil/log")) as log:
        record = log.read(PARTITION, log.end_offset(PARTITION) - 1, 1)[0]
    assert record.key is not None and record.value is not None
    fields = json.loads(record.value)
    fields["body"]["returned"].reverse()
    where = place(PARTITION, record.offset)
    with open_records(Path(".yggdrasil/log"), None) as rocks:
        batch = rocks.batch()
        value = json.dumps(fields, separators=(",", ":")).encode()
        batch.put(RECORDS, where, frame(where, record.timestamp_ms, record.key, value))
        rocks.write(batch)


def test_a_recall_is_proved(cli: Cli) -> None:
    recall = asked(cli)
    assert "the same 2 references in the same order" in cli.ok("prove", recall).out
    (proof,) = cli.ok("prove", recall, "--json").json["proofs"]
    assert proof["recall_id"] == recall and proof["holds"] is True and proof["as_of"] == 2
    assert proof["returned"] == proof["returned_again"]


def test_every_recall_or_some_are_proved(cli: Cli) -> None:
    asked(cli)
    for question in ("Monday?", "Friday?", "Nothing of the kind"):
        cli.ok("context", question)
    assert cli.ok("prove", "--all", "--json").json["proved"] == 4
    assert "Proved: 4 recalls" in cli.ok("prove", "--all").out
    assert cli.ok("prove", "--sample", "2", "--json").json["proved"] == 2
    assert cli.ok("prove", "--sample", "100", "--json").json["proved"] == 4


def test_an_altered_recall_is_told(cli: Cli) -> None:
    recall = asked(cli)
    reverse_what_was_returned()
    run = cli("prove", recall)
    assert run.code == 6 and "NOT PROVED" in run.out and "at place 1" in run.out
    run = cli("prove", recall, "--json")
    assert (run.code, run.json["holds"], run.json["proved"]) == (6, False, 0)


def test_what_cannot_be_proved_is_said(cli: Cli) -> None:
    recall = asked(cli)
    run = cli("prove", "01a20296-1a5a-7205-8edf-c7f83746e4c3", "--json")
    assert (run.code, run.json["error"]["code"]) == (4, "unknown_recall")
    run = cli("prove", recall, "--memory", "me/other", "--json")
    assert (run.code, run.json["error"]["code"]) == (4, "unknown_recall")
    assert cli("prove").code == 2 and cli("prove", recall, "--all").code == 2
