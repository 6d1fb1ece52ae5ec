"""``yggdrasil quarantine`` and ``report`` through a service and on Kafka: the same list, and the same undo."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.cli.operator.test_quarantine import ASKED, PLACE, answers, logged, memories, poisoned, said_by
from tests.cli.runs import Cli
from tests.contract.logs import fresh_topic
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.published import Published
from yggdrasil.engines.remote import Remote
from yggdrasil.knowing import quarantining
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys, new_key
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Draft, Drafter, enable_version
from yggdrasil_projections.retrieval.reads.operations.said import AskSaid
from yggdrasil_projections.retrieval.reads.operations.standing import AskStanding
from yggdrasil_schemas.commands import Role

OPERATOR: list[Role] = ["audit", "operate"]


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, str]:
    """The files of keys to the memory, by what each may do, and of one to another tenant's."""
    found: dict[str, str] = {}
    for name, tenant, roles in (
        ("operator", "me", OPERATOR),
        ("auditor", "me", ["audit"]),
        ("reader", "me", ["read", "append"]),
        ("stranger", "other", OPERATOR),
    ):
        _, key = new_key(tmp_path / "keys.json", tenant, roles, name)
        (tmp_path / f"{name}.key").write_text(f"{key}\n")
        found[name] = str(tmp_path / f"{name}.key")
    return found


@contextmanager
def served(tmp_path: Path, keys: dict[str, str] | None) -> Iterator[dict[str, list[str]]]:
    """Serve the directory; yield the options that lead there, by who has the key."""
    held = None if keys is None else Keys(tmp_path / "keys.json")
    with Embedded(PLACE) as engine, Serving(engine, Service(("127.0.0.1", 0), held, rate=0)) as it:
        at = ["--service", it.url, "--memory", "me/agent"]
        yield {name: [*at, "--key-file", file] for name, file in (keys or {}).items()} | {"": at}


def test_a_service_lists_and_undoes_what_a_directory_does(cli: Cli, tmp_path: Path, keys: dict[str, str]) -> None:
    derived, named = poisoned()
    before = answers()
    selection = ["quarantine", "--source", "mails", "--derived", "--json"]
    listed = cli.ok(*selection).json
    report = cli.ok("report", named["lie"], "--json").json
    assert {each["id"] for each in listed["derived"]} == derived and len(report["recalls"]) == 2
    with served(tmp_path, keys) as at:
        assert cli.ok(*selection, *at["operator"]).json == listed
        assert cli.ok(*selection, *at["auditor"]).json == listed, "to look at it takes no more than to audit"
        assert cli.ok("report", named["lie"], "--json", *at["auditor"]).json == report
        done = cli.ok(*selection, "--yes", *at["operator"]).json
        assert done["judged"] == len(listed["items"]) and not done["under_way"]
        assert "in quarantine" in cli.ok("quarantine", "--status", *at["auditor"]).out
        assert cli.ok(*selection, "--yes", *at["operator"]).json["judged"] == 0
    after = answers()
    assert named["lie"] not in dict(after["context"]) and named["true"] in dict(after["context"])
    (judge,) = [each for each in logged() if each["id"] in done["commands"]]
    assert (judge["source"], judge["origin"]) == ("operator", "operator"), "in the name of the key"
    assert cli.ok("quarantine", "--status", "--json").json["quarantines"][0]["state"] == "in quarantine"
    with served(tmp_path, keys) as at:
        assert cli.ok(*selection, "--release", "--yes", *at["operator"]).json["judged"] == done["judged"]
    assert answers() == before
    assert cli.ok("replay", "--json").json["same"]


