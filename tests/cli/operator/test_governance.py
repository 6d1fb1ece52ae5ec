"""Every command of docs/governance.md is run, in its order, and what the page says of it holds."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from tests.cli.operator.test_quarantine import PLACE, logged
from tests.cli.runs import Cli
from tests.contract.logs import fresh_topic
from yggdrasil.engines.embedded import Embedded
from yggdrasil.engines.published import Published
from yggdrasil.serving import Service, Serving
from yggdrasil_infra.http.keys import Keys
from yggdrasil_infra.kafka_log.settings import KafkaSettings
from yggdrasil_producers.draft import Draft

PAGE = (Path(__file__).parents[3] / "docs" / "governance.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def run(cli: Cli, line: str, known: dict[str, str]) -> str:
    """Run one line as a shell would; a variable may stand for a word. The broker of a test stands alone."""
    words = [known[word[1:]] if word.startswith("$") else word for word in shlex.split(line)]
    assert words[0] == "yggdrasil"
    return cli.ok(*words[1:], *(["--development"] if "--kafka" in words else [])).out


@contextmanager
def serving(wanted: bool, known: dict[str, str]) -> Iterator[None]:
    """Serve the directory of the page, where a line asks that."""
    if not wanted:
        yield
        return
    with Embedded(PLACE) as engine, Serving(engine, Service(("127.0.0.1", 0), Keys(Path("keys.json")))) as it:
        known["SERVICE"] = it.url
        yield


def on_topic(kafka: KafkaSettings) -> dict[str, str]:
    """Append what the log of the directory has to a topic; return what leads there."""
    topic = fresh_topic(kafka, 3)
    published = Published(kafka, topic, "development")
    list(published.submit_many(Draft(each["id"], each["memory"], orjson.dumps(each)) for each in logged()))
    published.close()
    return {"BROKERS": kafka.bootstrap_servers, "TOPIC": topic}


def test_a_poisoned_week_is_cleaned_as_the_page_says(
    cli: Cli, capsys: pytest.CaptureFixture[str], kafka: KafkaSettings
) -> None:
    (story,) = blocks("python")
    exec(compile(story, "governance.md", "exec"), {"__name__": "__main__"})
    known = {"LIE": capsys.readouterr().out.strip()}
    shown: list[list[str]] = []
    for block in blocks("console"):
        lines = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
        assert len(lines) == len(block.splitlines())
        shown.append([])
        if "$TOPIC" in block:
            known |= on_topic(kafka)
        for line in lines:
            with serving("$SERVICE" in line, known):
                shown[-1].append(run(cli, line, known))
            if " key new " in line:
                Path("on-call.key").write_text(shown[-1][-1])
    found, listed, taken, now, returned, served, on_kafka = shown
    lie, true = "account 2", "account 1"
    claimed = "account is 2"  # what came of the lie
    assert lie in found[0] and "events that these informed: 1" in found[1] and "-8 fraud" in found[1]
    assert "mails said 4 commands: alias_entity 1, log_outcome 1, record_event 2" in listed[0]
    assert "3 came of that: assert_claim 1, log_outcome 1, record_event 1" in listed[0]
    assert "7 are out of every answer." in taken[0] and "in quarantine: 7 items" in taken[1]
    assert true in now[0] and lie not in now[0]
    assert claimed in now[1] and true not in now[1]
    assert "7 are as they were before." in returned[0] and lie in returned[1]
    assert "7 are out of every answer." in returned[2] and "QUARANTINED: and out again" in returned[4]
    assert "-8 fraud" in served[1] and "Nothing of it is in answers any more." in served[2]
    assert "6 are as they were before." in served[3], "but for what somebody has judged since"
    assert "6 are out of every answer." in served[4]
    assert "Nothing of it is in answers any more." in on_kafka[0] and "6 are as they were before." in on_kafka[1]