def test_what_one_of_them_has_begun_the_other_goes_on_with(
    cli: Cli, tmp_path: Path, keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with memories("mails") as (mails,):
        for at in range(200):
            mails.record_event(f"Invoice {at} goes to account 2", features=[f"invoice:{at}"])
    submit, sent = Remote.submit, list[Draft]()

    def dies(self: Remote, draft: Draft) -> Any:
        sent.append(draft)
        answer = submit(self, draft)
        if len(sent) == 2:
            raise KeyboardInterrupt  # it is in the log, and nobody has heard of it
        return answer

    selection = ["quarantine", "--source", "mails"]
    with served(tmp_path, keys) as places:
        with monkeypatch.context() as patched:
            patched.setattr(Remote, "submit", dies)
            assert cli(*selection, "--yes", *places["operator"]).code == 130
        assert "under way: 2 of 4 parts" in cli.ok(*selection, *places["auditor"]).out

        def again(self: Remote, draft: Draft) -> Any:
            assert submit(self, draft).refused is None
            return submit(self, draft)  # as a client does that has lost the answer

        with monkeypatch.context() as patched:
            patched.setattr(Remote, "submit", again)
            done = cli.ok(*selection, "--yes", "--json", *places["operator"]).json
    assert (done["judged"], len(done["commands"]), done["under_way"]) == (72, 2, {"part": 2, "parts": 4})
    judges = [each for each in logged() if each["type"] == "judge"]
    assert {each["body"]["reason"] for each in judges} == {f"quarantine {part}/4" for part in range(1, 5)}
    items = {each["id"]: [item["node"] for item in each["body"]["items"]] for each in judges}
    assert sorted(ref for refs in items.values() for ref in refs) == sorted(said_by("mails"))
    assert "under way" not in cli.ok("quarantine", "--status").out
    assert cli.ok(*selection, "--release", "--yes", "--json").json["judged"] == 200


def test_who_may_not_is_told_what_to_do_before_anything_is_said(cli: Cli, tmp_path: Path, keys: dict[str, str]) -> None:
    _, named = poisoned()
    count = len(logged())
    selection = ["quarantine", "--source", "mails"]
    with served(tmp_path, keys) as at:
        for arguments, words in (
            ([*selection, *at["reader"]], "`yggdrasil key new --role audit`"),
            (["report", named["lie"], *at["reader"]], "`yggdrasil key new --role audit`"),
            ([*selection, "--yes", *at["auditor"]], "`yggdrasil key new --role operate`"),
            ([*selection, *at["stranger"]], "the key stranger opens other/*, and not me/agent"),
            (["report", named["lie"], *at["stranger"]], "the key stranger opens other/*, and not me/agent"),
            ([*selection, *at["operator"], "--kafka", "127.0.0.1:1"], "the log is either on these brokers or behind"),
        ):
            run = cli(*arguments)
            assert (run.code, words in run.err) == (2, True), (arguments, run.err)
    with served(tmp_path, None) as at:
        assert "mails said" in cli.ok(*selection, *at[""]).out
        run = cli(*selection, "--yes", *at[""])
        assert (run.code, "start it with --keys" in run.err) == (2, True), run.err
    assert len(logged()) == count
    assert cli(*selection, "--kafka", "127.0.0.1:1", "--dir", "elsewhere").code == 2


def test_a_directory_that_a_service_holds_is_reached_through_it(cli: Cli) -> None:
    _, named = poisoned()
    with Embedded(PLACE) as engine, Serving(engine, Service(None, directory=PLACE.absolute())):
        assert cli.ok("quarantine", "--source", "mails", "--yes", "--json").json["judged"] > 0
        assert cli.ok("report", named["lie"], "--json").json["recalls"]
    assert named["lie"] not in dict(answers()["context"])


def test_on_kafka_the_topic_is_folded_and_the_verdicts_are_appended_to_it(cli: Cli, kafka: KafkaSettings) -> None:
    _, named = poisoned()
    selection = ["quarantine", "--source", "mails", "--derived", "--json"]
    listed = cli.ok(*selection).json
    report = cli.ok("report", named["lie"], "--json").json
    topic = fresh_topic(kafka, 3)
    there = ["--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"]
    published = Published(kafka, topic, "development")
    drafts = [Draft(each["id"], "me/agent", orjson.dumps(each)) for each in logged()]
    list(published.submit_many(drafts))
    published.close()

    def told(document: dict[str, Any]) -> dict[str, Any]:
        """A list without what says when the log has taken it in, which another log has."""
        rows = ("said", "derived", "recalls", "events", "outcomes")
        return document | {
            name: [{**each, "logged_ms": 0} for each in document[name]] for name in rows if name in document
        }

    assert told(cli.ok(*selection, *there).json) == told(listed)
    assert told(cli.ok("report", named["lie"], "--json", *there).json) == told(report)
    done = cli.ok(*selection, "--yes", *there).json
    assert done["judged"] == len(listed["items"])
    assert cli.ok(*selection, *there).json["items"] == []
    (one,) = cli.ok("quarantine", "--status", "--json", *there).json["quarantines"]
    assert (one["state"], one["items"]) == ("in quarantine", done["judged"])
    assert cli.ok(*selection, "--release", "--yes", *there).json["judged"] == done["judged"]
    assert cli("quarantine", "--source", "mails", *there, "--memory", "me/nobody").code == 4
    assert cli.ok("replay", *there, "--json").json["records"] == len(drafts) + 2
    assert ASKED in [each["words"] for each in report["recalls"]]


def test_a_topic_that_this_release_cannot_fold_is_told_of_and_nothing_is_said(cli: Cli, kafka: KafkaSettings) -> None:
    topic = fresh_topic(kafka, 1)
    published = Published(kafka, topic, "development")
    newer = enable_version(0, "operator", 1, 99)
    said = Drafter("me/agent", "mails", "test").record_event("Invoices go to account 2")
    list(published.submit_many([newer, said]))
    published.close()
    there = ["--kafka", kafka.bootstrap_servers, "--topic", topic, "--development"]
    run = cli("quarantine", "--source", "mails", "--yes", *there)
    assert run.code == 1 and f"{topic} cannot be folded to its end" in run.err, run.err


def test_a_host_that_is_behind_the_one_that_answered_before_is_waited_for(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    poisoned()
    listed = cli.ok("quarantine", "--source", "mails", "--json").json
    ask, asked = Embedded.ask, list[str]()

    def behind(self: Embedded, memory: str, query: Any, *more: Any) -> Any:
        answer = ask(self, memory, query, *more)
        if isinstance(query, AskStanding):
            asked.append(memory)
            return answer if len(asked) > 1 else replace(answer, commands=[], as_of=answer.as_of - 1)
        return answer

    monkeypatch.setattr(Embedded, "ask", behind)
    assert cli.ok("quarantine", "--source", "mails", "--json").json == listed and len(asked) == 2
    asked.clear()
    monkeypatch.setattr(quarantining, "_BEHIND_S", 0.0)
    run = cli("quarantine", "--source", "mails")
    assert run.code != 0 and "give the same command again when that has caught up" in run.err


def test_records_that_were_altered_are_counted_aloud(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    _, named = poisoned()
    ask = Embedded.ask

    def altered(self: Embedded, memory: str, query: Any, *more: Any) -> Any:
        answer = ask(self, memory, query, *more)
        return replace(answer, altered=2) if isinstance(query, AskSaid) else answer

    monkeypatch.setattr(Embedded, "ask", altered)
    for command in (["quarantine", "--source", "mails"], ["quarantine", "--status"], ["report", named["lie"]]):
        assert "2 records of the log are not what was folded, and left out: `yggdrasil verify`" in cli.ok(*command).err
